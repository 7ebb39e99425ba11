"""Rows of results, and what can be told of a run from its row alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from xcbench.config.sweep import LONGEST_LABEL, worded

# The columns of results.csv and, where a command has read the configs, their dotted keys.
Row = Mapping[str, Any]

_METHOD = "method."


def is_xc(row: Row) -> bool:
    """Whether a run is of extreme classification; runs of before there were other tasks are."""
    return row.get("task") in (None, "", "xc")


def is_swept(row: Row) -> bool:
    """Whether a run is a point of a sweep: its label ends with a swept key and its value of it.

    A ``sweep`` labels its methods ``<label>-<key><value>``, key after key (``rxml-rank50``). A
    method that its config labels so by hand counts as a point too.
    """
    label = str(row["method"])
    return any(
        _ends_with(label, key.removeprefix(_METHOD), value)
        for key, value in row.items()
        if key.startswith(_METHOD)
    )


def are_of_catalogue(name: str, runs: Iterable[Row]) -> bool:
    """Whether all runs were told their data by this name of the catalogue.

    Files of one's own in a folder of that name have its title too, and are other data.
    """
    return all(run.get("dataset.name") == name for run in runs)


def standard_error(runs: Iterable[Row]) -> tuple[float, int] | None:
    """Standard error of the best P@1, sqrt(p (1 - p) / n) in points, and its test rows n.

    The best is that of a method's mean over its seeds on one split; None where no run has P@1.
    """
    groups: dict[tuple[Any, Any], list[Row]] = {}
    for run in runs:
        if run.get("P@1") not in (None, "") and run.get("n_test"):
            groups.setdefault((run["method"], run["split"]), []).append(run)
    if not groups:
        return None
    best, n = max(
        (fmean(float(run["P@1"]) for run in seeds), int(seeds[0]["n_test"]))
        for seeds in groups.values()
    )
    share = best / 100
    return float(100 * (share * (1 - share) / n) ** 0.5), n


def _ends_with(label: str, key: str, value: object) -> bool:
    is_cut = len(label) == LONGEST_LABEL
    text = _after(label, f"-{key}")
    if text and _is(text, value, is_cut):
        return True
    # A stage may be swept whole: as a word, which is its kind, or as a mapping of its keys.
    stage, _, last = key.rpartition(".")
    text = _after(label, f"-{stage}") if stage else ""
    if last == "kind" and text and _is(text, value, is_cut):
        return True
    inside = text.removeprefix(f"{last}_")
    return inside != text and (
        inside.startswith(worded(value)) or _is(inside.partition("_")[0], value, is_cut)
    )


def _after(label: str, start: str) -> str:
    return label.rpartition(start)[2] if start in label else ""


def _is(text: str, value: object, is_cut: bool) -> bool:
    """Whether a label's end says a value: in other digits also, and cut short where labels are."""
    words = worded(value)
    if text == words or (is_cut and words.startswith(text)):
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return float(text) == value
    except ValueError:
        return False
