"""``xcbench data fetch``: download datasets, or take in archives that were got by hand."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from xcbench.cli.complete import dataset_names
from xcbench.cli.options import DEFAULT_DATA, DataRoot
from xcbench.errors import ConfigError, DataError


def fetch(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="One or more names of the catalogue.",
            autocompletion=dataset_names,
        ),
    ],
    data: DataRoot = DEFAULT_DATA,
    archive: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take in this archive; download nothing."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Get it anew and replace the folder DIR/NAME.")
    ] = False,
) -> None:
    """Download datasets, check them and unpack them into DIR/NAME; what is in place is left alone.

    A cut download goes on where it stopped when the command is run again. Where no download is
    possible, the message says which file to get by hand and where to put it. Where each file comes
    from and its sha256 are noted in DIR/NAME/fetched.json. Needs: pip install 'xcbench[fetch]'.
    """
    from xcbench.data.fetch.fetch import fetch as fetch_dataset
    from xcbench.data.fetch.progress import LogMeter, bar_meter
    from xcbench.runner.logs import console

    if archive is not None and len(names) > 1:
        raise ConfigError("--from is one dataset's archive; give one NAME with it")
    bars = sys.stderr.isatty()
    errors = []
    with console(logging.INFO, bars):
        for name in dict.fromkeys(names):
            try:
                meter = bar_meter if bars else LogMeter()
                done = fetch_dataset(name, data, meter, archive, force)
            except DataError as error:
                errors.append(str(error))
                continue
            state = "fetched" if done.is_new else "in place"
            typer.echo(f"{name}: {state}, {done.sources.files[0].parent}")
    if errors:
        raise DataError("\n\n".join(errors))
