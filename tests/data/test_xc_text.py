import gzip
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.data.xc_text import read_xc, write_xc
from xcbench.errors import DataError


def dense(text, path):
    """X and Y of a text as dense arrays, and the count of duplicate labels."""
    path.write_bytes(text)
    content = read_xc(path)
    for matrix in (content.X, content.Y):
        assert matrix.data.dtype == np.float32
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
        assert sparse.csr_array(matrix.copy()).has_canonical_format
    return content.X.toarray().tolist(), content.Y.toarray().tolist(), content.n_duplicate_labels


PLAIN = b"3 4 5\n1,4 0:1 3:2.5\n 1:-1\n2 2:1e-2\n"
PLAIN_X = [[1, 0, 0, 2.5], [0, -1, 0, 0], [0, 0, np.float32(0.01), 0]]
PLAIN_Y = [[0, 1, 0, 0, 1], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0]]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace(b"\n", b"\r\n"),
        PLAIN[:-1],
        PLAIN[:-1] + b"\r",
        PLAIN.replace(b"\n", b"  \n"),
        PLAIN.replace(b" ", b"   "),
        PLAIN.replace(b",", b",  "),
        PLAIN.replace(b"0:1 3:2.5", b"3:2.5 0:1"),
        PLAIN.replace(b"1,4", b"4,1"),
        PLAIN.replace(b" 1:-1", b"1:-1"),
        PLAIN.replace(b"1e-2", b".01"),
        b" " + PLAIN,
        PLAIN.replace(b"1,4 0:1", b"01,004 00:+1.0"),
    ],
    ids=[
        "plain",
        "CRLF",
        "no final newline",
        "no final newline after CR",
        "trailing spaces",
        "several spaces",
        "spaces after a comma",
        "unsorted features",
        "unsorted labels",
        "no space before the features of a row without labels",
        "other decimal form",
        "space before the header",
        "leading zeros and plus",
    ],
)
def test_accepted_variants_give_the_same_matrices(text, tmp_path):
    assert dense(text, tmp_path / "a.txt") == (PLAIN_X, PLAIN_Y, 0)


def test_gzip_is_told_by_its_bytes_and_may_have_several_members(tmp_path):
    packed = gzip.compress(PLAIN[:9]) + gzip.compress(PLAIN[9:])
    assert dense(packed, tmp_path / "a.txt.gz") == (PLAIN_X, PLAIN_Y, 0)
    assert dense(packed, tmp_path / "named-as-plain.txt") == (PLAIN_X, PLAIN_Y, 0)
    assert dense(PLAIN, tmp_path / "unpacked-by-the-browser.txt.gz") == (PLAIN_X, PLAIN_Y, 0)


def test_rows_without_labels_features_or_both_are_rows(tmp_path):
    X, Y, _ = dense(b"4 2 2\n1\n\n \n 0:1\n", tmp_path / "a.txt")
    assert X == [[0, 0], [0, 0], [0, 0], [1, 0]]
    assert Y == [[0, 1], [0, 0], [0, 0], [0, 0]]


def test_duplicate_labels_are_merged_and_counted(tmp_path):
    _, Y, n_duplicates = dense(b"2 1 3\n2,0,2,2 0:1\n1,1\n", tmp_path / "a.txt")
    assert (Y, n_duplicates) == ([[1, 0, 1], [0, 1, 0]], 3)


def test_a_stored_zero_stays_an_entry(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"1 3 1\n0 1:0 2:1e-60\n")
    assert read_xc(path).X.indices.tolist() == [1, 2]


def test_a_file_of_no_rows_has_its_widths(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"0 3 2")
    content = read_xc(path)
    assert (content.X.shape, content.Y.shape) == ((0, 3), (0, 2))


