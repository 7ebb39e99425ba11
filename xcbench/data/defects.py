"""What is wrong with a row, in words: what was found, and what was expected."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xcbench.data.matrix import INT32_MAX
from xcbench.kernels import parse

_SHOWN = 40


@dataclass(frozen=True)
class Bounds:
    """The counts indices are held against; None where the file itself sets them.

    Attributes
    ----------
    n_features, n_labels : int or None
    base : int
        The number the file counts from.
    stated_by : str
        Who states the counts ("the header states").
    """

    n_features: int | None
    n_labels: int | None
    base: int = 0
    stated_by: str = "the header states"


@dataclass(frozen=True)
class Defect:
    """The place and kind of a defect.

    Attributes
    ----------
    code : int
        One of ``xcbench.kernels.parse``.
    row : bytes
        The row, without its newline.
    column : int
        0-based byte at which the offending token starts.
    index : int
        The repeated feature, for DUPLICATE_FEATURE.
    """

    code: int
    row: bytes
    column: int
    index: int = 0


def shown(token: bytes, most: int = _SHOWN) -> str:
    """A token as a message quotes it: printable and short."""
    text = token[:most].decode("ascii", "backslashreplace")
    return f"{text!r}" + ("..." if len(token) > most else "")


def shown_number(digits: bytes) -> str:
    """A number as a message quotes it; Python refuses to convert thousands of digits."""
    digits = digits.lstrip(b"0") or b"0"
    return digits[:_SHOWN].decode() + ("..." if len(digits) > _SHOWN else "")


def describe(defect: Defect, bounds: Bounds) -> str:
    """One clause or two: what was found, and what was expected."""
    token = defect.row[defect.column :].split(b" ", 1)[0]
    if defect.code == parse.DUPLICATE_FEATURE:
        return f"feature {defect.index} occurs twice in the row; expected each feature once"
    if defect.code == parse.BLANK_ROW:
        return (
            "found an empty line; a file without a header cannot tell a row from a stray line, "
            "so remove it or use the XC format"
        )
    return _stray_byte(token, defect.column) or _BY_CODE[defect.code](token, defect, bounds)


def _stray_byte(token: bytes, column: int) -> str | None:
    found = re.search(rb"[^!-~]", token)
    if found is None:
        return None
    byte, place = found.group()[0], f"(column {column + found.start() + 1})"
    if byte == 0:
        return f"found a NUL byte {place}; expected text, the file is damaged"
    if byte == ord("\t"):
        return f"found a tab {place}; expected spaces between fields"
    if byte == ord("\r"):
        return f"found a carriage return {place}; expected one only at the end of a line"
    return f"found the byte 0x{byte:02x} {place}; expected ASCII digits, spaces and ',:.+-eE'"


def _label_syntax(token: bytes, defect: Defect, bounds: Bounds) -> str:
    before = defect.row[: defect.column]
    if before and (not token or (b":" in token and before.endswith(b" "))):
        return f"label list {shown(before.rstrip())} ends in a comma; expected a label after it"
    if not token or token.startswith(b","):
        return f"label list {shown(before + token)} has an empty entry; expected a label"
    label = token.split(b",", 1)[0]
    if re.match(rb"-\d", label):
        return f"label {shown(label)} is negative; expected {bounds.base} or more"
    if b":" in label:
        return f"found {shown(before + label)}; expected labels 'l1,l2' or a feature 'index:value'"
    return f"label {shown(label)} is not a whole number; expected labels as in '3,17,58'"


def _range(kind: str, found: bytes, count: int | None, bounds: Bounds) -> str:
    number = f"{kind} {shown_number(found)}"
    last = (INT32_MAX if count is None else count) - 1 + bounds.base
    if len(found) > parse.MAX_DIGITS and len(found.lstrip(b"0")) <= parse.MAX_DIGITS:
        return f"{number} is written in {len(found)} digits; expected at most {parse.MAX_DIGITS}"
    if not found.strip(b"0") and bounds.base:
        return f"{number} is out of range; with base {bounds.base} expected 1 or more"
    if count is None:
        return f"{number} is out of range; expected at most {last}"
    expected = f"{bounds.base} to {last}" if last >= bounds.base else "none"
    return f"{number} is out of range; {bounds.stated_by} {count} {kind}s, so expected {expected}"


def _label_range(token: bytes, defect: Defect, bounds: Bounds) -> str:
    return _range("label", _digits(token), bounds.n_labels, bounds)


def _feature_range(token: bytes, defect: Defect, bounds: Bounds) -> str:
    return _range("feature", _digits(token), bounds.n_features, bounds)


def _digits(token: bytes) -> bytes:
    return re.match(rb"\d*", token).group()  # type: ignore[union-attr]


def _feature_syntax(token: bytes, defect: Defect, bounds: Bounds) -> str:
    before = defect.row[: defect.column]
    if before and not before.strip(b" ") and re.fullmatch(rb"\d+(,\d*)*", token):
        return (
            f"found {shown(token)} after a leading space; a row that starts with a space has "
            "no labels, so expected a feature 'index:value'"
        )
    if re.fullmatch(rb"\d+", token):
        return f"feature {shown(token)} has no value; expected 'index:value'"
    if re.match(rb"-\d", token):
        return f"feature {shown(token)} has a negative index; expected {bounds.base} or more"
    if b":" in token:
        index = token.split(b":", 1)[0]
        return f"feature index {shown(index)} is not a whole number; expected 'index:value'"
    return f"found {shown(token)}; expected a feature 'index:value'"


def _value_syntax(token: bytes, defect: Defect, bounds: Bounds) -> str:
    index, _, value = token.partition(b":")
    feature = shown_number(index)
    if not value:
        return f"feature {shown(token)} has no value; expected 'index:value'"
    if re.fullmatch(rb"[+-]?(nan|inf|infinity)", value, re.IGNORECASE):
        return f"value {shown(value)} of feature {feature} is not finite; expected a finite number"
    return f"value {shown(value)} of feature {feature} is not a number; expected one as in '0.25'"


def _value_range(token: bytes, defect: Defect, bounds: Bounds) -> str:
    index, _, value = token.partition(b":")
    return (
        f"value {shown(value)} of feature {shown_number(index)} is too large for float32; "
        "expected at most 3.4028235e38"
    )


_BY_CODE = {
    parse.LABEL_SYNTAX: _label_syntax,
    parse.LABEL_RANGE: _label_range,
    parse.FEATURE_SYNTAX: _feature_syntax,
    parse.FEATURE_RANGE: _feature_range,
    parse.VALUE_SYNTAX: _value_syntax,
    parse.VALUE_RANGE: _value_range,
}
