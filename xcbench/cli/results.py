"""``xcbench results``: the stored results, filtered, sorted and printed."""

from __future__ import annotations

import logging
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.cleanup import gc
from xcbench.cli.complete import dataset_names, method_names
from xcbench.cli.options import DEFAULT_RESULTS, ResultsRoot
from xcbench.cli.stores import near, open_results, rows_of
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.report.rows import Row

_COSTS = ("train_s", "predict_ms_per_point", "model_bytes")

results_app = typer.Typer()

results_app.command(
    epilog="Example: xcbench results gc --models --interrupted --older-than 30d --dry-run"
)(gc)


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"


class Status(StrEnum):
    """How a job ended."""

    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@results_app.callback(
    invoke_without_command=True,
    epilog="Example: xcbench results --dataset bibtex --where method.rank=100 --sort P@1",
)
def list_results(
    context: typer.Context,
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
            help="With this label, or like 'rxml*'; repeatable.",
            autocompletion=method_names,
        ),
    ] = None,
    status: Annotated[Status | None, typer.Option(help="That ended like this.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Where a column or config key has the value; also !=, >=, <=, > and < (in "
            "quotes); repeatable.",
        ),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Print these columns or config keys.")
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Metrics best first, anything else ascending."),
    ] = None,
    last: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The N newest of what is left.")
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TABLE,
    results: ResultsRoot = DEFAULT_RESULTS,
) -> None:
    """Print results, oldest first: all, or those that every given filter lets through.

    Keys are the columns of results.csv, and those of configs as --set takes them (method.rank,
    dataset.features). They are read from the runs' folders, so a lost results.csv loses nothing.
    A table groups by dataset and split, unless --columns says what to list; csv and json give every
    column in full. Exit codes: 0 also when nothing was found (stderr says so), 2 an unknown key or
    no results folder.
    """
    if context.invoked_subcommand is not None:
        _refuse_options_before(context)
        return
    from xcbench.report.query import Condition, Filter, check_keys, columns_of, in_order_of
    from xcbench.runner.logs import console
    from xcbench.runner.result import COLUMNS

    conditions = tuple(Condition.read(text) for text in where or ())
    ending = None if status is None else status.value
    wanted = Filter(tuple(datasets or ()), tuple(methods or ()), ending, conditions)
    asked = [name.strip() for name in columns.split(",")] if columns else []
    with console(logging.WARNING, bars=False):
        found = list(open_results(results).results())
    rows = rows_of(found)
    if rows:
        known = columns_of(rows, COLUMNS)
        check_keys("--where", [condition.key for condition in conditions], known)
        check_keys("--columns", asked, known)
        check_keys("--sort", [sort] if sort else [], known)
    rows = [row for row in rows if wanted(row)][-(last or 0) :]
    rows = in_order_of(sort, rows) if sort else rows
    if not rows:
        hint = near(rows_of(found), datasets or (), methods or ())
        typer.echo(f"no results {'of these ' if found else ''}in {results}{hint}", err=True)
    _print(rows, asked, columns_of([result.row() for result in found], COLUMNS), format_)


def _refuse_options_before(context: typer.Context) -> None:
    """Do not let ``xcbench results --results DIR gc`` remove things elsewhere."""
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is not None and source.name == "COMMANDLINE":
            command = f"xcbench results {context.invoked_subcommand}"
            raise ConfigError(
                f"{parameter.opts[0]} stands before {context.invoked_subcommand}; expected it "
                f"after, as in {command} {parameter.opts[0]} ..."
            )


def _print(rows: list[Row], asked: list[str], all_columns: list[str], format_: Format) -> None:
    from rich.console import Console

    from xcbench.report import listing
    from xcbench.report.table import metrics_of, print_results
    from xcbench.runner.store import cell

    if format_ is Format.CSV:
        quoted = [{key: cell(value) for key, value in row.items()} for row in rows]
        typer.echo(listing.as_csv(quoted, asked or all_columns), nl=False)
    elif format_ is Format.JSON:
        typer.echo(listing.as_json(rows, asked or all_columns), nl=False)
    elif format_ is Format.MARKDOWN:
        usual = ["dataset", "split", "method", "seed", *metrics_of(rows), *_COSTS]
        typer.echo(listing.as_markdown(rows, asked or usual), nl=False)
    elif asked:
        listing.print_listing(rows, asked, Console())
    else:
        print_results(rows, Console())
    if format_ in (Format.TABLE, Format.MARKDOWN):  # the others have a column of it
        for line in listing.data_clashes(rows):
            typer.echo(f"note: {line}", err=True)
