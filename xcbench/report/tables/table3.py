"""Table 3: what every method costs, and on what machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xcbench.report.document import Block, Cell, Column, Line, Table
from xcbench.report.published import Published, published_costs
from xcbench.report.rows import Row
from xcbench.report.tables import cells
from xcbench.report.tables.methods import (
    Machine,
    Method,
    by_dataset,
    in_groups,
    machines_of,
    methods_of,
    on_first_split,
    title_of,
)
from xcbench.report.tables.standing import best_of

# Column of the results, what one unit of the table is in it, decimals.
_COSTS = {
    "train_s": ("train_s", 1.0, 2),
    "test_ms_per_point": ("predict_ms_per_point", 1.0, 3),
    "model_MB": ("model_bytes", 1e6, 2),
    "peak_MB": ("peak_rss_bytes", 1e6, 0),
}
# Of a published number: the column it belongs to, what one of its units is there, its unit.
_PUBLISHED = {
    "train_time_h": ("train_s", 3600.0, " h"),
    "test_time_ms_per_point": ("test_ms_per_point", 1.0, ""),
    "model_size_GB": ("model_MB", 1000.0, " GB"),
}
_COLUMNS = (
    Column("train_s", "train s", "lower"),
    Column("test_ms_per_point", "test ms/point", "lower"),
    Column("model_MB", "model MB", "lower"),
    Column("peak_MB", "peak MB", "lower"),
    Column("cores", "cores"),
    Column("runs", "runs"),
)
_NOTES = (
    "Wall time without the start of processes. Peak: the largest sum of resident memory of the "
    "process and its workers; pages they share count once for each. Cores: processes x threads.",
    "Best: the lowest measured number; of times and memory only where all methods of the dataset "
    "ran on one machine with the same processes and threads. Times have no interval: runs beside "
    "other work are slower.",
    "Published times and sizes are of their authors' hardware, and no comparison with ours.",
)


def table3(rows: Iterable[Row]) -> Table:
    """Costs of the methods, a block for each dataset, on its first split over all seeds."""
    blocks = []
    for dataset, runs in by_dataset(rows).items():
        methods, notes = methods_of(runs)
        blocks.append(_block(dataset, methods, notes))
    return Table("3", "Table 3: cost", _COLUMNS, tuple(blocks), _NOTES)


def _block(dataset: str, methods: Sequence[Method], notes: Sequence[str]) -> Block:
    published = published_costs(title_of(dataset, methods))
    title, methods, left_out = on_first_split(dataset, methods)
    machines = machines_of(methods)
    numbers = {key: _numbers(methods, key) for key in _COSTS}
    best = {
        key: best_of({label: sum(v) / len(v) for label, v in found.items()}, "lower")
        for key, found in numbers.items()
        if found and (key == "model_MB" or len(machines) == 1)
    }
    lines = [_measured_line(method, numbers, best, len(machines) > 1) for method in methods]
    lines = in_groups(lines, "train_s", lowest_first=True)
    lines += [_published_line(name, source, found) for (name, source), found in published.items()]
    found = [*notes, *left_out, *([_machine(machines)] if len(machines) == 1 else [])]
    return Block(title, tuple(lines), tuple(found), dataset)


def _numbers(methods: Sequence[Method], key: str) -> dict[str, list[float]]:
    column, unit, _ = _COSTS[key]
    return {
        method.label: [value / unit for value in values]
        for method in methods
        if (values := method.numbers(column))
    }


def _measured_line(
    method: Method,
    numbers: Mapping[str, Mapping[str, list[float]]],
    best: Mapping[str, str],
    names_machine: bool,
) -> Line:
    found = {
        key: cells.measured(
            numbers[key][method.label], digits, "best" if best.get(key) == method.label else ""
        )
        for key, (_, _, digits) in _COSTS.items()
        if method.label in numbers[key]
    }
    cores = dict.fromkeys(_cores(run, names_machine) for run in method.runs)
    found["cores"] = Cell("; ".join(cores))
    found["runs"] = cells.runs(method)
    return Line(method.label, method.group, method.source, found)


def _published_line(name: str, source: str, numbers: Mapping[str, Published]) -> Line:
    found = {}
    for metric, number in numbers.items():
        key, factor, unit = _PUBLISHED[metric]
        found[key] = Cell(number.text + unit, number.value * factor, source=source)
    hardware = next(iter(numbers.values())).hardware
    found["cores"] = Cell(f"theirs: {hardware}" if hardware else "theirs, not stated")
    return Line(name, "published", source, found)


def _cores(run: Row, names_machine: bool) -> str:
    machine = f", {run.get('host', '?')}, {run.get('cpu', '?')}" if names_machine else ""
    return f"{run.get('jobs', '?')} x {run.get('threads_per_job', '?')}{machine}"


def _machine(machines: set[Machine]) -> str:
    host, cpu, jobs, threads = next(iter(machines))
    return f"measured on {host}, {cpu}, {jobs} x {threads}"
