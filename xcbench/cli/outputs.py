"""Writing the files that a command was asked to make."""

from __future__ import annotations

from pathlib import Path

from xcbench.errors import ConfigError


def write_output(path: Path, content: str | bytes) -> None:
    """Write a file whole, and the folders above it.

    Raises
    ------
    ConfigError
        It cannot be written there.
    """
    from xcbench.runner.files import write_unlocked

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_unlocked(path, content)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from None
