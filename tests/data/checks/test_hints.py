"""Every defect that the readers know is stated, and says what to do about it."""

import gzip

import numpy as np
import pytest
from scipy import sparse

from xcbench.data import rows
from xcbench.data.checks.check import check_dataset, check_file
from xcbench.data.checks.hints import hint
from xcbench.data.checks.report import Report
from xcbench.data.sources import Sources
from xcbench.kernels import parse

HUGE = b"9" * 20
PACKED = gzip.compress(b"3000 1 1\n" + b"0 0:1\n" * 3000)

# What a file holds, and a word of the advice that must come.
TEXTS = {
    "empty": (b"", "the first line states"),
    "no header": (b"1,2 3:1\n", "put a header"),
    "words": (b"hello\n", "the first line states"),
    "two marks": (b"\xef\xbb\xbf1 1 1\n0 0:1\n", "invisible"),
    "utf-16": (b"\xff\xfe1\x00", "iconv"),
    "too many": (b"1 %s 1\n0 0:1\n" % HUGE, "32-bit"),
    "cut": (b"2 1 1\n0 0:1\n", "wc -l"),
    "more rows": (b"1 1 1\n0 0:1\n0 0:1\n", "raise the first number"),
    "more empty rows": (b"1 1 1\n0 0:1\n\n", "empty line is a row"),
    "NUL": (b"1 1 1\n0 0:\x001\n", "full disk"),
    "tab": (b"1 1 1\n0\t0:1\n", "tr "),
    "return": (b"1 1 1\n0 0:1\r0 0:1\n", "tr "),
    "letter": ("1 1 1\né 0:1\n".encode(), "data convert"),
    "negative label": (b"1 1 1\n-1 0:1\n", "left out"),
    "trailing comma": (b"1 1 1\n0, 0:1\n", "comma"),
    "double comma": (b"1 1 1\n0,,0 0:1\n", "comma"),
    "label and value": (b"1 1 1\n0,1:3 0:1\n", "comma"),
    "named label": (b"1 1 1\nowl 0:1\n", "Yf.txt"),
    "label out of range": (b"1 1 1\n1 0:1\n", "raise the third number"),
    "label of too many digits": (b"1 1 1\n%s 0:1\n" % (b"0" * 19 + b"0"), "leading zeros"),
    "feature out of range": (b"1 1 1\n0 1:1\n", "raise the second number"),
    "negative feature": (b"1 1 1\n0 -1:1\n", "from 0 up"),
    "label after space": (b"1 1 1\n 0 0:1\n", "take the space away"),
    "feature without value": (b"1 1 1\n0 0\n", "7:1"),
    "feature with empty value": (b"1 1 1\n0 0:\n", "7:1"),
    "named feature": (b"1 1 1\n0 owl:1\n", "Xf.txt"),
    "comment": (b"1 1 1\n0 # 0:1\n", "comment"),
    "nan": (b"1 1 1\n0 0:nan\n", "leave the entry out"),
    "word for value": (b"1 1 1\n0 0:x\n", "decimals"),
    "huge value": (b"1 1 1\n0 0:1e99\n", "scale"),
    "feature twice": (b"1 2 1\n0 1:1 1:2\n", "add the two values"),
    "zip": (b"PK\x03\x04...", "unpack"),
    "cut gzip": (PACKED[:-20], "gzip -t"),
    "damaged gzip": (PACKED[:-6] + b"\x00" * 6, "gzip -t"),
}
CONVERTED = {
    "posts.csv": b"text,tags\nh\xc3\xb6llo,a\n",
    "posts.TSV": b"text\ttags\nhello\ta\n",
    "posts.jsonl": b'{"text": "hello", "tags": "a"}\n',
    "posts.csv.gz": gzip.compress(b"text,tags\nhello,a\n"),
    "bibtex.arff": b"@relation bibtex\n",
    "bibtex.xml": b"<?xml version='1.0'?>\n",
}
LIBSVM = {
    "blank row": (1, b"1 1:1\n\n", "header to belong to"),
    "header": (0, b"3 2 1\n0 0:1\n", "leave out --base"),
    "index 0 of base 1": (1, b"0 1:1\n", "--base 0"),
    "index too large": (1, b"%d 1:1\n" % 2**40, "larger than any"),
}


def explained(report, word):
    assert report.defect is not None
    defect, _, advice = report.explained().partition("\n  -> ")
    assert defect == report.defect
    assert word in advice, defect


@pytest.mark.parametrize("name", CONVERTED)
def test_what_is_converted_first_is_known_by_its_name(name, tmp_path):
    (tmp_path / name).write_bytes(CONVERTED[name])
    assert "-> `xcbench data convert` reads" in check_file(tmp_path / name).explained()
    (tmp_path / name).write_bytes(b"1 1 1\n0 0:1\n")
    assert check_file(tmp_path / name).defect is None


@pytest.mark.parametrize("kind", TEXTS)
def test_a_defect_of_a_text_comes_with_advice(kind, tmp_path):
    content, word = TEXTS[kind]
    (tmp_path / "a.txt").write_bytes(content)
    explained(check_file(tmp_path / "a.txt"), word)


@pytest.mark.parametrize("kind", LIBSVM)
def test_a_defect_of_libsvm_comes_with_advice(kind, tmp_path):
    base, content, word = LIBSVM[kind]
    (tmp_path / "a.svm").write_bytes(content)
    explained(check_file(tmp_path / "a.svm", base), word)