HEADER = "expected a header 'points features labels', as in '4880 1836 159'"
MALFORMED = {
    "empty file": (b"", "{path}: the file is empty; " + HEADER),
    "empty header": (b"\n1 0:1\n", "{path}, line 1: found ''; " + HEADER),
    "no header": (
        b"1,2 0:1\n",
        "{path}, line 1: found '1,2 0:1'; " + HEADER + "; "
        "a file without header is read with format libsvm and its base (0 or 1)",
    ),
    "header of two counts": (
        b"2 5\n\n\n",
        "{path}, line 1: found '2 5'; " + HEADER + "; "
        "two counts are the header of a split-form file (features or labels alone)",
    ),
    "header of four counts": (b"1 2 3 4\n", "{path}, line 1: found '1 2 3 4'; " + HEADER),
    "negative count": (b"1 -2 3\n 0:1\n", "{path}, line 1: found '1 -2 3'; " + HEADER),
    "header with tabs": (b"1\t2\t3\n\n", "{path}, line 1: found '1\\t2\\t3'; " + HEADER),
    "huge count": (
        b"1 99999999999 3\n\n",
        "{path}, line 1: found 99999999999 features; expected at most 2147483647",
    ),
    "byte order mark": (
        b"\xef\xbb\xbf1 1 1\n\n",
        "{path}, line 1: found a UTF-8 byte order mark; "
        "expected plain ASCII, save the file without it",
    ),
    "UTF-16": (
        "1 1 1\n\n".encode("utf-16"),
        "{path}, line 1: found a UTF-16 byte order mark; "
        "expected plain ASCII, save the file without it",
    ),
    "too few rows": (
        b"3 2 2\n1 0:1\n0 1:1\n",
        "{path}, line 4: the file ends after 2 rows; the header states 3",
    ),
    "header alone": (b"1 2 3\n", "{path}, line 2: the file ends after 0 rows; the header states 1"),
    "too many rows": (
        b"1 2 2\n1 0:1\n0 1:1\n",
        "{path}, line 3: found a row after the last of the 1 rows the header states",
    ),
    "empty line after the last row": (
        b"1 2 2\n1 0:1\n\n",
        "{path}, line 3: found an empty line after the last of the 1 rows the header states",
    ),
    "bytes after the last row": (
        b"1 2 2\n1 0:1\n\x00",
        "{path}, line 3: found a row after the last of the 1 rows the header states",
    ),
    "label out of range": (
        b"2 2 2\n1 0:1\n1,2 0:1\n",
        "{path}, line 3: label 2 is out of range; the header states 2 labels, so expected 0 to 1",
    ),
    "label beyond int64": (
        b"1 2 2\n99999999999999999999 0:1\n",
        "{path}, line 2: label 99999999999999999999 is out of range; "
        "the header states 2 labels, so expected 0 to 1",
    ),
    "label where there are none": (
        b"1 2 0\n0 0:1\n",
        "{path}, line 2: label 0 is out of range; the header states 0 labels, so expected none",
    ),
    "label of thousands of digits": (
        b"1 2 2\n" + b"9" * 5000 + b" 0:1\n",
        "{path}, line 2: label " + "9" * 40 + "... is out of range; "
        "the header states 2 labels, so expected 0 to 1",
    ),
    "feature in range written in too many digits": (
        b"1 2 2\n1 0000000000000000001:1\n",
        "{path}, line 2: feature 1 is written in 19 digits; expected at most 18",
    ),
    "count of thousands of digits": (
        b"1 " + b"9" * 5000 + b" 3\n\n",
        "{path}, line 1: found " + "9" * 40 + "... features; expected at most 2147483647",
    ),
    "feature out of range": (
        b"1 2 2\n1 0:1 2:1\n",
        "{path}, line 2: feature 2 is out of range; "
        "the header states 2 features, so expected 0 to 1",
    ),
    "negative label": (
        b"1 2 2\n-1 0:1\n",
        "{path}, line 2: label '-1' is negative; expected 0 or more",
    ),
    "negative feature": (
        b"1 2 2\n1 -1:1\n",
        "{path}, line 2: feature '-1:1' has a negative index; expected 0 or more",
    ),
    "label not a number": (
        b"1 2 2\ncat 0:1\n",
        "{path}, line 2: label 'cat' is not a whole number; expected labels as in '3,17,58'",
    ),
    "label with a fraction": (
        b"1 2 2\n1.0 0:1\n",
        "{path}, line 2: label '1.0' is not a whole number; expected labels as in '3,17,58'",
    ),
    "feature not a number": (
        b"1 2 2\n1 x:1\n",
        "{path}, line 2: feature index 'x' is not a whole number; expected 'index:value'",
    ),
    "query id": (
        b"1 2 2\n1 qid:1 0:1\n",
        "{path}, line 2: feature index 'qid' is not a whole number; expected 'index:value'",
    ),
    "comment": (
        b"1 2 2\n1 0:1 # x\n",
        "{path}, line 2: found '#'; expected a feature 'index:value'",
    ),
    "no value": (
        b"1 9 2\n1 0:1 7\n",
        "{path}, line 2: feature '7' has no value; expected 'index:value'",
    ),
    "no value after the colon": (
        b"1 9 2\n1 7: 8:1\n",
        "{path}, line 2: feature '7:' has no value; expected 'index:value'",
    ),
    "label after a leading space": (
        b"1 9 2\n 1 7:1\n",
        "{path}, line 2: found '1' after a leading space; a row that starts with a space has no "
        "labels, so expected a feature 'index:value'",
    ),
    "value not a number": (
        b"1 9 2\n1 7:one\n",
        "{path}, line 2: value 'one' of feature 7 is not a number; expected one as in '0.25'",
    ),
    "two colons": (
        b"1 9 2\n1 7:1:2\n",
        "{path}, line 2: value '1:2' of feature 7 is not a number; expected one as in '0.25'",
    ),
    "nan": (
        b"1 9 2\n1 7:NaN\n",
        "{path}, line 2: value 'NaN' of feature 7 is not finite; expected a finite number",
    ),
    "infinity": (
        b"1 9 2\n1 7:-inf\n",
        "{path}, line 2: value '-inf' of feature 7 is not finite; expected a finite number",
    ),
    "overflow of float32": (
        b"1 9 2\n1 7:1e39\n",
        "{path}, line 2: value '1e39' of feature 7 is too large for float32; "
        "expected at most 3.4028235e38",
    ),
    "overflow by rounding": (
        b"2 9 2\n0\n1 0:1 7:3.4028235677973366e38 8:1\n",
        "{path}, line 3: value '3.4028235677973366e38' of feature 7 is too large for float32; "
        "expected at most 3.4028235e38",
    ),
    "feature twice": (
        b"1 9 2\n1 7:1 3:1 7:2\n",
        "{path}, line 2: feature 7 occurs twice in the row; expected each feature once",
    ),
    "empty entry in a label list": (
        b"1 9 5\n1,,2 0:1\n",
        "{path}, line 2: label list '1,,2' has an empty entry; expected a label",
    ),
    "label list starts with a comma": (
        b"1 9 5\n,2 0:1\n",
        "{path}, line 2: label list ',2' has an empty entry; expected a label",
    ),
    "label list ends in a comma": (
        b"1 9 5\n1,2, 0:1\n",
        "{path}, line 2: label list '1,2,' ends in a comma; expected a label after it",
    ),
    "label list ends in a comma and the row": (
        b"1 9 5\n1,2,\n",
        "{path}, line 2: label list '1,2,' ends in a comma; expected a label after it",
    ),
    "space before a comma": (
        b"1 9 5\n1 ,2 0:1\n",
        "{path}, line 2: found ',2'; expected a feature 'index:value'",
    ),
    "no space between labels and features": (
        b"1 9 5\n1,2:1 3:1\n",
        "{path}, line 2: found '1,2:1'; expected labels 'l1,l2' or a feature 'index:value'",
    ),
    "tab": (
        b"1 9 5\n1\t0:1\n",
        "{path}, line 2: found a tab (column 2); expected spaces between fields",
    ),
    "NUL": (
        b"1 9 5\n1 0:1\x00\n",
        "{path}, line 2: found a NUL byte (column 6); expected text, the file is damaged",
    ),
    "not ASCII": (
        "1 9 5\n1 0:1 \u0663:1\n".encode(),
        "{path}, line 2: found the byte 0xd9 (column 7); "
        "expected ASCII digits, spaces and ',:.+-eE'",
    ),
    "carriage return inside a row": (
        b"1 9 5\n1 0:1\r2:1\n",
        "{path}, line 2: found a carriage return (column 6); "
        "expected one only at the end of a line",
    ),
    "zip archive": (
        b"PK\x03\x04 and so on",
        "{path}: found a zip archive; expected plain or gzipped text, unpack it first",
    ),
}


