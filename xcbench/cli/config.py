"""``xcbench config``: a config to start from, and the resolved whole of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xcbench.cli.config_init import init
from xcbench.cli.options import Overrides

config_app = typer.Typer(no_args_is_help=True, help="Write configs and look at them.")
config_app.command(
    epilog="Example: xcbench config init --dataset bibtex --method rxml-blend --out bibtex.yaml"
)(init)


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
