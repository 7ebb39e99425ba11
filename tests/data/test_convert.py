import csv
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from typer.testing import CliRunner

from xcbench.cli.main import app
from xcbench.config.dataset import DatasetConfig
from xcbench.data.convert.content import Content, Part
from xcbench.data.convert.forms import FILES, find_files
from xcbench.data.convert.read import read_dataset, read_part
from xcbench.data.convert.texts import (
    Kept,
    RecordColumns,
    content_of_documents,
    read_documents,
)
from xcbench.data.convert.write import write_content
from xcbench.data.names import Names
from xcbench.data.texts.features import TextSettings
from xcbench.errors import DataError

# Round trips of matrices and names

VALUE = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1e-45, -1.1754944e-38, 3.4028235e38, 16777217.0, 0.1]),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
)
NAME = st.text(
    st.characters(exclude_characters="\r\n", exclude_categories=["Cs", "Cc"])
    | st.sampled_from("'\"\\,;{}%&<> \t"),
    max_size=5,
)


@st.composite
def matrices(draw, n, n_columns, value):
    """Canonical, with rows and columns of nothing, and stored zeros."""
    rows = [
        draw(st.lists(st.integers(0, n_columns - 1), unique=True, max_size=4)) if n_columns else []
        for _ in range(n)
    ]
    columns = np.array([c for row in rows for c in sorted(row)], np.int32)
    values = np.array([draw(value) for _ in columns], np.float32)
    ends = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return sparse.csr_array((values, columns, ends), shape=(n, n_columns))


def names_of(draw, count):
    lists = st.lists(NAME, min_size=count, max_size=count, unique=True).map(tuple)
    return draw(st.none() | lists)


@st.composite
def contents(draw):
    d, n_labels = draw(st.integers(0, 5)), draw(st.integers(1, 4))
    parts = [
        Part(
            draw(matrices(n, d, VALUE)),
            draw(matrices(n, n_labels, st.just(1.0))),
        )
        for n in (draw(st.integers(1, 4)), draw(st.integers(1, 3)))
    ]
    return Content(*parts, Names(names_of(draw, n_labels), names_of(draw, d)))


def read_folder(folder, form):
    if form != "mulan":
        return read_dataset(DatasetConfig(name=folder.name), folder.parent)
    (_, train, test), xml = find_files(folder), folder / "labels.xml"
    parts = [read_part([path, xml], "mulan") for (path,) in (train, test)]
    assert parts[0].names == parts[1].names
    return Content(parts[0].train, parts[1].train, parts[0].names)


def assert_same(ours, theirs):
    assert ours.names == theirs.names
    assert ours.text == theirs.text
    for a, b in zip(ours.parts, theirs.parts, strict=True):
        assert a.texts == b.texts
        for left, right in ((a.X, b.X), (a.Y, b.Y)):
            assert left.shape == right.shape
            assert left.indptr.tolist() == right.indptr.tolist()
            assert left.indices.tolist() == right.indices.tolist()
            assert left.data.tobytes() == right.data.tobytes()  # also the sign of 0


@pytest.mark.parametrize("form", ["xc", "pair", "npz", "mulan"])
@given(content=contents())
@settings(max_examples=15, deadline=None)
def test_matrices_and_names_come_back_bit_by_bit(form, content):
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "mine"
        folder.mkdir()
        write_content(folder, content, form, ",")
        assert_same(read_folder(folder, form), content)


def small(labels=("cat", "dog"), features=("a", "b"), texts=(None, None)):
    X = sparse.csr_array(np.array([[1, 0], [0, 2]], np.float32))
    Y = sparse.csr_array(np.array([[1, 1], [0, 1]], np.float32))
    return Content(Part(X, Y, texts[0]), Part(X, Y, texts[1]), Names(labels, features))


def test_words_that_are_labels_too_get_a_prefix_that_reading_takes_off(tmp_path):
    content = small(labels=("a", "label:b"), features=("label:a", "a"))
    write_content(tmp_path, content, "mulan", ",")
    assert "@attribute label:label:a {0,1}" in (tmp_path / "train.arff").read_text()
    assert read_folder(tmp_path, "mulan").names == content.names


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labels": ("a", "a")}, "the label name 'a' is there twice"),
        ({"features": ("a\x01", "b")}, "holds a character that XML cannot"),
        ({"features": ("b", "b")}, "the feature name 'b' is there twice"),
    ],
)
def test_names_that_mulan_cannot_carry_are_refused(given, message, tmp_path):
    with pytest.raises(DataError, match=message):
        write_content(tmp_path, small(**given), "mulan", ",")