def test_a_header_may_have_any_number_of_spaces(tmp_path):
    text = PLAIN.replace(b"\n", b" " * 500 + b"\n", 1)
    assert dense(text, tmp_path / "a.txt") == (PLAIN_X, PLAIN_Y, 0)
    text = PLAIN.replace(b" ", b" " * 500, 2)
    assert dense(text, tmp_path / "a.txt") == (PLAIN_X, PLAIN_Y, 0)


def test_an_exponent_may_have_leading_zeros(tmp_path):
    row = b" 0:1e0000000000000000000001 1:1e-0000000000000000000001 2:0e9999999999999999999\n"
    x, _, _ = dense(b"1 3 1\n" + row, tmp_path / "a.txt")
    assert x == [[10, np.float32(0.1), 0]]


def test_of_two_defects_in_a_row_the_first_is_named(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"1 9 1\n0 7:3.4028235677973366e38 8:x\n")
    with pytest.raises(DataError, match=r"line 2: value '3.*' of feature 7 is too large"):
        read_xc(path)


@pytest.mark.parametrize("case", MALFORMED)
def test_each_defect_is_an_error_with_file_line_and_reason(case, tmp_path):
    text, message = MALFORMED[case]
    path = tmp_path / "bad.txt"
    path.write_bytes(text)
    with pytest.raises(DataError) as caught:
        read_xc(path)
    assert str(caught.value) == message.format(path=path)


