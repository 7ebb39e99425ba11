"""``xcbench figure``: draw figures from the results that are there."""

from __future__ import annotations

import logging
import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xcbench.cli.options import DEFAULT_DATA, DEFAULT_RESULTS, DataRoot, ResultsRoot
from xcbench.cli.stores import open_results
from xcbench.errors import ConfigError, DataError

if TYPE_CHECKING:
    from xcbench.report.figures import Drawing, Missing

_THREADS = 1  # of the measured solvers


class Name(StrEnum):
    """The figures there are."""

    FIGURE1 = "1"
    FIGURE2 = "2"
    TIME = "time"
    COST = "cost"


def figure(
    names: Annotated[
        list[Name],
        typer.Argument(metavar="NAME", help="One or more of 1, 2, time, cost."),
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
    once, with --config, and kept in RESULTS/figures/cost.csv. What is missing is listed with the
    command that makes it. Exit codes: 0 something was drawn, 2 usage or config, 3 nothing to draw,
    or the data of --config is missing.
    """
    from xcbench.report.figures import png, svg
    from xcbench.runner.files import require_writable, write_atomic

    folder = results / "figures" if out is None else out
    measured = results / "figures" / "cost.csv"
    if Name.COST in names and config is not None and (force or not measured.exists()):
        require_writable(measured.parent)
        write_atomic(measured, _measurement(config, data))
    rows = _rows(results) if set(names) != {Name.COST} else []
    drawn = 0
    for name in dict.fromkeys(names):
        drawing, missing = draw(name, rows, measured)
        for gap in missing:
            typer.echo(f"figure {name}: {gap.what}: {command(gap, data, results)}", err=True)
        if drawing is not None:
            require_writable(folder)
            stem = folder / f"figure-{name}"
            write_atomic(stem.with_suffix(".svg"), svg(drawing))
            write_atomic(stem.with_suffix(".png"), png(drawing))
            write_atomic(stem.with_suffix(".txt"), f"{drawing.title}. {drawing.caption}\n")
            typer.echo(f"{stem}.svg, .png: {drawing.title}. {drawing.caption}")
            drawn += 1
    if not drawn:
        raise DataError(f"nothing to draw in {results}")


def _rows(results: Path) -> list[dict[str, Any]]:
    from xcbench.config.changes import flat
    from xcbench.runner.logs import console

    with console(logging.WARNING, bars=False):
        return [flat(found.config) | found.row() for found in open_results(results).results()]


def draw(
    name: Name, rows: list[dict[str, Any]], measured: Path
) -> tuple[Drawing | None, list[Missing]]:
    """A figure, None when there is nothing to draw, and what it lacks."""
    from xcbench.report import figures

    if name is Name.FIGURE1:
        return figures.figure1(rows, figures.published_sleec()), figures.missing1(rows)
    if name is Name.FIGURE2:
        return figures.figure2(rows), figures.missing2(rows)
    if name is Name.TIME:
        return figures.figure_time(rows), figures.missing_time(rows)
    costs = figures.read_costs(measured)
    return figures.figure_cost(costs), figures.missing_cost(costs)


def command(missing: Missing, data: Path, results: Path) -> str:
    """The command that makes what is missing, with this call's folders."""
    words = [missing.command]
    words += ["--data", shlex.quote(str(data))] if data != DEFAULT_DATA else []
    words += ["--results", shlex.quote(str(results))] if results != DEFAULT_RESULTS else []
    return " ".join(words)


def _measurement(path: Path, data: Path) -> str:
    """Costs of all solvers on the problem of a config, as CSV."""
    from threadpoolctl import threadpool_limits

    from xcbench.bench.convergence import measure_convergence, problem_of
    from xcbench.config.loader import load_config
    from xcbench.config.methods import LocalEmbeddingSettings
    from xcbench.data.sources import locate
    from xcbench.data.store import prepare
    from xcbench.report.figures.cost import COLUMNS
    from xcbench.report.listing import as_csv
    from xcbench.runner.provenance import cpu_name

    config = load_config(path)
    method = next((m for m in config.methods if m.label == "rxml"), None)
    if method is None or not isinstance(method.settings, LocalEmbeddingSettings):
        raise ConfigError(f"{path}: no method `rxml` to take the problem from; expected one")
    job = next(job for job in config.jobs() if job.method == method)
    prepared = prepare(locate(job.dataset, data, job.split), job.dataset.features)
    typer.echo(f"measuring the solvers on {job.dataset.title}", err=True)
    with threadpool_limits(_THREADS):
        problem = problem_of(prepared.train.Y, method.settings)
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
