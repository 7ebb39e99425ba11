"""Table 2: the accuracy of every method on every dataset, measured beside published."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

from xcbench.data.catalogue import catalogue
from xcbench.report.document import Block, Cell, Column, Line, Standing, Table
from xcbench.report.published import (
    Numbers,
    Published,
    one_source,
    repository_numbers,
    ten_split_numbers,
)
from xcbench.report.tables import cells
from xcbench.report.tables.methods import Method, Row, by_dataset, methods_of
from xcbench.report.tables.standing import (
    RowScores,
    Standings,
    standings_by_rows,
    standings_by_splits,
)

METRICS = tuple(f"{measure}@{k}" for measure in ("P", "nDCG", "PSP") for k in (1, 3, 5))
_DIFFERENCES = {f"P@{k} minus SLEEC": f"P@{k}" for k in (1, 3, 5)}
_GROUPS = ("ours", "paper", "peer", "baseline", "published")

_COLUMNS = (
    *(Column(metric, metric, "higher") for metric in METRICS),
    *(Column(key, f"Δ{metric}", "higher") for key, metric in _DIFFERENCES.items()),
    Column("runs", "runs"),
)
_NOTES = (
    "Percent. Measured numbers are of runs with xcbench, published ones name their source.",
    "Best: the best measured number of its column. Tied: the 95 % interval of its difference from "
    "the best contains zero, each pair taken for itself. On one split that is a paired bootstrap "
    "over the test rows (2000 resamples; seeds averaged row by row), over several splits the "
    "corrected resampled t-test.",
    "Published numbers come without rows, so they are not called best or tied; ↑ marks those above "
    "the best measured number, by however little.",
    "Δ: difference from the published SLEEC. ±: sample standard deviation over splits (seeds of a "
    "split averaged), on one split over seeds.",
)


def table2(rows: Iterable[Row], row_scores: RowScores | None = None) -> Table:
    """Accuracy of the methods, a block for each dataset.

    Data with several splits has a block for the first and one for the mean.

    Parameters
    ----------
    rows : iterable of Row
    row_scores : callable, optional
        Per-row scores of a run by its id; without them nothing is called tied.
    """
    blocks: list[Block] = []
    for dataset, runs in by_dataset(rows).items():
        methods, notes = methods_of(runs)
        blocks += _blocks(dataset, methods, notes, row_scores)
    used = {key for block in blocks for line in block.lines for key in line.cells}
    columns = tuple(column for column in _COLUMNS if column.key in used)
    return Table("2", "Table 2: accuracy", columns, tuple(blocks), _NOTES)


def _blocks(
    dataset: str, methods: Sequence[Method], notes: Sequence[str], row_scores: RowScores | None
) -> list[Block]:
    entry = catalogue().get(dataset)
    title = entry.title if entry else ""
    first = min(split for method in methods for split in method.splits)
    splits = max((method.splits for method in methods), key=len)
    has_several = len(splits) > 1
    single = [on for method in methods if (on := method.on([first])).runs]
    named = has_several or first != 1
    blocks = [
        _single_split(
            f"{dataset}, split {first}" if named else dataset,
            single,
            [*notes, *_left_out(methods, single, f"split {first}")],
            repository_numbers(title),
            row_scores,
        )
    ]
    if has_several:
        whole = [method.on(splits) for method in methods if set(splits) <= set(method.splits)]
        what = f"mean of {len(splits)} splits"
        left_out = _left_out(methods, whole, f"all of the {len(splits)} splits")
        published = ten_split_numbers(title)
        blocks.append(_mean_of_splits(f"{dataset}, {what}", whole, left_out, published))
    return blocks


def _single_split(
    title: str,
    methods: Sequence[Method],
    notes: Sequence[str],
    published: Numbers,
    row_scores: RowScores | None,
) -> Block:
    scored = row_scores or (lambda run_id: None)
    standings, unscored = standings_by_rows(methods, METRICS, scored)
    found = list(notes)
    if unscored:
        found.append(
            f"no rows to compare (predictions or data are gone): {', '.join(unscored)}; ties with "
            "them are not known"
        )
    error = _standard_error(methods)
    found += [error] if error else []
    return _block(title, methods, found, published, standings)


def _mean_of_splits(
    title: str, methods: Sequence[Method], notes: Sequence[str], published: Numbers
) -> Block:
    standings = standings_by_splits(methods, METRICS)
    found = list(notes)
    if published:
        found.append(
            "SLEEC's paper drew ten random splits of its own, of the same sizes; its nDCG is from "
            "another of its tables, where nDCG@1 is not P@1"
        )
    return _block(title, methods, found, published, standings)


def _block(
    title: str,
    methods: Sequence[Method],
    notes: Sequence[str],
    published: Numbers,
    standings: Standings,
) -> Block:
    sleec = {metric: number.value for metric, number in published.get("SLEEC", {}).items()}
    lines = [_measured_line(method, standings[method.label], sleec) for method in methods]
    best = _best_values(lines)
    lines += [_published_line(name, numbers, best) for name, numbers in published.items()]
    return Block(title, tuple(sorted(lines, key=_place)), tuple(notes))


def _measured_line(
    method: Method, standings: Mapping[str, Standing], sleec: Mapping[str, float]
) -> Line:
    found: dict[str, Cell] = {}
    for metric in METRICS:
        cell = cells.measured(method.numbers(metric), standing=standings.get(metric, ""))
        if cell.value is not None:
            found[metric] = cell
    for key, metric in _DIFFERENCES.items():
        if metric in sleec and metric in found:
            difference = (found[metric].value or 0.0) - sleec[metric]
            found[key] = Cell(f"{difference:+.2f}", difference)
    found["runs"] = cells.runs(method)
    return Line(method.label, method.group, method.source, found)


def _published_line(name: str, numbers: Mapping[str, Published], best: Mapping[str, float]) -> Line:
    shown = {metric: numbers[metric] for metric in METRICS if metric in numbers}
    found = {
        metric: cells.published(
            number,
            numbers.get(f"{metric}_std"),
            "above" if metric in best and number.value > best[metric] else "",
        )
        for metric, number in shown.items()
    }
    return Line(name, "published", one_source(shown.values()), found)


def _best_values(lines: Sequence[Line]) -> dict[str, float]:
    return {
        metric: max(values)
        for metric in METRICS
        if (
            values := [
                v for x in lines if (v := x.cells.get(metric, cells.EMPTY).value) is not None
            ]
        )
    }


def _place(line: Line) -> tuple[int, float, str]:
    """Groups in their order, the best P@1 first."""
    value = line.cells.get("P@1", cells.EMPTY).value
    return _GROUPS.index(line.group), -(value if value is not None else -1.0), line.label


def _left_out(all_: Sequence[Method], kept: Sequence[Method], what: str) -> list[str]:
    labels = {method.label for method in kept}
    missing = [method.label for method in all_ if method.label not in labels]
    return [f"without runs on {what}, so left out: {', '.join(missing)}"] if missing else []


def _standard_error(methods: Sequence[Method]) -> str:
    """How far chance moves P@1 of the best method on this many test rows."""
    values = [statistics.fmean(found) for m in methods if (found := m.numbers("P@1"))]
    n = int(methods[0].runs[0].get("n_test") or 0)
    if not values or not n:
        return ""
    share = max(values) / 100
    error = 100 * math.sqrt(share * (1 - share) / n)
    return f"one standard error of P@1 on its {n} test rows is {error:.2f} points"
