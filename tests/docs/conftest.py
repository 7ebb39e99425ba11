"""Calling the command line in-process."""

from collections.abc import Callable

import pytest
from click.testing import Result
from typer.testing import CliRunner

from xcbench.cli.main import app


@pytest.fixture
def xcbench() -> Callable[..., Result]:
    """Run ``xcbench`` with arguments; gives click's Result."""
    return lambda *arguments: CliRunner().invoke(app, list(arguments))
