import gzip
import io
import json
import os
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.data.byte_lines import STDIN, whole_lines
from xcbench.data.dataset import TopK
from xcbench.data.predictions import readers
from xcbench.data.predictions.files import PREDICTION_FORMATS, open_writer, read_predictions
from xcbench.data.predictions.truth import read_labels
from xcbench.errors import ConfigError, DataError

N_LABELS = 12
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def predictions(draw):
    """Lists of different lengths, padded as TopK pads; scores fall or stay."""
    k = draw(st.integers(1, 5))
    row = st.lists(
        st.tuples(st.integers(0, N_LABELS - 1), FLOATS), max_size=k, unique_by=lambda pair: pair[0]
    )
    rows = draw(st.lists(row, min_size=1, max_size=7))
    labels = np.full((len(rows), k), -1, np.int32)
    scores = np.full((len(rows), k), -np.inf, np.float32)
    for i, pairs in enumerate(rows):
        for j, (label, score) in enumerate(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))):
            labels[i, j], scores[i, j] = label, score
    return TopK(labels, scores)


def equal(found, top):
    """But for columns that no row of the file fills."""
    width = max(1, int((top.labels >= 0).sum(axis=1).max()))
    assert found.labels.tolist() == top.labels[:, :width].tolist()
    assert np.array_equal(found.scores, top.scores[:, :width])
    assert (found.labels.dtype, found.scores.dtype) == (np.int32, np.float32)


