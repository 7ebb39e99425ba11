"""``xcbench predict``: the labels of new points, with a model that ``fit`` left."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from xcbench.cli.options import Jobs
from xcbench.cli.predict_paths import (
    PredictionForm,
    form_by_ending,
    require_in_order,
    require_writable,
)
from xcbench.cli.workers import kill_workers
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.inference.fitted import FittedModel
    from xcbench.inference.inputs import Input, InputForm
    from xcbench.inference.stream import Predicted

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that `fit` made.")]
TextColumn = Annotated[
    str | None,
    typer.Option("--text-column", metavar="NAME", help="The column, or JSON key, of the text."),
]
FORM_HELP = (
    "How the input is written: xc, pair, npz, libsvm, csv, tsv, jsonl or text (a document a line); "
    "by default its name and first line tell."
)
Base = Annotated[
    int | None,
    typer.Option("--base", min=0, max=1, help="The number a libsvm file counts from."),
]

_EVERY_S = 30.0
_AHEAD = 2  # blocks for each process that are read before they are asked for


def predict(
    model: Model,
    source: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="Features or texts, also gzipped; - for stdin."),
    ],
    top: Annotated[
        int, typer.Option("--top", min=1, metavar="K", help="At most, of each row.")
    ] = 10,
    names: Annotated[bool, typer.Option("--names", help="Write the labels' names too.")] = False,
    form: Annotated[
        PredictionForm | None,
        typer.Option(
            "--format",
            metavar="FORM",
            help="Of the output: tsv, jsonl or npz; by default what the ending of --out tells, "
            "tsv where there is none.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="By default the terminal.")
    ] = None,
    jobs: Jobs = 1,
    text_column: TextColumn = None,
    input_form: Annotated[
        str | None, typer.Option("--input", "--input-form", metavar="FORM", help=FORM_HELP)
    ] = None,
    base: Base = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace FILE of --out, if it is there.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say nothing but warnings and errors.")
    ] = False,
) -> None:
    """Predict the labels of new points, in memory a block of rows at a time (of an npz: all).

    Features are scaled, and texts are turned into features, as those of the training part were;
    labels in the input are left out. Rows without a feature the model knows, such as texts of
    unknown words, are predicted all the same and counted: the votes of neighbours give them no
    label, a linear model those it gives to anything. Rows are written as they are predicted, in
    order; a file appears whole or not at all (a command killed by kill -9 leaves a hidden file
    .FILE-... beside it). The result is the same to the bit whatever --jobs. Exit codes: 0 done, 1
    the model's library is missing, a process was killed or the output's device is full, 2 usage, 3
    model or input missing, malformed or not fitting each other, 129, 130 or 143 ended by a signal.
    """
    from xcbench.runner.signals import ended_by_signals

    with ended_by_signals(kill_workers):  # before anything is compiled, which may swallow them
        require_in_order(model, source)
        if out is not None:
            require_writable(out, source, model, force)
        to_form = form or form_by_ending(out)
        from xcbench.runner.logs import console

        given = input_of(source, input_form, text_column, base)
        with console(logging.WARNING if quiet else logging.INFO, sys.stderr.isatty()):
            _predict(model, given, top, names, to_form, out, jobs, quiet)


def input_of(path: Path, form: str | None, text_column: str | None, base: int | None) -> Input:
    """The input that options describe."""
    from xcbench.inference.inputs import FEATURE_FORMS, TEXT_FORMS, Input

    known = (*FEATURE_FORMS, *TEXT_FORMS)
    if form is not None and form not in known:
        raise ConfigError(f"--input-form: found {form!r}; expected one of {', '.join(known)}")
    return Input(
        path, cast("InputForm | None", form), text_column, cast(Literal[0, 1] | None, base)
    )


def _predict(
    folder: Path,
    source: Input,
    top: int,
    names: bool,
    form: str,
    out: Path | None,
    jobs: int | None,
    quiet: bool,
) -> None:
    from xcbench.data.predictions.files import open_writer
    from xcbench.inference.fitted import open_model
    from xcbench.runner.memory import PeakMemory

    if form == "npz" and names:
        raise ConfigError("--names: npz has no place for names; write tsv or jsonl")
    if form == "npz" and out is None:
        raise ConfigError("predictions as npz need a file; say which with --out")
    fitted = open_model(folder)
    if names and fitted.label_names is None:
        raise ConfigError(f"{folder}: the model's data has no names of labels, so no --names")
    label_names = fitted.label_names if names else None
    top = min(top, fitted.n_labels)
    start = time.monotonic()
    rows = unknown = 0
    with (
        PeakMemory() as memory,
        _predicted(fitted, source, top, jobs) as blocks,
        open_writer(out, form, top, label_names) as writer,
    ):
        for block in blocks if quiet else _with_progress(blocks):
            writer.write(block.top)
            rows += len(block.top.labels)
            unknown += block.unknown
    if not quiet:
        seconds = time.monotonic() - start
        typer.echo(_summary(rows, unknown, seconds, memory.bytes), err=True)


@contextmanager
def _predicted(
    fitted: FittedModel, source: Input, top: int, jobs: int | None
) -> Iterator[Iterator[Predicted]]:
    import joblib

    from xcbench.inference.inputs import read_blocks
    from xcbench.inference.stream import predict_blocks
    from xcbench.models.base import is_whole
    from xcbench.runner.pool import process_pool

    cores = joblib.cpu_count()
    count = cores if jobs == -1 else min(jobs or 1, cores)
    if is_whole(fitted.model):  # has threads of its own
        fitted.model.threads, count = count, 1
    blocks = read_blocks(source, fitted)
    # An input that cannot be read ends it before any process starts and before any output.
    first = list(islice(blocks, count))
    count = min(count, len(first))
    blocks = chain(first, blocks)
    with process_pool(count) if count > 1 else nullcontext() as pool:
        yield predict_blocks(fitted, blocks, top, pool, _AHEAD * count)


def _with_progress(blocks: Iterable[Predicted]) -> Iterator[Predicted]:
    """At a terminal a bar, else a line of the log from time to time."""
    from tqdm import tqdm

    if sys.stderr.isatty():
        with tqdm(desc="predict", unit=" rows", dynamic_ncols=True, leave=False) as bar:
            for block in blocks:
                yield block
                bar.update(len(block.top.labels))
        return
    rows, start = 0, time.monotonic()
    last = start
    for block in blocks:
        yield block
        rows += len(block.top.labels)
        if (now := time.monotonic()) - last >= _EVERY_S:
            last = now
            logging.getLogger(__name__).info(
                "predicted %d rows, %.0f a second", rows, rows / (now - start)
            )


def _summary(rows: int, unknown: int, seconds: float, peak: int) -> str:
    rate = rows / seconds if seconds else 0.0
    without = (
        f", {unknown} of them without a feature the model knows (predicted all the same)"
        if unknown
        else ""
    )
    return (
        f"predicted {rows} rows{without} in {seconds:.1f} s, {rate:.0f} rows/s, "
        f"peak memory {peak / 2**20:.0f} MiB"
    )
