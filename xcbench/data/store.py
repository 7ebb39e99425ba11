"""The prepared store: data parsed and scaled once, then memory-mapped by every process.

A prepared split is a folder with ``meta.json`` and one .npy file for each of the three CSR parts of
four matrices. It is built beside its place and renamed into it, so it is there whole or not at
all; a lock keeps two processes from doing the same work, and tells the next builder that what lies
there was left by a killed one. A folder that is damaged (a file missing, cut short, of another
type) is built anew.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from filelock import FileLock
from scipy import sparse

from xcbench.config.dataset import Features
from xcbench.data.cache import default_cache_root, lock_of, remove_leftovers, share, work_folder
from xcbench.data.dataset import Dataset
from xcbench.data.digests import remembered_sha256
from xcbench.data.features import scale
from xcbench.data.load import differing_widths, load
from xcbench.data.matrix import csr
from xcbench.data.meta import FORMAT, describe
from xcbench.data.sources import Sources
from xcbench.errors import ConfigError, DataError

logger = logging.getLogger(__name__)

# numpy states a write that came out too short without an errno.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, None}

_MATRICES = ("X_train", "Y_train", "X_test", "Y_test")
_PIECES = ("data", "indices", "indptr")


@dataclass(frozen=True, eq=False)
class PreparedData:
    """An open prepared split; as long as it is there, the cache counts it as in use.

    Attributes
    ----------
    folder : Path
    train, test : Dataset
        Memory-mapped; they pickle as their path.
    meta : dict
        As in ``meta.json``: name, split, features, sources (path, bytes, sha256), data_sha256,
        n_train, n_test, n_features, n_labels, and for each part the counts of
        rows_without_labels, rows_without_features, duplicate_labels; train_labels_unused.
    """

    folder: Path
    train: Dataset
    test: Dataset
    meta: dict[str, Any]


def prepare(
    sources: Sources, features: Features = "unit", cache_root: Path | None = None
) -> PreparedData:
    """Open the prepared form of a split; build it first if it is missing, damaged or outdated.

    Parameters
    ----------
    sources : Sources
        From ``locate``.
    features : {"unit", "tfidf", "raw"}
    cache_root : Path, optional
        Where prepared data lives; see ``default_cache_root``.

    Raises
    ------
    DataError
        A source is missing or malformed, or the cache has no room for it.
    ConfigError
        The cache cannot be written.
    """
    root = (cache_root or default_cache_root()).absolute()
    with _writable(root, sources.name):
        remove_leftovers(root)
        digests = [remembered_sha256(path, root) for path in sources.files]
        folder = root / "prepared" / f"{sources.name}-{_key(sources, features, digests)[:16]}"
        if (data := _open(folder)) is not None:
            return data
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(lock_of(folder)):
            if (data := _open(folder)) is not None:  # another process built it meanwhile
                return data
            _build(folder, sources, features, digests)
            if digests != [remembered_sha256(path, root) for path in sources.files]:
                shutil.rmtree(folder, ignore_errors=True)
                raise DataError(
                    f"{sources.name}: its files changed while they were read; run again"
                )
            return open_prepared(folder)


def open_prepared(folder: Path) -> PreparedData:
    """Open a prepared split that exists.

    Raises
    ------
    DataError
        It is missing, damaged, or of another version of the format.
    """
    data = _open(folder)
    if data is None:
        raise DataError(
            f"{folder}: the prepared data is missing or damaged; run `xcbench data prepare` again"
        )
    return data


def open_part(folder: str, part: Literal["train", "test"]) -> Dataset:
    """Map one part of a prepared split: what a pickled Dataset calls where it arrives."""
    data = open_prepared(Path(folder))
    return data.train if part == "train" else data.test


@contextmanager
def _writable(root: Path, name: str) -> Iterator[None]:
    """Tell what to do when the cache cannot be written.

    A cache that is full is the fault of the data it has no room for: other datasets may fit. One
    that cannot be written at all is a setting that is wrong for every dataset.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DataError(
                f"no room in {root} for the prepared data of {name} "
                f"({os.strerror(error.errno or errno.ENOSPC)}), nothing of it is kept; make room "
                "there (`xcbench results gc --cache`), or set XCBENCH_CACHE to a folder with room"
            ) from error
        raise ConfigError(
            f"cannot write prepared data to {root} ({error.strerror}); set XCBENCH_CACHE to a "
            "folder that can be written"
        ) from error