# Round trips of texts

LABEL = st.text(
    st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"])
    | st.sampled_from("'\"\\,;{} \t"),
    min_size=1,
    max_size=4,
)
TEXT = st.lists(st.sampled_from(["aa", "Bb", '"', ",", "\\n", "é"]), max_size=6).map(" ".join)


def documents_in(folder, form, separator):
    columns = RecordColumns(separator=separator)
    return [read_documents(folder / f"{part}.{form}", form, columns) for part in ("train", "test")]


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
@given(
    rows=st.lists(st.tuples(TEXT, st.lists(LABEL, unique=True, max_size=3)), min_size=2, max_size=5)
)
@settings(max_examples=15, deadline=None)
@example(rows=[("aa", ["x;"]), ("aa", [";x"])])
def test_texts_come_back_or_are_refused(form, rows):
    assume(any(labels for _, labels in rows) and any("aa" in text for text, _ in rows))
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        lines = [json.dumps({"text": text, "labels": labels}) + "\n" for text, labels in rows]
        for name in ("train", "test"):
            (folder / f"{name}.jsonl").write_text("".join(lines))
        documents = documents_in(folder, "jsonl", ";;")
        content = content_of_documents(*documents, TextSettings(min_df=1))
        names = {label for _, labels in rows for label in labels}
        assert content.names.labels == tuple(sorted(names))
        unfit = {n for n in names if n != n.strip() or f"{n};;{n}".split(";;") != [n, n]}
        if form != "jsonl" and unfit:
            with pytest.raises(DataError, match=r"spaces at its ends|holds the separator"):
                write_content(folder, content, form, ";;")
            return
        write_content(folder, content, form, ";;")
        again = content_of_documents(*documents_in(folder, form, ";;"), TextSettings(min_df=1))
        assert_same(again, content)


def test_settings_and_labels_without_rows_come_back_with_the_folder(tmp_path):
    (tmp_path / "train.csv").write_text("text,labels\naa bb,b\naa cc,\n")
    (tmp_path / "test.csv").write_text("text,labels\nbb dd,b\n")
    documents = documents_in(tmp_path, "csv", ",")
    kept = Kept(labels=("z", "b", "a"))
    content = content_of_documents(*documents, kept)
    assert content.names == Names(("z", "b", "a"), ("aa",))
    write_content(tmp_path, content, "csv", ",")
    again = content_of_documents(*documents_in(tmp_path, "csv", ","), Kept.beside(tmp_path))
    assert_same(again, content)
    with pytest.raises(DataError, match=r"the label 'b' is not in Yf.txt beside"):
        content_of_documents(*documents, Kept(labels=("a",)))


def test_data_that_is_not_of_texts_cannot_become_csv(tmp_path):
    with pytest.raises(DataError, match=r"not of texts that were kept \(trn_X.txt and tst_X.txt\)"):
        write_content(tmp_path, small(), "csv", ",")
    texts = (("a", "b"),) * 2
    with pytest.raises(DataError, match=r"the labels have no names \(Yf.txt\)"):
        write_content(tmp_path, small(labels=None, texts=texts), "jsonl", ",")


# The command

POSTS = [
    ("A cat\nsat", "pet; cat"), ("a cat ran", "cat"), ("dogs ran", "dog;;pet;pet"), ("", ""),
    ("a cat, dogs", "pet"), ("dogs  sat", "dog"),
]  # fmt: skip


@pytest.fixture
def xcbench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XCBENCH_DATA", raising=False)

    def run(*words):
        return CliRunner().invoke(app, ["data", "convert", *map(str, words)])

    return run


def write_posts(path, rows=POSTS, columns=("text", "tags")):
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([columns, *rows])
    return path


COLUMNS = ("--labels-column", "tags", "--sep", ";")


