import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xcbench.data import byte_lines
from xcbench.data.byte_lines import BrokenStream, whole_lines
from xcbench.errors import DataError


def blocks(path, block_bytes):
    return [block.tobytes() for block in whole_lines(path, block_bytes)]


@settings(deadline=None, max_examples=100)
@given(
    text=st.lists(st.sampled_from([b"\n", b"a", b"bcd", b"\r"]), max_size=30).map(b"".join),
    block_bytes=st.integers(2, 12),
    packed=st.booleans(),
)
def test_blocks_are_whole_lines_and_together_the_file(text, block_bytes, packed, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "lines"
    path.write_bytes(gzip.compress(text) if packed else text)
    found = blocks(path, block_bytes)
    assert all(block.endswith(b"\n") for block in found)
    assert b"".join(found) == text + (b"" if text.endswith(b"\n") or not text else b"\n")


def test_a_line_longer_than_a_block_stays_whole(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"ab\n" + b"x" * 1000 + b"\n")
    assert blocks(path, 16) == [b"ab\n", b"x" * 1000 + b"\n"]


def test_a_file_without_newlines_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(byte_lines, "LONGEST_LINE", 1000)
    path = tmp_path / "a"
    path.write_bytes(bytes(5000))
    with pytest.raises(BrokenStream, match="bytes without a newline; the file is damaged"):
        blocks(path, 16)


@pytest.mark.parametrize(
    ("start", "kind"), [(b"PK\x03\x04", "zip"), (b"BZh9", "bzip2"), (b"\xfd7zXZ\x00", "xz")]
)
def test_other_packings_are_named(start, kind, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(start + b"...")
    with pytest.raises(DataError, match=f"found an? {kind} .*unpack it first"):
        blocks(path, 16)
