import gzip
import io
import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.data.predictions.files import PREDICTION_FORMATS, open_writer, read_predictions
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
    assert found.labels.tolist() == top.labels.tolist()
    assert np.array_equal(found.scores, top.scores)
    assert (found.labels.dtype, found.scores.dtype) == (np.int32, np.float32)


@pytest.mark.parametrize("form", PREDICTION_FORMATS)
@settings(max_examples=40, deadline=None)
@given(top=predictions(), cut=st.integers(0, 7), named=st.booleans())
def test_what_is_written_in_blocks_reads_back_the_same(form, top, cut, named, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"round-trip.{form}"
    names = [f'name "{i}", é\tx' for i in range(N_LABELS)] if named else None
    n, k = top.labels.shape
    with open_writer(path, form, k, names) as writer:
        writer.write(TopK(top.labels[:cut], top.scores[:cut]))
        writer.write(TopK(top.labels[cut:], top.scores[cut:]))
    equal(read_predictions(path, k, (n, N_LABELS)), top)


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


def test_a_longer_list_is_cut_and_a_shorter_one_padded(read):
    assert read("3,1\n", k=1).labels.tolist() == [[3]]
    assert read("3,1\n", k=3).labels.tolist() == [[3, 1, -1]]
    assert read("1 5\n0:1 3:2 4:3\n", k=2).labels.tolist() == [[4, 3]]


def test_a_table_has_no_line_for_rows_without_predictions(read):
    text = "row\trank\tlabel\tscore\n1\t1\t4\t0.5\n"
    assert read(text, shape=(3, 5)).labels.tolist() == [[-1], [4], [-1]]
    assert read(text.splitlines()[0], shape=(2, 5)).labels.tolist() == [[-1], [-1]]


def test_names_stand_for_labels_when_they_are_given(read):
    names = ["owl", "red fox", "elk"]
    assert read("red fox\towl\n\nelk\n", names=names).labels.tolist() == [[1, 0], [-1, -1], [2, -1]]
    line = json.dumps({"names": ["elk"], "scores": [0.5]})
    assert read(line, names=names).labels.tolist() == [[2]]
    with pytest.raises(DataError, match=r"line 1: no label has the name 'red'"):
        read("red fox\tred\n", names=["red fox"])
    with pytest.raises(DataError, match=r"line 1: several labels have the name 'elk'"):
        read("elk\n", names=["elk", "elk"])


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
