import bz2
import errno
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from tests.data.fetch.conftest import zipped
from xcbench.data.fetch import extract as extracting
from xcbench.data.fetch.extract import extract
from xcbench.data.fetch.members import Limits, Member, UnsafeArchiveError
from xcbench.errors import DataError

SMALL = Limits(members=5, member=4000, total=6000, ratio=20, ratio_floor=100)
PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def tarred(*members, pack=bytes):
    """A tar archive of (name, content) or of (TarInfo, content)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return pack(buffer.getvalue())


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def zip_special(name, mode, content="", **changes):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **changes) as archive:
        archive.writestr(info, content)
        archive.writestr("link/a.txt", "through the link")
    return buffer.getvalue()


@pytest.fixture
def unpack(tmp_path):
    """Unpack bytes in an empty folder; nothing may ever appear outside of it."""

    def run(content, limits=None):
        archive, folder = tmp_path / "in.bin", tmp_path / "within" / "out"
        archive.write_bytes(content)
        folder.mkdir(parents=True)
        try:
            extract(archive, folder, limits)
        finally:
            assert sorted(path.name for path in tmp_path.iterdir()) == ["in.bin", "within"]
            assert list((tmp_path / "within").iterdir()) == [folder]
            assert not any(path.is_symlink() for path in folder.rglob("*"))
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return run


FILES = {"Toy/a.txt": b"1 2 3\n", "Toy/deep/b.txt.gz": b"\x1f\x8b not looked into"}


def test_zip_is_unpacked(unpack):
    assert unpack(zipped(FILES)) == FILES


@pytest.mark.parametrize("packing", PACKERS)
def test_tar_is_unpacked_however_it_is_packed(packing, unpack):
    assert unpack(tarred(*FILES.items(), pack=PACKERS[packing])) == FILES


def test_what_desktops_leave_behind_is_ignored(unpack):
    junk = {"__MACOSX/Toy/._a.txt": "x", "Toy/.DS_Store": "x", "Toy/._a.txt": "x"}
    assert unpack(zipped({**junk, "Toy/a.txt": "1"})) == {"Toy/a.txt": b"1"}


def test_a_tar_that_begins_with_its_own_folder_is_unpacked(unpack):
    folder = special("./", tarfile.DIRTYPE)
    assert unpack(tarred(folder, ("./Toy/a.txt", b"1"))) == {"Toy/a.txt": b"1"}


def test_modes_and_owners_of_the_archive_are_not_taken_over(unpack, tmp_path):
    info = tarfile.TarInfo("a.txt")
    info.mode, info.uid = 0o6777, 12345
    unpack(tarred((info, b"1")))
    found = (tmp_path / "within" / "out" / "a.txt").stat()
    assert stat.S_IMODE(found.st_mode) & (stat.S_ISUID | stat.S_ISGID | 0o111) == 0
    assert found.st_uid == os.getuid()


BAD_NAMES = [
    "../x", "a/../../x", "/etc/x", "//x", "..", "C:/x", "c:x", "a\\..\\x", "\\x", "a\nb",
    "__MACOSX/../../x", "n" * 300,
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_member_that_leaves_the_folder_is_refused(name, unpack):
    for content in (zipped({"a.txt": "1", name: "2"}), tarred(("a.txt", b"1"), (name, b"2"))):
        with pytest.raises(UnsafeArchiveError, match="leaves the folder or has no plain name"):
            unpack_again(unpack, content)


def unpack_again(unpack, content, limits=None):
    """As unpack, after taking away what the last one left."""
    folder = Path(unpack.__closure__[0].cell_contents) / "within"
    if folder.exists():
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()
    return unpack(content, limits)


SPECIALS = {
    "symlink": tarred(special("link", tarfile.SYMTYPE, "/tmp"), ("link/a.txt", b"1")),
    "symlink within": tarred(special("link", tarfile.SYMTYPE, "."), ("link/a.txt", b"1")),
    "hard link": tarred(("a", b"1"), special("b", tarfile.LNKTYPE, "a")),
    "hard link outside": tarred(special("b", tarfile.LNKTYPE, "../../etc/passwd")),
    "character device": tarred(special("null", tarfile.CHRTYPE)),
    "block device": tarred(special("sda", tarfile.BLKTYPE)),
    "fifo": tarred(special("pipe", tarfile.FIFOTYPE)),
    "zip symlink": zip_special("link", stat.S_IFLNK | 0o777, "/tmp"),
    "zip device": zip_special("null", stat.S_IFCHR | 0o666),
    "zip fifo": zip_special("pipe", stat.S_IFIFO | 0o666),
}


@pytest.mark.parametrize("kind", SPECIALS)
def test_links_and_devices_are_refused(kind, unpack):
    with pytest.raises(UnsafeArchiveError, match="neither a plain file nor a folder"):
        unpack(SPECIALS[kind])


def test_a_sparse_file_is_refused(unpack):
    header = tarfile.TarInfo("a.bin")
    header.pax_headers = {"GNU.sparse.size": "99999999999", "GNU.sparse.map": "0,1"}
    with pytest.raises(UnsafeArchiveError, match="neither a plain file nor a folder"):
        unpack(tarred((header, b"1")))


@pytest.mark.parametrize(
    "names", [("a", "a"), ("a", "A"), ("a", "a/b"), ("a/b", "a"), ("x/../a",), ("Toy/a", "toy/A")]
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_that_take_each_others_place_are_refused(names, unpack):
    with pytest.raises(UnsafeArchiveError):
        unpack(tarred(*[(name, b"1") for name in names]))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "1")
    with pytest.raises(UnsafeArchiveError):
        unpack_again(unpack, buffer.getvalue())


@pytest.mark.parametrize("make", [zipped, lambda files: tarred(*files.items())])
def test_limits_on_count_and_sizes_hold(make, unpack):
    with pytest.raises(UnsafeArchiveError, match="more than 5 members"):
        unpack(make({str(i): b"" for i in range(6)}), SMALL)
    with pytest.raises(UnsafeArchiveError, match="'a' of 4001 bytes, at most 4000"):
        unpack_again(unpack, make({"a": os.urandom(4001)}), SMALL)
    with pytest.raises(UnsafeArchiveError, match="more than 6000 bytes"):
        unpack_again(unpack, make({"a": os.urandom(4000), "b": os.urandom(4000)}), SMALL)


ZEROS = bytes(20 << 20)


@pytest.mark.parametrize(
    "bomb",
    [zipped({"a": ZEROS}), tarred(("a", ZEROS), pack=gzip.compress)],
    ids=["zip", "tar.gz"],
)
def test_a_bomb_is_refused_before_it_is_unpacked(bomb, unpack, tmp_path):
    with pytest.raises(UnsafeArchiveError, match=r"100-fold|archive bomb"):
        unpack(bomb)
    written = (tmp_path / "within" / "out").rglob("*")
    assert sum(path.stat().st_size for path in written) < 1 << 20


def test_a_bomb_of_many_small_members_is_refused(unpack):
    with pytest.raises(UnsafeArchiveError, match="20-fold"):
        unpack(zipped({str(i): bytes(2000) for i in range(3)}), SMALL)


def test_a_bomb_of_members_that_share_their_bytes_is_refused(unpack, monkeypatch):
    shared = [
        Member(str(i), PurePosixPath(str(i)), False, 1500, 100, lambda: io.BytesIO(bytes(1500)))
        for i in range(4)
    ]
    monkeypatch.setattr(extracting, "members", lambda archive, limits: iter(shared))
    with pytest.raises(UnsafeArchiveError, match="20-fold"):
        unpack(zipped({"a": os.urandom(100)}), SMALL)


def test_a_zip_that_lies_about_a_size_does_not_get_more(unpack):
    content = zipped({"a": os.urandom(10) * 1000})
    lie = content.replace(struct.pack("<L", 10_000), struct.pack("<L", 50))
    with pytest.raises(DataError, match=r"damaged|short"):
        unpack(lie)


def test_a_giant_header_in_a_tar_is_refused_before_it_is_read(unpack):
    info = tarfile.TarInfo("x" * 90)
    info.type, info.size = tarfile.XHDTYPE, 7 << 30
    with pytest.raises(UnsafeArchiveError, match="bomb"):
        unpack(gzip.compress(info.tobuf(tarfile.USTAR_FORMAT) + bytes(2048)))


def test_an_archive_larger_than_the_disk_is_told_so_before_it_fills_it(unpack, monkeypatch):
    usage = type(extracting.shutil.disk_usage("/"))(10, 5, 5)
    monkeypatch.setattr(extracting.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(OSError, match="disk is too small") as caught:
        unpack(zipped(FILES))
    assert caught.value.errno == errno.ENOSPC


def test_an_encrypted_zip_is_told_so(unpack):
    content = bytearray(zipped({"a.txt": "1"}))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + place] |= 1
    with pytest.raises(DataError, match=r"a\.txt is encrypted"):
        unpack(bytes(content))


def test_a_zip_method_that_unpacks_into_memory_is_refused(unpack):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.txt", "1")
    with pytest.raises(DataError, match="method 12; expected deflate"):
        unpack(buffer.getvalue())


WHOLE = {
    "zip": zipped({"a.txt": os.urandom(5000), "b.txt": os.urandom(5000)}),
    **{
        f"tar{name}": tarred(("a.txt", os.urandom(5000)), ("b.txt", os.urandom(5000)), pack=pack)
        for name, pack in PACKERS.items()
    },
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("kept", [0.1, 0.3, 0.5])
def test_a_truncated_archive_is_told_so(kind, kept, unpack):
    with pytest.raises(DataError, match=r"damaged|short"):
        unpack(WHOLE[kind][: int(kept * len(WHOLE[kind]))])


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.bz2", "tar.xz"])
def test_a_changed_byte_is_noticed(kind, unpack):
    content = bytearray(WHOLE[kind])
    content[3000] ^= 1
    with pytest.raises(DataError, match=r"damaged|expected a zip or tar"):
        unpack(bytes(content))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"<!DOCTYPE html><html>Sign in</html>", "a web page"),
        (b"\n <html><head>", "a web page"),
        (b"4880 1836 159\n0 0:1\n", "b'4880 183'"),
        (gzip.compress(b"4880 1836 159\n0 0:1\n", mtime=0), "b'"),
        (b"", "b''"),
        (b"Rar!\x1a\x07\x00", "b'Rar!"),
    ],
)
def test_what_is_no_archive_is_named(content, found, unpack):
    with pytest.raises(DataError, match="expected a zip or tar archive") as caught:
        unpack(content)
    assert f"found {found}" in str(caught.value)
