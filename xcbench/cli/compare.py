"""``xcbench compare``: two stored runs on the same test rows, and what chance may have done."""

from __future__ import annotations

import logging
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xcbench.cli.complete import run_ids
from xcbench.cli.options import DEFAULT_RESULTS, ResultsRoot
from xcbench.cli.stores import open_results
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.metrics.per_row import Contributions
    from xcbench.runner.result import Result

_COLUMNS = ("metric", "A", "B", "difference", "low", "high", "verdict")


class Format(StrEnum):
    """How the comparison is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"


def compare(
    run_a: Annotated[
        str,
        typer.Argument(
            metavar="RUN_A",
            help="A run id or part of one, as in `xcbench rerun`.",
            autocompletion=run_ids,
        ),
    ],
    run_b: Annotated[
        str,
        typer.Argument(metavar="RUN_B", help="Another, on the same data.", autocompletion=run_ids),
    ],
    results: ResultsRoot = DEFAULT_RESULTS,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="Where the datasets lie; by default, where they lay then."
        ),
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TABLE,
) -> None:
    """Compare two finished runs metric by metric, with a paired bootstrap over the test rows.

    The difference is A less B; low and high are its 95 % interval from 2000 resamples of the test
    rows (fewer, at least 200, of hundreds of thousands), the same rows for both. Where the interval
    has zero the two are tied: these rows cannot tell them apart. Exit codes: 0 compared, whatever
    the verdicts, 1 predictions are missing or damaged, 2 no such run or not on the same test rows,
    3 the data is missing or another.
    """
    from xcbench.runner.logs import console
    from xcbench.runner.rerun import find_run, load_stored
    from xcbench.runner.row_scores import StoredScores

    store = open_results(results)
    with console(logging.WARNING, bars=False):
        found = [load_stored(store, find_run(store, text)).result for text in (run_a, run_b)]
        _require_same_data(*found)
        scores = StoredScores(store, data)
        rows = _rows(*(scores.scores(result.run_id) for result in found))
    _print(rows, found, format_)


def _require_same_data(a: Result, b: Result) -> None:
    from xcbench.runner.result import split_of

    def facts(result: Result) -> dict[str, Any]:
        files = [source.get("sha256") for source in result.sources]
        where = {"dataset": result.dataset, "split": split_of(result.config)}
        return where | {"files": files or result.data_sha256}

    before, after = facts(a), facts(b)
    for what in before:
        if before[what] != after[what]:
            difference = "" if what == "files" else f" ({before[what]} and {after[what]})"
            raise ConfigError(
                f"{a.run_id} and {b.run_id} are not of the same {what}{difference}; only runs on "
                "the same test rows can be compared row by row"
            )


def _rows(a: Contributions, b: Contributions) -> list[dict[str, Any]]:
    import numpy as np

    from xcbench.metrics.bootstrap import interval, percent, resample

    names = [name for name in a.names if name in b.names]
    a, b = a.only(names), b.only(names)
    if not np.array_equal(a.norms, b.norms):
        raise ConfigError(
            "the two runs were not scored alike (propensity, or metrics.psndcg); only equal "
            "metrics can be compared"
        )
    values = [percent(one.gains.sum(axis=0), one.norms.sum(axis=0)) for one in (a, b)]
    resampled = resample([a, b])
    rows = []
    for at, name in enumerate(names):
        found = interval(
            float(values[0][at] - values[1][at]), resampled[:, 0, at] - resampled[:, 1, at]
        )
        better = "A better" if found.difference > 0 else "B better"
        numbers = (values[0][at], values[1][at], found.difference, found.low, found.high)
        rounded = [round(float(number), 4) for number in numbers]
        verdict = "tied" if found.is_tied else better
        rows.append(dict(zip(_COLUMNS, [name, *rounded, verdict], strict=True)))
    return rows


def _print(rows: list[dict[str, Any]], found: list[Result], format_: Format) -> None:
    from xcbench.metrics.bootstrap import affordable
    from xcbench.report import listing

    if format_ is Format.CSV:
        typer.echo(listing.as_csv(rows, _COLUMNS), nl=False)
    elif format_ is Format.JSON:
        typer.echo(listing.as_json(rows, _COLUMNS), nl=False)
    elif format_ is Format.MARKDOWN:
        typer.echo(listing.as_markdown(rows, _COLUMNS), nl=False)
    else:
        for letter, result in zip("AB", found, strict=True):
            typer.echo(f"{letter}  {result.run_id}")
        n = found[0].sizes["n_test"]
        drawn = affordable(n, len(found), len(rows))
        typer.echo(f"{n} test rows; difference A - B, 95 % interval of {drawn} resamples\n")
        heads = ("", "A", "B", "A - B", "from", "to")
        typer.echo(f"{heads[0]:9}" + "".join(f"{head:>8}" for head in heads[1:]))
        for row in rows:
            signed = "".join(f"{row[key]:+8.2f}" for key in ("difference", "low", "high"))
            typer.echo(f"{row['metric']:9}{row['A']:8.2f}{row['B']:8.2f}{signed}  {row['verdict']}")
