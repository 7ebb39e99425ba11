"""A note in a folder that a conversion made: which files those are. Such a folder may be replaced.

The names alone prove nothing: ``train.txt`` and ``test.txt`` may as well be somebody's only copy.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from xcbench.data.whole.file import whole_file
from xcbench.errors import ConfigError

NOTE = "convert.json"


class _Note(BaseModel):
    """The bytes of each file of the folder, by its name."""

    model_config = ConfigDict(frozen=True, strict=True)

    files: dict[str, int]


def write_note(folder: Path) -> None:
    """Note the files of a folder, once all are written."""
    note = _Note(files={path.name: path.stat().st_size for path in sorted(folder.iterdir())})
    with whole_file(folder / NOTE) as stream:
        stream.write((note.model_dump_json(indent=1) + "\n").encode())


def require_converted(folder: Path) -> None:
    """Refuse a folder that holds anything but what a conversion left there.

    Raises
    ------
    ConfigError
        It is not to be replaced.
    """
    advice = "--force replaces only what `data convert` made; remove it, or take another name"
    try:
        made = _Note.model_validate_json((folder / NOTE).read_bytes()).files
    except FileNotFoundError:
        raise ConfigError(f"{folder} has no {NOTE}: {advice}") from None
    except (OSError, ValidationError):
        raise ConfigError(f"{folder / NOTE} cannot be read: {advice}") from None
    for path in sorted(folder.iterdir()):
        if path.name == NOTE:
            continue
        if path.name not in made or path.is_symlink() or not path.is_file():
            raise ConfigError(f"{folder} holds {path.name}, which no conversion made: {advice}")
        if path.stat().st_size != made[path.name]:
            raise ConfigError(f"{path} was changed since it was converted: {advice}")
