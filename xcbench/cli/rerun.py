"""``xcbench rerun``: repeat a stored run and say whether it comes out the same."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xcbench.cli.complete import run_ids
from xcbench.cli.options import DEFAULT_DATA, DEFAULT_RESULTS, Jobs, ResultsRoot
from xcbench.cli.stores import open_results
from xcbench.cli.workers import kill_workers

if TYPE_CHECKING:
    from xcbench.runner.comparison import Comparison

NOT_IDENTICAL = 1


def rerun(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN_ID",
            help="As results.csv has it, any part of it that is in no other, such as its last "
            "eight digits, or the run's folder.",
            autocompletion=run_ids,
        ),
    ],
    results: ResultsRoot = DEFAULT_RESULTS,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="Where the datasets lie; by default, where they lay then."
        ),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Repeat a finished run from its own folder and say whether the predictions are identical.

    The config stored with the run is used, and the data must be the same by its sha256. What is
    stored is not touched: the repeat goes to a temporary folder ($TMPDIR says where). When the
    predictions differ, the report says by how much, and what was not the same then: versions,
    processor, threads. Exit codes: 0 identical, 1 not identical or the repeat failed, 2 no such
    run, 3 the data is missing or another, 129, 130 or 143 ended by a signal.
    """
    from xcbench.runner.signals import ended_by_signals

    with ended_by_signals(kill_workers):  # before anything is compiled, which may swallow them
        _rerun(run, results, data, jobs)


def _rerun(run: str, results: Path, data: Path | None, jobs: int | None) -> None:
    from xcbench.runner.logs import console
    from xcbench.runner.progress import BarProgress, LogProgress
    from xcbench.runner.rerun import find_run, load_stored, repeat, repeat_job

    if results == DEFAULT_RESULTS and (Path(run) / "result.json").is_file():
        results = Path(run).absolute().parents[2]
    store = open_results(results)
    bars = sys.stderr.isatty()
    with console(logging.INFO, bars):
        stored = load_stored(store, find_run(store, run))
        root = data or _data_root(stored.result.data_root)
        job = repeat_job(stored, root, jobs)
        comparison = repeat(stored, job, BarProgress() if bars else LogProgress())
    _report(comparison)
    raise typer.Exit(0 if comparison.identical else NOT_IDENTICAL)


def _data_root(recorded: str) -> Path:
    """Where the data lay; older results do not say."""
    return Path(recorded or os.environ.get("XCBENCH_DATA") or DEFAULT_DATA)


def _report(comparison: Comparison) -> None:
    before, after = comparison.before, comparison.after
    if comparison.identical:
        typer.echo(f"{before.run_id}: the predictions are identical")
    else:
        typer.echo(f"{before.run_id}: the predictions are not identical: {comparison.difference}")
    metrics = before.metrics.keys() | after.metrics.keys()
    differing = [] if comparison.identical else sorted(metrics)
    lines = [(name, before.metrics.get(name), after.metrics.get(name)) for name in differing]
    lines += [
        (f"{name} s", before.seconds.get(name), after.seconds.get(name))
        for name in ("train", "predict")
    ]
    _table([("", "then", "now"), *((name, _number(a), _number(b)) for name, a, b in lines)])
    if comparison.differences:
        typer.echo("what was not the same, the likeliest reason for other predictions first:")
        pairs = comparison.differences.items()
        _table([("", "then", "now"), *((key, str(a), str(b)) for key, (a, b) in pairs)])


def _number(value: Any) -> str:
    return "" if value is None else f"{value:.4f}"


def _table(rows: list[tuple[str, str, str]]) -> None:
    from xcbench.runner.result import one_line

    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(2)]
    for name, then, now in cells:
        typer.echo(f"  {name:{widths[0]}}  {then:{widths[1]}}  {now}".rstrip())
