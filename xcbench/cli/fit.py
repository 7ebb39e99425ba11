"""``xcbench fit``: train one method and keep the model, for ``predict`` and ``explain``."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.complete import method_names
from xcbench.cli.options import DEFAULT_DATA, DataRoot, Jobs, Overrides
from xcbench.cli.workers import kill_workers
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.config.schema import Config, JobConfig
    from xcbench.runner.plan import Job

_MOST_LISTED = 10
_DATA_SUFFIXES = (
    ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".txt", ".npz", ".arff", ".xml", ".svm",
    ".libsvm", ".gz", ".xlsx", ".xls",
)  # fmt: skip


def fit(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML config.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The model folder to make.", dir_okay=True)
    ],
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="LABEL",
            help="Which of the config's methods.",
            autocompletion=method_names,
        ),
    ] = None,
    overrides: Overrides = None,
    data: DataRoot = DEFAULT_DATA,
    jobs: Jobs = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace a folder that holds a model that fit made, and nothing else."
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say nothing but warnings and errors.")
    ] = False,
) -> None:
    """Train a method on the training part of its data, and keep the model in a folder.

    The config must come to one job: one dataset, method, split and seed. The folder is there whole
    or not at all. It describes itself (xcbench-model.json: versions, data, every file's SHA-256),
    holds arrays and JSON but no pickle, and can be copied to another place or machine. A fit that
    is killed (kill -9) leaves a hidden folder beside it, .DIR-..., which can be removed. Exit
    codes: 0 done, 1 the training failed or lacks its library, 2 usage or config, 3 data missing or
    malformed or the folder cannot be written, 129, 130 or 143 ended by a signal.
    """
    from xcbench.runner.signals import ended_by_signals

    executor = [f"executor.jobs={jobs}"] if jobs is not None else []
    with ended_by_signals(kill_workers):  # before anything is compiled, which may swallow them
        _fit(config, out, method, [*(overrides or []), *executor], data, force, quiet)


def _fit(
    path: Path,
    out: Path,
    method: str | None,
    changes: list[str],
    data: Path,
    force: bool,
    quiet: bool,
) -> None:
    _require_config(path)
    from xcbench.config.loader import load_config
    from xcbench.data.whole.folder import require_free, whole_folder
    from xcbench.inference.manifest import LOG, require_model
    from xcbench.runner.fit import fit as run_fit
    from xcbench.runner.logs import console, run_log
    from xcbench.runner.progress import BarProgress, LogProgress

    config = load_config(path, changes)
    chosen = _one_job(config, path, method)
    require_free(out, force, require_model)
    bars = sys.stderr.isatty() and not quiet
    with console(logging.WARNING if quiet else logging.INFO, bars):
        job = _planned(config, chosen, data)
        with whole_folder(out, force, require_model) as folder, run_log(folder / LOG):
            logging.getLogger(__name__).info("fitting %s", job.title)
            run_fit(job, folder, folder.parent / "tasks", BarProgress() if bars else LogProgress())
    if not quiet:
        typer.echo(f"{out}: {job.title}, fitted to {job.data.sizes.n_train} rows")


def _require_config(path: Path) -> None:
    """Tell data given in the place of a config, whose contents would be no help in a message."""
    if path.is_dir() or path.suffix.lower() in _DATA_SUFFIXES:
        raise ConfigError(
            f"{path}: expected a config, a YAML file; `xcbench config init` writes one"
        )


def _one_job(config: Config, path: Path, method: str | None) -> JobConfig:
    """The one job that is meant."""
    from xcbench.inference.fit import require_xc

    jobs = [job for job in config.jobs() if method in (None, job.method.label)]
    labels = list(dict.fromkeys(job.method.label for job in config.jobs()))
    if not jobs:
        raise ConfigError(f"{path}: no method is labelled {method!r}; found {_listed(labels)}")
    if len(jobs) > 1:
        raise ConfigError(f"{path}: comes to {len(jobs)} jobs; a model is of one. {_choice(jobs)}")
    require_xc(jobs[0])
    return jobs[0]


def _choice(jobs: list[JobConfig]) -> str:
    """How to come to one job, one clause for everything there are several of."""
    found = {
        "Choose a method with --method": list(dict.fromkeys(job.method.label for job in jobs)),
        "Choose a dataset with --set dataset.name=NAME in a config of one": list(
            dict.fromkeys(job.dataset.title for job in jobs)
        ),
        "Choose a split with --set splits=[N]": list(dict.fromkeys(str(job.split) for job in jobs)),
        "Choose a seed with --set seeds=[N]": list(dict.fromkeys(str(job.seed) for job in jobs)),
    }
    return "; ".join(f"{how}: {_listed(each)}" for how, each in found.items() if len(each) > 1)


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _planned(config: Config, chosen: JobConfig, data_root: Path) -> Job:
    """The job with its data opened, and what it asks for held against them."""
    from xcbench.runner.plan import impossible_values, make_job
    from xcbench.tasks.xc import open_data

    data = open_data(chosen.dataset, data_root, chosen.split)
    # Nothing is measured, so metrics may ask for more labels than there are.
    unmeasured = chosen.metrics.model_copy(update={"k": (1,)})
    if impossible := list(impossible_values(replace(chosen, metrics=unmeasured), data.sizes)):
        raise ConfigError("\n".join(impossible))
    return make_job(chosen, config.executor, data, data_root)
