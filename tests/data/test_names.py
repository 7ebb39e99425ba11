import gzip

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xcbench.data.names import Names, names_beside, read_names, write_names
from xcbench.errors import DataError

# Whatever a line can hold: quotes, spaces at the ends, and what other tools take for line breaks.
NAME = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(NAME, max_size=5))
@settings(max_examples=60, deadline=None)
@example(["\ufeffmarked", ""])
@example([""])
@example(["a\x85b", "\u2028", " \x0b ", '"', "\\n", "a,b"])
def test_names_read_back_as_they_were_written(tmp_path_factory, names):
    path = tmp_path_factory.mktemp("names") / "Yf.txt"
    write_names(path, names)
    assert read_names(path, len(names)) == tuple(names)


@pytest.mark.parametrize("name", ["a\nb", "a\r", "\ud800"])
def test_a_name_that_would_read_back_as_another_is_refused_and_no_file_is_left(name, tmp_path):
    with pytest.raises(DataError):
        write_names(tmp_path / "Yf.txt", ["fine", name])
    assert list(tmp_path.iterdir()) == []


def test_crlf_a_byte_order_mark_and_gzip_are_no_part_of_names(tmp_path):
    path = tmp_path / "Yf.txt"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbfone\r\ntwo words "))
    assert read_names(path) == ("one", "two words ")


def test_defects_are_told_with_file_line_and_number(tmp_path):
    path = tmp_path / "Yf.txt"
    path.write_bytes(b"fine\nna\xefve\n")
    with pytest.raises(DataError, match=r"Yf.txt, line 2: .* not UTF-8"):
        read_names(path)
    path.write_text("a\nb\n")
    with pytest.raises(DataError, match=r"Yf.txt: found 2 names; expected 3"):
        read_names(path, 3)
    path.write_bytes(gzip.compress(b"a\nb\n" * 99)[:-9])
    with pytest.raises(DataError, match="cannot be read"):
        read_names(path)


def test_names_beside_are_those_that_are_there(tmp_path):
    assert names_beside(tmp_path, 2, 1) == Names(None, None)
    write_names(tmp_path / "Yf.txt", ["cat"])
    assert names_beside(tmp_path, 2, 1) == Names(("cat",), None)
    write_names(tmp_path / "Xf.txt", ["a", "b"])
    assert names_beside(tmp_path, 2, 1) == Names(("cat",), ("a", "b"))
    with pytest.raises(DataError, match=r"Xf.txt: found 2 names; expected 3"):
        names_beside(tmp_path, 3, 1)
