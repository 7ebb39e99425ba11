"""What one task came to, as one file: its arrays as in .npy files, and a JSON index behind them.

A value is made of arrays, numbers, texts, None, tuples, lists and dicts with text keys. Each array
begins at a multiple of 64 bytes, header first, as numpy writes it; the index says how they hang
together, and the last bytes where it begins. So a file is mapped as a whole and its arrays are
views of it, which zip files (.npz) do not allow. No pickle.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import struct
import zlib
from contextlib import suppress
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

_MAGIC = b"xcbench\x01"
_ALIGNED = 64
_LONGEST_HEADER = 1 << 14
# Where the index begins, and the CRC-32 of all before these bytes.
_TAIL = struct.Struct("<QI")
# Larger files are mapped; a map takes a descriptor, and smaller ones are sooner read.
MAPPED = 1 << 20
_SPARE = 512  # descriptors that maps leave to others
_CHUNK = 1 << 20


class _Stream:
    """Writes on, and keeps count of the bytes and their CRC-32."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.position = self.crc = 0

    def write(self, data: bytes) -> int:
        self._file.write(data)
        self.position += len(data)
        self.crc = zlib.crc32(data, self.crc)
        return len(data)

    def align(self) -> None:
        self.write(bytes(-self.position % _ALIGNED))


def nbytes(value: Any) -> int:
    """Bytes of the arrays in a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return 0
    return sum(map(nbytes, value))


def write(path: Path, about: dict[str, Any], value: Any) -> None:
    """Write a value, and what is to be known about it, whole or not at all.

    Parameters
    ----------
    path : Path
        In a folder that is there. Others may write the same file: the last one's stays.
    about : dict
        As JSON.
    value : as above

    Raises
    ------
    TypeError
        The value holds something else.
    OSError
    """
    temporary = path.with_name(f".{path.name}@{socket.gethostname()}-{os.getpid()}.new")
    try:
        with open(temporary, "wb") as file:
            stream = _Stream(file)
            stream.write(_MAGIC)
            index = about | {"value": _put(value, stream)}
            start = stream.position
            stream.write(json.dumps(index).encode())
            file.write(_TAIL.pack(start, stream.crc))
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read(path: Path, check: bool = False) -> tuple[dict[str, Any], Any]:
    """What is to be known about a value, and the value; its arrays are read-only.

    Parameters
    ----------
    path : Path
    check : bool
        Read every byte and compare the checksum: for a file that was there before this run.

    Raises
    ------
    ValueError
        It is no such file, or a damaged one.
    OSError
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < len(_MAGIC) + _TAIL.size:
            raise ValueError(f"{path}: the file is cut short")
        # Not by way of the map: its pages would stay with the process.
        checked = _crc(file, size - _TAIL.size) if check else None
        content = _content(file, size)
    start, crc = _TAIL.unpack(content[-_TAIL.size :].tobytes())
    body = content[: -_TAIL.size]
    if content[: len(_MAGIC)].tobytes() != _MAGIC or checked not in (None, crc):
        raise ValueError(f"{path}: the file is damaged")
    about = json.loads(body[start:].tobytes())
    return about, _get(about.pop("value"), body)


def _crc(file: BinaryIO, size: int) -> int:
    """The CRC-32 of the first bytes of a file."""
    crc = 0
    for start in range(0, size, _CHUNK):
        crc = zlib.crc32(file.read(min(_CHUNK, size - start)), crc)
    return crc


def _content(file: BinaryIO, size: int) -> np.ndarray:
    """The bytes of a file; no np.memmap, whose views in Fortran order joblib sends garbled."""
    if size >= MAPPED and _may_hold(file.fileno()):
        with suppress(OSError):  # Not every disk can, and a process has only so many maps.
            return np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), np.uint8)
    file.seek(0)
    return np.frombuffer(file.read(), np.uint8)


def _may_hold(descriptor: int) -> bool:
    """Whether a map may hold a second descriptor of a file; raises a soft limit.

    The one it would get is the lowest that is free: so many are in use.
    """
    descriptor = os.dup(descriptor)
    os.close(descriptor)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return True
    if soft != hard and descriptor + _SPARE >= soft:
        soft = 2 * soft if hard == resource.RLIM_INFINITY else min(2 * soft, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return descriptor < soft - min(_SPARE, soft // 2)


def _put(value: Any, stream: _Stream) -> Any:
    """A value as JSON, its arrays written and named by where they begin."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        stream.align()
        start = stream.position
        npy.write_array(stream, value, allow_pickle=False)
        return {"array": start}
    if isinstance(value, (tuple, list)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_put(item, stream) for item in value]}
    if isinstance(value, dict):
        # JSON would make texts of them.
        if other := [key for key in value if not isinstance(key, str)]:
            raise TypeError(f"a task's value has the key {other[0]!r}, which is no text")
        return {"dict": {key: _put(item, stream) for key, item in value.items()}}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"a task's value holds a {type(value).__name__}, which cannot be kept")


def _get(value: Any, content: np.ndarray) -> Any:
    """Undo ``_put``."""
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "array":
        return _view(content[inner:])
    if kind == "dict":
        return {key: _get(item, content) for key, item in inner.items()}
    items = [_get(item, content) for item in inner]
    return tuple(items) if kind == "tuple" else items


def _view(content: np.ndarray) -> np.ndarray:
    """The array whose .npy file begins here."""
    file = BytesIO(content[:_LONGEST_HEADER].tobytes())
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, fortran, dtype = readers[npy.read_magic(file)](file)
    return np.ndarray(shape, dtype, content, file.tell(), order="F" if fortran else "C")
