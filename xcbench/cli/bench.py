"""``xcbench bench``: time the stages against the libraries a user would call otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.options import DEFAULT_DATA, DataRoot, Jobs
from xcbench.cli.outputs import write_output
from xcbench.errors import ConfigError, XCBenchError

if TYPE_CHECKING:
    from xcbench.bench.machine import Machine
    from xcbench.bench.scaling.measure import Scaling
    from xcbench.bench.timing import Row
    from xcbench.report.document import Table

STAGES = ("reader", "stages", "completion")
SCALING = "scaling"
PARTS = (*STAGES, SCALING)
SCALES, LIKE, PEERS_UP_TO = "0.05,0.1,0.2,0.4", "amazon-670k", 0.1

Configs = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[CONFIG]", help="Configs whose method `rxml` is timed against omikuji."
    ),
]


def bench(
    configs: Configs = None,
    data: DataRoot = DEFAULT_DATA,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PART", help=f"One of {', '.join(PARTS)}; repeatable."),
    ] = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Runs of each; the median counts. Scaling runs each once.")
    ] = 3,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the rows as CSV too; of scaling also its tables (.md) and figure (.svg, "
            ".png), beside it.",
        ),
    ] = None,
    scales: Annotated[
        str | None,
        typer.Option(
            metavar="S,S,...", help=f"Scaling: sizes, as parts of --like's; default {SCALES}."
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help=f"Scaling: dataset whose shape is scaled; default {LIKE}."
        ),
    ] = None,
    peers_up_to: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="S", help=f"Scaling: largest scale of the peers; default {PEERS_UP_TO}."
        ),
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Scaling: keep the made data there, and find it the next time."
        ),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Time each stage against a peer, one thread, in one run; a ratio above 1 means faster.

    The stages run on a fixed synthetic problem in the shape of Bibtex. With configs, the method
    rxml of each also trains on its real data, beside omikuji with its defaults. Peers that are not
    installed are left out (pip install 'xcbench[peers,dev]').

    --only scaling, which takes up to half an hour and runs alone, measures time and memory of rxml
    on made-up data against the numbers of points, features, labels and processes (up to --jobs, by
    default one a core), and omikuji and napkinXC beside it. Exit codes: 0 all was measured, 1 a
    measurement failed, 2 usage.
    """
    from threadpoolctl import threadpool_limits

    from xcbench.bench.machine import measure
    from xcbench.bench.table import print_rows, write_csv

    unknown = sorted(set(only or ()) - set(PARTS))
    if unknown:
        raise ConfigError(f"--only {unknown[0]}: expected one of {', '.join(PARTS)}")
    own = {
        "--scales": scales, "--like": like, "--peers-up-to": peers_up_to, "--work": work,
        "--jobs": jobs,
    }  # fmt: skip
    if jobs == 0:
        raise ConfigError("--jobs 0: expected -1 (one process a core) or at least 1")
    if SCALING in (only or ()):
        if configs or set(only or ()) != {SCALING}:
            raise ConfigError("--only scaling runs alone: without configs and other parts")
        largest = PEERS_UP_TO if peers_up_to is None else peers_up_to
        sizes = SCALES if scales is None else scales
        _scaling(Growth(sizes, like or LIKE, largest, jobs or -1, work), repeats, out)
        return
    if misplaced := next((name for name, value in own.items() if value is not None), None):
        raise ConfigError(f"{misplaced} belongs to --only scaling")
    if not only and not configs:
        only = list(STAGES)
    with threadpool_limits(1):
        machine = measure(repeats)
        rows = [*_stages(only or [], machine, repeats), *_real(configs or [], data, repeats)]
    print_rows(rows, machine)
    if out is not None:
        write_csv(rows, out)


@dataclass(frozen=True)
class Growth:
    """What of the growth is measured: the options of the part ``scaling``."""

    scales: str
    like: str
    peers_up_to: float
    jobs: int
    work: Path | None