def test_binary_junk_is_refused_at_once_and_shown_short(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"\xff\x00\x01ELF" * 10_000)
    with pytest.raises(DataError, match=r"line 1: found .{10,200}; expected a header"):
        read_xc(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(DataError, match=re.escape(f"{tmp_path / 'no.txt'}: no such file")):
        read_xc(tmp_path / "no.txt")
    with pytest.raises(DataError, match="cannot be read"):
        read_xc(tmp_path)


def test_a_truncated_gzip_names_the_line_it_breaks_in(tmp_path):
    body = "".join(f"{i % 7} {i}:0.{i * i}\n" for i in range(9000))
    packed = gzip.compress(f"9000 9000 7\n{body}".encode())
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError) as caught:
        read_xc(path)
    assert re.fullmatch(
        rf"{re.escape(str(path))}, after line \d\d\d\d: the gzip stream ends early; "
        "the file is cut short, get it again",
        str(caught.value),
    )
    path.write_bytes(packed[:30])
    with pytest.raises(DataError, match=r"cut\.txt\.gz, line 1: the gzip stream ends early"):
        read_xc(path)


def test_all_of_a_damaged_gzip_that_can_be_unpacked_is_read(tmp_path):
    path = tmp_path / "cut.txt.gz"
    packed = gzip.compress(PLAIN)
    for n_lost in (4, 8):  # of the length, of the checksum too: the text is there
        path.write_bytes(packed[:-n_lost])
        with pytest.raises(DataError, match=r"after line 4: the gzip stream ends early"):
            read_xc(path)
    path.write_bytes(gzip.compress(PLAIN.replace(b"2.5", b"2.x"))[:-8])
    with pytest.raises(DataError, match=r"line 2: value '2\.x' of feature 3 is not a number"):
        read_xc(path)


