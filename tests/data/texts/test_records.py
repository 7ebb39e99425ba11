import gzip
import io
import json
from types import SimpleNamespace

import pytest

from xcbench.data.byte_lines import STDIN
from xcbench.data.texts.records import read_records, read_texts
from xcbench.errors import ConfigError, DataError


def records(tmp_path, content, form="csv", columns=("text", "tags"), **options):
    path = tmp_path / "a"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [(r.line, r.values) for r in read_records(path, columns, form, **options)]


PLAIN = "id,text,tags\n1,a cat,pet\n2,,\n"
ROWS = [(2, ("a cat", "pet")), (3, ("", ""))]


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN[:-1],
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace("text,tags", " text ,tags "),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        gzip.compress(PLAIN.encode(), mtime=0),
        PLAIN.replace("a cat", '"a cat"'),
        PLAIN.replace("id,", '"id;of;a;b;c",'),
    ],
    ids=["plain", "cut", "CRLF", ";", "tab", "header", "BOM", "gzip", "quoted", "other delimiters"],
)
def test_accepted_variants_of_csv_give_the_same_rows(content, tmp_path):
    assert records(tmp_path, content) == ROWS


def test_quoted_cells_hold_line_breaks_quotes_and_delimiters(tmp_path):
    content = 'text,tags\n"a\n""b"", c",x\nd,"y\n"\n'
    assert records(tmp_path, content) == [(3, ('a\n"b", c', "x")), (5, ("d", "y\n"))]


def test_blank_lines_of_csv_are_no_rows_and_quoted_empty_cells_are(tmp_path):
    assert records(tmp_path, 'text\n\n""\na\n', columns=("text",)) == [(3, ("",)), (4, ("a",))]


def test_a_stated_delimiter_is_taken(tmp_path):
    content = "text|tags\na, b|c\n"
    assert records(tmp_path, content, delimiter="|") == [(2, ("a, b", "c"))]


def test_tsv_has_tabs_whatever_else_the_header_holds(tmp_path):
    assert records(tmp_path, "a,text\ttext\ttags\n0\tb, c\td\n", "tsv") == [(2, ("b, c", "d"))]


def test_a_cell_may_be_larger_than_the_limit_of_the_csv_module(tmp_path):
    long = "word " * 100_000
    assert records(tmp_path, f"text,tags\n{long},x\n") == [(2, (long, "x"))]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("text,tags\rmore\na,b\n", "line 1: no CSV"),
        (
            "text,tag\na,b\n",
            r"line 1: no column 'tags'; did you mean 'tag'\? \(found 'text', 'tag'",
        ),
        ("text,Tags\na,b\n", "did you mean 'Tags'"),
        ("text,tags,tags\na,b,c\n", "line 1: the column 'tags' is in the header twice"),
        ("text,tags\na,b\nc,d,e\n", "line 3: found 3 cells; expected 2 as in the header"),
        ("text,tags\n\na\n", "line 3: found 1 cell; expected 2"),
        ('text,tags\na,b\n"c,d\ne,f\n', "in the row that begins in line 3"),
        ('text,tags\n"a"b,c\n', "line 2: no CSV"),
        (b"text,tags\na,b\nna\xefve,c\n", r"line 3: found the byte 0xef \(byte 3 of the line\)"),
        (b"text,tags\na,\0\n", "line 2: found a NUL byte"),
        ("text,tags\n".encode("utf-16"), "line 1: found UTF-16 text"),
        (gzip.compress(b"text,tags\n" + b"a,b\n" * 50, mtime=0)[:-9], "cannot be read further"),
    ],
)
def test_defects_of_csv_are_told_with_their_line(content, message, tmp_path):
    with pytest.raises(DataError, match=message):
        records(tmp_path, content)


def test_json_lines_hold_values_of_any_kind(tmp_path):
    rows = [{"tags": ["x"], "text": "a\nb", "more": 1}, {"text": "", "tags": None}]
    content = "\n\n".join(map(json.dumps, rows))
    assert records(tmp_path, content, "jsonl") == [(1, ("a\nb", ["x"])), (3, ("", None))]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: no JSON"),
        ("[1]", r"line 2: found \[1\]; expected an object"),
        ('{"text": "a", "tag": []}', "line 2: no key 'tags'; did you mean 'tag'"),
        ('{"text": NaN, "tags": []}', "line 2: no JSON"),
        ('{"text": "\\ud800", "tags": []}', "line 2: no JSON"),
        ('{"text": ' + "[" * 100_000, "line 2: no JSON"),
        (
            '{"text": "a", "tags": [], "text": "b"}',
            "line 2: no JSON .the key 'text' is there twice",
        ),
        ('{"text": "a", "tags": [{"x": 1, "x": 1}]}', "the key 'x' is there twice"),
    ],
)
def test_defects_of_json_lines_are_told_with_their_line(line, message, tmp_path):
    with pytest.raises(DataError, match=message):
        records(tmp_path, '{"text": "", "tags": []}\n' + line, "jsonl")


