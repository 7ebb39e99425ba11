"""Commands that are advised, as they can be pasted into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from xcbench.cli.options import DEFAULT_DATA, DEFAULT_RESULTS


def command(words: Sequence[str | Path], data: Path, results: Path) -> str:
    """A command with this call's folders, where they are not the usual ones."""
    options: list[str | Path] = []
    options += ["--data", data] if data != DEFAULT_DATA else []
    options += ["--results", results] if results != DEFAULT_RESULTS else []
    return shlex.join(str(word) for word in [*words, *options])