def test_a_corrupt_gzip_is_an_error(tmp_path):
    path = tmp_path / "bad.txt.gz"
    packed = bytearray(gzip.compress(PLAIN))
    packed[-8] ^= 1  # the checksum
    path.write_bytes(packed)
    with pytest.raises(
        DataError, match=r"after line 4: the gzip stream is corrupt \(its checksum is wrong\)"
    ):
        read_xc(path)
    path.write_bytes(gzip.compress(PLAIN) + b"more")
    with pytest.raises(DataError, match=r"after line 4: the gzip stream is followed by other"):
        read_xc(path)


# --- the writer ----------------------------------------------------------------------------------


@st.composite
def matrices(draw):
    n, d, n_labels = (draw(st.integers(1, 6)) for _ in range(3))
    finite = st.floats(width=32, allow_nan=False, allow_infinity=False).filter(bool)
    entries = draw(
        st.dictionaries(
            st.tuples(st.integers(0, n - 1), st.integers(0, d - 1)), finite, max_size=12
        )
    )
    pairs = draw(
        st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n_labels - 1)), max_size=9)
    )
    X = np.zeros((n, d), np.float32)
    Y = np.zeros((n, n_labels), np.float32)
    for place, value in entries.items():
        X[place] = value
    for place in pairs:
        Y[place] = 1
    return sparse.csr_array(X), sparse.csr_array(Y)


@settings(deadline=None, max_examples=60)
@given(both=matrices(), suffix=st.sampled_from([".txt", ".txt.gz"]))
def test_what_is_written_reads_back_bit_by_bit(both, suffix, tmp_path_factory):
    X, Y = both
    path = tmp_path_factory.getbasetemp() / f"round-trip{suffix}"
    write_xc(path, X, Y)
    content = read_xc(path)
    assert (content.X.shape, content.Y.shape) == (X.shape, Y.shape)
    for read, written in ((content.X, X), (content.Y, Y)):
        np.testing.assert_array_equal(read.indptr, written.indptr)
        np.testing.assert_array_equal(read.indices, written.indices)
        assert read.data.tobytes() == written.data.tobytes()


def test_values_are_written_with_the_fewest_digits(tmp_path):
    X = sparse.csr_array(np.array([[1, 0.1, 1e-20, 0], [0, 0, 0, -2.5]], np.float32))
    Y = sparse.csr_array(np.array([[1, 0, 1], [0, 0, 0]], np.float32))
    write_xc(tmp_path / "a.txt", X, Y)
    assert (tmp_path / "a.txt").read_text() == "2 4 3\n0,2 0:1 1:0.1 2:1e-20\n 3:-2.5\n"


def test_the_same_data_gives_the_same_gzip_bytes(tmp_path):
    X, Y = (
        sparse.csr_array(np.eye(3, dtype=np.float32)),
        sparse.csr_array(np.eye(3, dtype=np.float32)),
    )
    write_xc(tmp_path / "a.txt.gz", X, Y)
    write_xc(tmp_path / "b.txt.gz", X, Y)
    assert (tmp_path / "a.txt.gz").read_bytes() == (tmp_path / "b.txt.gz").read_bytes()


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    X = sparse.csr_array(np.ones((2, 2), np.float32))
    X.indptr = X.indptr[:2]  # broken: fails after the header is written
    with pytest.raises((ValueError, IndexError)):
        write_xc(path, X, sparse.csr_array(np.ones((2, 2), np.float32)))
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.txt", "old")]


def test_values_that_could_not_be_read_back_are_not_written(tmp_path):
    ones = sparse.csr_array(np.ones((1, 1), np.float32))
    with pytest.raises(ValueError, match="nan or an infinity"):
        write_xc(tmp_path / "a.txt", sparse.csr_array(np.array([[np.nan]])), ones)
    with pytest.raises(ValueError, match="X has 1 rows and Y 2"):
        write_xc(tmp_path / "a.txt", ones, sparse.csr_array(np.ones((2, 1))))
    assert list(tmp_path.iterdir()) == []
