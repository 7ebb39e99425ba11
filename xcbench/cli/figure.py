"""``xcbench figure``: draw figures from the results that are there."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.commands import command
from xcbench.cli.options import DEFAULT_DATA, DEFAULT_RESULTS, DataRoot, ResultsRoot
from xcbench.cli.outputs import write_output
from xcbench.cli.stores import StoredArrays, open_results, rows_of
from xcbench.errors import ConfigError, DataError, XCBenchError

if TYPE_CHECKING:
    from xcbench.config.methods import LocalEmbeddingSettings
    from xcbench.config.schema import JobConfig
    from xcbench.report.figures import Drawing, Missing
    from xcbench.report.figures.rows import Arrays
    from xcbench.report.rows import Row

_THREADS = 1  # of the measured solvers


class Name(StrEnum):
    """The figures there are."""

    FIGURE1 = "1"
    FIGURE2 = "2"
    TIME = "time"
    COST = "cost"
    METRIC_LEARNING = "metric-learning"
    MODES = "modes"
    MODES_MESH = "modes-mesh"
    CORRESPONDENCE = "correspondence"
    CORRESPONDENCE_MAP = "correspondence-map"
    EMBEDDING = "embedding"
    MATRIX_COMPLETION = "matrix-completion"
    MATRIX_RECOVERY = "matrix-recovery"
    ROBUSTNESS = "robustness"


def figure(
    names: Annotated[
        list[Name],
        typer.Argument(metavar="NAME", help=f"One or more of {', '.join(Name)}."),
    ],
    results: ResultsRoot = DEFAULT_RESULTS,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where they go; default RESULTS/figures."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", metavar="CONFIG", help="Measure cost on the problem of its method rxml."
        ),
    ] = None,
    data: DataRoot = DEFAULT_DATA,
    force: Annotated[
        bool, typer.Option("--force", help="Measure cost again; what was measured is replaced.")
    ] = False,
) -> None:
    """Draw figures as PNG and SVG, each with its caption, from the results that are there.

    1: P@1 against the number of CG iterations; 2: P@1 against embedding dimension, learners and
    clusters (the RXML paper's figures, from the runs of configs/figures/*.yaml); time: P@1 against
    training time of all methods; cost: cost against wall time of the completion solvers, measured
    once, with --config, and kept in RESULTS/figures/cost.csv. The others are of the runs of configs
    that `xcbench figure NAME` names where there are none: metric-learning, modes, modes-mesh,
    correspondence, correspondence-map, embedding, matrix-completion, matrix-recovery, and
    robustness, of corrupted labels. What is missing is listed with the
    command that makes it. Exit codes: 0 something was drawn, 1 there is no finished run or
    measurement to draw, 2 usage, config, no results folder or no writing to DIR, 3 the data of
    --config is missing.
    """
    from xcbench.report.figures import png, svg
    from xcbench.runner.logs import console

    folder = results / "figures" if out is None else out
    measured = results / "figures" / "cost.csv"
    if Name.COST in names and config is not None:
        _measure(config, data, measured, force)
    with console(logging.WARNING, bars=False):
        store = open_results(results)
        found = list(store.results()) if set(names) != {Name.COST} else []
    arrays, drawn = StoredArrays(store, found), 0
    shown = Shown(rows_of(found), arrays, measured)
    for name in dict.fromkeys(names):
        drawing, missing = draw(name, shown)
        for gap in missing:
            way = command(gap.command.split(), data, results)
            typer.echo(f"figure {name}: {gap.what}: {way}", err=True)
        if drawing is not None:
            stem = folder / f"figure-{name}"
            write_output(stem.with_suffix(".svg"), svg(drawing))
            write_output(stem.with_suffix(".png"), png(drawing))
            write_output(stem.with_suffix(".txt"), f"{drawing.title}. {drawing.caption}\n")
            typer.echo(f"{stem}.svg, .png: {drawing.title}. {drawing.caption}")
            drawn += 1
    for run_id, why in arrays.missing.items():
        typer.echo(f"left out of the figures: {run_id}: {why}", err=True)
    if not drawn:
        raise XCBenchError(f"nothing to draw in {results}")


@dataclass(frozen=True)
class Shown:
    """What figures are drawn of: the rows of all runs, their arrays, the measured costs' file."""

    rows: list[Row]
    arrays: Arrays
    measured: Path


def draw(name: Name, shown: Shown) -> tuple[Drawing | None, list[Missing]]:
    """A figure, None when there is nothing to draw, and what it lacks."""
    from xcbench.report import figures
    from xcbench.report.figures.tasks import TASK_FIGURES
    from xcbench.report.published import published_sleec
    from xcbench.report.rows import is_xc

    if name in TASK_FIGURES:
        figure, missing = TASK_FIGURES[name]
        return figure(shown.rows, shown.arrays), missing(shown.rows)
    rows = [row for row in shown.rows if is_xc(row)]
    if name is Name.FIGURE1:
        return figures.figure1(rows, published_sleec("P@1")), figures.missing1(rows)
    if name is Name.FIGURE2:
        return figures.figure2(rows), figures.missing2(rows)
    if name is Name.TIME:
        return figures.figure_time(rows), figures.missing_time(rows)
    try:
        costs = figures.read_costs(shown.measured)
    except DataError as error:
        return None, figures.missing_cost([], damage=str(error))
    return figures.figure_cost(costs), figures.missing_cost(costs)


def _measure(path: Path, data: Path, measured: Path, force: bool) -> None:
    """See that the measurement that is kept is of a config's problem."""
    from xcbench.report.figures import read_costs
    from xcbench.runner.files import require_writable

    job, settings = _problem(path)
    try:
        kept = [] if force else read_costs(measured)
    except DataError as error:
        raise ConfigError(f"{error}; --force measures again") from None
    if not kept:
        require_writable(measured.parent)
        write_output(measured, _measurement(job, settings, data))
        return
    rank = min(settings.rank, int(kept[0]["points"]))
    wanted = {"dataset": job.dataset.title, "split": job.split, "seed": job.seed, "rank": rank}
    other = [key for key, value in wanted.items() if str(kept[0][key]) != str(value)]
    if other:
        found = ", ".join(f"{key} {kept[0][key]}" for key in other)
        raise ConfigError(
            f"{measured} is of {found}; {path} has "
            f"{', '.join(f'{key} {wanted[key]}' for key in other)}; --force measures again"
        )


def _problem(path: Path) -> tuple[JobConfig, LocalEmbeddingSettings]:
    """The first job of a config's method ``rxml``, and its settings."""
    from xcbench.config.loader import load_config
    from xcbench.config.methods import LocalEmbeddingSettings

    for job in load_config(path).jobs():
        settings = job.method.settings
        if job.method.label == "rxml" and isinstance(settings, LocalEmbeddingSettings):
            return job, settings
    raise ConfigError(f"{path}: no method `rxml` to take the problem from; expected one")


def _measurement(job: JobConfig, settings: LocalEmbeddingSettings, data: Path) -> str:
    """Costs of all solvers on the problem of a job, as CSV."""
    from threadpoolctl import threadpool_limits

    from xcbench.bench.convergence import measure_convergence, problem_of
    from xcbench.data.sources import locate
    from xcbench.data.store import prepare
    from xcbench.report.figures.cost import COLUMNS
    from xcbench.report.listing import as_csv
    from xcbench.runner.provenance import cpu_name

    prepared = prepare(locate(job.dataset, data, job.split), job.dataset.features)
    typer.echo(f"measuring the solvers on {job.dataset.title}", err=True)
    with threadpool_limits(_THREADS):
        problem = problem_of(prepared.train.Y, settings)
        about = {
            "dataset": job.dataset.title,
            "split": job.split,
            "seed": job.seed,
            "points": problem.known.n,
            "rank": problem.rank,
            "pairs": problem.known.columns.size,
            "threads": _THREADS,
            "cpu": cpu_name(),
        }
        rows = [about | row for row in measure_convergence(problem, job.seed)]
    return as_csv(rows, COLUMNS)