def test_a_csv_becomes_a_dataset_that_is_used_by_its_name(xcbench, tmp_path):
    write_posts(tmp_path / "posts.csv")
    write_posts(tmp_path / "more.csv", [("a cat in unheard words", "fish"), ("words", "")])
    result = xcbench("posts.csv", "--test", "more.csv", "--out", "data/posts", *COLUMNS)
    assert result.exit_code == 0, result.output
    assert result.output.splitlines() == [
        "reading posts.csv as csv (by its name; --from says otherwise)",
        "data/posts: 6 + 2 rows, 4 features, 4 labels",
        "  rows without labels: 2",
        "  rows without features: 2",
        "  labels in the test part only: 1",
        "  labels that their row had already, merged: 1",
        "  empty labels between separators, dropped: 1",
        "  texts with line breaks or several spaces, each made one space: 2",
        "next: xcbench data check posts",
        "next: xcbench config init --dataset posts --out posts.yaml",
    ]
    content = read_dataset(DatasetConfig(name="posts"), tmp_path / "data")
    assert content.names == Names(("cat", "dog", "fish", "pet"), ("cat", "dogs", "ran", "sat"))
    assert content.train.Y.toarray().tolist()[2] == [0, 1, 0, 1]
    assert content.test.X.toarray().tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]
    assert content.train.texts[0] == "A cat sat"
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["posts"]


def test_every_form_there_and_back_gives_the_same_files(xcbench, tmp_path):
    write_posts(tmp_path / "posts.csv")
    how = ("--test-share", 0.4, "--min-df", 1, "--ngrams", 2, "--keep-case")
    assert xcbench("posts.csv", "--out", "data/posts", *how, *COLUMNS).exit_code == 0
    files = {path.name: path.read_bytes() for path in (tmp_path / "data/posts").iterdir()}
    for form in FILES:
        there = xcbench("posts", "--to", form, "--out", f"there/{form}", "--sep", ";")
        assert there.exit_code == 0, there.output
        back = xcbench(f"there/{form}", "--out", f"back/{form}", "--sep", ";")
        assert back.exit_code == 0, back.output
        folder = tmp_path / "back" / form
        for name in ("train.txt", "test.txt", "Yf.txt", "Xf.txt"):
            assert (folder / name).read_bytes() == files[name], (form, name)
        if form != "mulan":  # which holds no texts
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == files


def test_the_vocabulary_is_of_the_training_rows_alone(xcbench, tmp_path):
    rows = [(f"common word{i}", "x") for i in range(20)]
    write_posts(tmp_path / "posts.csv", rows)
    xcbench("posts.csv", "--test-share", 0.5, "--min-df", 1, "--out", "data/posts", *COLUMNS)
    content = read_dataset(DatasetConfig(name="posts"), tmp_path / "data")
    words = {word for text in content.train.texts for word in text.split()}
    assert set(content.names.features) == words
    assert len(words) == 11


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(xcbench, tmp_path):
    write_posts(tmp_path / "posts.csv", [(f"word w{i}", f"{i % 3}") for i in range(30)])
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        xcbench("posts.csv", "--test-share", 0.3, "--seed", seed, "--out", name, *COLUMNS)
    texts = [(tmp_path / name / "tst_X.txt").read_bytes() for name in "abc"]
    assert texts[0] == texts[1] != texts[2]


def test_files_of_other_forms_are_told_by_name_or_first_line(xcbench, tmp_path):
    text = "2 3 2\n0 0:1\n1 2:.5\n"
    (tmp_path / "all.txt").write_text(text)
    (tmp_path / "all.svm").write_text("1 1:1\n2 3:.5\n")
    assert xcbench("all.txt", "--to", "pair", "--out", "p").exit_code == 0
    assert xcbench("p/X.txt", "p/Y.txt", "--to", "npz", "--out", "n").exit_code == 0
    assert xcbench("n/X.npz", "n/Y.npz", "--to", "mulan", "--out", "m").exit_code == 0
    assert xcbench("m/data.arff", "--out", "a").exit_code == 0
    assert xcbench("all.svm", "--base", 1, "--out", "b").exit_code == 0
    last = xcbench("all.txt", "--test", "all.txt", "--out", "data/my c")
    assert "next: xcbench data check 'my c'\n" in last.output
    for made in ("a/data.txt", "b/data.txt", "data/my c/train.txt", "data/my c/test.txt"):
        assert (tmp_path / made).read_text() == text.replace(" .5", "0.5").replace(":.5", ":0.5")


