import csv
import json
import re
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
        how = Kept(settings=TextSettings(min_df=1))
        content = content_of_documents(*documents, how)
        names = {label for _, labels in rows for label in labels}
        assert content.names.labels == tuple(sorted(names))
        unfit = {n for n in names if n != n.strip() or f"{n};;{n}".split(";;") != [n, n]}
        if form != "jsonl" and unfit:
            with pytest.raises(DataError, match=r"spaces at its ends|holds the separator"):
                write_content(folder, content, form, ";;")
            return
        write_content(folder, content, form, ";;")
        again = content_of_documents(*documents_in(folder, form, ";;"), how)
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
        writes, reads = (
            ("--sep", ";") if form in forms else ()
            for forms in (("csv", "tsv"), ("csv", "tsv", "jsonl"))
        )
        there = xcbench("posts", "--to", form, "--out", f"there/{form}", *writes)
        assert there.exit_code == 0, there.output
        back = xcbench(f"there/{form}", "--out", f"back/{form}", *reads)
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


@pytest.mark.parametrize("form", ["csv", "txt"])
def test_the_test_part_is_drawn_as_asked_and_that_is_said(form, xcbench, tmp_path):
    """Half of the labels are of one row alone."""
    if form == "csv":
        rows = [(f"word w{i}", f"{i if i % 2 else 0}") for i in range(20)]
        write_posts(tmp_path / "a.csv", rows)
    else:
        rows = [f"{i if i % 2 else 0} 0:1\n" for i in range(20)]
        (tmp_path / "a.txt").write_text("20 1 20\n" + "".join(rows))
    how = ("--test-share", 0.3, *(COLUMNS if form == "csv" else ()))
    xc = xcbench(f"a.{form}", "--out", "xc", "--draw", "xc", *how)
    said = re.search(r"\(xc\); rows passed over for that: (\d+)\n", xc.output)
    assert int(said[1]) > 0
    assert "labels in the test part only" not in xc.output
    assert "  rare labels are missing in the test part: it is easier than new" in xc.output
    random = xcbench(f"a.{form}", "--out", "random", *how)
    assert "easier" not in random.output
    assert "  test rows drawn at random (random)\n" in random.output
    assert re.search(r"labels in the test part only: \d", random.output)
    assert "14 + 6 rows" in xc.output
    assert "14 + 6 rows" in random.output


def test_a_draw_that_falls_far_short_of_the_share_is_said(xcbench, tmp_path):
    write_posts(tmp_path / "a.csv", [(f"word w{i}", f"{i}" if i else "1") for i in range(20)])
    how = ("--test-share", 0.3, "--min-df", 1, *COLUMNS)
    xc = xcbench("a.csv", "--out", "xc", "--draw", "xc", *how)
    assert "19 + 1 rows" in xc.output
    assert "only 1 of 6 test rows could be drawn: 0.05 of the rows, not 0.3; --draw" in xc.output
    random = xcbench("a.csv", "--out", "random", *how)
    assert "14 + 6 rows" in random.output
    assert "could be drawn" not in random.output
    n_names = len((tmp_path / "random" / "Yf.txt").read_text().splitlines())
    assert n_names == 19  # those of test rows alone are labels too


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
        how = ("--labels-column", "tags", "--test-share", 0.5, "--draw", "xc", "--min-df", 1)
        result = xcbench("a.csv", *how, "--out", f"o{code}")
        assert (result.exit_code, hint in result.output) == (code, True), result.output


def test_one_tag_with_a_comma_does_not_hide_that_the_separator_was_forgotten(xcbench, tmp_path):
    how = ("--labels-column", "tags", "--test-share", 0.3, "--min-df", 1)
    rows = [("aa", "x;y")] * 18 + [("aa", "hello, world;x")]
    write_posts(tmp_path / "a.csv", rows)
    told = xcbench("a.csv", *how, "--out", "a").output
    assert "only 1 of 19 rows have several labels; rows with ';' (see --sep): 19" in told
    assert "see --sep" not in xcbench("a.csv", *how, "--out", "b", "--sep", ";").output
    write_posts(tmp_path / "b.csv", [("aa", "x,y")] * 9 + [("aa", "c;d")] * 9)
    assert "see --sep" not in xcbench("b.csv", *how, "--out", "c").output


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("table.xlsx", "--test-share", 0.5), 3, "is a spreadsheet (.xlsx); save it as CSV"),
        (("array.json", "--test-share", 0.5), 3, "expected JSON lines, one object a line"),
        (("array", "--test-share", 0.5), 3, "expected JSON lines, one object a line"),
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
        (("a.txt", "--out", "taken", "--force"), 2, "--force replaces only what `data convert`"),
        (("a.txt", "--sep", ";"), 2, "--sep goes with cells of labels"),
        (("a.txt", "--sep", ";", "--to", "jsonl"), 2, "--sep goes with cells of labels"),
        (("posts.csv", "--from", "tsv", "--delimiter", ";"), 2, "--delimiter goes with csv; this"),
        (("a.txt", "--seed", 1), 2, "it is not given"),
        (("a.txt", "--draw", "xc"), 2, "it is not given"),
        (("a.txt", "--split", 1), 2, "--split goes with a dataset"),
    ],
)  # fmt: skip
def test_mistakes_end_with_one_line_and_leave_nothing(words, code, message, xcbench, tmp_path):
    write_posts(tmp_path / "posts.csv")
    (tmp_path / "a.txt").write_text("1 1 1\n0 0:1\n")
    (tmp_path / "b.txt").write_text("hello\n")
    (tmp_path / "table.xlsx").write_bytes(b"PK\x03\x04\n\0")
    for name in ("array.json", "array"):
        (tmp_path / name).write_text('[\n{"text": "a", "labels": ["b"]}\n]\n')
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
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == ["convert.json", "data.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "o"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda o: (o / "convert.json").unlink(), "o has no convert.json"),
        (lambda o: (o / "convert.json").write_text("[" * 99999), "cannot be read"),
        (lambda o: (o / "test.txt").write_text(""), "holds test.txt, which no conversion made"),
        (lambda o: (o / "sub").mkdir(), "holds sub, which no conversion made"),
        (lambda o: (o / "data.txt").write_text("1 1 1\n0 0:123\n"), "was changed since"),
        (lambda o: (o / "data.txt").rename(o / "Xf.txt"), "holds Xf.txt"),
        (
            lambda o: [
                (o / "data.txt").rename(o.parent / "d"),
                (o / "data.txt").symlink_to("../d"),
            ],
            "holds data.txt, which",
        ),
    ],
)
def test_force_replaces_nothing_that_no_conversion_made(change, message, xcbench, tmp_path):
    (tmp_path / "a.txt").write_text("1 1 1\n0 0:1\n")
    assert xcbench("a.txt", "--out", "o").exit_code == 0
    change(tmp_path / "o")
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    result = xcbench("a.txt", "--out", "o", "--force")
    assert (result.exit_code, message in result.output) == (2, True), result.output
    assert before == {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}


