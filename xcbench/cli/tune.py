"""``xcbench tune``: choose hyper-parameters on held-out training rows."""

from __future__ import annotations

import logging
import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.complete import method_names
from xcbench.cli.options import (
    DEFAULT_DATA,
    DEFAULT_RESULTS,
    DataRoot,
    Jobs,
    Overrides,
    seconds_of,
)
from xcbench.cli.workers import kill_workers
from xcbench.errors import XCBenchError

if TYPE_CHECKING:
    from xcbench.tuning.search import Search
    from xcbench.tuning.trial_lines import Trial

SHOWN = 5
BEST = "best.yaml"


class SamplerChoice(StrEnum):
    """How the points of a search are chosen."""

    RANDOM = "random"
    OPTUNA = "optuna"


def tune(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML config.")],
    trials: Annotated[
        int, typer.Option("--trials", min=1, metavar="N", help="Trials in all, with trial 0.")
    ] = 30,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Where tune.csv and best.yaml go; by default results/tune/DATASET/METHOD.",
        ),
    ] = None,
    sampler: Annotated[
        SamplerChoice,
        typer.Option(
            "--sampler",
            help="Draw trials at random, or by Optuna's TPE from those before (needs "
            "xcbench[tune]).",
        ),
    ] = SamplerChoice.RANDOM,
    objective: Annotated[
        str, typer.Option("--objective", metavar="METRIC", help="What is maximised: P@1, PSP@5.")
    ] = "P@1",
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="LABEL",
            help="Which method, of a config of several.",
            autocompletion=method_names,
        ),
    ] = None,
    held_out: Annotated[
        float | None,
        typer.Option(
            "--held-out",
            metavar="SHARE",
            help="The share of the training rows that is held out; by default 0.1, or that of the "
            "config's dataset.held_out.",
        ),
    ] = None,
    overrides: Overrides = None,
    data: DataRoot = DEFAULT_DATA,
    jobs: Jobs = None,
    max_time: Annotated[
        float | None,
        typer.Option(
            "--max-time",
            parser=seconds_of,
            metavar="TIME",
            help="Start no trial after this long: 6h, 90m, 1h30m.",
        ),
    ] = None,
) -> None:
    """Choose a method's hyper-parameters on held-out training rows; test rows are not looked at.

    Trial 0 is the config as it is. What is searched is the config's `tune:` block, as in `tune:
    {rank: [50, 100], vote.power: {low: 1, high: 16, log: true}}`, else the usual space of the
    method, which is printed. Every trial is a line of DIR/tune.csv; the same command goes on where
    it was, with more --trials too. The best values are in DIR/best.yaml, a config that trains on
    all training rows. Exit codes: 0 done or --max-time is over, 1 no trial succeeded or a library
    is not installed, 2 usage, config or another search in DIR, 3 data missing or malformed, 4
    locked by another tune, 129, 130 or 143 ended by a signal.
    """
    from xcbench.runner.signals import ended_by_signals

    deadline = time.monotonic() + (float("inf") if max_time is None else max_time)
    changes = [*(overrides or []), *([f"executor.jobs={jobs}"] if jobs is not None else [])]
    if held_out is not None and not 0 < held_out < 1:
        raise typer.BadParameter(f"--held-out: found {held_out:g}; expected more than 0, below 1")
    with ended_by_signals(kill_workers):  # before anything is compiled, which may swallow them
        from xcbench.config.loader import load_config
        from xcbench.tuning.search import make_search

        loaded = load_config(config, changes)
        search = make_search(loaded, method, sampler.value, objective, held_out)
        title = search.job.dataset.model_copy(update={"held_out": None}).title
        folder = out or DEFAULT_RESULTS / "tune" / title / search.job.method.label
        _tune(search, folder, data, trials, deadline)


def _tune(search: Search, folder: Path, data: Path, count: int, deadline: float) -> None:
    from xcbench.cli.outputs import write_output
    from xcbench.config.yaml import inline
    from xcbench.runner.files import require_writable
    from xcbench.runner.locks import hold
    from xcbench.runner.logs import console
    from xcbench.runner.progress import BarProgress
    from xcbench.tasks.xc import open_data
    from xcbench.tuning.journal import Journal
    from xcbench.tuning.samplers import make_sampler
    from xcbench.tuning.summary import best_config, ranked
    from xcbench.tuning.trials import TrialLog, Trials

    job = search.job
    bars = sys.stderr.isatty()
    with console(logging.INFO, bars):
        opened = open_data(job.dataset, data, job.split)
        search, n_held = search.on(opened), opened.sizes.n_test
        sampler = make_sampler(search.sampler, search.space, search.start, job.seed)
        typer.echo(f"search space of {job.method.label} ({n_held} training rows are held out):")
        for key, span in search.space.items():
            typer.echo(f"  {key}: {inline(span.mapping())}")
        require_writable(folder)
        with hold(folder):
            journal = Journal(folder, search.identity(opened.sha256), search.lines(n_held))
            progress = BarProgress() if bars else TrialLog()
            Trials(search, opened, data, sampler, journal, progress).run(count, deadline)
            trials = journal.trials
            if not trials:
                typer.echo("no trial was started (--max-time); the same command goes on")
                return
            if not ranked(trials):
                errors = {trial.error for trial in trials}
                raise XCBenchError(f"no trial succeeded: {'; '.join(sorted(errors))}")
            write_output(folder / BEST, best_config(search, trials, n_held))
    _report(search, trials, folder, n_held)


def _report(search: Search, trials: list[Trial], folder: Path, n_held: int) -> None:
    from xcbench.tuning.summary import comparisons, is_beyond_chance, ranked, verdict

    best = ranked(trials)
    shown = best[:SHOWN]
    shown += [trial for trial in best[SHOWN:] if trial.number == 0]
    _table(search, shown)
    failed = sum(not trial.is_done for trial in trials)
    typer.echo(f"{len(trials)} trials, {failed} failed; all are in {folder / 'tune.csv'}")
    compared = comparisons(trials)
    typer.echo(f"the best is trial {best[0].number}: {verdict(best[0], compared, n_held)}")
    is_sure = is_beyond_chance(best[0], compared, n_held)
    if best[0].number and best[0].is_compared and not is_sure:
        typer.echo("the config as it is may do as well on new rows; a larger --held-out tells more")
    typer.echo(f"xcbench run {folder / BEST} trains it on all training rows")


def _table(search: Search, trials: list[Trial]) -> None:
    from rich.console import Console
    from rich.table import Table

    from xcbench.config.yaml import inline
    from xcbench.tuning.summary import with_error

    table = Table("trial", *search.space, title="best trials", title_justify="left")
    for column in (search.objective, "to trial 0", "train s", "predict s"):
        table.add_column(column, justify="right")
    for trial in trials:
        scores, seconds = trial.scores, trial.seconds
        is_compared = trial.number and trial.is_compared
        table.add_row(
            str(trial.number),
            *(inline(trial.point[key]) for key in search.space),
            with_error(scores, "objective"),
            with_error(scores, "difference", "+") if is_compared else "",
            f"{seconds['train_s']:.1f}",
            f"{seconds['predict_s']:.1f}",
        )
    Console(width=None if sys.stdout.isatty() else 160).print(table)
