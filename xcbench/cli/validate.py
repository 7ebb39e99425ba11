"""``xcbench validate``: check configs and run nothing."""

from __future__ import annotations

import typer

from xcbench.cli.configs import each
from xcbench.cli.options import Configs, Overrides


def validate(configs: Configs, overrides: Overrides = None) -> None:
    """Check configs without running them.

    Keys, types and choices, and values against the published sizes of known datasets. Every
    mistake is reported, with its line, its path and a suggestion. No data is needed.
    """
    from pathlib import Path

    from xcbench.config.loader import load_config
    from xcbench.runner.plan import check_against_catalogue

    def check(path: Path) -> str:
        config = load_config(path, overrides or [])
        check_against_catalogue(config)
        return f"{path}: ok, {len(config.jobs())} jobs"

    for line in each(configs, check):
        typer.echo(line)
