"""Reading the configs of a command, and saying everything that is wrong with any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.config.schema import Config

T = TypeVar("T")


def load_all(paths: Sequence[Path], overrides: Sequence[str]) -> list[Config]:
    """Load every config.

    Raises
    ------
    ConfigError
        The defects of all of them.
    """
    from xcbench.config.loader import load_config

    return each(paths, lambda path: load_config(path, overrides))


def each(items: Sequence[Path], action: Callable[[Path], T]) -> list[T]:
    """Do it for every item, and raise what went wrong with any of them at the end."""
    results, errors = [], []
    for item in items:
        try:
            results.append(action(item))
        except ConfigError as error:
            errors.append(str(error))
    if errors:
        raise ConfigError("\n".join(errors))
    return results
