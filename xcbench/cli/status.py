"""``xcbench status``: what is done, what is running, and what went wrong."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.configs import load_all
from xcbench.cli.options import (
    DEFAULT_DATA,
    DEFAULT_RESULTS,
    DataRoot,
    Overrides,
    ResultsRoot,
)
from xcbench.cli.stores import open_results
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.runner.status import RunStatus


def status(
    configs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[CONFIG...]", help="Ask for the jobs of these, begun or not."),
    ] = None,
    overrides: Overrides = None,
    data: DataRoot = DEFAULT_DATA,
    results: ResultsRoot = DEFAULT_RESULTS,
    show_all: Annotated[bool, typer.Option("--all", help="List the done ones too.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object with every job.")
    ] = False,
) -> None:
    """Say how far the jobs of configs are, or every run of the results folder.

    First the counts, then a line for each job that is not done: why it failed or was interrupted,
    how many of its finished tasks are kept, who runs it and how far that is. No run is locked or
    changed, so it may be asked at any time and from any host; data of configs that is not prepared
    yet is. Exit codes: 0 whatever the jobs'
    states, 2 a wrong config, or a results folder that is not there (with configs that is no error:
    all is still to do).
    """
    from xcbench.runner.logs import console
    from xcbench.runner.status import planned_runs, stored_runs
    from xcbench.runner.store import ResultStore

    if overrides and not configs:
        raise ConfigError("--set changes a config; name the config too")
    store = ResultStore(results) if configs and not results.exists() else open_results(results)
    with console(logging.WARNING, bars=False):
        if configs:
            from xcbench.runner.plan import plan

            loaded = load_all(configs, overrides or [])
            runs = planned_runs(store, loaded, plan(loaded, data))
        else:
            runs = stored_runs(store)
    typer.echo(_json(runs) if as_json else "\n".join(_lines(runs, show_all)))


def _json(runs: list[RunStatus]) -> str:
    from dataclasses import asdict

    return json.dumps({"counts": _counts(runs), "runs": [asdict(run) for run in runs]}, indent=1)


def _counts(runs: list[RunStatus]) -> dict[str, int]:
    from xcbench.runner.status import RUN_STATES

    return {state: sum(run.state == state for run in runs) for state in RUN_STATES}


def _lines(runs: list[RunStatus], show_all: bool) -> Iterable[str]:
    from xcbench.runner.result import one_line

    counts = ", ".join(f"{count} {state}" for state, count in _counts(runs).items() if count)
    jobs = "1 job" if len(runs) == 1 else f"{len(runs)} jobs"
    yield f"{jobs}: {counts}" if counts else "no jobs"
    shown = [run for run in runs if show_all or run.state != "done"]
    width = max((len(run.run_id) for run in shown), default=0)
    for run in shown:
        line = f"{run.state:11}  {one_line(run.run_id):{width}}  {one_line(_detail(run))}"
        yield line.rstrip()


def _detail(run: RunStatus) -> str:
    parts = [run.detail]
    if run.holder is not None:
        parts = [str(run.holder)]
    if run.heartbeat_s is not None:
        parts.append(f"heartbeat {run.heartbeat_s:.0f} s ago")
    if run.kept_tasks:
        parts.append(f"finished tasks kept: {run.kept_tasks}")
    return "; ".join(part for part in (*parts, run.log_line) if part)
