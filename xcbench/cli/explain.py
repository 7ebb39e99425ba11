"""``xcbench explain``: the training points and features behind the labels a model gives a row."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.cli.predict import FORM_HELP, Base, Model, TextColumn, input_of
from xcbench.cli.predict_paths import is_model
from xcbench.errors import ConfigError, DataError

if TYPE_CHECKING:
    from scipy import sparse

    from xcbench.data.store import PreparedData
    from xcbench.inference.explain import Explanation, Neighbour, Reasons
    from xcbench.inference.fitted import FittedModel
    from xcbench.inference.inputs import Input

_TEXT_SHOWN = 70


def _row_number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    if is_model(Path(text)):
        raise typer.BadParameter(f"{text} is the model and comes first: xcbench explain {text} ROW")
    raise typer.BadParameter(f"found {text!r}; expected the number of a row, counted from 0")


def explain(
    model: Model,
    row: Annotated[
        int | None,
        typer.Argument(metavar="ROW", parser=_row_number, help="Which row, counted from 0."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help="Take the row from this file, features or texts as for `predict`; by default it "
            "is one of the data's test part.",
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="Explain this text instead.")
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, metavar="K", help="Labels.")] = 5,
    neighbours: Annotated[
        int, typer.Option("--neighbours", min=0, metavar="N", help="Training points of a label.")
    ] = 5,
    data: DataRoot = DEFAULT_DATA,
    text_column: TextColumn = None,
    input_form: Annotated[
        str | None, typer.Option("--input-form", metavar="FORM", help=FORM_HELP)
    ] = None,
    base: Base = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what the labels that a model gives a row rest on.

    Behind each label stand the training points that voted for it (their number, what they add to
    the score, their labels, the features they share with the row, their text) and the features of
    the row that speak for it, as far as the model has votes or weights. The parts add up to the
    score that `predict` gives. Exit codes: 0 done, 2 usage or a model of another library, 3 model,
    data or input missing, malformed or not fitting each other.
    """
    from xcbench.inference.explain import explain as explain_row
    from xcbench.inference.explain import require_explainable
    from xcbench.inference.fitted import open_model
    from xcbench.models.evidence import is_voting
    from xcbench.runner.logs import console

    if (row is None) == (text is None) or (text is not None and source is not None):
        raise ConfigError(
            "give either a ROW, of the test part or of the file of --input, or --text"
        )
    if source is None and not (text_column is None and input_form is None and base is None):
        raise ConfigError(
            "--text-column, --input-form and --base say how the file of --input is written"
        )
    with console(logging.WARNING, sys.stderr.isatty()):
        fitted = open_model(model)
        require_explainable(fitted)
        of_test = row is not None and source is None
        of_use = of_test or is_voting(fitted.model)
        prepared = _data(fitted, data, needed=of_test) if of_use else None
        true = None
        if of_test:
            assert prepared is not None
            x, true = _test_row(prepared, row or 0)
        elif text is not None:
            x = _text_row(fitted, text)
        else:
            given = input_of(source or Path(), input_form, text_column, base)
            x = _input_row(fitted, given, row or 0)
        train = None if prepared is None else prepared.train
        found = explain_row(fitted, x, top, neighbours, train, true)
    if as_json:
        _print_json(found)
    else:
        _print(found)


def _data(fitted: FittedModel, root: Path, needed: bool) -> PreparedData | None:
    """The data the model was fitted to; None where it is not at hand and not needed."""
    from xcbench.tasks.xc import open_data

    try:
        data = open_data(fitted.job.dataset, root, fitted.job.split)
        if data.sha256 != fitted.manifest.data.data_sha256:
            raise DataError(
                f"{data.sources[0]['path']}: the data is no longer what the model was fitted to; "
                "fit it again"
            )
    except DataError as error:
        place = "say with --data DIR where the data lies that the model was fitted to"
        if needed:
            raise DataError(f"{error}\n{place}, or name a file of rows with --input") from None
        logging.getLogger(__name__).warning(
            "features shared with training points are left out: %s; %s",
            str(error).splitlines()[0],
            place,
        )
        return None
    return data.prepared


def _test_row(data: PreparedData, row: int) -> tuple[sparse.csr_array, list[int]]:
    from xcbench.data.matrix import slice_rows

    test = data.test
    if row >= test.n_points:
        raise ConfigError(f"row {row}: the test part has rows 0 to {test.n_points - 1}")
    labels = slice_rows(test.Y, row, row + 1).indices.tolist()
    return slice_rows(test.X, row, row + 1), labels


def _input_row(fitted: FittedModel, source: Input, row: int) -> sparse.csr_array:
    from xcbench.data.matrix import slice_rows
    from xcbench.inference.inputs import read_blocks

    before = 0
    for block in read_blocks(source, fitted):
        if row < before + block.shape[0]:
            return fitted.scaled(slice_rows(block, row - before, row - before + 1))
        before += block.shape[0]
    raise ConfigError(f"row {row}: {source} has {before} rows, counted from 0")


def _text_row(fitted: FittedModel, text: str) -> sparse.csr_array:
    if fitted.text is None:
        raise ConfigError(f"{fitted.folder}: the model knows no words, so no --text")
    return fitted.scaled(fitted.text.transform([text]))


def _print_json(found: Explanation) -> None:
    import json
    from dataclasses import asdict

    typer.echo(json.dumps(asdict(found), indent=2, ensure_ascii=False))


def _print(found: Explanation) -> None:
    if found.n_features == 0:
        typer.echo("the row has no feature the model knows")
    if found.true is not None:
        typer.echo(f"true labels: {', '.join(map(str, found.true)) or 'none'}")
    if not found.labels:
        typer.echo("the model gives it no label")
    for rank, reasons in enumerate(found.labels, start=1):
        _print_reasons(rank, reasons)


def _print_reasons(rank: int, reasons: Reasons) -> None:
    mark = {True: "  (true)", False: "  (not true)", None: ""}[reasons.true]
    parts = {
        f"{reasons.voters} neighbours": reasons.votes,
        "features": reasons.features,
        "constant": reasons.constant,
    }
    made = " + ".join(f"{what} {value:.4g}" for what, value in parts.items() if value)
    typer.echo(f"\n{rank}. {reasons.label}  {reasons.score:.4g}{mark}{made and f' = {made}'}")
    for neighbour in reasons.neighbours:
        _print_neighbour(neighbour)
    if reasons.strongest:
        listed = ", ".join(f"{each.feature} {each.share:+.3g}" for each in reasons.strongest)
        typer.echo(f"   features: {listed}")


def _print_neighbour(neighbour: Neighbour) -> None:
    labels = ", ".join(map(str, neighbour.labels))
    typer.echo(f"   row {neighbour.row}  {neighbour.share:+.3g}  labels: {labels}")
    if neighbour.shared:
        typer.echo(f"      shares: {', '.join(map(str, neighbour.shared))}")
    if neighbour.text:
        more = "..." if len(neighbour.text) > _TEXT_SHOWN else ""
        typer.echo(f"      {neighbour.text[:_TEXT_SHOWN]}{more}")
