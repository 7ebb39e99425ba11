import gzip

import pytest

from xcbench.data.sparse_text import as_labels, read_sparse_text
from xcbench.errors import DataError


def test_rows_start_with_their_first_entry_or_a_space(tmp_path):
    path = tmp_path / "trn_X_Xf.txt.gz"
    path.write_bytes(gzip.compress(b"4 3\n0:1 2:.5\n 1:2\n\n2:1 0:3\n"))
    matrix = read_sparse_text(path)
    assert matrix.toarray().tolist() == [[1, 0, 0.5], [0, 2, 0], [0, 0, 0], [3, 0, 1]]


HEADER = "expected a header 'points columns', as in '15539 5000'"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            b"1 2 3\n\n",
            f"line 1: found '1 2 3'; {HEADER}; three counts are the header of a one-file XC text",
        ),
        (b"2 2\n0:1\n", "line 3: the file ends after 1 rows; the header states 2"),
        (b"1 2\n0,1\n", "line 2: found '0,1'; expected a feature 'index:value'"),
        (b"1 2\n1 0:1\n", "line 2: feature '1' has no value; expected 'index:value'"),
        (
            b"1 2\n2:1\n",
            "line 2: feature 2 is out of range; the header states 2 features, so expected 0 to 1",
        ),
    ],
)
def test_defects_name_file_line_and_reason(text, reason, tmp_path):
    path = tmp_path / "trn_X_Xf.txt"
    path.write_bytes(text)
    with pytest.raises(DataError) as caught:
        read_sparse_text(path)
    assert str(caught.value) == f"{path}, {reason}"


def test_labels_have_the_value_1(tmp_path):
    path = tmp_path / "trn_X_Y.txt"
    path.write_text("2 5\n0:1 4:1.0\n3:0.5\n")
    with pytest.raises(DataError) as caught:
        as_labels(read_sparse_text(path), path)
    assert str(caught.value) == f"{path}, line 3: label 3 has the value 0.5; expected 1"
