"""Sparse matrices as .npy files, opened memory-mapped, and the header that goes with them."""

from __future__ import annotations

import json
import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from xcbench.config.base import Settings
from xcbench.data.matrix import csr, row_pointers

_EMPTY = 128  # bytes of a .npy file that holds no entry: it cannot be mapped


def save_header(folder: Path, settings: Settings, seed: int, **more: Any) -> None:
    """Write model.json."""
    header = {"settings": settings.model_dump(mode="json"), "seed": seed, **more}
    (folder / "model.json").write_text(json.dumps(header, indent=2) + "\n", encoding="utf-8")


def load_header(folder: Path) -> Any:
    """Read model.json."""
    return json.loads((folder / "model.json").read_text(encoding="utf-8"))


def save_csr(folder: Path, name: str, matrix: sparse.csr_array) -> None:
    """Write the three arrays of a matrix with sorted rows."""
    np.save(folder / f"{name}_indptr.npy", row_pointers(matrix.indptr))
    np.save(folder / f"{name}_indices.npy", matrix.indices.astype(np.int32, copy=False))
    np.save(folder / f"{name}_data.npy", matrix.data)


def load_csr(folder: Path, name: str, columns: int) -> sparse.csr_array:
    """Map a matrix of so many columns."""
    indptr, indices, data = (
        open_array(folder / f"{name}_{part}.npy") for part in ("indptr", "indices", "data")
    )
    if not indptr[0] == 0 <= indptr[-1] == indices.size == data.size:
        raise ValueError(f"the three arrays of {name} do not fit each other")
    return csr(data, indices, indptr, (indptr.size - 1, columns))


def save_flat(path: Path, arrays: Sequence[np.ndarray], dtype: DTypeLike) -> None:
    """Write arrays one after the other as one flat .npy file; no copy is made of them all.

    Arrays that are mapped themselves do not stay in memory.
    """
    header = {
        "descr": np.lib.format.dtype_to_descr(np.dtype(dtype)),
        "fortran_order": False,
        "shape": (sum(array.size for array in arrays),),
    }
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for array in arrays:
            np.ascontiguousarray(array, dtype=dtype).tofile(file)
            _release(array)


def _release(array: np.ndarray) -> None:
    """Let go of the pages read of a mapped file; they are read again when they are needed."""
    base: Any = array
    while isinstance(base, (np.ndarray, memoryview)):
        base = base.base if isinstance(base, np.ndarray) else base.obj
    if isinstance(base, mmap.mmap):
        base.madvise(mmap.MADV_DONTNEED)


def open_array(path: Path) -> np.ndarray:
    """Map an array read-only."""
    empty = path.stat().st_size <= _EMPTY
    array = np.asarray(np.load(path, mmap_mode=None if empty else "r", allow_pickle=False))
    array.setflags(write=False)
    return array


def csr_bytes(matrix: sparse.csr_array) -> int:
    """Bytes of the three arrays."""
    return int(matrix.indptr.nbytes + matrix.indices.nbytes + matrix.data.nbytes)
