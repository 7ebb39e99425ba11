"""The members of a zip or tar archive, one after another, without trusting any of them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, cast

from xcbench.errors import DataError

LARGEST_READ = 1 << 20  # tarfile reads a long name or a pax header at once, of whatever size
_LONGEST_NAME = 255
_ENCRYPTED = 0x1
# The other ways unpack a megabyte into memory whole, however much comes of it.
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

# What the standard library raises at bytes that are no good. A bad gzip or bzip2 stream is an
# OSError without a number; one with a number is the disk's.
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, ValueError,
    NotImplementedError,
)  # fmt: skip

_ZIP = b"PK\x03\x04"
_UNPACKERS: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {
    b"\x1f\x8b": lambda stream: cast(IO[bytes], gzip.GzipFile(fileobj=stream, mode="rb")),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_WEB_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|\?xml)", re.IGNORECASE)


class UnsafeArchiveError(DataError):
    """An archive holds what no dataset needs and what could do harm."""


@dataclass(frozen=True)
class Limits:
    """What an archive may come to. Everything is in bytes but the counts.

    Attributes
    ----------
    members : int
        Files and folders; the repository's archives hold about five.
    member, total : int
        One file, all files. The largest known dataset is a tenth of that.
    ratio : int
        Unpacked to packed size; XC text packs to between a third and a tenth.
    ratio_floor : int
        Unpacked sizes below this are not held against their ratio.
    """

    members: int = 1000
    member: int = 64 << 30
    total: int = 128 << 30
    ratio: int = 100
    ratio_floor: int = 16 << 20


@dataclass(frozen=True)
class Member:
    """One entry of an archive.

    Attributes
    ----------
    name : str
        As written in the archive, not to be used as a path.
    path : PurePosixPath
        Where it goes, relative and inside the folder.
    is_folder : bool
    size : int
        Unpacked, as the archive states it.
    packed : int or None
        Bytes it takes in the archive; None in a tar archive, which is packed as a whole.
    open : callable
        Gives the bytes; reading checks them as far as the format can.
    """

    name: str
    path: PurePosixPath
    is_folder: bool
    size: int
    packed: int | None
    open: Callable[[], IO[bytes]]

    @property
    def is_junk(self) -> bool:
        """Whether a desktop left it there: macOS's and Windows' notes about folders."""
        name = self.path.name
        return (
            "__MACOSX" in self.path.parts
            or name.startswith("._")
            or name in (".DS_Store", "Thumbs.db", "desktop.ini")
        )


def require_archive(archive: Path) -> None:
    """Tell a web page, and whatever else is no archive, from one.

    Raises
    ------
    DataError
    """
    try:
        with archive.open("rb") as stream:
            start = stream.read(1024)
    except OSError as error:
        raise DataError(f"{archive}: cannot be read ({error.strerror})") from None
    if _WEB_PAGE.match(start):
        raise DataError(f"{archive}: found a web page; expected a zip or tar archive")
    if not start.startswith(_ZIP):
        with reading(archive), archive.open("rb") as stream:
            head = _unpacked(stream, start).read(tarfile.BLOCKSIZE)
            if not _is_tar(head):
                raise DataError(f"{archive}: found {start[:8]!r}; expected a zip or tar archive")


def members(archive: Path, limits: Limits) -> Iterator[Member]:
    """Every member in the archive's order.

    Raises
    ------
    UnsafeArchiveError
        A name leaves the folder, or a member is neither file nor folder.
    DataError
        The archive is damaged or encrypted.
    """
    with archive.open("rb") as stream:
        is_zip = stream.read(4) == _ZIP
    yield from _zip_members(archive) if is_zip else _tar_members(archive, limits)


def _zip_members(archive: Path) -> Iterator[Member]:
    with reading(archive), zipfile.ZipFile(archive) as packed:
        for info in packed.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            # Archivers that know no Unix modes leave 0; a folder's name ends in a slash.
            expected = stat.S_IFDIR if info.is_dir() else stat.S_IFREG
            if kind not in (0, expected):
                raise _neither(archive, info.filename)
            if info.flag_bits & _ENCRYPTED:
                raise DataError(
                    f"{archive}: {info.filename} is encrypted; expected a plain archive"
                )
            if info.compress_type not in _ZIP_METHODS:
                raise DataError(
                    f"{archive}: {info.filename} is packed by zip's method {info.compress_type}; "
                    "expected deflate, as the repository's archives; pack it again"
                )
            yield Member(
                info.filename, inside(archive, info.orig_filename), info.is_dir(), info.file_size,
                info.compress_size, partial(packed.open, info),
            )  # fmt: skip


def _tar_members(archive: Path, limits: Limits) -> Iterator[Member]:
    with reading(archive), archive.open("rb") as stream:
        start = stream.read(8)
        room = max(limits.ratio * archive.stat().st_size, limits.ratio_floor)
        guarded = _Guarded(_unpacked(stream, start), min(room, limits.total), archive)
        with tarfile.open(fileobj=cast(IO[bytes], guarded), mode="r:") as packed:
            for info in packed:
                # A sparse file states any size at no cost, and no archiver of data makes one.
                if not (info.isreg() or info.isdir()) or info.issparse():
                    raise _neither(archive, info.name)
                yield Member(
                    info.name, inside(archive, info.name), info.isdir(), info.size, None,
                    partial(_file_of, packed, info),
                )  # fmt: skip
        while guarded.read(LARGEST_READ):
            pass  # the checksum of a packed stream is at its end, behind that of the archive


def _file_of(packed: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    return cast(IO[bytes], packed.extractfile(info))


class _Guarded(io.RawIOBase):
    """An unpacked stream that ends a tar bomb: no more than ``room`` bytes, no giant header."""

    def __init__(self, stream: IO[bytes], room: int, archive: Path) -> None:
        self._stream, self._room, self._archive = stream, room, archive

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= LARGEST_READ:
            raise UnsafeArchiveError(f"{self._archive}: a header of {size} bytes; that is a bomb")
        self._require(self._stream.tell() + size)
        return self._stream.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._require(offset)
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def _require(self, end: int) -> None:
        # The last read asks for a block more than there is.
        if end > self._room + LARGEST_READ:
            raise UnsafeArchiveError(
                f"{self._archive}: unpacks to more than {self._room} bytes, more than any dataset; "
                "that is an archive bomb"
            )


@contextmanager
def reading(archive: Path) -> Iterator[None]:
    """Tell that an archive is damaged, whatever the standard library calls it."""
    try:
        yield
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataError(f"{archive}: the archive is damaged ({error}); get it again") from None


def _unpacked(stream: IO[bytes], start: bytes) -> IO[bytes]:
    stream.seek(0)
    for magic, unpacker in _UNPACKERS.items():
        if start.startswith(magic):
            return unpacker(stream)
    return stream


def _is_tar(block: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def inside(archive: Path, name: str) -> PurePosixPath:
    """A member's name as a path that cannot leave the folder.

    Raises
    ------
    UnsafeArchiveError
        It is absolute, climbs with .., names a drive, is longer than a disk allows, or holds a
        backslash or a control character.
    """
    path = PurePosixPath(name)
    if (
        path.is_absolute()
        or ".." in path.parts
        or "\\" in name
        or re.match(r"[A-Za-z]:", name)
        or len(name.encode(errors="replace")) > _LONGEST_NAME
        or any(ord(character) < 32 or 0xD800 <= ord(character) < 0xE000 for character in name)
    ):
        raise UnsafeArchiveError(
            f"{archive}: member {name!r} leaves the folder or has no plain name; nothing of the "
            "archive is kept"
        )
    return path


def _neither(archive: Path, name: str) -> UnsafeArchiveError:
    return UnsafeArchiveError(
        f"{archive}: member {name!r} is neither a plain file nor a folder (a link, a device, a "
        "sparse file); nothing of the archive is kept"
    )
