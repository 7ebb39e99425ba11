"""``xcbench config show``: the resolved whole of a config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xcbench.cli.options import Overrides

config_app = typer.Typer(no_args_is_help=True, help="Look at configs.")


@config_app.callback()
def _config() -> None:
    pass


@config_app.command(epilog="Example: xcbench config show configs/bibtex.yaml --set seed=3")
def show(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML config.")],
    overrides: Overrides = None,
) -> None:
    """Print a config in full.

    Presets are written out, sweeps expanded, defaults filled in. What is printed is itself a
    config and gives the same jobs.
    """
    from xcbench.config.loader import load_config
    from xcbench.config.yaml import dump

    typer.echo(dump(load_config(config, overrides or []).mapping()), nl=False)
