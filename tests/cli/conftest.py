"""Calling the command line in-process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from xcbench.cli.main import app


@pytest.fixture
def xcbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """Run ``xcbench`` with arguments in a throw-away folder; gives click's Result."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    """Write a config for the dataset ``tiny`` and give its path."""

    def write(text: str, name: str = "c.yaml") -> Path:
        path = tmp_path / name
        path.write_text(f"dataset: {{name: tiny}}\nexecutor: {{backend: inline}}\n{text}\n")
        return path

    return write
