"""``xcbench data convert``: a dataset, or files of texts and labels, from one form to another."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from xcbench.cli.convert_inputs import Inputs, content_of_matrices, content_of_texts
from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.cli.workers import kill_workers
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.data.convert.content import Content, RowDraw
    from xcbench.data.convert.texts import RecordColumns
    from xcbench.data.texts.features import TextSettings

_FORMS = "xc|pair|npz|csv|tsv|jsonl|mulan"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="IN...",
        help="A file; of pair and npz the features and the labels; of mulan the ARFF and the XML; "
        "or a dataset's name or folder.",
    ),
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="The folder to make, as in data/posts.")]
From = Annotated[
    str | None,
    typer.Option("--from", metavar=f"[{_FORMS}|libsvm]", help="By default what the files tell."),
]
To = Annotated[str, typer.Option("--to", metavar=f"[{_FORMS}]", help="The form of the files.")]
Tests = Annotated[
    list[Path] | None,
    typer.Option("--test", metavar="FILE", help="The test part, in the form of IN; repeatable."),
]
TestShare = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="Take this share of the rows as the test part, at random.",
    ),
]
Draw = Annotated[
    Literal["xc", "random"] | None,
    typer.Option(
        metavar="[xc|random]",
        help="How --test-share draws: random takes any row; xc, as in the XC repository, leaves "
        "every label a training row, which makes the test easier than new data.  [random]",
    ),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Of --test-share.  [0]")]
TextColumn = Annotated[
    str | None, typer.Option(metavar="NAME", help="Column, or JSON key, of the texts.  [text]")
]
LabelsColumn = Annotated[
    str | None, typer.Option(metavar="NAME", help="Column, or JSON key, of the labels.  [labels]")
]
Sep = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Between the labels of a cell, read or written.  [,]"),
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="CHAR", help="Between the cells of CSV; by default the header tells."),
]
Ngrams = Annotated[
    int | None, typer.Option(min=1, max=9, help="Terms of up to so many words.  [1]")
]
MinDf = Annotated[
    int | None,
    typer.Option(min=1, help="Leave out terms that fewer training texts have.  [2]"),
]
MaxFeatures = Annotated[
    int | None, typer.Option(min=1, help="Keep only so many terms, the most frequent.")
]
StopWords = Annotated[
    str | None, typer.Option(metavar="english", help="Leave out scikit-learn's list of words.")
]
StripAccents = Annotated[bool, typer.Option("--strip-accents", help="Read é as e.")]
KeepCase = Annotated[bool, typer.Option("--keep-case", help="Tell Python from python.")]
Base = Annotated[int | None, typer.Option(min=0, max=1, help="What headerless libsvm counts from.")]
Split = Annotated[
    int | None,
    typer.Option(min=1, help="Which split, from 1, of a dataset that comes with split files.  [1]"),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace DIR, if it holds only what a conversion made.")
]


def convert(
    files: Files,
    out: Out,
    from_: From = None,
    to: To = "xc",
    test: Tests = None,
    test_share: TestShare = None,
    draw: Draw = None,
    seed: Seed = None,
    text_column: TextColumn = None,
    labels_column: LabelsColumn = None,
    sep: Sep = None,
    delimiter: Delimiter = None,
    ngrams: Ngrams = None,
    min_df: MinDf = None,
    max_features: MaxFeatures = None,
    stop_words: StopWords = None,
    strip_accents: StripAccents = False,
    keep_case: KeepCase = False,
    base: Base = None,
    data: DataRoot = DEFAULT_DATA,
    split: Split = None,
    force: Force = False,
) -> None:
    """Make a dataset of your own texts and labels, or change a dataset's form.

    Texts (csv, tsv, jsonl) become counts of terms; the vocabulary is that of the training part, and
    is kept with the data, as are the names of the labels and the texts. Matrices keep every entry;
    values are float32, and how many of an .npz that rounds is said. The folder can be run by its
    name if it lies under the data folder and the form is xc, pair or npz. `xcbench help formats`
    describes the forms. DIR is there whole or not at all; a conversion that is killed (kill -9)
    leaves a hidden folder beside it, .DIR-..., which can be removed. Exit codes: 0 done, 1 the
    terminal's output cannot be written, 2 usage, 3 data missing or malformed or DIR cannot be
    written, 129, 130 or 143 ended by a signal.
    """
    from xcbench.data.convert.forms import TEXT_FORMS, WRITTEN_FORMS, parse_form
    from xcbench.data.convert.origin import require_converted, write_note
    from xcbench.data.convert.texts import SEPARATOR
    from xcbench.data.convert.write import write_content
    from xcbench.data.whole.folder import require_free, whole_folder
    from xcbench.runner.signals import ended_by_signals

    to_form = parse_form(to, "--to", WRITTEN_FORMS)
    columns = _columns(text_column, labels_column, sep, delimiter)
    settings = _settings(ngrams, min_df, max_features, stop_words, strip_accents, keep_case)
    if test and test_share is not None:
        raise ConfigError("--test and --test-share: give one of them")
    share = _share(test_share, draw, seed)
    require_free(out, force, require_converted)
    inputs = Inputs(files, test or [], from_, base, data, split)
    inputs.require_outside(out)
    if sep is not None and inputs.form not in TEXT_FORMS and to_form not in ("csv", "tsv"):
        raise ConfigError("--sep goes with cells of labels: csv, tsv, or jsonl that is read")
    if inputs.form in TEXT_FORMS:
        if delimiter is not None and inputs.form != "csv":
            raise ConfigError(f"--delimiter goes with csv; this is {inputs.form}")
        content = content_of_texts(inputs, columns, settings, share)
    else:
        _refuse_text_options(inputs, text_column, labels_column, delimiter, settings)
        content = content_of_matrices(inputs, share)
    with ended_by_signals(kill_workers), whole_folder(out, force, require_converted) as folder:
        write_content(folder, content, to_form, sep or SEPARATOR)
        write_note(folder)
    _report(out, content, to_form)


def _share(share: float | None, draw: str | None, seed: int | None) -> RowDraw | None:
    from xcbench.data.convert.content import RowDraw

    if share is None:
        if draw is not None or seed is not None:
            raise ConfigError("--draw and --seed say how --test-share draws; it is not given")
        return None
    if not 0 < share < 1:
        raise ConfigError(f"--test-share {share:g}: expected more than 0 and less than 1")
    return RowDraw(share, seed or 0, draw == "xc")


def _columns(
    text: str | None, labels: str | None, sep: str | None, delimiter: str | None
) -> RecordColumns:
    from xcbench.data.convert.texts import RecordColumns

    if sep == "":
        raise ConfigError("--sep is empty; expected what stands between two labels")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n" '):
        raise ConfigError(f"--delimiter {delimiter!r}: expected one character, as in ';'")
    given = {"text": text, "labels": labels, "separator": sep, "delimiter": delimiter}
    return RecordColumns(**{key: value for key, value in given.items() if value is not None})


def _settings(
    ngrams: int | None,
    min_df: int | None,
    max_features: int | None,
    stop_words: str | None,
    strip_accents: bool,
    keep_case: bool,
) -> TextSettings | None:
    """How texts are to be read; None if nothing is said of it."""
    from xcbench.data.texts.features import TextSettings

    if stop_words not in (None, "english"):
        raise ConfigError(f"--stop-words {stop_words!r}: expected english")
    given = {
        "ngram_range": ngrams and (1, ngrams),
        "min_df": min_df,
        "max_features": max_features,
        "stop_words": stop_words,
        "strip_accents": "unicode" if strip_accents else None,
        "lowercase": False if keep_case else None,
    }
    said = {key: value for key, value in given.items() if value is not None}
    return TextSettings.model_validate(said) if said else None


def _refuse_text_options(
    inputs: Inputs,
    text: str | None,
    labels: str | None,
    delimiter: str | None,
    settings: TextSettings | None,
) -> None:
    """Refuse what goes without saying unheard; --sep is of use for writing too."""
    if text or labels or delimiter or settings:
        subject = inputs.form or inputs.name
        raise ConfigError(
            f"{subject} is no form of texts; --text-column, --labels-column, --delimiter and how "
            "terms are made go with csv, tsv and jsonl"
        )


def _report(out: Path, content: Content, form: str) -> None:
    from xcbench.data.convert.forms import TEXT_FORMS
    from xcbench.data.statistics import empty_rows

    rows = " + ".join(str(part.X.shape[0]) for part in content.parts)
    _, d = content.train.X.shape
    typer.echo(f"{out}: {rows} rows, {d} features, {content.train.Y.shape[1]} labels")
    for what, count in (
        ("rows without labels", sum(empty_rows(part.Y) for part in content.parts)),
        ("rows without features", sum(empty_rows(part.X) for part in content.parts)),
        ("labels in the test part only", content.labels_in_test_only()),
    ):
        if count:
            typer.echo(f"  {what}: {count}")
    if form in TEXT_FORMS and content.text is None:
        typer.echo("  only texts and labels are carried: how the features were made is not known")
    for remark in content.remarks:
        typer.echo(f"  {remark}")
    for step in _next_steps(out, content, form):
        typer.echo(f"next: {step}")


def _next_steps(out: Path, content: Content, form: str) -> list[str]:
    """What to type next; nothing for files that are for other programs."""
    from xcbench.data.convert.forms import FILES, NAMED_FORMS

    if form not in NAMED_FORMS:
        return []
    if content.test is None:
        first, *labels = [quote(str(out / name)) for name in FILES[form].alone]
        features = f"{first} --labels {labels[0]}" if labels else first
        return [f"xcbench data split {features} --out {quote(f'{out}-split')}"]
    root, name = out.parent, quote(out.name)
    usual = Path(os.environ.get("XCBENCH_DATA") or DEFAULT_DATA)
    place = "" if root == usual else f" --data {quote(str(root))}"
    return [
        f"xcbench data check {name}{place}",
        f"xcbench config init --dataset {name}{place} --out {quote(f'{out.name}.yaml')}",
    ]