def _scaling(asked: Growth, repeats: int, out: Path | None) -> None:
    """Measure, print and write how costs grow."""
    from rich.console import Console
    from threadpoolctl import threadpool_limits

    from xcbench.bench.machine import measure as measure_machine
    from xcbench.bench.scaling.measure import measure
    from xcbench.bench.scaling.plan import parse_scales, plan
    from xcbench.bench.scaling.tables import scaling_table
    from xcbench.data.catalogue import catalogue
    from xcbench.report.formats.terminal import print_table
    from xcbench.runner.executors import kill_workers
    from xcbench.runner.provenance import collect
    from xcbench.runner.signals import ended_by_signals

    entry = catalogue().get(asked.like)
    if entry is None:
        raise ConfigError(f"--like {asked.like}: `xcbench data list` shows the known datasets")
    machine = collect()
    where = f"{machine['cpu']}, {machine['cores']} cores"
    jobs = machine["cores"] if asked.jobs == -1 else asked.jobs
    groups = plan(entry, parse_scales(asked.scales), jobs, asked.peers_up_to)
    _require_places(asked.work, out)
    with threadpool_limits(1):
        rates = measure_machine(repeats)
    with ended_by_signals(kill_workers):  # or what is made on the way would stay
        found = measure(groups, entry.propensity, asked.work, _say)
    table = scaling_table(found, rates, entry.title, where)
    print_table(table, Console())
    if out is not None:
        _write_scaling(found, table, out, entry.title, where)
    failed = [m for m in found.measurements if m.error and not m.is_left_out]
    if failed:
        raise XCBenchError(
            f"{len(failed)} of {len(found.measurements)} measurements failed; the first: "
            f"{failed[0].point}: {failed[0].error}"
        )


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _require_places(work: Path | None, out: Path | None) -> None:
    """See before the long measurement that its results have a place."""
    from xcbench.runner.files import require_writable

    if out is not None and out.suffix != ".csv":
        raise ConfigError(f"--out {out}: expected a name that ends in .csv")
    for folder in (work, out and out.parent):
        if folder is not None:
            require_writable(folder)


def _write_scaling(found: Scaling, table: Table, out: Path, like: str, where: str) -> None:
    """The rows as CSV, and beside them the tables and the figure."""
    from xcbench.bench.scaling.figure import figure_scaling
    from xcbench.bench.scaling.rows import COLUMNS, rows_of
    from xcbench.report.figures import png, svg
    from xcbench.report.formats import FORMATS
    from xcbench.report.listing import as_csv

    rows = [row for measurement in found.measurements for row in rows_of(measurement, where)]
    write_output(out, as_csv(rows, COLUMNS))
    write_output(out.with_suffix(".md"), FORMATS["markdown"](table))
    drawing = figure_scaling(found, like, where)
    if drawing is not None:
        write_output(out.with_suffix(".svg"), svg(drawing))
        write_output(out.with_suffix(".png"), png(drawing))
        typer.echo(f"{out.with_suffix('.svg')}, .png: {drawing.title}. {drawing.caption}")


def _stages(only: list[str], machine: Machine, repeats: int) -> Iterator[Row]:
    from xcbench.bench.completion import bench_completion
    from xcbench.bench.reader import bench_reader
    from xcbench.bench.stages import bench_stages
    from xcbench.bench.synthetic import bibtex_like

    if "reader" in only:
        yield from bench_reader(repeats)
    if "stages" in only:
        yield from bench_stages(bibtex_like(), machine, repeats)
    if "completion" in only:
        yield from bench_completion(bibtex_like(), machine, repeats)


def _real(configs: list[Path], data: Path, repeats: int) -> Iterator[Row]:
    from xcbench.bench.real import bench_real
    from xcbench.config.loader import load_config
    from xcbench.config.methods import LocalEmbeddingSettings
    from xcbench.data.sources import locate
    from xcbench.data.store import prepare

    for path in configs:
        config = load_config(path)
        method = next((m for m in config.methods if m.label == "rxml"), None)
        if method is None or not isinstance(method.settings, LocalEmbeddingSettings):
            raise ConfigError(f"{path}: no method `rxml` to time; expected one under methods")
        dataset = config.body.dataset
        prepared = prepare(locate(dataset, data, config.body.splits[0]), dataset.features)
        yield from bench_real(
            dataset.title,
            prepared.train,
            prepared.test,
            method.settings,
            repeats,
        )
