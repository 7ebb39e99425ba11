import pytest

from xcbench.data.libsvm import read_libsvm
from xcbench.errors import DataError


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "a.svm"
        path.write_bytes(text)
        return path

    return write


def test_the_largest_indices_set_the_widths(written):
    content = read_libsvm(written(b"1,3 2:1 5:2\n 1:4\n"), base=0)
    assert (content.X.shape, content.Y.shape) == ((2, 6), (2, 4))
    assert content.X.toarray().tolist() == [[0, 0, 1, 0, 0, 2], [0, 4, 0, 0, 0, 0]]


def test_base_1_shifts_everything_even_where_index_1_does_not_occur(written):
    content = read_libsvm(written(b"2 3:1\n3 2:1\n"), base=1)
    assert content.X.toarray().tolist() == [[0, 0, 1], [0, 1, 0]]
    assert content.Y.toarray().tolist() == [[0, 1, 0], [0, 0, 1]]


def test_stated_counts_set_the_widths(written):
    content = read_libsvm(written(b"1 1:1\n"), base=1, n_features=7, n_labels=9)
    assert (content.X.shape, content.Y.shape) == ((1, 7), (1, 9))


@pytest.mark.parametrize(
    ("text", "base", "reason"),
    [
        (b"", 0, ": the file is empty; expected rows 'l1,l2 index:value ...'"),
        (b"1 0:1\n", 1, ", line 1: feature 0 is out of range; with base 1 expected 1 or more"),
        (b"0 1:1\n", 1, ", line 1: label 0 is out of range; with base 1 expected 1 or more"),
        (b"1 -1:1\n", 1, ", line 1: feature '-1:1' has a negative index; expected 1 or more"),
        (
            b"1 4:1\n",
            1,
            ", line 1: feature 4 is out of range; the caller states 3 features, so expected 1 to 3",
        ),
        (
            b"9 1:1 3:1 1:2\n",
            1,
            ", line 1: feature 1 occurs twice in the row; expected each feature once",
        ),
        (
            b"1 1:1\n\n1 1:1\n",
            0,
            ", line 2: found an empty line; a file without a header cannot tell a row from a stray "
            "line, so remove it or use the XC format",
        ),
        (
            b"5 3 3\n1 1:1\n",
            0,
            ", line 1: feature '3' has no value; expected 'index:value'; "
            "the line looks like the header of an XC text (format xc)",
        ),
    ],
)
def test_defects_name_file_line_and_reason(text, base, reason, written):
    path = written(text)
    with pytest.raises(DataError) as caught:
        read_libsvm(path, base, n_features=3)
    assert str(caught.value) == f"{path}{reason}"


def test_an_index_beyond_int32_is_refused_without_a_stated_count(written):
    path = written(b"1 2147483648:1\n")
    with pytest.raises(
        DataError, match="feature 2147483648 is out of range; expected at most 2147483647"
    ):
        read_libsvm(path, base=1)
