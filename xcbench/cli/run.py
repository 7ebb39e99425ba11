"""``xcbench run``: run the jobs of configs and print their results."""

from __future__ import annotations

import logging
import os
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.configs import load_all
from xcbench.cli.options import (
    DEFAULT_DATA,
    DEFAULT_RESULTS,
    Configs,
    DataRoot,
    Jobs,
    Overrides,
    ResultsRoot,
    seconds_of,
    size,
)
from xcbench.cli.stores import rows_of
from xcbench.cli.workers import kill_workers
from xcbench.errors import DataError

if TYPE_CHECKING:
    from xcbench.runner.plan import Plan
    from xcbench.runner.run import Due, Summary
    from xcbench.runner.store import ResultStore


def run(
    configs: Configs,
    overrides: Overrides = None,
    data: DataRoot = DEFAULT_DATA,
    results: ResultsRoot = DEFAULT_RESULTS,
    jobs: Jobs = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Repeat jobs that are done; what ends well is replaced."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the jobs and run none of them.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Repeat jobs that failed.")
    ] = False,
    max_time: Annotated[
        float | None,
        typer.Option(
            "--max-time",
            parser=seconds_of,
            metavar="TIME",
            help="Start no job after this long: 6h, 90m, 1h30m. The job at work is finished.",
        ),
    ] = None,
    max_memory: Annotated[
        str | None,
        typer.Option(
            "--max-memory",
            parser=size,
            metavar="SIZE",
            help="Run only so many tasks at once that all processes together keep to about it: "
            "8G, 500M.",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say nothing but warnings and errors.")
    ] = False,
) -> None:
    """Run the jobs of configs and print their results.

    A config is of extreme classification unless its `task:` says otherwise: metric_learning,
    compressed_modes, functional_correspondence, robust_embedding, matrix_completion or
    matrix_recovery. Jobs that are done are skipped; long ones that were interrupted go on where
    they were. Results go to DIR/results.csv and DIR/runs/, the log of this call to DIR/logs/. Exit
    codes: 0 done or nothing to do, 1 a job failed, lacks its library or cannot keep to --max-memory
    (the others still ran), the disk is full or the dask scheduler or Slurm cannot be reached, 2
    usage or config, 3 data missing or malformed, 4 locked by another run, 129, 130 or 143 ended by
    SIGHUP, SIGINT (Ctrl-C) or SIGTERM.
    """
    from xcbench.runner.signals import ended_by_signals

    deadline = time.monotonic() + (float("inf") if max_time is None else max_time)
    executor = [f"executor.jobs={jobs}"] if jobs is not None else []
    executor += [f"executor.max_memory={max_memory}"] if max_memory is not None else []
    changes = [*(overrides or []), *executor]
    with ended_by_signals(kill_workers):  # before anything is compiled, which may swallow them
        from xcbench.runner.run import Due

        is_due = Due(force=force, retry_failed=retry_failed)
        if dry_run:
            _list(configs, changes, data, results, is_due, quiet)
        else:
            _run(configs, changes, data, results, is_due, deadline, quiet)


def _list(
    configs: list[Path], changes: list[str], data: Path, results: Path, is_due: Due, quiet: bool
) -> None:
    from xcbench.runner.logs import console
    from xcbench.runner.plan import plan
    from xcbench.runner.store import ResultStore

    loaded = load_all(configs, changes)
    with console(logging.WARNING if quiet else logging.INFO, sys.stderr.isatty() and not quiet):
        planned = plan(loaded, data)
        _list_jobs(planned, ResultStore(results), is_due)
    raise typer.Exit(DataError.exit_code if planned.data_errors else 0)


def _run(
    configs: list[Path],
    changes: list[str],
    data: Path,
    results: Path,
    is_due: Due,
    deadline: float,
    quiet: bool,
) -> None:
    from xcbench.runner.logs import console, run_log
    from xcbench.runner.plan import plan
    from xcbench.runner.progress import BarProgress, LogProgress
    from xcbench.runner.run import Runner
    from xcbench.runner.store import ResultStore

    loaded, store = load_all(configs, changes), ResultStore(results)
    bars = sys.stderr.isatty() and not quiet
    with console(logging.WARNING if quiet else logging.INFO, bars):
        if results.exists():
            store.require_writable()
        log = store.logs / f"{datetime.now():%Y-%m-%dT%H%M%S}-{os.getpid()}.log"
        with run_log(log):
            logging.getLogger(__name__).debug("%s", " ".join(sys.argv))
            planned = plan(loaded, data)
            if planned.jobs:  # else a mistyped folder would be made
                store.require_writable()
            runner = Runner(store, BarProgress() if bars else LogProgress(), is_due, deadline)
            summary = runner.run(planned)
            logging.getLogger(__name__).debug("%s", _counts(store, summary))
    if not quiet:
        _report(planned, store, summary)
    raise typer.Exit(summary.exit_code)


def _list_jobs(plan: Plan, store: ResultStore, is_due: Due) -> None:
    from xcbench.models.peers import missing
    from xcbench.runner.run import oversize

    settings = {job.config.method.settings for job in plan.jobs}
    lacking = {each: what for each in settings if (what := missing(each))}
    reasons: dict[str, None] = {}
    for number, job in enumerate(plan.jobs, start=1):
        state = store.state(job.run_id)
        action = "would run" if is_due(state) else "would skip"
        lacks, needs = lacking.get(job.config.method.settings), oversize(job)
        if is_due(state) and (lacks or needs):
            action = "left out"
            reasons[lacks or f"{job.title} {needs}"] = None
        typer.echo(f"{number:4d}  {action:10}  {state:6}  {job.run_id}  ({job.title})")
    for what in sorted(reasons):
        typer.echo(f"left out: {what}", err=True)


def _report(plan: Plan, store: ResultStore, summary: Summary) -> None:
    from rich.console import Console

    from xcbench.report.table import print_results

    found = (store.find(job.run_id) for job in plan.jobs)
    print_results(rows_of(result for result in found if result is not None), Console())
    typer.echo(_counts(store, summary))


def _counts(store: ResultStore, summary: Summary) -> str:
    parts = {
        "run": summary.executed,
        "failed": summary.failed,
        "done before": summary.skipped_done,
        "failed before (--retry-failed repeats them)": summary.skipped_failed,
        "locked by another run": summary.locked,
        "not started (--max-time)": summary.not_started,
        "left out (a library is not installed)": summary.not_installed,
        "left out (--max-memory)": summary.too_large,
    }
    counts = [f"{len(jobs)} {what}" for what, jobs in parts.items() if jobs]
    idle = not (
        summary.executed
        or summary.locked
        or summary.not_started
        or summary.not_installed
        or summary.too_large
        or summary.data_errors
    )
    nothing = "nothing to do: " if idle else ""
    place = f"; results in {store.root}/results.csv" if store.root.is_dir() else ""
    return f"{nothing}{', '.join(counts) or 'no jobs'}{place}"
