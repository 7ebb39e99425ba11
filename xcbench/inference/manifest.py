"""What a model folder says of itself, and whether its files are still those it was left with.

``xcbench-model.json`` states what the model was made with and from, and bytes and SHA-256 of every
other file of the folder, by paths relative to it.
"""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import xcbench
from xcbench.config.dataset import Features
from xcbench.data.cache import default_cache_root
from xcbench.data.digests import file_sha256, remembered_sha256
from xcbench.errors import DataError

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
    """What the model was trained on; ``features`` is how its rows were scaled."""

    name: str
    split: int
    n_train: _Count
    n_features: _Count
    n_labels: _Count
    features: Features
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
    everything = sorted(path for path in folder.rglob("*") if path.is_file())
    paths = [path for path in everything if path != folder / LOG]
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
            path.relative_to(folder).as_posix(): FileRecord(
                bytes=path.stat().st_size, sha256=file_sha256(path)
            )
            for path in paths
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
    except ValueError as error:
        raise DataError(f"{path}: is damaged ({error}); fit the model again") from None
    stated = content.get("format") if isinstance(content, dict) else None
    if isinstance(stated, int) and stated > FORMAT:
        writer = content.get("versions", {}).get("xcbench", "a newer version")
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
        A file is missing, cut short or changed, or would lie outside the folder.
    """
    root = folder.resolve()
    for name, record in manifest.files.items():
        path = folder / name
        parts = PurePosixPath(name)
        if parts.is_absolute() or ".." in parts.parts or not path.resolve().is_relative_to(root):
            raise DataError(f"{folder / MANIFEST}: the file {name!r} is outside the model folder")
        if not path.is_file():
            raise DataError(f"{path}: is missing; the model is not whole, copy or fit it again")
        if (size := path.stat().st_size) != record.bytes:
            raise DataError(
                f"{path}: has {size} bytes; {MANIFEST} states {record.bytes}: the model is not "
                "whole or was changed, copy or fit it again"
            )
    for name, record in manifest.files.items():
        if remembered_sha256(folder / name, cache_root or default_cache_root()) != record.sha256:
            raise DataError(
                f"{folder / name}: its SHA-256 is not the one {MANIFEST} states: the file was "
                "changed, copy or fit the model again"
            )
