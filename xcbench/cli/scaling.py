"""The part ``scaling`` of ``xcbench bench``: measure, print and write how costs grow."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.outputs import write_output
from xcbench.errors import ConfigError, XCBenchError

if TYPE_CHECKING:
    from xcbench.bench.scaling.measure import Measurement, Scaling
    from xcbench.bench.scaling.plan import Point
    from xcbench.data.catalogue import CatalogueEntry
    from xcbench.report.document import Table

SCALES, LIKE, PEERS_UP_TO = "0.05,0.1,0.2,0.4", "amazon-670k", 0.1

Scales = Annotated[
    str | None,
    typer.Option(
        metavar="S,S,...", help=f"Scaling: sizes, as parts of --like's; default {SCALES}."
    ),
]
Like = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=f"Scaling: dataset whose shape is scaled; default {LIKE}."),
]
PeersUpTo = Annotated[
    float | None,
    typer.Option(
        min=0, metavar="S", help=f"Scaling: largest scale of the peers; default {PEERS_UP_TO}."
    ),
]
Work = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Scaling: keep the made data there, and find it the next time."
    ),
]


@dataclass(frozen=True)
class Growth:
    """What of the growth is measured; what is None is the default."""

    scales: str | None
    like: str | None
    peers_up_to: float | None
    work: Path | None
    jobs: int | None

    def first_given(self) -> str | None:
        """The first option that was given."""
        given = (name for name, value in vars(self).items() if value is not None)
        return next((f"--{name.replace('_', '-')}" for name in given), None)

    def entry(self) -> CatalogueEntry:
        """The dataset whose shape is scaled."""
        from xcbench.data.catalogue import catalogue

        like = LIKE if self.like is None else self.like
        entry = catalogue().get(like)
        if entry is None:
            raise ConfigError(f"--like {like}: `xcbench data list` shows the known datasets")
        return entry

    def groups(self, entry: CatalogueEntry, cores: int) -> list[list[Point]]:
        """The points to measure, on a machine of so many cores."""
        from xcbench.bench.scaling.plan import parse_scales, plan

        scales = parse_scales(SCALES if self.scales is None else self.scales)
        jobs = self.jobs if self.jobs and self.jobs > 0 else cores
        peers_up_to = PEERS_UP_TO if self.peers_up_to is None else self.peers_up_to
        return plan(entry, scales, jobs, peers_up_to)


def bench_scaling(asked: Growth, repeats: int, out: Path | None) -> None:
    """Measure, print and write how costs grow.

    Raises
    ------
    ConfigError
        An option is wrong, or the results cannot be written.
    XCBenchError
        A measurement failed; the others are printed and written.
    """
    from rich.console import Console
    from threadpoolctl import threadpool_limits

    from xcbench.bench.machine import measure as measure_machine
    from xcbench.bench.scaling.tables import scaling_table
    from xcbench.report.formats.terminal import print_table
    from xcbench.runner.provenance import collect

    machine, entry = collect(), asked.entry()
    groups = asked.groups(entry, machine["cores"])
    _require_places(asked.work, out)
    where = f"{machine['cpu']}, {machine['cores']} cores"
    with threadpool_limits(1):
        rates = measure_machine(repeats)
    found = _measured(groups, entry, asked.work, _Kept(out, where, sum(map(len, groups))))
    table = scaling_table(found, rates, entry.title, where)
    print_table(table, Console())
    if out is not None:
        _write(found, table, out, entry.title, where)
    _require_measured(found)


class _Kept:
    """Writes what has been measured so far, lest an interruption lose it.

    It goes beside the results, not over them: those of an earlier time stay till all is measured.
    """

    def __init__(self, out: Path | None, where: str, planned: int) -> None:
        self._path = out and _partial(out)
        self._where = where
        self._planned = planned
        self._count = 0

    def __call__(self, measurements: Sequence[Measurement]) -> None:
        if self._path is not None:
            write_output(self._path, _as_csv(measurements, self._where))
        self._count = len({m.point for m in measurements})

    def __str__(self) -> str:
        """What an interruption leaves."""
        done = f"{self._count} of {self._planned} measurements are done"
        if self._path is None or not self._count:
            return f"{done}; nothing is kept"
        return f"{done}; they are kept in {self._path}"


def _partial(out: Path) -> Path:
    return out.with_suffix(".part.csv")


def _measured(
    groups: list[list[Point]], entry: CatalogueEntry, work: Path | None, kept: _Kept
) -> Scaling:
    """All measurements; an interruption says what it leaves."""
    from xcbench.bench.scaling.measure import measure
    from xcbench.runner.executors import kill_workers
    from xcbench.runner.signals import ended_by_signals

    try:
        with ended_by_signals(kill_workers):  # or what is made on the way would stay
            return measure(groups, entry.propensity, work, _say, kept)
    except KeyboardInterrupt:
        _say(f"interrupted; {kept}")
        raise typer.Exit(128 + signal.SIGINT) from None
    except SystemExit:
        _say(f"ended by a signal; {kept}")
        raise


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


def _require_measured(found: Scaling) -> None:
    failed = [m for m in found.measurements if m.error and not m.is_left_out]
    if failed:
        raise XCBenchError(
            f"{len(failed)} of {len(found.measurements)} measurements failed; the first: "
            f"{failed[0].point}: {failed[0].error}"
        )


def _as_csv(measurements: Sequence[Measurement], where: str) -> str:
    from xcbench.bench.scaling.rows import COLUMNS, rows_of
    from xcbench.report.listing import as_csv

    return as_csv([row for m in measurements for row in rows_of(m, where)], COLUMNS)


def _write(found: Scaling, table: Table, out: Path, like: str, where: str) -> None:
    """The rows as CSV, and beside them the tables and the figure."""
    from xcbench.bench.scaling.figure import figure_scaling
    from xcbench.report.figures import png, svg
    from xcbench.report.formats import FORMATS

    write_output(out, _as_csv(found.measurements, where))
    _partial(out).unlink(missing_ok=True)
    write_output(out.with_suffix(".md"), FORMATS["markdown"](table))
    drawing = figure_scaling(found, like, where)
    if drawing is not None:
        write_output(out.with_suffix(".svg"), svg(drawing))
        write_output(out.with_suffix(".png"), png(drawing))
        typer.echo(f"{out.with_suffix('.svg')}, .png: {drawing.title}. {drawing.caption}")
