"""``xcbench table``: the benchmark's tables, from whatever results and data are there."""

from __future__ import annotations

import logging
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.complete import dataset_names, method_names
from xcbench.cli.options import DEFAULT_RESULTS, ResultsRoot, StoredDataRoot
from xcbench.cli.outputs import write_output
from xcbench.cli.stores import near, open_results, rows_of
from xcbench.errors import ConfigError, DataError, XCBenchError

if TYPE_CHECKING:
    from xcbench.report.document import Table

TABLES = (1, 2, 3)


class Format(StrEnum):
    """How a table is written."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    LATEX = "latex"
    CSV = "csv"
    HTML = "html"


def table(
    number: Annotated[
        int,
        typer.Argument(
            metavar="N", min=TABLES[0], max=TABLES[-1], help="1: datasets, 2: accuracy, 3: cost."
        ),
    ],
    results: ResultsRoot = DEFAULT_RESULTS,
    data: StoredDataRoot = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            metavar="NAME",
            help="Of this dataset; repeatable.",
            autocompletion=dataset_names,
        ),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="LABEL",
            help="Measured, with this label, or like 'rxml*'; repeatable.",
            autocompletion=method_names,
        ),
    ] = None,
    format_: Annotated[
        Format | None, typer.Option("--format", help="By default terminal, or by FILE's ending.")
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write here instead: .txt, .md, .tex, .csv or .html; repeatable.",
        ),
    ] = None,
) -> None:
    """Print a table of the benchmark, made of whatever results and data are there.

    Published numbers stand beside measured ones and name their source. In Table 2 the best is
    starred, and what the saved predictions cannot tell from it is marked as tied. What is missing
    is listed on stderr with what to do about it. Runs of sweeps are left out unless --method names
    them. Exit codes: 0 something was made, 1 (Tables 2 and 3) there is no finished run, 2 usage, no
    results folder or no writing to FILE, 3 (Table 1) none of the data is there.
    """
    from xcbench.cli.tables import Asked, build_table
    from xcbench.runner.logs import console

    targets = [(path, format_ or _format_of(path)) for path in out or ()]
    asked = Asked(results, data, tuple(datasets or ()), tuple(methods or ()))
    with console(logging.WARNING, bars=False):
        made, missing = build_table(number, asked)
    if missing:
        typer.echo("missing:", err=True)
    for line in missing:
        typer.echo(f"  {line}", err=True)
    if not any(block.lines for block in made.blocks):
        if number == 1:
            raise DataError(f"no dataset to count in {asked.data_root}")
        these = "of these " if datasets or methods else ""
        hint = near(rows_of(open_results(results).results()), datasets or (), methods or ())
        raise XCBenchError(f"no finished run {these}in {results}{hint}")
    for path, name in targets:
        _write(made, path, name)
    if not targets:
        _print(made, format_ or Format.TERMINAL)


def _format_of(path: Path) -> Format:
    from xcbench.report.formats import SUFFIXES

    if path.suffix not in SUFFIXES:
        raise ConfigError(
            f"--out {path}: found the ending {path.suffix!r}; expected one of "
            f"{', '.join(SUFFIXES)}, or --format beside it"
        )
    return Format(SUFFIXES[path.suffix])


def _write(made: Table, path: Path, name: Format) -> None:
    from xcbench.report.formats import FORMATS

    write_output(path, FORMATS[name](made))
    typer.echo(f"wrote {path}", err=True)


def _print(made: Table, name: Format) -> None:
    from rich.console import Console

    from xcbench.report.formats import FORMATS
    from xcbench.report.formats.terminal import print_table

    if name is Format.TERMINAL:
        print_table(made, Console())
    else:
        typer.echo(FORMATS[name](made), nl=False)
