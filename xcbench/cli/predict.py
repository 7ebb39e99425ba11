"""``xcbench predict``: the labels of new points, with a model that ``fit`` left."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from xcbench.cli.options import Jobs
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
    top: Annotated[int, typer.Option("--top", min=1, metavar="K", help="Labels of each row.")] = 10,
    names: Annotated[bool, typer.Option("--names", help="Write the labels' names too.")] = False,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORM",
            help="Of the output: tsv, jsonl or npz; by default what the name of --out tells, "
            "else tsv.",
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
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say nothing but warnings and errors.")
    ] = False,
) -> None:
    """Predict the labels of new points, in memory a block of rows at a time (of an npz: all).

    Features are scaled, and texts are turned into features, as those of the training part were;
    labels in the input are left out. Rows without a feature the model knows, such as texts of
    unknown words, are predicted all the same and counted: the votes of neighbours give them no
    label, a linear model those it gives to anything. Rows are written as they are predicted, in
    order; a file appears whole or not at all. The result is the same whatever --jobs. Exit codes:
    0 done, 1 the model's library is missing or a process was killed, 2 usage, 3 model or input
    missing, malformed or not fitting each other, 129, 130 or 143 ended by a signal.
    """
    from xcbench.runner.signals import ended_by_signals

    with ended_by_signals(kill_workers):  # before anything is compiled, which may swallow them
        from xcbench.runner.logs import console

        given = input_of(source, input_form, text_column, base)
        with console(logging.WARNING if quiet else logging.INFO, sys.stderr.isatty()):
            _predict(model, given, top, names, form or _form_by_name(out), out, jobs, quiet)


def _form_by_name(out: Path | None) -> str:
    from xcbench.data.predictions.files import PREDICTION_FORMATS

    suffix = "" if out is None else out.suffix.removeprefix(".")
    return suffix if suffix in PREDICTION_FORMATS else PREDICTION_FORMATS[0]


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

    fitted = open_model(folder)
    if names and fitted.label_names is None:
        raise ConfigError(f"{folder}: the model's data has no names of labels, so no --names")
    label_names = fitted.label_names if names else None
    start = time.monotonic()
    rows = unknown = 0
    with (
        PeakMemory() as memory,
        open_writer(out, form, top, label_names) as writer,
        _predicted(fitted, source, top, jobs) as blocks,
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

    count = joblib.cpu_count() if jobs == -1 else (jobs or 1)
    if is_whole(fitted.model):  # has threads of its own
        fitted.model.threads, count = count, 1
    with process_pool(count) if count > 1 else nullcontext() as pool:
        blocks = read_blocks(source, fitted)
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
