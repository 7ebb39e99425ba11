"""A run and its repeat, side by side."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from xcbench.config.changes import flat
from xcbench.data.dataset import TopK
from xcbench.errors import XCBenchError
from xcbench.runner.result import Result
from xcbench.tasks.xc import fingerprint

# What may move the last digits of a result, the likeliest first.
_REASONS = (
    "xcbench", "git_commit", "git_dirty", "results_version", "numpy", "scipy", "numba", "blas",
    "python", "cpu", "threads_per_job", "backend", "jobs", "resumed_tasks", "host",
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """A run and its repeat.

    Attributes
    ----------
    before, after : Result
    identical : bool
        Whether all predicted labels and scores are equal.
    rows, rows_with_other_labels : int
        Test rows, and those of them where a label or the order of the labels differs.
    largest_score_difference : float
        Over all places of all lists, whatever label stands there.
    differences : dict of str to (before, after)
        How and where they ran, as far as it differs; the likeliest reason for other predictions
        first.
    """

    before: Result
    after: Result
    identical: bool
    rows: int
    rows_with_other_labels: int
    largest_score_difference: float
    differences: dict[str, tuple[Any, Any]]


def compare(
    before: Result, before_predictions: TopK, after: Result, after_predictions: TopK
) -> Comparison:
    """Set two results of the same job, and the predictions of both, side by side.

    Raises
    ------
    XCBenchError
        The predictions are of other shapes.
    """
    old, new = before_predictions, after_predictions
    if old.labels.shape != new.labels.shape:
        raise XCBenchError(
            f"{before.run_id}: the stored predictions are {old.labels.shape} labels, the repeat's "
            f"{new.labels.shape}"
        )
    unequal = old.scores != new.scores  # Apart from these, -inf less -inf would be no number.
    gaps = np.abs(old.scores[unequal].astype(np.float64) - new.scores[unequal])
    return Comparison(
        before=before,
        after=after,
        identical=fingerprint(old) == fingerprint(new),
        rows=len(old.labels),
        rows_with_other_labels=int(np.count_nonzero((old.labels != new.labels).any(axis=1))),
        largest_score_difference=float(gaps.max(initial=0.0)),
        differences=_differences(before, after),
    )


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
