"""Who is best in a column, and who cannot be told from the best."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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

_NONE = Contributions((), np.empty((0, 0)), np.empty((0, 0)))


def best_of(values: Mapping[str, float], better: str = "higher") -> str:
    """The label with the best value; the first of equal ones."""
    pick = max if better == "higher" else min
    return pick(values, key=lambda label: values[label])


@dataclass(frozen=True)
class RowStandings:
    """Standings on one split, and what they had to do without.

    Attributes
    ----------
    standings : Standings
    unscored : tuple of str
        Labels without per-row scores: they are best or nothing.
    apart : dict of str to list of str
        Labels that were scored unlike most, with the metrics in which they have no standing.
    resamples : int
        How often the test rows were drawn; 0 when nothing was compared.
    """

    standings: Standings
    unscored: tuple[str, ...]
    apart: dict[str, list[str]]
    resamples: int


def standings_by_rows(
    methods: Sequence[Method], metrics: Sequence[str], row_scores: RowScores
) -> RowStandings:
    """Standings on one split: tied when the paired bootstrap interval over test rows has zero.

    A metric is compared among the methods it was computed alike for: of equal norms on the same
    test labels, the largest such group.
    """
    scores = _scores(methods, row_scores)
    data = {method.label: method.runs[0]["data_sha256"] for method in methods}
    found: Standings = {method.label: {} for method in methods}
    apart: dict[str, list[str]] = {}
    races: dict[tuple[str, ...], list[_Race]] = {}
    for metric in metrics:
        values = _means(methods, metric)
        scored = {at: scores[at] for at in values if metric in scores.get(at, _NONE).names}
        alike = _alike(scored, data, metric, values)
        for label in scored.keys() - set(alike):
            apart.setdefault(label, []).append(metric)
        rivals = {at: v for at, v in values.items() if at in alike or at not in scored}
        if rivals:
            best = best_of(rivals)
            found[best][metric] = "best"
            if best in alike and len(alike) > 1:
                races.setdefault(alike, []).append(_Race(metric, best, values))
    drawn = []
    for labels, of_labels in races.items():
        resampled = resample(
            [scores[at].only([race.metric for race in of_labels]) for at in labels]
        )
        drawn.append(len(resampled))
        for at, race in enumerate(of_labels):
            for label in _tied(race, labels, resampled[:, :, at]):
                found[label][race.metric] = "tied"
    unscored = tuple(method.label for method in methods if method.label not in scores)
    return RowStandings(found, unscored, apart, min(drawn, default=0))


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


@dataclass(frozen=True)
class _Race:
    """A metric, the label that is best in it, and its values by label."""

    metric: str
    best: str
    values: Mapping[str, float]


def _tied(race: _Race, labels: Sequence[str], column: np.ndarray) -> list[str]:
    """Which of the labels cannot be told from the best by the metric's resampled values."""
    leader, value = column[:, labels.index(race.best)], race.values
    return [
        label
        for at, label in enumerate(labels)
        if label != race.best
        and interval(value[race.best] - value[label], leader - column[:, at]).is_tied
    ]


def _scores(methods: Sequence[Method], row_scores: RowScores) -> dict[str, Contributions]:
    """Per-row scores of the methods that have them for every run; seeds averaged row by row."""
    found: dict[str, Contributions] = {}
    for method in methods:
        runs = [row_scores(str(run["run_id"])) for run in method.runs]
        known = [scores for scores in runs if scores is not None]
        if known and len(known) == len(runs):
            found[method.label] = mean_contributions(known)
    return found


def _alike(
    scored: Mapping[str, Contributions],
    data: Mapping[str, object],
    metric: str,
    values: Mapping[str, float],
) -> tuple[str, ...]:
    """The largest group of methods whose metric is the same; of equal ones, that of the best."""
    groups: list[list[str]] = []
    for label, one in scored.items():
        for group in groups:
            other = scored[group[0]]
            if _same_metric(one, other, metric) and (
                data[label] == data[group[0]] or _same_labels(one, other)
            ):
                group.append(label)
                break
        else:
            groups.append([label])
    largest = max(groups, key=lambda g: (len(g), max(values[x] for x in g)), default=[])
    return tuple(largest)


def _same_metric(a: Contributions, b: Contributions, metric: str) -> bool:
    return np.array_equal(a.norms[:, a.names.index(metric)], b.norms[:, b.names.index(metric)])


def _same_labels(a: Contributions, b: Contributions) -> bool:
    """What there is to earn tells test labels apart, row by row, where a metric weights labels."""
    names = [name for name in a.names if name in b.names and name.startswith("PSP@")]
    return bool(names) and np.array_equal(a.only(names).norms, b.only(names).norms)


def _means(methods: Sequence[Method], metric: str) -> dict[str, float]:
    numbers = {method.label: method.numbers(metric) for method in methods}
    return {label: statistics.fmean(values) for label, values in numbers.items() if values}
