"""HTML from values: what is not Markup is escaped, once."""

import html
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from xcbench.report.html.markup import (
    Markup,
    anchor,
    definitions,
    element,
    escaped,
    joined,
    linked,
    with_code,
)


class Texts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.text, self.tags = "", []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def parsed(markup):
    reader = Texts()
    reader.feed(markup)
    reader.close()
    return reader


@given(st.text())
def test_any_text_comes_back_as_text_and_as_an_attribute(text):
    reader = parsed(element("b", text, title=text))
    assert [tag for tag, _ in reader.tags] == ["b"]
    assert reader.text == html.unescape(escaped(text))
    assert reader.tags[0][1]["title"] == reader.text
    reader.text.encode()  # half of a surrogate pair could not be written
    if text.isprintable():
        assert reader.text == text


def test_markup_is_not_escaped_again():
    assert element("p", element("b", "<")) == "<p><b>&lt;</b></p>"
    assert joined(["<", Markup("<br>")], "&") == "&lt;&amp;<br>"


def test_attributes_true_false_and_none():
    shown = element("input", checked=True, hidden=False, value=None, class_="a", data_x=0)
    assert shown == '<input checked class="a" data-x="0">'


@given(st.text(min_size=1))
def test_an_anchor_has_no_character_that_an_id_may_not_have(text):
    assert not set(anchor(text)) & set(" \t\n\r\f\"'<>")


def test_different_names_have_different_anchors():
    names = ["a b", "a%20b", "a_b", "a/b", "ä", "\ufffd"]
    assert len({anchor(name) for name in names}) == len(names)


def test_links_end_before_the_punctuation_around_them():
    assert linked("(see https://a.org/b?c=1&d.)") == (
        '(see <a href="https://a.org/b?c=1&amp;d">https://a.org/b?c=1&amp;d</a>.)'
    )
    assert linked("javascript:alert(1) <a>") == "javascript:alert(1) &lt;a&gt;"


def test_quoted_parts_are_code_and_a_lone_quote_is_itself():
    assert with_code("run `a <b>` now") == "run <code>a &lt;b&gt;</code> now"
    assert with_code("a ` b") == "a ` b"


def test_a_list_leaves_out_what_stands_for_nothing():
    shown = definitions([("a", ""), ("b", None), ("c", 0)])
    assert shown == "<dl><div><dt>c</dt><dd>0</dd></div></dl>"
