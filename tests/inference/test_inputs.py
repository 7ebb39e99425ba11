"""However the same points are written, they come out the same."""

import gzip
import io
import json

import numpy as np
import pytest
from scipy import sparse

from xcbench.data.byte_lines import STDIN
from xcbench.data.xc_text import read_xc, write_xc
from xcbench.errors import ConfigError, DataError, XCBenchError
from xcbench.inference.inputs import Input, read_blocks


@pytest.fixture
def fitted(model_of):
    return model_of("blend")


@pytest.fixture
def test_part(posts):
    return read_xc(posts / "posts" / "test.txt")


@pytest.fixture
def texts(posts):
    return (posts / "posts" / "tst_X.txt").read_text().splitlines()


def features(source: Input, fitted, rows: int = 7) -> sparse.csr_array:
    return sparse.vstack(list(read_blocks(source, fitted, rows)), format="csr")


def written(tmp_path, test_part, texts):
    """The test part in every form, by what is called what."""
    X = test_part.X
    write_xc(tmp_path / "a.txt", X, test_part.Y)
    write_xc(tmp_path / "b.txt.gz", X, sparse.csr_array((X.shape[0], 0)))
    lines = (tmp_path / "a.txt").read_text().splitlines()
    bare = [line.partition(" ")[2] for line in lines[1:]]
    (tmp_path / "pair.txt").write_text("\n".join([lines[0].rsplit(" ", 1)[0], *bare]) + "\n")
    (tmp_path / "base0.svm").write_text("\n".join(lines[1:]) + "\n")
    sparse.save_npz(tmp_path / "a.npz", X)
    (tmp_path / "docs.txt").write_text("\n".join(texts) + "\n")
    (tmp_path / "docs.csv.gz").write_bytes(
        gzip.compress(("id,body\n" + "".join(f'1,"{text}"\n' for text in texts)).encode(), mtime=0)
    )
    (tmp_path / "docs.tsv").write_text("text\n" + "\n".join(texts) + "\n")
    (tmp_path / "docs.jsonl").write_text(
        "".join(json.dumps({"text": text}) + "\n" for text in texts)
    )
    return [
        Input(tmp_path / "a.txt"),
        Input(tmp_path / "a.txt", "xc"),
        Input(tmp_path / "b.txt.gz"),
        Input(tmp_path / "pair.txt"),
        Input(tmp_path / "base0.svm", base=0),
        Input(tmp_path / "base0.svm", "libsvm", base=0),
        Input(tmp_path / "a.npz"),
        Input(tmp_path / "docs.txt"),
        Input(tmp_path / "docs.txt", "text"),
        Input(tmp_path / "docs.csv.gz", text_column="body"),
        Input(tmp_path / "docs.tsv"),
        Input(tmp_path / "docs.jsonl", text_column="text"),
    ]


def test_every_form_gives_the_same_features(fitted, test_part, texts, tmp_path):
    for source in written(tmp_path, test_part, texts):
        found = features(source, fitted)
        assert found.shape == test_part.X.shape, source
        np.testing.assert_array_equal(found.toarray(), test_part.X.toarray())


def test_blocks_hold_so_many_rows(fitted, test_part, texts, tmp_path):
    for source in written(tmp_path, test_part, texts):
        assert [X.shape[0] for X in read_blocks(source, fitted, 10)] == [10, 10, 5], source


def test_text_is_refused_by_a_model_that_knows_no_words(fitted, tmp_path, monkeypatch):
    monkeypatch.setitem(fitted.__dict__, "text", None)
    (tmp_path / "docs.csv").write_text("text\nhow\n")
    with pytest.raises(ConfigError, match="the model knows no words"):
        features(Input(tmp_path / "docs.csv"), fitted)
    (tmp_path / "docs.txt").write_text("how to do this\n")
    with pytest.raises(ConfigError, match="the model knows no words"):
        features(Input(tmp_path / "docs.txt"), fitted)
    (tmp_path / "docs.txt").write_text("3,4 1:0.5\n")
    with pytest.raises(DataError, match=r"docs\.txt, line 1: found '3,4 1:0\.5'; expected a"):
        features(Input(tmp_path / "docs.txt"), fitted)


def test_options_that_do_not_go_with_the_form_are_refused(fitted, posts):
    path = posts / "posts" / "test.txt"
    with pytest.raises(ConfigError, match="no text column"):
        features(Input(path, "xc", text_column="body"), fitted)
    with pytest.raises(ConfigError, match="base is of libsvm alone"):
        features(Input(path, "xc", base=1), fitted)


@pytest.mark.parametrize("form", ["csv", "text", "npz"])
def test_a_base_of_anything_but_libsvm_is_refused(fitted, tmp_path, form):
    with pytest.raises(ConfigError, match="base is of libsvm alone"):
        features(Input(tmp_path / "a", form, base=0), fitted)


@pytest.fixture
def stdin(monkeypatch):
    def give(content: bytes) -> None:
        buffer = io.BufferedReader(io.BytesIO(content))
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(buffer))

    return give


def test_what_comes_on_the_standard_input_must_be_said_or_be_plain(fitted, posts, stdin):
    xc = (posts / "posts" / "test.txt").read_bytes()
    for content, form, n in (
        (xc, None, 25),
        (b'{"text": "how"}\n', None, 1),
        (b"text\nhow\nwhat\n", "csv", 2),
        (b"text\nhow\nwhat\n", "text", 3),
        (gzip.compress(xc, mtime=0), "xc", 25),
        (gzip.compress(b"how\nwhat\n", mtime=0), "text", 2),
    ):
        stdin(content)
        assert features(Input(STDIN, form), fitted).shape[0] == n
    for content in (b"text\nhow\n", b"how to\n", b"1 20\n1:2\n", b"", gzip.compress(xc)):
        stdin(content)
        with pytest.raises(ConfigError, match="standard input: say with --input-form how"):
            features(Input(STDIN), fitted)


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (b"1 3 6\n0 1:x\n", "xc"),
        (b"1 3 6\n0 1:1\n", "xc"),
        (b"1 3\n", "pair"),
        (b"body\nx\n", "csv"),
        (b"{", "jsonl"),
        (b"\xff\n", "text"),
        (gzip.compress(b"how\n" * 99, mtime=0)[:-9], "text"),
        (b"1 3 6\n0 1:1\n", "npz"),
        (b"0 1:x\n", "libsvm"),
    ],
)
def test_the_standard_input_has_one_name(fitted, stdin, content, form):
    stdin(content)
    with pytest.raises(XCBenchError, match="standard input") as caught:
        features(Input(STDIN, form, base=0 if form == "libsvm" else None), fitted)
    assert not str(caught.value).startswith("-")


def test_a_text_that_looks_like_features_is_told_how_to_be_read(fitted, tmp_path):
    path = tmp_path / "docs.txt"
    path.write_text("10 20\nhow pythonword1\n")
    with pytest.raises(DataError, match=r"read as pair because of .* say --input-form text"):
        features(Input(path), fitted)
    assert features(Input(path, "text"), fitted).shape[0] == 2
    with pytest.raises(DataError) as caught:
        features(Input(path, "pair"), fitted)
    assert "read as" not in str(caught.value)


def test_the_line_of_a_bad_record_is_told(fitted, tmp_path):
    (tmp_path / "docs.jsonl").write_text('{"text": "how"}\n' * 20 + "{\n")
    blocks = read_blocks(Input(tmp_path / "docs.jsonl"), fitted, 8)
    assert next(blocks).shape[0] == 8
    with pytest.raises(DataError, match="line 21"):
        list(blocks)