def texts(tmp_path, name, content, *arguments, **options):
    path = tmp_path / name
    path.write_text(content)
    return list(read_texts(path, *arguments, **options))


def test_texts_are_read_in_the_form_the_name_tells(tmp_path):
    assert texts(tmp_path, "a.txt", "one\n\n text,\r\nlast") == ["one", "", " text,", "last"]
    assert texts(tmp_path, "a.csv", "text,x\na,b\n") == ["a"]
    assert texts(tmp_path, "a.tsv", "x\tbody\na\tb, c\n", "body") == ["b, c"]
    assert texts(tmp_path, "a.jsonl", '{"text": "a"}\n') == ["a"]


def test_without_a_telling_name_the_column_and_the_first_byte_tell(tmp_path):
    assert texts(tmp_path, "a", "text,x\na,b\n") == ["text,x", "a,b"]
    assert texts(tmp_path, "a", "text,x\na,b\n", "text") == ["a"]
    assert texts(tmp_path, "a.txt", "text,x\na,b\n", "x") == ["b"]
    assert texts(tmp_path, "a", '{"x": "a"}\n', "x") == ["a"]
    assert texts(tmp_path, "a.csv", "one\n", form="txt") == ["one"]


def test_texts_come_from_the_standard_input(monkeypatch):
    def give(content):
        buffer = io.BufferedReader(io.BytesIO(content))
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=buffer))
        return read_texts(STDIN)

    assert list(give(b"one\ntwo\n")) == ["one", "two"]
    assert list(give(gzip.compress(b"one\ntwo\n"))) == ["one", "two"]
    with pytest.raises(DataError, match="standard input, line 2"):
        list(give(b"one\n\xff\n"))


def test_a_text_of_another_kind_is_told(tmp_path):
    with pytest.raises(DataError, match=r"a.jsonl, line 1: text is 3; expected a string"):
        texts(tmp_path, "a.jsonl", '{"text": 3}')
    with pytest.raises(ConfigError, match="has no columns"):
        texts(tmp_path, "a.txt", "one\n", "text", form="txt")


def test_rows_come_one_by_one(tmp_path):
    """What is wrong further down does not matter before it is asked for."""
    path = tmp_path / "a.csv"
    path.write_text("text\na\nb,c\n")
    rows = read_texts(path)
    assert next(rows) == "a"
    with pytest.raises(DataError, match="line 3"):
        next(rows)


def test_messages_quote_a_beginning_of_the_text_and_no_more(tmp_path):
    long = "word " * 2000
    for content, form in (
        (f"{long},tags\na,b\n", "csv"),
        (json.dumps({long: 1}) + "\n", "jsonl"),
        (f"text,{long},{long}\n", "csv"),
    ):
        with pytest.raises(DataError, match=r"no (column|key)") as caught:
            records(tmp_path, content, form)
        assert len(str(caught.value).removeprefix(str(tmp_path))) < 250


def test_a_header_with_spaces_before_its_quotes_has_names_without_quotes(tmp_path):
    content = 'id, "text", "tags"\n1, "a cat, b", "pet"\n'
    assert records(tmp_path, content) == [(2, ("a cat, b", "pet"))]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ndjson"])
def test_a_json_array_is_told_from_json_lines(name, tmp_path):
    path = tmp_path / name
    path.write_text('\n[\n  {"text": "a"},\n  {"text": "b"}\n]\n')
    with pytest.raises(DataError, match="expected JSON lines, one object a line"):
        list(read_texts(path))
    path.write_text('{"text": "a"}\n{"text": "b"}\n')
    assert list(read_texts(path)) == ["a", "b"]


def test_a_spreadsheet_is_to_be_saved_as_csv(tmp_path):
    with pytest.raises(DataError, match=r"is a spreadsheet \(\.xlsx\); save it as CSV"):
        list(read_texts(tmp_path / "a.XLSX"))
