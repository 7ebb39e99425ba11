"""``xcbench report``: everything the results show, as one HTML file."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xcbench.cli.commands import command
from xcbench.cli.options import DEFAULT_RESULTS, ResultsRoot, StoredDataRoot
from xcbench.cli.outputs import write_output
from xcbench.cli.stores import StoredArrays, open_results, rows_of
from xcbench.errors import XCBenchError

if TYPE_CHECKING:
    from xcbench.cli.tables import Asked
    from xcbench.report.document import Table
    from xcbench.report.html.page import Picture
    from xcbench.report.html.places import Places
    from xcbench.runner.result import Result


def report(
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where to write the page.")
    ] = Path("report.html"),
    results: ResultsRoot = DEFAULT_RESULTS,
    data: StoredDataRoot = None,
) -> None:
    """Write one HTML page of all results: tables, figures, every run and its origin.

    The page needs no other file and no network. Its tables sort and filter, and each number leads
    to the runs or the publication it comes from. What is missing is listed on it. Of the folders of
    data and results it says DATA and RESULTS, of other paths the last name. Exit codes: 0 written,
    1 there are no results, 2 usage, no results folder or no writing to FILE.
    """
    from xcbench.cli.tables import Asked
    from xcbench.report.html.page import page
    from xcbench.report.task_table import task_tables
    from xcbench.runner.logs import console

    asked = Asked(results, data)
    with console(logging.WARNING, bars=False):
        found = list(open_results(results).results())
        if not found:
            raise XCBenchError(f"{results}: no results to report; `xcbench run` makes them")
        tables, without = _tables(asked)
        pictures, not_drawn = _pictures(found, asked)
        places = _places(asked, found)
        runs = [places.hidden(result.mapping()) for result in found]
        missing = places.hidden(list(dict.fromkeys([*without, *not_drawn])))
        others = task_tables(places.hidden(rows_of(found)))
        text = page(tables, pictures, runs, missing, others)
    write_output(out, text)
    runs_read = "1 run" if len(found) == 1 else f"{len(found)} runs"
    typer.echo(f"{out}: {len(text.encode()) / 1e6:.2f} MB, {runs_read}")


def _tables(asked: Asked) -> tuple[list[Table], list[str]]:
    """The tables that have lines, and what they could have had besides."""
    from xcbench.cli.table import TABLES
    from xcbench.cli.tables import build_table

    made = [build_table(number, asked) for number in TABLES]
    tables = [table for table, _ in made if any(block.lines for block in table.blocks)]
    return tables, [line for _, missing in made for line in missing]


def _pictures(found: list[Result], asked: Asked) -> tuple[list[Picture], list[str]]:
    """The figures there are runs for, and what is missing from them."""
    from xcbench.cli.figure import Name, Shown, draw
    from xcbench.report.figures import svg
    from xcbench.report.html.page import Picture

    arrays = StoredArrays(open_results(asked.results), found)
    shown = Shown(rows_of(found), arrays, asked.results / "figures" / "cost.csv")
    pictures, missing = [], []
    for name in Name:
        drawing, gaps = draw(name, shown)
        for gap in gaps:
            way = command(gap.command.split(), asked.data_root, asked.results)
            missing.append(f"figure {name}: {gap.what}; `{way}`")
        if drawing is not None:
            pictures.append(
                Picture(name, drawing.title, drawing.caption, drawing.alt, svg(drawing))
            )
    left_out = [f"figures, run {run_id}: {why}" for run_id, why in arrays.missing.items()]
    return pictures, [*missing, *left_out]


def _places(asked: Asked, found: list[Result]) -> Places:
    """What the folders of data and results are called on the page."""
    from xcbench.report.html.places import Places

    roots = {Path(result.data_root) for result in found if result.data_root}
    return Places({"DATA": sorted({asked.data_root, *roots}), "RESULTS": [asked.results]})