@pytest.mark.parametrize("form", PREDICTION_FORMATS)
@settings(max_examples=40, deadline=None)
@given(top=predictions(), cut=st.integers(0, 7), named=st.booleans())
def test_what_is_written_in_blocks_reads_back_the_same(form, top, cut, named, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"round-trip.{form}"
    names = [f'name "{i}", é\tx\ry' for i in range(N_LABELS)] if named else None
    n, k = top.labels.shape
    with open_writer(path, form, k, names) as writer:
        writer.write(TopK(top.labels[:cut], top.scores[:cut]))
        writer.write(TopK(top.labels[cut:], top.scores[cut:]))
    if form == "tsv" and (top.labels < 0).all():
        with pytest.raises(DataError, match="no prediction in it"):
            read_predictions(path, k, (n, N_LABELS))
    else:
        equal(read_predictions(path, k, (n, N_LABELS), names=names), top)


@pytest.mark.parametrize("form", ["matrix.txt", "matrix.npz", "lists.txt"])
@settings(max_examples=40, deadline=None)
@given(top=predictions(), data=st.data())
def test_scores_of_others_are_ranked_ties_by_the_smaller_label(form, top, data, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"others-{form}"
    n, k = top.labels.shape
    rows, columns = np.nonzero(top.labels >= 0)
    labels, scores = top.labels[rows, columns], top.scores[rows, columns]
    if form == "matrix.npz":
        sparse.save_npz(path, sparse.coo_array((scores, (rows, labels)), (n, N_LABELS)))
    else:
        order = data.draw(st.permutations(range(rows.size)))
        lines = [
            " ".join(f"{labels[t]}:{scores[t]!s}" for t in order if rows[t] == i) for i in range(n)
        ]
        header = f"{n} {N_LABELS}\n" if form == "matrix.txt" else ""
        path.write_text(header + "".join(f"{line}\n" for line in lines))
    equal(read_predictions(path, k, (n, N_LABELS)), top)


@pytest.fixture
def read(tmp_path):
    def put(text, name="p.txt", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_predictions(path, **options)

    return put


def test_lists_without_scores_are_best_first(read):
    for text in ("3,1\n\n7\n", "3 1\n\n7\n", "3, 1\r\n\r\n7", gzip.compress(b"3\t1\n\n7\n")):
        assert read(text).labels.tolist() == [[3, 1], [-1, -1], [7, -1]]


def test_two_labels_a_line_are_no_header(read):
    assert read("2 5\n1 3\n").labels.tolist() == [[2, 5], [1, 3]]
    assert read("2 5\n1:3\n\n").labels.tolist() == [[1], [-1]]
    assert read("2 5\n\n\n").labels.tolist() == [[-1], [-1]]
    assert read("0 2\n").labels.tolist() == read("0 2").labels.tolist() == [[0, 2]]
    assert read("0 2\n\n\n").labels.tolist() == [[0, 2], [-1, -1], [-1, -1]]


def test_a_longer_list_is_cut_and_a_shorter_one_padded_to_the_longest(read):
    assert read("3,1\n", k=1).labels.tolist() == [[3]]
    assert read("3,1\n2\n", k=10**9).labels.tolist() == [[3, 1], [2, -1]]
    assert read("2 5\n0:1 3:2\n4:1\n", k=10**9).labels.tolist() == [[3, 0], [4, -1]]
    assert read("1 5\n0:1 3:2 4:3\n", k=2).labels.tolist() == [[4, 3]]


def test_a_table_has_no_line_for_rows_without_predictions(read):
    text = "row\trank\tlabel\tscore\n1\t1\t4\t0.5\n"
    assert read(text, shape=(3, 5)).labels.tolist() == [[-1], [4], [-1]]
    with pytest.raises(DataError, match=r"p\.txt: no prediction in it"):
        read(text.splitlines()[0], shape=(2, 5))


def test_names_stand_for_labels_when_they_are_given(read):
    names = ["owl", "red fox", "elk"]
    assert read("red fox\towl\n\nelk\n", names=names).labels.tolist() == [[1, 0], [-1, -1], [2, -1]]
    line = json.dumps({"names": ["elk"], "scores": [0.5]})
    assert read(line, names=names).labels.tolist() == [[2]]
    with pytest.raises(DataError, match=r"line 1: no label has the name 'red'"):
        read("red fox\tred\n", names=["red fox"])
    with pytest.raises(DataError, match=r"line 1: several labels have the name 'elk'"):
        read("elk\n", names=["elk", "elk"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("row\trank\tlabel\tscore\tname\n0\t1\t1\t5\tred fox\n0\t2\t0\t4\telk\n",
         "line 3: label 0 is called 'elk'; its name is 'owl'"),
        ('{"labels": [1], "names": ["red fox"]}\n{"labels": [2], "names": ["owl"]}\n',
         "line 2: label 2 is called 'owl'; its name is 'elk'"),
        ('{"labels": [1], "names": []}\n', "line 1: found 0 names for 1 labels"),
    ],
)  # fmt: skip
def test_names_beside_numbers_must_agree_with_them(text, reason, read):
    assert read(text).labels[0, 0] == 1
    with pytest.raises(DataError, match=reason):
        read(text, names=["owl", "red fox", "elk"])


FINE = 1 + 1e-12  # as float32 it is 1


@pytest.mark.parametrize(
    "text",
    [
        f"0:1 1:{FINE!r}\n",
        f"1 2\n0:1 1:{FINE!r}\n",
        f"1 2\r\n1:{FINE!r} 0:1\r\n",
        json.dumps({"labels": [1, 0], "scores": [FINE, 1.0]}),
        f"row\trank\tlabel\tscore\n0\t1\t1\t{FINE!r}\n0\t2\t0\t1\n",
    ],
)
def test_scores_are_ranked_as_float64(text, read):
    top = read(text, k=1)
    assert (top.labels.tolist(), top.scores.tolist()) == ([[1]], [[1.0]])
    if text.startswith("0"):
        return
    with pytest.raises(DataError, match="comes after"):
        read(json.dumps({"labels": [0, 1], "scores": [1.0, FINE]}))


def test_a_matrix_in_npz_is_ranked_as_float64(tmp_path):
    sparse.save_npz(tmp_path / "p.npz", sparse.csr_array([[1.0, FINE], [0.0, 2.0]]))
    assert read_predictions(tmp_path / "p.npz", 1).labels.tolist() == [[1], [1]]


def test_a_matrix_with_empty_rows_over_several_blocks_keeps_its_scores(read, monkeypatch):
    # The second block has blank lines only.
    monkeypatch.setattr(readers, "whole_lines", lambda path: whole_lines(path, 30))
    rows = ["", "1:0.25 0:0.5", *[""] * 40, "2:-1e-3 1:7", ""]
    top = read(f"{len(rows)} 3\n" + "".join(f"{row}\n" for row in rows))
    assert top.labels[[0, 1, 42]].tolist() == [[-1, -1], [0, 1], [1, 2]]
    assert top.scores[42].tolist() == [7.0, np.float32(-1e-3)]


@pytest.mark.filterwarnings("error")
def test_infinite_and_huge_scores_are_ranked_without_ado(read):
    text = '{"labels": [3, 1, 2, 0], "scores": [1e39, 1, -Infinity, -Infinity]}'
    for form in ("1:1 2:-inf 3:1e39 0:-inf\n", text):
        top = read(form)
        assert top.labels[0, :2].tolist() == [3, 1]
        assert top.scores.tolist() == [[np.inf, 1, -np.inf, -np.inf]]


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "p")
    for path in (tmp_path / "p", STDIN):
        for reader in (read_predictions, read_labels):
            with pytest.raises(DataError, match="not a file but a stream"):
                reader(path)


def test_pickled_arrays_are_said_to_be_that(tmp_path):
    path = tmp_path / "p.npz"
    for name in ("labels", "indptr"):
        arrays = {"labels": [1], "scores": [1], "format": "csr", "indices": [1], "shape": [1, 1]}
        np.savez(path, **arrays | {name: np.array([{}], object)})
        if name == "indptr":
            np.savez(path, format=b"csr", indptr=np.array([{}], object), data=[1], indices=[1])
        with pytest.raises(DataError, match="pickled Python objects, which are never loaded"):
            read_predictions(path)


def test_pairs_left_out_make_room_for_what_follows(read):
    pairs = sparse.csr_array(np.array([[0, 1, 0, 0], [0, 0, 0, 0]], np.float32))
    for text in ("1:3 2:2 0:1\n3:1\n", "2 4\n1:3 2:2 0:1\n3:1\n", "1,2,0\n3\n"):
        top = read(text, k=2, shape=(2, 4), without=pairs)
        assert top.labels.tolist() == [[2, 0], [3, -1]]


HEAD = "row\trank\tlabel\tscore\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3,x\n", ", line 1: found 'x'; expected a label"),
        ("3:1\n2:1 4\n", ", line 2: found '4'; expected 'label:score'"),
        ("3:1 2:nan\n", ", line 1: found '2:nan'; expected 'label:score'"),
        ("3\n-1\n", ", line 2: found '-1'; expected a label"),
        ("3\n4,4\n", ", line 2: label 4 occurs twice in row 1"),
        ("3\n9\n", ", line 2: label 9 is out of range; expected 0 to 8"),
        ("3\n4\n5\n", ": predictions of 3 rows; expected 2, one a row of the truth"),
        ("3\n", ": predictions of 1 rows; expected 2, one a row of the truth"),
        ("3 9\n1:2\n\n\n", ": predictions of 3 rows; expected 2, one a row of the truth"),
        ("2 9\n1:2\n9:1\n", ", line 3: label 9 is out of range; the header states 9 labels, "
         "so expected 0 to 8"),
        ("2 8\n1:2\n\n", ": scores of 8 labels; expected 9, so the labels may be numbered "
         "otherwise"),
        (HEAD + "0\t1\tx\t1\n", ", line 2: label 'x' is not a whole number"),
        (HEAD + "0\t1\t1\t1\n1\t1\t2\n", ", line 3: found 3 fields; expected 4 as in line 1"),
        (HEAD + "0\t1\t1\t\n", ", line 2: score '' is not a number"),
        (HEAD + "0\t1\t1\t1\n\n", ", line 3: found 1 fields; expected 4 as in line 1"),
        (HEAD + "0\t2\t1\t1\n", ", line 2: found rank 2; expected 1"),
        (HEAD + "1\t1\t1\t1\n0\t1\t1\t1\n", ", line 3: row 0 comes after 1"),
        (HEAD + "0\t1\t1\t1\n2\t1\t1\t1\n", ", line 3: found row 2; expected rows 0 to 1"),
        (HEAD + "0\t1\t-1\t1\n", ", line 2: a row or a label is negative; both count from 0"),
        (HEAD + "0\t1\t1\t1\n0\t2\t2\t3\n", ", line 3: score 3 comes after 1; expected the best "
         "label of a row first"),
        (HEAD + "0\t1\t1\t1\n0\t2\t1\t1\n", ", line 3: label 1 occurs twice in row 0"),
        (HEAD + "0\t1\t1\t1\n1\t1\t2\t1\t7\n", ", line 3: found 5 fields; expected 4 as in "
         "line 1"),
        (HEAD + "0\t1\t1\t1\t7\n", ", line 2: found 5 fields; expected 4 as in line 1"),
        (HEAD + "0\t1\t1.0\t1\n", ", line 2: label '1.0' is not a whole number"),
        (HEAD + "0\t1\t1\t1\n1\t 1\t1\t1\n", ", line 3: rank ' 1' is not a whole number"),
        (HEAD + "0\t1\t1\t1_0\n", ", line 2: score '1_0' is not a number"),
        ("row\trank\tlabel\tscore\tscore\n", ", line 1: a column occurs twice"),
        ("row\tlabel\n", ", line 1: expected the columns row rank label score, tabs between"),
        ('{"labels": [1]}\n{"labels": [1}\n', ", line 2: not JSON (Expecting ',' delimiter)"),
        ('{"row": 1, "labels": [1]}\n', ", line 1: expected an object of row 0"),
        ('{"labels": [1.5]}\n', ", line 1: expected labels as a list of numbers from 0"),
        ('{"labels": [true]}\n', ", line 1: expected labels as a list of numbers from 0"),
        ('{"label": [1]}\n', ", line 1: expected 'labels' with a list"),
        ('{"labels": [1], "scores": [1, 2]}\n', ", line 1: expected a number in scores for each "
         "label"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(text, reason, read, tmp_path):
    with pytest.raises(DataError) as caught:
        read(text, k=3, shape=(2, 9))
    assert str(caught.value) == f"{tmp_path / 'p.txt'}{reason}"


def test_a_cut_gzip_stream_is_said(read):
    packed = gzip.compress(b"".join(b"%d,%d\n" % (i, i + 1) for i in range(2000)))
    with pytest.raises(DataError, match=r"p\.txt.*the gzip stream ends early"):
        read(packed[: len(packed) // 2])


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"labels": [[1.5]], "scores": [[1.0]]}, "expected labels (n, k) of integers"),
        ({"labels": [[1]], "scores": [[1.0, 2.0]]}, "labels (1, 1) and scores (1, 2) differ"),
        ({"labels": [[1, 2]], "scores": [[1.0, 2.0]]}, "row 0: score 2 comes after 1"),
        ({"labels": [[1, 2]], "scores": [[1.0, np.nan]]}, "row 0: a score is not a number"),
        ({"other": [1]}, "not a sparse matrix"),
    ],
)
def test_arrays_are_looked_at_before_they_are_believed(arrays, reason, tmp_path):
    path = tmp_path / "p.npz"
    np.savez(path, **{name: np.array(value) for name, value in arrays.items()})
    with pytest.raises(DataError) as caught:
        read_predictions(path)
    assert str(caught.value).startswith(str(path))
    assert reason in str(caught.value)


