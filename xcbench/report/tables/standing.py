"""Who is best in a column, and who cannot be told from the best."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.special import stdtrit

from xcbench.metrics.bootstrap import LEVEL, interval, resample
from xcbench.metrics.per_row import Contributions, mean_contributions
from xcbench.report.document import Standing
from xcbench.report.tables.methods import Method

# The per-row scores of a run by its id; None when they cannot be had.
RowScores = Callable[[str], Contributions | None]

# By label, then by metric.
Standings = dict[str, dict[str, Standing]]


def best_of(values: Mapping[str, float], better: str = "higher") -> str:
    """The label with the best value; the first of equal ones."""
    pick = max if better == "higher" else min
    return pick(values, key=lambda label: values[label])


def standings_by_rows(
    methods: Sequence[Method], metrics: Sequence[str], row_scores: RowScores
) -> tuple[Standings, list[str]]:
    """Standings on one split: tied when the paired bootstrap interval over test rows has zero.

    Returns
    -------
    Standings
    list of str
        Labels without per-row scores: they are best or nothing.
    """
    scores = _scores(methods, metrics, row_scores)
    found: Standings = {method.label: {} for method in methods}
    labels = list(scores)
    names = scores[labels[0]].names if labels else ()
    resampled = resample([scores[label] for label in labels]) if len(labels) > 1 else None
    for metric in metrics:
        values = _means(methods, metric)
        if not values:
            continue
        best = best_of(values)
        found[best][metric] = "best"
        if resampled is None or best not in labels or metric not in names:
            continue
        column = resampled[:, :, names.index(metric)]
        for at, label in enumerate(labels):
            if label != best and label in values:
                difference = column[:, labels.index(best)] - column[:, at]
                if interval(values[best] - values[label], difference).is_tied:
                    found[label][metric] = "tied"
    return found, [method.label for method in methods if method.label not in scores]


def standings_by_splits(methods: Sequence[Method], metrics: Sequence[str]) -> Standings:
    """Standings of means over the same random splits.

    Tied when the 95 % interval of the mean difference has zero. The splits share points, so its
    variance is that of the corrected resampled t-test, (1/J + n_test/n_train) s^2 (Nadeau and
    Bengio, "Inference for the generalization error", Machine Learning 52, 2003).
    """
    found: Standings = {method.label: {} for method in methods}
    for metric in metrics:
        numbers = {m.label: values for m in methods if (values := m.numbers(metric))}
        if not numbers:
            continue
        best = best_of({label: statistics.fmean(values) for label, values in numbers.items()})
        found[best][metric] = "best"
        run = methods[0].runs[0]
        test_share = int(run["n_test"]) / int(run["n_train"])
        for label, values in numbers.items():
            if label != best and not _differ(numbers[best], values, test_share):
                found[label][metric] = "tied"
    return found


def _differ(first: Sequence[float], second: Sequence[float], test_share: float) -> bool:
    differences = [a - b for a, b in zip(first, second, strict=True)]
    n = len(differences)
    error = math.sqrt((1 / n + test_share) * statistics.variance(differences))
    reach = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * error
    return abs(statistics.fmean(differences)) > reach


def _scores(
    methods: Sequence[Method], metrics: Sequence[str], row_scores: RowScores
) -> dict[str, Contributions]:
    """Per-row scores of the methods that have them for every run, and on the same test rows."""
    found: dict[str, Contributions] = {}
    first: Contributions | None = None
    for method in methods:
        runs = [row_scores(str(run["run_id"])) for run in method.runs]
        known = [
            scores.only([metric for metric in metrics if metric in scores.names])
            for scores in runs
            if scores is not None
        ]
        if len(known) < len(runs) or not known:
            continue
        first = first or known[0]
        if all(_same_rows(first, scores) for scores in known):
            found[method.label] = mean_contributions(known)
    return found


def _same_rows(a: Contributions, b: Contributions) -> bool:
    """What there is to earn tells test labels apart, row by row."""
    return a.names == b.names and np.array_equal(a.norms, b.norms)


def _means(methods: Sequence[Method], metric: str) -> dict[str, float]:
    numbers = {method.label: method.numbers(metric) for method in methods}
    return {label: statistics.fmean(values) for label, values in numbers.items() if values}
