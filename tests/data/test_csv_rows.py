"""Rows of CSV files with their lines, whatever a spreadsheet puts around them."""

import pytest

from xcbench.data.csv_rows import read_csv_rows
from xcbench.errors import DataError


def rows(tmp_path, data: bytes):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    return read_csv_rows(path)


def test_rows_come_with_their_lines_without_mark_blank_lines_and_spaces(tmp_path):
    data = b'\xef\xbb\xbfa,b\r\n\r\n 1 ,"x\r\ny"\r\n   \r\n,\r\n'
    assert list(rows(tmp_path, data)) == [(1, ["a", "b"]), (4, ["1", "x\r\ny"]), (6, ["", ""])]


def test_rows_are_read_up_to_the_defect(tmp_path):
    found = rows(tmp_path, b"a,b\n1,2\n3\n")
    assert [next(found), next(found)] == [(1, ["a", "b"]), (2, ["1", "2"])]
    with pytest.raises(DataError, match=r"t\.csv:3: found 1 cells; expected 2 as in the header"):
        next(found)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"t\.csv: the file is empty"),
        (b"\n \n", r"t\.csv: the file is empty"),
        (b"a\n\xff\n", r"t\.csv:2: found bytes that are not UTF-8 text"),
        (b'a\n"x\n', r"t\.csv:2: no CSV"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, data, message):
    with pytest.raises(DataError, match=message):
        list(rows(tmp_path, data))


def test_a_file_that_is_not_there_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        next(read_csv_rows(tmp_path / "none.csv"))
