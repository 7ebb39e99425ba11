"""Options that several commands share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

Configs = Annotated[list[Path], typer.Argument(metavar="CONFIG", help="One or more YAML configs.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change one value, as in dataset.features=tfidf, method.rank=50 (every method that "
        "has the key) or methods.0.rank=50 (the first); repeatable.",
    ),
]
DataRoot = Annotated[
    Path,
    typer.Option("--data", metavar="DIR", envvar="XCBENCH_DATA", help="Where the datasets lie."),
]
StoredDataRoot = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        envvar="XCBENCH_DATA",
        help="Where the datasets lie; by default data, or where a run found its own.",
    ),
]
ResultsRoot = Annotated[
    Path, typer.Option("--results", metavar="DIR", help="Where results are kept.")
]


def _not_zero(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("found 0; expected a number of processes, or -1 for one a core")
    return jobs


Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", min=-1, metavar="N", callback=_not_zero, help="Processes; -1 for one a core."
    ),
]

DEFAULT_DATA = Path("data")
DEFAULT_RESULTS = Path("results")

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def seconds_of(text: str) -> float:
    """A duration in seconds: 6h, 90m, 1h30m, 2d, 45s; a bare number is seconds."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    if not re.fullmatch(r"(\d+(\.\d+)?[dhms])+", text):
        raise typer.BadParameter(f"found {text!r}; expected a time such as 6h, 90m or 1h30m")
    return sum(float(n) * _UNITS[unit] for n, unit in re.findall(r"([\d.]+)([dhms])", text))


def size(text: str) -> str:
    """A size such as 8G, checked."""
    from xcbench.config.executor import bytes_of

    try:
        bytes_of(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return text