def test_no_kind_of_defect_is_left_out_above(tmp_path, monkeypatch):
    seen = set()
    original = rows._Reader._fail_at

    def spy(self, block, code, start):
        seen.add(code)
        original(self, block, code, start)

    monkeypatch.setattr(rows._Reader, "_fail_at", spy)
    path = tmp_path / "a"
    for content, _ in TEXTS.values():
        path.write_bytes(content)
        check_file(path)
    for base, content, _ in LIBSVM.values():
        path.write_bytes(content)
        check_file(path, base)
    assert seen == set(range(parse.LABEL_SYNTAX, parse.BLANK_ROW + 1))


def test_a_defect_of_a_matrix_comes_with_advice(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(b"no archive")
    explained(check_file(path), "save_npz")
    sparse.save_npz(path, sparse.csr_array(np.array([[np.nan]])))
    explained(check_file(path), "leave the entry out")
    twice = sparse.csr_array((np.ones(2), np.array([1, 1]), np.array([0, 2])), (1, 3))
    sparse.save_npz(path, twice)
    explained(check_file(path), "sum_duplicates")
    broken = sparse.csr_array((np.ones(1), np.array([1]), np.array([0, 1])), (1, 3))
    broken.indices[0] = 7
    sparse.save_npz(path, broken)
    explained(check_file(path), "anew")
    sparse.save_npz(path, sparse.coo_array((np.ones(1), ([0], [2**40])), (1, 2**41)))
    explained(check_file(path), "32-bit")


@pytest.mark.parametrize(
    ("kind", "texts", "word"),
    [
        ("splits", ["2 1 1\n\n\n", "1\n", "3\n"], "count rows from 1"),
        ("splits", ["2 1 1\n\n\n", "1\n", "x\n"], "whole numbers only"),
        ("splits", ["2 1 1\n\n\n", "1\n1\n", "2\n"], "names a row once"),
        ("splits", ["2 1 1\n\n\n", "1 2\n2\n", "2 1\n"], "a number for each split"),
        ("splits", ["2 1 1\n\n\n", "1\n", "1\n"], "never both"),
        ("splits", ["2 1 1\n\n\n", "1\n", ""], "stopped before the first row"),
        ("files", ["1 1 1\n0 0:1\n", "0 1 1\n"], "both parts need a point"),
        ("pairs", ["1 1\n\n", "1 1\n0:2\n", "1 1\n\n", "1 1\n\n"], "ones only"),
        ("pairs", ["1 1\n\n", "2 1\n\n\n", "1 1\n\n", "1 1\n\n"], "the same point"),
        ("files", ["1 1\n\n", "1 1 1\n\n"], "files of their own"),
        ("pairs", ["1 1 1\n\n", "1 1\n\n", "1 1\n\n", "1 1\n\n"], "features and labels"),
    ],
)
def test_a_defect_of_files_together_comes_with_advice(kind, texts, word, tmp_path):
    files = tuple(tmp_path / f"{i}.txt" for i in range(len(texts)))
    for path, text in zip(files, texts, strict=True):
        path.write_text(text)
    reports = check_dataset(Sources("tiny", kind, files))
    explained(next(report for report in reports if report.defect), word)


def test_a_split_that_is_not_there_and_a_file_that_is_not_come_with_advice(tmp_path):
    files = tuple(tmp_path / name for name in ("d", "tr", "tst"))
    for path, text in zip(files, ("1 1 1\n\n", "1\n", "1\n"), strict=True):
        path.write_text(text)
    explained(check_dataset(Sources("tiny", "splits", files, split=2))[1], "--split")
    explained(check_file(tmp_path / "no"), "spelling")
    explained(check_file(tmp_path), "right to read")


def test_a_line_without_end_comes_with_advice(tmp_path, monkeypatch):
    monkeypatch.setattr("xcbench.data.byte_lines.LONGEST_LINE", 1 << 10)
    (tmp_path / "a").write_bytes(b"1" * (2 << 20))
    explained(check_file(tmp_path / "a"), "full disk")


def test_the_name_of_the_file_is_no_part_of_the_defect(tmp_path):
    (tmp_path / "found a tab").write_text("1 1 1\n0 0:nan\n")
    explained(check_file(tmp_path / "found a tab"), "leave the entry out")


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"1 UTF-16:1\n", "features are numbers from 0 up"),
        (b"UTF-16 0:1\n", "names go into Yf.txt"),
        (b"0 'bzip2':2\n", "features are numbers from 0 up"),
        (b"0 0:a'zstd\n", "decimals"),
    ],
)
def test_what_the_file_holds_is_no_part_of_the_defect(content, word, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"1 2 2\n" + content)
    explained(check_file(tmp_path / "a.txt"), word)


def test_a_packed_file_is_unpacked_before_its_lines_are_counted(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"2 1 1\n0 0:1\n"))
    explained(check_file(tmp_path / "a.txt.gz"), "(`gunzip`), then: ")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"1 1 1\n0 0:nan\n"))
    assert "gunzip" not in check_file(tmp_path / "b.txt.gz").explained()


@pytest.mark.parametrize("row", ["7:1", "owl:1", "-1:1", "3", "3:nan", "3:1e99", "3:1 3:1", "3,4"])
def test_advice_on_a_file_of_labels_is_about_labels(row, tmp_path):
    (tmp_path / "trn_X_Y.txt").write_text(f"1 5\n{row}\n")
    advice = check_file(tmp_path / "trn_X_Y.txt").explained().partition("\n  -> ")[2]
    assert advice
    assert "feature" not in advice


def test_what_is_not_known_is_not_advised_on():
    assert hint("something else") is None
    assert Report("a", "something else").explained() == "something else"
