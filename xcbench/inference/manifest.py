"""What a model folder says of itself, and whether its files are still those it was left with.

``xcbench-model.json`` states what the model was made with and from, and bytes and SHA-256 of every
other file of the folder but its log, by paths relative to it. Nothing else may be in the folder.

The hashes tell damage and mixed-up files. They are no proof of who made a folder: somebody who
changes arrays can write their hashes too.
"""

from __future__ import annotations

import json
import os
import platform
import stat
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import xcbench
from xcbench.data.cache import default_cache_root
from xcbench.data.digests import file_sha256, remembered_sha256
from xcbench.errors import ConfigError, DataError

MANIFEST = "xcbench-model.json"
LOG = "log.txt"  # what was said while the model was made: the one file that is not described
FORMAT = 1  # of the folder; raised when an older xcbench could not read it
LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn")

_Bytes = Annotated[int, Field(ge=0)]
_Count = Annotated[int, Field(ge=1)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class FileRecord(_Record):
    """A file as it was written."""

    bytes: _Bytes
    sha256: str


class SourceRecord(FileRecord):
    """A file that the data was read from, by its name alone: it may lie elsewhere by now."""

    name: str


class DataRecord(_Record):
    """What the model was trained on."""

    name: str
    split: int
    n_train: _Count
    n_features: _Count
    n_labels: _Count
    data_sha256: str
    sources: list[SourceRecord]


class Manifest(_Record):
    """The content of ``xcbench-model.json``."""

    format: int
    created: str
    method: str
    seed: int
    versions: dict[str, str]
    data: DataRecord
    files: dict[str, FileRecord]


def write_manifest(folder: Path, method: str, seed: int, data: DataRecord) -> None:
    """Describe all files of a folder but its log, and put the description beside them."""
    manifest = Manifest(
        format=FORMAT,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        method=method,
        seed=seed,
        versions={
            "xcbench": xcbench.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
        data=data,
        files={
            name: FileRecord(
                bytes=(folder / name).stat().st_size, sha256=file_sha256(folder / name)
            )
            for name in sorted(_files_in(folder))
        },
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """What a folder says of itself.

    Raises
    ------
    DataError
        It is no model folder, of a newer format, or its description is damaged.
    """
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"{folder}: no model folder, it has no {MANIFEST}; `xcbench fit` makes one"
        ) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: is damaged ({error}); fit the model again") from None
    stated = content.get("format") if isinstance(content, dict) else None
    if isinstance(stated, int) and stated > FORMAT:
        versions = content.get("versions")
        writer = versions.get("xcbench") if isinstance(versions, dict) else "a newer version"
        raise DataError(
            f"{folder}: the model is in format {stated}, written by xcbench {writer}; this one, "
            f"{xcbench.__version__}, reads up to format {FORMAT}: use a newer xcbench, or fit the "
            "model again"
        )
    try:
        return Manifest.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        raise DataError(f"{path}: is damaged ({place}: {first['msg']})") from None


def verify(folder: Path, manifest: Manifest, cache_root: Path | None = None) -> None:
    """Hold the files of a folder against its description.

    Sizes are looked at every time; a file's bytes are read once, and again only when it changed.

    Raises
    ------
    DataError
        A file is missing, cut short, changed, or none that is described; or there is a link.
    """
    found = _files_in(folder)
    _require_described(folder, manifest, found)
    for name, record in manifest.files.items():
        if name not in found:
            raise DataError(
                f"{folder}: the file {name!r} is missing; the model is not whole, copy or fit it "
                "again"
            )
        if (size := (folder / name).stat().st_size) != record.bytes:
            raise DataError(
                f"{folder / name}: has {size} bytes; {MANIFEST} states {record.bytes}: the model "
                "is not whole or was changed, copy or fit it again"
            )
    for name, record in manifest.files.items():
        if remembered_sha256(folder / name, cache_root or default_cache_root()) != record.sha256:
            raise DataError(
                f"{folder / name}: its SHA-256 is not the one {MANIFEST} states: the file was "
                "changed, copy or fit the model again"
            )


def require_model(folder: Path) -> None:
    """Refuse a folder that is not a model's, or holds more than the model.

    Raises
    ------
    ConfigError
        It is not to be replaced.
    """
    try:
        _require_described(folder, read_manifest(folder), _files_in(folder))
    except DataError as error:
        raise ConfigError(
            f"{error}\n--force replaces only what is a model and nothing else; remove the folder, "
            "or take another name"
        ) from None


def _files_in(folder: Path) -> set[str]:
    """All files but the description and the log, by their paths relative to the folder.

    Raises
    ------
    DataError
        There is a link, or something else that is neither file nor folder, or a folder that
        cannot be read.
    """
    found = set[str]()
    for place, folders, files in os.walk(folder, onerror=_unread):
        for name in (*folders, *files):
            path = Path(place, name)
            mode = path.lstat().st_mode
            if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
                raise DataError(f"{path}: is no file of its own; a model folder holds no links")
            if stat.S_ISREG(mode):
                found.add(path.relative_to(folder).as_posix())
    return found - {MANIFEST, LOG}


def _unread(error: OSError) -> None:
    raise DataError(f"{error.filename}: cannot be read ({error.strerror})")


def _require_described(folder: Path, manifest: Manifest, found: set[str]) -> None:
    others = sorted(found - manifest.files.keys())
    if others:
        raise DataError(
            f"{folder}: holds {others[0]!r}, which {MANIFEST} does not describe; a model folder "
            "holds nothing else, move it away"
        )
