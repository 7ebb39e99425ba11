"""HTML from Python values: whatever is not Markup is escaped where it is taken in."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from urllib.parse import quote

_VOID = {"input", "img", "meta", "br"}
_LINK = re.compile(r"https?://[^\s<>\"']*[^\s<>\"'.,;:)]")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(value: object) -> Markup:
    """Text as HTML: no character of it is markup, and control characters are shown, not sent."""
    if isinstance(value, Markup):
        return value
    text = "".join(
        c if c.isprintable() or c in "\n\t" else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}"
        for c in str(value)
    )
    return Markup(html.escape(text))


def joined(parts: Iterable[object], separator: object = "") -> Markup:
    """Parts one after the other, each escaped unless it is Markup."""
    return Markup(escaped(separator).join(escaped(part) for part in parts))


def element(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element with its children.

    Attributes are named as in HTML, with ``_`` for a hyphen and at the end of a Python keyword:
    ``class_="x", data_value=3``. True gives a bare attribute; None and False none at all.
    """
    given = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        bare = key.rstrip("_").replace("_", "-")
        given.append(f" {bare}" if value is True else f' {bare}="{escaped(value)}"')
    head = f"<{name}{''.join(given)}>"
    return Markup(head if name in _VOID else f"{head}{joined(children)}</{name}>")


def hidden(text: object) -> Markup:
    """Words for those who hear the page; those who see it have a sign in their place."""
    return element("span", text, class_="vh")


def anchor(name: str) -> str:
    """A text as an ``id``, the same in a link to it: no spaces, no control characters."""
    return quote(name, safe="/@+:", errors="replace")


def linked(text: str) -> Markup:
    """Escaped text whose web addresses are links."""
    parts: list[object] = []
    end = 0
    for found in _LINK.finditer(text):
        parts += [text[end : found.start()], element("a", found[0], href=found[0])]
        end = found.end()
    return joined([*parts, text[end:]])


def with_code(text: str) -> Markup:
    """Escaped text whose `quoted` parts are code, and whose web addresses are links."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return linked(text)
    return joined(element("code", p) if i % 2 else linked(p) for i, p in enumerate(parts))


def lines(parts: Iterable[object]) -> Markup:
    """Parts on a line each."""
    return joined(parts, element("br"))


def definitions(pairs: Iterable[tuple[str, object]], **attributes: object) -> Markup:
    """A list of names and what they stand for, without those that stand for nothing."""
    rows = (
        element("div", element("dt", name), element("dd", value))
        for name, value in pairs
        if value not in ("", None)
    )
    return element("dl", *rows, **attributes)
