"""A run and its repeat, side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from xcbench.config.changes import flat
from xcbench.errors import XCBenchError
from xcbench.runner.result import Result, kind_of_task
from xcbench.tasks.base import untimed

# What may move the last digits of a result, the likeliest first.
_REASONS = (
    "xcbench", "git_commit", "git_dirty", "results_version", "numpy", "scipy", "numba", "blas",
    "python", "cpu", "threads_per_job", "backend", "jobs", "resumed_tasks", "host",
)  # fmt: skip

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Comparison:
    """A run and its repeat.

    Attributes
    ----------
    before, after : Result
    difference : str
        How the predictions differ, in words; "" when they are identical.
    differences : dict of str to (before, after)
        How and where they ran, as far as it differs; the likeliest reason for other predictions
        first.
    """

    before: Result
    after: Result
    difference: str
    differences: dict[str, tuple[Any, Any]]

    @property
    def identical(self) -> bool:
        return not self.difference


def compare(before: Result, old: Arrays, after: Result, new: Arrays) -> Comparison:
    """Set two results of the same job, and the arrays of their predictions, side by side.

    Raises
    ------
    XCBenchError
        The arrays are others, or of other shapes.
    """
    old, new = untimed(old), untimed(new)
    shapes = [{name: array.shape for name, array in arrays.items()} for arrays in (old, new)]
    if shapes[0] != shapes[1]:
        raise XCBenchError(
            f"{before.run_id}: the stored predictions are {_shaped(shapes[0])}, the repeat's "
            f"{_shaped(shapes[1])}"
        )
    is_xc = kind_of_task(before.config) == "xc"
    difference = _of_lists(old, new) if is_xc else _of_arrays(old, new)
    return Comparison(before, after, difference, _differences(before, after))


def _shaped(shapes: Mapping[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name} {shape}" for name, shape in sorted(shapes.items()))


def _of_lists(old: Arrays, new: Arrays) -> str:
    """How ranked labels differ: the rows where a label or the order does, and the scores."""
    rows = (old["labels"] != new["labels"]).any(axis=1)
    gap = _largest_gap(old["scores"], new["scores"])
    if not rows.any() and gap == 0:
        return ""
    return (
        f"other labels in {np.count_nonzero(rows)} of {len(rows)} rows, scores differ by up to "
        f"{gap:.3g}"
    )


def _of_arrays(old: Arrays, new: Arrays) -> str:
    gaps = {name: _largest_gap(old[name], new[name]) for name in sorted(old)}
    return ", ".join(f"{name} by up to {gap:.3g}" for name, gap in gaps.items() if gap)


def _largest_gap(old: np.ndarray, new: np.ndarray) -> float:
    """The largest difference of two arrays; infinite where one has no number or another text."""
    same = (old == new) | ((old != old) & (new != new))
    if same.all():
        return 0.0
    if old.dtype.kind not in "biuf" or new.dtype.kind not in "biuf":
        return float("inf")
    with np.errstate(invalid="ignore"):
        gaps = np.abs(old[~same].astype(np.float64) - new[~same].astype(np.float64))
    return float(np.nan_to_num(gaps, nan=np.inf, posinf=np.inf).max())


def _differences(before: Result, after: Result) -> dict[str, tuple[Any, Any]]:
    old, new = (
        {
            **result.provenance,
            **result.execution,
            "blas": ", ".join(sorted(str(result.provenance.get("blas", "")).split(", "))),
            "results_version": result.results_version,
        }
        for result in (before, after)
    )
    found = {
        key: (old[key], new[key])
        for key in _REASONS
        if key in old
        and key in new
        # Uncommitted changes of then and now need not be the same ones.
        and (old[key] != new[key] or (key == "git_dirty" and old[key]))
    }
    known, told = settings_of(before.config), settings_of(after.config)
    return found | {
        f"config {key}": (known.get(key, "-"), told.get(key, "-"))
        for key in sorted(known.keys() ^ told.keys())
    }


def settings_of(config: dict[str, Any]) -> dict[str, Any]:
    """A job's config without where it executes, flat, as it reads back from JSON."""
    plain = json.loads(json.dumps({k: v for k, v in config.items() if k != "executor"}))
    return flat(plain)