def _key(sources: Sources, features: Features, digests: list[str]) -> str:
    parts: list[Any] = [FORMAT, sources.kind, sources.split, sources.base, features, digests]
    if sources.corrupted is not None:
        parts.append(sources.corrupted.model_dump())
    if sources.held_out is not None:
        parts.append({"held_out": sources.held_out.model_dump()})
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _build(folder: Path, sources: Sources, features: Features, digests: list[str]) -> None:
    parts = load(sources)
    if sources.kind != "libsvm":  # whose widths are the largest indices that happen to occur
        for warning in differing_widths(sources, parts):
            logger.warning("%s", warning)
    meta = describe(parts, sources, features, digests)
    X_train, X_test = scale(parts.train.X, parts.test.X, features, overwrite=True)
    matrices = dict(zip(_MATRICES, (X_train, parts.train.Y, X_test, parts.test.Y), strict=True))
    work = work_folder(folder)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        meta["arrays"] = {
            f"{name}.{piece}": _save(work / f"{name}.{piece}.npy", getattr(matrix, piece))
            for name, matrix in matrices.items()
            for piece in _PIECES
        }
        with (work / "meta.json").open("w") as stream:
            json.dump(meta, stream, indent=1)
            stream.flush()
            os.fsync(stream.fileno())
        _put_in_place(work, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _put_in_place(work: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # damaged, or not there; maps of it stay valid
    try:
        os.rename(work, folder)
    except OSError:
        if _open(folder) is None:  # else a process our lock does not reach was first
            raise


def _save(path: Path, array: np.ndarray) -> dict[str, Any]:
    with path.open("wb") as stream:
        np.save(stream, np.ascontiguousarray(array))
        stream.flush()
        os.fsync(stream.fileno())  # the rename must not reach the disk before the bytes
    return {"dtype": array.dtype.str, "size": array.size, "bytes": path.stat().st_size}


def _open(folder: Path) -> PreparedData | None:
    """The prepared split in a folder, or None if it is not there whole."""
    try:
        held = share(folder / "meta.json")
    except OSError:
        return None
    data = _read(folder)
    if data is None:
        os.close(held)
    else:
        weakref.finalize(data, os.close, held)
    return data


def _read(folder: Path) -> PreparedData | None:
    try:
        meta = json.loads((folder / "meta.json").read_text())
        if meta["format"] != FORMAT:
            return None
        n_features, n_labels = meta["n_features"], meta["n_labels"]
        parts = {}
        for part in ("train", "test"):
            n = meta[f"n_{part}"]
            parts[part] = Dataset(
                _map_matrix(folder, meta, f"X_{part}", (n, n_features)),
                _map_matrix(folder, meta, f"Y_{part}", (n, n_labels)),
                meta["name"],
                reopen=(open_part, (str(folder), part)),
            )
    except Exception:  # json and numpy's header parser have a dozen kinds for damaged bytes
        return None
    return PreparedData(folder, parts["train"], parts["test"], meta)


def _map_matrix(
    folder: Path, meta: dict[str, Any], name: str, shape: tuple[int, int]
) -> sparse.csr_array:
    data, indices, indptr = (_map(folder, meta, f"{name}.{piece}") for piece in _PIECES)
    if not data.size == indices.size == indptr[-1] or indptr.size != shape[0] + 1:
        raise ValueError(f"{name}: the parts do not fit")
    return csr(data, indices, indptr, shape)


def _map(folder: Path, meta: dict[str, Any], name: str) -> np.ndarray:
    stated, path = meta["arrays"][name], folder / f"{name}.npy"
    if path.stat().st_size != stated["bytes"]:
        raise ValueError(f"{path}: not of the stated size")
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.dtype.str != stated["dtype"] or array.shape != (stated["size"],):
        raise ValueError(f"{path}: not of the stated type")
    return np.asarray(array)  # a plain array over the map: scipy and numba take it as it is
