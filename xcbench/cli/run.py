"""``xcbench run``: run the jobs of configs and print their results."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.configs import load_all
from xcbench.cli.options import (
    DEFAULT_DATA,
    DEFAULT_RESULTS,
    Configs,
    DataRoot,
    Overrides,
    ResultsRoot,
)
from xcbench.errors import DataError

if TYPE_CHECKING:
    from xcbench.runner.plan import Plan
    from xcbench.runner.run import Due, Summary
    from xcbench.runner.store import ResultStore

TERMINATED = 128 + signal.SIGTERM


def run(
    configs: Configs,
    overrides: Overrides = None,
    data: DataRoot = DEFAULT_DATA,
    results: ResultsRoot = DEFAULT_RESULTS,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=-1, metavar="N", help="Processes; -1 for one a core."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Repeat jobs that are done.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the jobs and run none of them.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Repeat jobs that failed.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say nothing but warnings and errors.")
    ] = False,
) -> None:
    """Run the jobs of configs and print their results.

    Jobs that are done are skipped. Results go to DIR/results.csv and DIR/runs/. Exit codes: 0 done
    or nothing to do, 1 a job failed (the others still ran), 2 usage or config, 3 data missing or
    malformed, 4 locked by another run, 130 interrupted.
    """
    from xcbench.runner.logs import console
    from xcbench.runner.plan import plan
    from xcbench.runner.progress import BarProgress, LogProgress
    from xcbench.runner.run import Due, run_jobs
    from xcbench.runner.store import ResultStore

    executor = [f"executor.jobs={jobs}"] if jobs is not None else []
    loaded = load_all(configs, [*(overrides or []), *executor])
    store, is_due = ResultStore(results), Due(force=force, retry_failed=retry_failed)
    bars = sys.stderr.isatty() and not quiet
    with console(logging.WARNING if quiet else logging.INFO, bars), _ended_by_sigterm():
        if dry_run:
            planned = plan(loaded, data)
            _list_jobs(planned, store, is_due)
            raise typer.Exit(DataError.exit_code if planned.data_errors else 0)
        store.require_writable()
        planned = plan(loaded, data)
        summary = run_jobs(planned, store, BarProgress() if bars else LogProgress(), is_due)
    if not quiet:
        _report(planned, store, summary)
    raise typer.Exit(summary.exit_code)


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end the run as Ctrl-C does: locks released, workers stopped, nothing torn."""
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _list_jobs(plan: Plan, store: ResultStore, is_due: Due) -> None:
    for number, job in enumerate(plan.jobs, start=1):
        state = store.state(job.run_id)
        action = "would run" if is_due(state) else "would skip"
        typer.echo(f"{number:4d}  {action:10}  {state:6}  {job.run_id}  ({job.title})")


def _report(plan: Plan, store: ResultStore, summary: Summary) -> None:
    from rich.console import Console

    from xcbench.report.table import print_results

    found = (store.find(job.run_id) for job in plan.jobs)
    print_results([result.row() for result in found if result is not None], Console())
    parts = {
        "run": summary.executed,
        "failed": summary.failed,
        "done before": summary.skipped_done,
        "failed before (--retry-failed repeats them)": summary.skipped_failed,
        "locked by another run": summary.locked,
    }
    counts = [f"{len(jobs)} {what}" for what, jobs in parts.items() if jobs]
    nothing = "" if summary.executed or summary.locked or summary.data_errors else "nothing to do: "
    typer.echo(f"{nothing}{', '.join(counts) or 'no jobs'}; results in {store.root}/results.csv")
