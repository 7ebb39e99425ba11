"""Options that several commands share."""

from __future__ import annotations

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
ResultsRoot = Annotated[
    Path, typer.Option("--results", metavar="DIR", help="Where results are kept.")
]

DEFAULT_DATA = Path("data")
DEFAULT_RESULTS = Path("results")