@pytest.mark.parametrize(
    "words",
    [
        ("o/train.txt", "--test", "o/test.txt"),
        ("a.txt", "--test", "o/test.txt"),
        ("a.txt", "--test", "linked"),
        ("o",),
        ("../o/../o/train.txt",),
    ],
)
def test_force_never_deletes_what_is_read(words, xcbench, tmp_path):
    (tmp_path / "a.txt").write_text("1 1 1\n0 0:1\n")
    assert xcbench("a.txt", "--test", "a.txt", "--out", "data/o").exit_code == 0
    (tmp_path / "o").symlink_to("data/o")
    (tmp_path / "linked").symlink_to("data/o/train.txt")
    words = [word.replace("../o", "data/o", 1) for word in words]
    before = sorted(tmp_path.rglob("*"))
    result = xcbench(*words, "--out", "data/o", "--force")
    assert (result.exit_code, "which is read; take another" in result.output) == (2, True)
    assert sorted(tmp_path.rglob("*")) == before


def test_term_options_on_a_converted_folder_keep_its_labels(xcbench, tmp_path):
    write_posts(tmp_path / "posts.csv")
    how = ("--test-share", 0.4, "--min-df", 1)
    assert xcbench("posts.csv", "--out", "data/posts", *how, *COLUMNS).exit_code == 0
    assert xcbench("posts", "--to", "csv", "--sep", ";", "--out", "t").exit_code == 0
    with (tmp_path / "t" / "Yf.txt").open("a") as stream:
        stream.write("zebra\n")
    assert xcbench("t", "--out", "data/again", "--min-df", 2, "--sep", ";").exit_code == 0
    names = (tmp_path / "data/again/Yf.txt").read_text()
    assert names == (tmp_path / "data/posts/Yf.txt").read_text() + "zebra\n"
    assert len((tmp_path / "data/again/Xf.txt").read_text()) < len(
        (tmp_path / "data/posts/Xf.txt").read_text()
    )


def test_values_that_float32_rounds_are_counted(xcbench, tmp_path):
    values = np.array([[2**24, 2**24 + 1, 2**53 + 1], [1, 2**63 - 1, 3]])
    sparse.save_npz(tmp_path / "X.npz", sparse.csr_array(values))
    sparse.save_npz(tmp_path / "Y.npz", sparse.csr_array([[1], [1]]))
    result = xcbench("X.npz", "Y.npz", "--out", "o", "--to", "npz")
    assert "  values that were rounded to float32: 3\n" in result.output
    assert "rounded" not in xcbench("o/X.npz", "o/Y.npz", "--out", "p").output
    for part in ("train", "test"):
        for name in ("X", "Y"):
            data = tmp_path / "data" / "n" / f"{part}_{name}.npz"
            data.parent.mkdir(parents=True, exist_ok=True)
            data.write_bytes((tmp_path / f"{name}.npz").read_bytes())
    assert "rounded to float32: 6\n" in xcbench("n", "--out", "q").output


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


def test_an_arff_file_and_its_xml_may_come_in_any_order(xcbench, tmp_path):
    (tmp_path / "a.txt").write_text("2 3 2\n0 0:1\n1 2:.5\n")
    assert xcbench("a.txt", "--to", "mulan", "--out", "m").exit_code == 0
    for name, files in (
        ("x", ("m/data.arff", "m/labels.xml")),
        ("y", ("m/labels.xml", "m/data.arff")),
    ):
        assert xcbench(*files, "--out", name).exit_code == 0
    assert (tmp_path / "x/data.txt").read_bytes() == (tmp_path / "y/data.txt").read_bytes()