def test_the_separator_that_was_forgotten_is_pointed_at(xcbench, tmp_path):
    hint = "no row has several labels; rows with ';' (see --sep): 2"
    for labels, code in ((("x;y", "x;y", "z", "z"), 0), (("x;y", "y;x", "z"), 3)):
        write_posts(tmp_path / "a.csv", [("aa", label) for label in labels])
        how = ("--labels-column", "tags", "--test-share", 0.5, "--min-df", 1)
        result = xcbench("a.csv", *how, "--out", f"o{code}")
        assert (result.exit_code, hint in result.output) == (code, True), result.output


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("posts.csv",), 2, "texts need a test part: give --test FILE, or --test-share"),
        (("posts.csv", "--test-share", 1), 2, "--test-share 1: expected more than 0"),
        (("posts.csv", "--test", "posts.csv", "--test-share", 0.5), 2, "give one of them"),
        (("posts.csv", "--test-share", 0.5), 3, "no column 'labels' (found 'text', 'tags')"),
        (("posts.csv", "--to", "xs"), 2, "--to 'xs': expected one of xc, pair"),
        (("posts.csv", "--from", "CSV"), 2, "did you mean 'csv'?"),
        (("posts.csv", "--sep", ""), 2, "--sep is empty"),
        (("posts.csv", "--delimiter", "ab"), 2, "--delimiter 'ab': expected one character"),
        (("posts.csv", "--stop-words", "french"), 2, "expected english"),
        (("posts.csv", "--base", 1), 2, "--base goes with headerless libsvm"),
        (("a.txt", "--ngrams", 2), 2, "xc is no form of texts"),
        (("a.txt", "--to", "csv"), 3, "not of texts that were kept"),
        (("a.txt", "--from", "libsvm"), 2, "say with --base 0 or --base 1"),
        (("a.txt", "--from", "pair"), 2, "pair takes two files, the features and the labels"),
        (("b.txt",), 3, "neither its name nor its first line, 'hello', tells its form"),
        (("no.csv",), 3, "no.csv: no such file or folder"),
        (("bibtx",), 3, "did you mean 'bibtex'?"),
        (("taken", "--from", "xc"), 2, "is a dataset; --from and --test go with files"),
        (("a.txt", "--out", "taken"), 2, "taken is there already; take another name"),
        (("a.txt", "--out", "taken", "--force"), 2, "holds what no conversion made (mine.txt)"),
    ],
)  # fmt: skip
def test_mistakes_end_with_one_line_and_leave_nothing(words, code, message, xcbench, tmp_path):
    write_posts(tmp_path / "posts.csv")
    (tmp_path / "a.txt").write_text("1 1 1\n0 0:1\n")
    (tmp_path / "b.txt").write_text("hello\n")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("")
    before = sorted(tmp_path.rglob("*"))
    result = xcbench(*words, *(() if "--out" in words else ("--out", "data/o")))
    assert result.exit_code == code, result.output
    assert message in result.output
    made = set(tmp_path.rglob("*")) - set(before)
    assert made <= {tmp_path / "data"}


def test_force_replaces_what_a_conversion_made(xcbench, tmp_path):
    (tmp_path / "a.txt").write_text("1 1 1\n0 0:1\n")
    assert xcbench("a.txt", "--out", "o", "--to", "mulan").exit_code == 0
    assert xcbench("a.txt", "--out", "o").exit_code == 2
    assert xcbench("a.txt", "--out", "o", "--force").exit_code == 0
    assert xcbench("a.txt", "--out", "o", "--force", "--to", "csv").exit_code == 3
    assert [path.name for path in (tmp_path / "o").iterdir()] == ["data.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "o"]


def test_a_label_list_of_json_keeps_its_labels_as_they_are(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "labels": [" a;b", 3, "3"]}\n{"text": "b", "labels": "x; y"}\n')
    documents = read_documents(path, "jsonl", RecordColumns(separator=";"))
    assert documents.labels == [(" a;b", "3"), ("x", "y")]
    assert documents.n_repeated == 1


@pytest.mark.parametrize("labels", ["3", '{"a": 1}', "[1.5]", "[true]", "[null]", '["a\\nb"]'])
def test_labels_of_another_type_are_told_with_their_line(labels, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "a", "labels": []}}\n{{"text": "a", "labels": {labels}}}\n')
    with pytest.raises(DataError, match=r"a.jsonl, line 2: "):
        read_documents(path, "jsonl", RecordColumns())
