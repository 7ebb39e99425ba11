"""Table 2: the accuracy of every method on every dataset, measured beside published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from xcbench.metrics.bootstrap import MOST
from xcbench.report.document import EMPTY, Block, Cell, Column, Line, Standing, Table
from xcbench.report.published import (
    Numbers,
    Published,
    one_source,
    repository_numbers,
    ten_split_numbers,
)
from xcbench.report.rows import Row, standard_error
from xcbench.report.tables import cells
from xcbench.report.tables.methods import (
    Method,
    by_dataset,
    in_groups,
    methods_of,
    not_in_block,
    on_first_split,
    title_of,
)
from xcbench.report.tables.standing import (
    RowScores,
    RowStandings,
    Standings,
    standings_by_rows,
    standings_by_splits,
)

METRICS = tuple(f"{measure}@{k}" for measure in ("P", "nDCG", "PSP") for k in (1, 3, 5))
_DIFFERENCES = {f"P@{k} minus SLEEC": f"P@{k}" for k in (1, 3, 5)}

_COLUMNS = (
    *(Column(metric, metric, "higher") for metric in METRICS),
    *(Column(key, f"Δ{metric}", "higher") for key, metric in _DIFFERENCES.items()),
    Column("runs", "runs"),
)
_NOTES = (
    "Percent. Measured numbers are of runs with xcbench, published ones name their source.",
    "Best: the best measured number of its column. Tied: the 95 % interval of its difference from "
    "the best contains zero, each pair taken for itself. On one split that is a paired bootstrap "
    f"over the test rows ({MOST} resamples unless a note says fewer; seeds averaged row by row), "
    "over several splits the corrected resampled t-test.",
    "±: sample standard deviation over splits (seeds of a split averaged), on one over seeds.",
    "In the project's configs the settings of our methods, and of ridge and knn, were chosen for a "
    "dataset on training rows held out, as its configs say. sleec and rxml-paper have SLEEC's "
    "settings (another dataset's where it has none), global has one setting for all data, and the "
    "peers run with settings or defaults of their authors, the same for all data. That favours "
    "ours.",
)


_NOTE_PUBLISHED = (
    "Published numbers come without rows, so they are not called best or tied; ↑ marks those above "
    "the best measured number, by however little."
)
_NOTE_DIFFERENCE = "Δ: difference from the published SLEEC."


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
    published = any(line.group == "published" for block in blocks for line in block.lines)
    notes = [*_NOTES, *([_NOTE_PUBLISHED] if published else [])]
    notes += [_NOTE_DIFFERENCE] if used & _DIFFERENCES.keys() else []
    return Table("2", "Table 2: accuracy", columns, tuple(blocks), tuple(notes))


def _blocks(
    dataset: str, methods: Sequence[Method], notes: Sequence[str], row_scores: RowScores | None
) -> list[Block]:
    printed = title_of(dataset, methods)
    title, single, left_out = on_first_split(dataset, methods)
    published = repository_numbers(printed)
    blocks = [_single_split(title, single, [*notes, *left_out], published, row_scores)]
    splits = max((method.splits for method in methods), key=len)
    if len(splits) > 1:
        whole = [method.on(splits) for method in methods if set(splits) <= set(method.splits)]
        left_out = not_in_block(methods, whole, f"every one of the {len(splits)} splits")
        found = [*left_out, *_chosen_on_the_first(whole)]
        title = f"{dataset}, mean of {len(splits)} splits"
        blocks.append(_mean_of_splits(title, whole, found, ten_split_numbers(printed)))
    return [replace(block, dataset=dataset) for block in blocks]


def _single_split(
    title: str,
    methods: Sequence[Method],
    notes: Sequence[str],
    published: Numbers,
    row_scores: RowScores | None,
) -> Block:
    found = list(notes)
    if row_scores is None:
        found.append("rows were not compared, so ties are not known")
    by_rows = standings_by_rows(methods, METRICS, row_scores or (lambda run_id: None))
    found += _compared(by_rows) if row_scores else []
    error = standard_error(run for method in methods for run in method.runs)
    if error:
        points, n = error
        found.append(f"one standard error of P@1 on its {n} test rows is {points:.2f} points")
    return _block(title, methods, found, published, by_rows.standings)


def _compared(by_rows: RowStandings) -> list[str]:
    """What the standings had to do without, each for its own cause."""
    notes = []
    if by_rows.unscored:
        notes.append(
            "no rows to compare (predictions or data are missing, or not what they were): "
            f"{', '.join(by_rows.unscored)}; ties with them are not known"
        )
    unlike: dict[str, list[str]] = {}
    for label, metrics in by_rows.apart.items():
        unlike.setdefault(", ".join(metrics), []).append(label)
    notes += [
        "computed with another propensity or on other test labels than most, so without a mark "
        f"in {metrics}: {', '.join(sorted(labels))}"
        for metrics, labels in sorted(unlike.items())
    ]
    if 0 < by_rows.resamples < MOST:
        notes.append(f"ties are by {by_rows.resamples} resamples of its test rows")
    return notes


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
    return Block(title, tuple(in_groups(lines, "P@1")), tuple(notes))


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
        if (values := [v for x in lines if (v := x.cells.get(metric, EMPTY).value) is not None])
    }


def _chosen_on_the_first(methods: Sequence[Method]) -> list[str]:
    """That settings have seen most of the other splits' test rows, where there are methods."""
    if not methods:
        return []
    run = methods[0].runs[0]
    n_train, n_test = int(run["n_train"]), int(run["n_test"])
    return [
        "settings that were chosen on training rows were so on those of split 1, which hold about "
        f"{100 * n_train / (n_train + n_test):.0f} % of the other splits' test rows where splits "
        "are random"
    ]
