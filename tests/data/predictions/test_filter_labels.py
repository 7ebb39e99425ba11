import gzip

import numpy as np
import pytest

from xcbench.data.predictions.filter_labels import read_filter_labels
from xcbench.errors import DataError


def test_pairs_in_any_order_make_a_pattern(tmp_path):
    path = tmp_path / "filter_labels_test.txt.gz"
    path.write_bytes(gzip.compress(b"2 4\n0 1\r\n\n2 0\n2 4"))
    found = read_filter_labels(path, (3, 5))
    assert np.argwhere(found.toarray()).tolist() == [[0, 1], [2, 0], [2, 4]]
    assert found.nnz == 3


def test_an_empty_file_filters_nothing(tmp_path):
    (tmp_path / "f").write_text("")
    assert read_filter_labels(tmp_path / "f", (3, 5)).nnz == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 1\n3 0\n", ", line 2: row 3 is out of range; expected 0 to 2"),
        ("0 5\n", ", line 1: label 5 is out of range; expected 0 to 4"),
        ("0 1 2\n", ", line 1: found '0 1 2'; expected 'row label', both counted from 0"),
        ("0 -1\n", ", line 1: found '0 -1'; expected 'row label', both counted from 0"),
        ("0\n", ", line 1: found '0'; expected 'row label', both counted from 0"),
    ],
)
def test_a_malformed_line_is_named(text, reason, tmp_path):
    path = tmp_path / "f"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_filter_labels(path, (3, 5))
    assert str(caught.value) == f"{path}{reason}"
