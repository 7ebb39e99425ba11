import gzip

import numpy as np
import pytest

from xcbench.data.splits.read import read_split
from xcbench.errors import DataError


def test_a_column_is_a_split_and_rows_count_from_1(tmp_path):
    path = tmp_path / "trSplit.txt.gz"
    path.write_bytes(gzip.compress(b"3 1\r\n1  4\n2 2"))
    rows = read_split(path, 2, n=4)
    assert rows.dtype == np.int32
    assert rows.tolist() == [0, 3, 1]
    assert read_split(path, 1, n=4).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("1\n2\n", 2, ", line 1: found 1 columns; expected column 2 for split 2"),
        ("1 2\n2\n", 2, ", line 2: found 1 columns; expected column 2 for split 2"),
        ("1\n\n2\n", 1, ", line 2: found 0 columns; expected column 1 for split 1"),
        ("1\nx\n", 1, ", line 2: found 'x'; expected a row number of 1 to 5"),
        ("1 2\n2 x\n", 1, ", line 2: found 'x'; expected a row number of 1 to 5"),
        ("1 2\n2\n", 1, ", line 2: found 1 columns; expected 2 as in line 1"),
        ("1\x0b\n", 1, ", line 1: found '1\\x0b'; expected a row number of 1 to 5"),
        ("9" * 5000, 1, f", line 1: row {'9' * 40}... is out of range; expected 1 to 5"),
        ("1\n-2\n", 1, ", line 2: found '-2'; expected a row number of 1 to 5"),
        ("1\n0\n", 1, ", line 2: row 0 is out of range; expected 1 to 5"),
        ("1\n6\n", 1, ", line 2: row 6 is out of range; expected 1 to 5"),
        (
            "1\n2\n1\n",
            1,
            ", line 3: row 1 is in split 1 twice (first in line 1); expected each row once",
        ),
        ("", 1, ": the file is empty; expected one line of row numbers a point"),
    ],
)
def test_defects_name_file_line_and_reason(text, column, reason, tmp_path):
    path = tmp_path / "trSplit.txt"
    path.write_bytes(text.encode())
    with pytest.raises(DataError) as caught:
        read_split(path, column, n=5)
    assert str(caught.value) == f"{path}{reason}"


def test_a_truncated_gzip_is_an_error(tmp_path):
    path = tmp_path / "trSplit.txt.gz"
    packed = gzip.compress("".join(f"{i}\n" for i in range(1, 1000)).encode())
    path.write_bytes(packed[:-20])
    with pytest.raises(DataError, match=r", after line 9\d\d: the gzip stream ends early"):
        read_split(path, 1, n=1000)
