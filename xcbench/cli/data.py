"""``xcbench data``: the datasets known, their files, and their prepared form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xcbench.cli.complete import dataset_names
from xcbench.cli.convert import convert
from xcbench.cli.fetch import fetch
from xcbench.cli.frequencies import FIGURE_FORMATS, show_frequencies
from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.cli.split import split as split_
from xcbench.cli.statistics import comparison_table, made_up_table
from xcbench.cli.synth import synth
from xcbench.errors import ConfigError, DataError

if TYPE_CHECKING:
    from rich.table import Table

    from xcbench.data.catalogue import CatalogueEntry
    from xcbench.data.checks.report import Report
    from xcbench.data.load import Parts
    from xcbench.data.sources import Sources

data_app = typer.Typer(
    no_args_is_help=True,
    help="List, fetch, make up, look at, check and prepare datasets. Only `fetch` downloads; "
    "`info` says what to get by hand where, and in which folder to put it.",
)

data_app.command(
    epilog="Examples: xcbench data convert posts.csv --out data/posts --text-column text "
    "--labels-column tags --sep ';' --test-share 0.2; xcbench data convert train.arff labels.xml "
    "--test test.arff --out data/mine; xcbench data convert bibtex --out bibtex-arff --to mulan"
)(convert)
data_app.command(epilog="Example: xcbench data fetch bibtex eurlex --data data")(fetch)
data_app.command(
    epilog="Examples: xcbench data synth amz01 --like amazon-670k --scale 0.1; xcbench data synth "
    "small --points 2000 --test-points 500 --features 800 --labels 300 --features-per-point 20 "
    "--labels-per-point 3"
)(synth)

data_app.command(
    "split",
    epilog="Examples: xcbench data split all.txt --out data/mine --test-share 0.1 --keep-labels; "
    "xcbench data split data/mine/data.txt --splits 10",
)(split_)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A catalogue name, or a folder under the data folder.",
        autocompletion=dataset_names,
    ),
]
Split = Annotated[
    int, typer.Option(min=1, help="Which split, from 1, of data that comes with split files.")
]


@data_app.command("list", epilog="Example: xcbench data list --data ../shared/data")
def list_(data: DataRoot = DEFAULT_DATA) -> None:
    """List the datasets known by name, their sizes, and whether their files are in place.

    Other folders that hold train.txt and test.txt (or .gz) work by their name too and come last.
    A data folder that is not there is said, and is no failure: the list is of what is known.
    """
    from rich.table import Table

    from xcbench.data.catalogue import catalogue
    from xcbench.data.sources import is_present, other_folders

    table = Table("name", title=f"datasets in {data}", title_justify="left")
    for column in ("n train", "n test", "d", "l", "splits"):
        table.add_column(column, justify="right")
    table.add_column("features")
    table.add_column("files")
    for name, entry in catalogue().items():
        sizes = (entry.n_train, entry.n_test, entry.n_features, entry.n_labels, entry.n_splits)
        found = "found" if is_present(entry, data) else "-"
        table.add_row(name, *map(str, sizes), entry.features, found)
    for name in other_folders(data):
        table.add_row(name, *["?"] * 5, "unit", "found")
    _print(table)
    if not data.is_dir():
        typer.echo(
            f"note: there is no folder {data}, so nothing is found; "
            "--data or XCBENCH_DATA says where the data is",
            err=True,
        )


@data_app.command(
    epilog="Examples: xcbench data info bibtex --data ../shared/data; "
    "xcbench data info mine --figure labels.svg"
)
def info(
    name: Name,
    data: DataRoot = DEFAULT_DATA,
    split: Split = 1,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", metavar="FILE", help="Draw the curve as PNG or SVG too."),
    ] = None,
) -> None:
    """Print the statistics of a dataset beside the published ones, and where it comes from.

    Of data that `synth` made: beside those it was scaled from. The exponents are those of the
    power law of rows against rank, for a label and for a feature, fitted to the training rows.
    The curve shows the training rows of each label by its rank; where label names lie beside the
    data (Yf.txt) those of the commonest labels follow.
    """
    from xcbench.data.catalogue import catalogue
    from xcbench.data.load import load
    from xcbench.data.synthesis.shape import read_note

    if figure is not None and figure.suffix.lower() not in FIGURE_FORMATS:
        raise ConfigError(f"--figure {figure}: expected a name that ends in .png or .svg")
    entry = catalogue().get(name)
    try:
        sources = _locate(name, data, split)
    except DataError as error:
        if entry is None or figure is not None:
            raise
        typer.echo(f"{error}\n")
        parts, computed, note = None, {}, None
    else:
        parts = load(sources)
        computed, note = _statistics(parts), read_note(sources.files[0].parent)
        for path in sources.files:
            typer.echo(path)
    title = entry.title if entry else name
    if note:
        _print(made_up_table(title, computed, note))
        typer.echo(f"made up by xcbench {note.version} from seed {note.seed}; not real data")
    else:
        _print(comparison_table(title, computed, entry))
    if parts is not None:
        show_frequencies(title, parts, sources.files[0].parent, figure)
    if entry:
        _print_entry(entry)


def _print_entry(entry: CatalogueEntry) -> None:
    a, b = entry.propensity.a, entry.propensity.b
    typer.echo(f"propensity  A {a}, B {b}\nusual rows  {entry.features}")
    typer.echo(f"source      {entry.source}\nlicence     {entry.licence}")
    if entry.page:
        typer.echo(f"page        {entry.page}")
    for download in entry.downloads:
        typer.echo(f"download    {download.archive} from {download.url}")


@data_app.command(
    epilog="Examples: xcbench data check bibtex; xcbench data check my/train.txt.gz; "
    "xcbench data check --base 1 my/train.svm"
)
def check(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_NAME",
            help="A file, or the name of a dataset.",
            autocompletion=dataset_names,
        ),
    ],
    data: DataRoot = DEFAULT_DATA,
    split: Split = 1,
    base: Annotated[
        int | None,
        typer.Option(min=0, max=1, help="The file is libsvm without a header, counted from this."),
    ] = None,
) -> None:
    """Read every byte and say what is wrong or unusual; exit code 3 if a file is malformed.

    The first defect of each file is reported with its line, what was found and what was expected,
    and below it what to do about it. Of a dataset also names (Yf.txt, Xf.txt) and text.json.
    Warnings (merged labels, rows without labels, labels never seen in training) are no errors.
    """
    from xcbench.data.checks.check import check_dataset, check_file

    if os.path.isfile(subject):
        reports = [check_file(Path(subject), base)]  # type: ignore[arg-type]
    elif base is not None:
        raise ConfigError(f"{subject}: no such file; --base goes with a file")
    elif _looks_like_a_path(subject) and not os.path.isdir(data / subject):
        raise DataError(f"{subject}: no such file (looked for it in {Path.cwd()})")
    else:
        reports = check_dataset(_locate(subject, data, split))
    for report in reports:
        _print_report(report)
    defects = [report.explained() for report in reports if report.defect]
    if defects:
        raise DataError("\n".join(defects))


@data_app.command(epilog="Example: xcbench data prepare stackex-cs --features tfidf")
def prepare(
    name: Name,
    data: DataRoot = DEFAULT_DATA,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="[unit|tfidf|raw]",
            help="Scaling of the rows; by default what the catalogue calls usual.",
        ),
    ] = None,
    split: Split = 1,
) -> None:
    """Parse a dataset into the memory-mapped form that runs use; runs do so by themselves.

    Useful before a machine goes off-line or many jobs start at once. Done already is success.
    Prepared data lies in $XCBENCH_CACHE, else in $XDG_CACHE_HOME/xcbench or ~/.cache/xcbench.
    """
    from typing import get_args

    from xcbench.config.dataset import Features
    from xcbench.data.catalogue import catalogue
    from xcbench.data.store import prepare as prepare_store

    entry = catalogue().get(name)
    chosen = features or (entry.features if entry else "unit")
    if chosen not in get_args(Features):
        raise ConfigError(f"--features {chosen!r}: expected unit, tfidf or raw")
    prepared = prepare_store(_locate(name, data, split), chosen)  # type: ignore[arg-type]
    meta = prepared.meta
    typer.echo(
        f"{meta['name']} split {meta['split']}, {chosen}: {meta['n_train']} + {meta['n_test']} "
        f"rows, {meta['n_features']} features, {meta['n_labels']} labels\n{prepared.folder}"
    )


def _looks_like_a_path(subject: str) -> bool:
    return "/" in subject or subject.lower().endswith((".txt", ".gz", ".svm", ".libsvm", ".npz"))


def _locate(name: str, data: Path, split: int) -> Sources:
    from xcbench.config.dataset import DatasetConfig
    from xcbench.data.sources import locate

    return locate(DatasetConfig(name=name), data, split)


def _statistics(parts: Parts) -> dict[str, Any]:
    from dataclasses import asdict

    from xcbench.data.statistics import statistics

    return asdict(statistics(parts))


def _print_report(report: Report) -> None:
    if report.defect:
        typer.echo(f"bad  {report.subject}")
    else:
        typer.echo(f"ok   {report.subject}: {report.summary}")
    for warning in report.warnings:
        typer.echo(f"     warning: {warning}")


def _print(table: Table) -> None:
    from rich.console import Console

    console = Console()
    # A pipe has no width of its own, and rich would cut the columns to 80.
    console.print(table) if console.is_terminal else Console(width=120).print(table)