def test_bytes_that_are_no_archive_are_said_to_be_that(tmp_path):
    (tmp_path / "p.npz").write_bytes(b"3 4\n")
    with pytest.raises(DataError, match=r"\(it is no zip archive\)"):
        read_predictions(tmp_path / "p.npz")


def test_a_failure_leaves_no_file(tmp_path):
    top = TopK(np.zeros((1, 1), np.int32), np.zeros((1, 1), np.float32))

    def fail_half_way(form):
        with open_writer(tmp_path / "p", form, 1) as writer:
            writer.write(top)
            raise KeyError

    for form in PREDICTION_FORMATS:
        with pytest.raises(KeyError):
            fail_half_way(form)
    assert list(tmp_path.iterdir()) == []


def test_the_standard_output_takes_text_alone(monkeypatch):
    class Output:
        buffer = io.BytesIO()

    monkeypatch.setattr(sys, "stdout", Output)
    top = TopK(np.array([[3, 1]], np.int32), np.array([[0.1, 0]], np.float32))
    with open_writer(None, "tsv", 2, ["a", "b", "c", "d"]) as writer:
        writer.write(top)
    assert Output.buffer.getvalue() == (
        b"row\trank\tlabel\tscore\tname\n0\t1\t3\t0.1\td\n0\t2\t1\t0.0\tb\n"
    )
    with pytest.raises(ConfigError, match="need a file"), open_writer(None, "npz", 2):
        pass
    with (
        pytest.raises(ConfigError, match="expected tsv or jsonl or npz"),
        open_writer(None, "x", 2),
    ):
        pass


def test_a_device_is_written_to_and_stays(tmp_path):
    (tmp_path / "null").symlink_to("/dev/null")
    top = TopK(np.zeros((1, 1), np.int32), np.zeros((1, 1), np.float32))
    with open_writer(tmp_path / "null", "jsonl", 1) as writer:
        writer.write(top)
    assert (tmp_path / "null").is_char_device()
    with (
        pytest.raises(ConfigError, match="there is no folder"),
        open_writer(tmp_path / "no" / "p", "jsonl", 1),
    ):
        pass
