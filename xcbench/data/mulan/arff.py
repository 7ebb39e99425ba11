"""Mulan's form: an ARFF file of features and labels, and an XML file that says which are labels.

Rows are dense (``0.5,0,1``) or sparse (``{0 0.5, 2 1}``), also mixed. Labels and features have the
order of the attributes, as in Mulan; nested labels of the XML are labels like the others.

A nominal attribute of the values 0 and 1 is a number. Any other becomes a feature for each value
(one-hot), named ``attribute=value``. Refused are missing values (``?``), weights of rows, and
attributes that are strings, dates or relations. A value 0 that a sparse row states stays an entry.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy import sparse

from xcbench.data.byte_lines import READ_ERRORS, open_bytes
from xcbench.data.matrix import csr, row_pointers
from xcbench.data.mulan.header import Attribute, Header, read_header, split_cells, split_entries
from xcbench.data.names import Names
from xcbench.data.texts.lines import TextLines
from xcbench.data.xc_text import XCText
from xcbench.errors import DataError


@dataclass(frozen=True, eq=False)
class Mulan:
    """Points with features, labels and their names; None where the file says they are made up."""

    content: XCText
    names: Names


def read_mulan(arff: Path, labels: Path) -> Mulan:
    """Read an ARFF file (plain or gzipped) with its labels' XML.

    Raises
    ------
    DataError
        A file is missing or malformed; names file, line, what was found and expected.
    """
    names = read_label_names(labels)
    lines = TextLines(arff)
    header = read_header(lines)
    known = {attribute.name: attribute for attribute in header.attributes}
    for name in names:
        if name not in known:
            raise DataError(f"{labels}: the label {name!r} is no attribute of {arff}")
        if known[name].kind != "number":
            raise DataError(
                f"{arff}: the label {name!r} has the values {{{','.join(known[name].values)}}}; "
                "expected {0,1}"
            )
    rows = _Rows(lines, header.attributes)
    for line in lines:
        text = line.strip()
        if text and not text.startswith("%"):
            rows.add(text)
    return _matrices(header, rows, set(names))


def read_label_names(path: Path) -> tuple[str, ...]:
    """The names in a Mulan label file, in its order.

    Raises
    ------
    DataError
        It is no XML of labels, or has a name twice.
    """
    with open_bytes(path) as stream:
        try:
            root = ElementTree.parse(stream).getroot()
        except (ElementTree.ParseError, ValueError, LookupError, *READ_ERRORS) as error:
            raise DataError(f"{path}: no XML of labels ({error})") from None
    labels = [element for element in root.iter() if element.tag.split("}")[-1] == "label"]
    names = [label.get("name") for label in labels]
    if root.tag.split("}")[-1] != "labels" or not names or None in names:
        raise DataError(f'{path}: expected <labels> with a <label name="..."> for each label')
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{path}: the label {twice!r} is there twice")
    return tuple(map(str, names))


@dataclass
class _Rows:
    """Entries as they come: the attribute's number, its value or the number of its category."""

    lines: TextLines
    attributes: list[Attribute]
    columns: array[int] = field(default_factory=lambda: array("i"))
    values: array[float] = field(default_factory=lambda: array("d"))
    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    numbers: array[int] = field(default_factory=lambda: array("q"))

    def __post_init__(self) -> None:
        self._all_numbers = all(attribute.kind == "number" for attribute in self.attributes)
        self._codes = [
            {value: code for code, value in enumerate(attribute.values)}
            for attribute in self.attributes
        ]
        self._defaults = {
            column: attribute.default
            for column, attribute in enumerate(self.attributes)
            if attribute.kind == "category" or attribute.default
        }

    def add(self, text: str) -> None:
        if text.startswith("{"):
            self._add_sparse(text)
        else:
            self._add_dense(text)
        self.ends.append(len(self.columns))
        self.numbers.append(self.lines.number)

    def _add_dense(self, text: str) -> None:
        cells = self._cells(text)
        if len(cells) == len(self.attributes) + 1 and cells[-1].startswith("{"):
            raise self.lines.fail(f"the row has a weight, {cells[-1]}; weights are not supported")
        if len(cells) != len(self.attributes):
            raise self.lines.fail(
                f"found {len(cells)} values; expected {len(self.attributes)}, one an attribute"
            )
        values = np.array(self._numbers(range(len(cells)), cells))
        stored = values != 0
        if not self._all_numbers:
            stored[list(self._defaults)] = True
        columns = np.flatnonzero(stored)
        self.columns.frombytes(columns.astype(np.int32).tobytes())
        self.values.frombytes(values[columns].tobytes())

    def _add_sparse(self, text: str) -> None:
        body, end, rest = text[1:].rpartition("}")
        if not end:
            raise self.lines.fail("the row begins with { and does not end with }")
        if rest or re.search(r"}\s*,\s*{[^{}]*$", body):
            raise self.lines.fail("found text after the row; weights are not supported")
        pairs = split_entries(body)
        if pairs is None:
            raise self.lines.fail(f"found {text[:40]!r}; expected {{attribute value, ...}}")
        columns = [self._column(index) for index, _ in pairs]
        values = self._numbers(columns, [value for _, value in pairs])
        seen = set(columns)
        if len(seen) < len(columns):
            raise self.lines.fail("an attribute is in the row twice")
        absent = [column for column in self._defaults if column not in seen]
        self.columns.extend(chain(columns, absent))
        self.values.extend(chain(values, (self._defaults[column] for column in absent)))

    def _cells(self, text: str) -> list[str]:
        if "'" in text or '"' in text:
            return list(split_cells(text))
        return [cell.strip() for cell in text.split(",")]

    def _column(self, index: str) -> int:
        if not (index.isascii() and index.isdigit()) or len(index) > 10:
            raise self.lines.fail(f"found the attribute {index[:40]!r}; expected its number from 0")
        column = int(index)
        if column >= len(self.attributes):
            raise self.lines.fail(
                f"attribute {column} is out of range; there are {len(self.attributes)}, from 0"
            )
        return column

    def _numbers(self, columns: range | list[int], cells: list[str]) -> list[float]:
        if self._all_numbers:
            try:
                numbers = list(map(float, cells))
                if all(cell.isascii() and "_" not in cell for cell in cells):
                    return numbers
            except ValueError:
                pass  # told below, with the attribute
        return [self._number(column, cell) for column, cell in zip(columns, cells, strict=True)]

    def _number(self, column: int, cell: str) -> float:
        attribute = self.attributes[column]
        if cell == "?":
            raise self.lines.fail(
                f"the value of {attribute.name!r} is missing (?); fill it in, or leave the row out"
            )
        if attribute.kind == "category":
            code = self._codes[column].get(cell)
            if code is None:
                raise self.lines.fail(f"{attribute.name!r}: {cell[:40]!r} is none of its values")
            return code
        try:
            if not cell.isascii() or "_" in cell:
                raise ValueError
            return float(cell)
        except ValueError:
            raise self.lines.fail(
                f"the value of {attribute.name!r} is {cell[:40]!r}; expected a number"
            ) from None


def _matrices(header: Header, rows: _Rows, labels: set[str]) -> Mulan:
    attributes = header.attributes
    columns = np.frombuffer(rows.columns, np.int32)
    values = np.frombuffer(rows.values, np.float64)
    ends = np.frombuffer(rows.ends, np.int64)
    with np.errstate(over="ignore"):
        singles = values.astype(np.float32)
    is_label = np.array([attribute.name in labels for attribute in attributes], bool)
    _refuse_values(rows, columns, values, ~np.isfinite(singles), "a finite float32")
    binary = is_label | np.array(
        [attribute.kind == "number" and bool(attribute.values) for attribute in attributes]
    )
    _refuse_values(rows, columns, values, binary[columns] & ~np.isin(values, (0, 1)), "0 or 1")
    names = Names(*_names(header, is_label))
    of_label = is_label[columns]
    label_of = np.cumsum(is_label) - 1
    Y = _csr(
        label_of[columns], np.ones_like(singles), ends, of_label & (values == 1), is_label.sum()
    )
    width = np.array([_width(attribute) for attribute in attributes]) * ~is_label
    first = np.cumsum(width) - width
    of_category = np.array([attribute.kind == "category" for attribute in attributes])[columns]
    places = first[columns] + np.where(of_category, values, 0).astype(np.int64)
    X = _csr(places, np.where(of_category, np.float32(1), singles), ends, ~of_label, width.sum())
    return Mulan(XCText(X, Y), names)


def _width(attribute: Attribute) -> int:
    return len(attribute.values) if attribute.kind == "category" else 1


def _names(
    header: Header, is_label: np.ndarray
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    labels, features = [], []
    for attribute, label in zip(header.attributes, is_label.tolist(), strict=True):
        if label:
            labels.append(attribute.name.removeprefix(header.prefix))
        elif attribute.kind == "category":
            features += [f"{attribute.name}={value}" for value in attribute.values]
        else:
            features.append(attribute.name)
    return (
        None if "labels" in header.unnamed else tuple(labels),
        None if "features" in header.unnamed else tuple(features),
    )


def _csr(
    columns: np.ndarray, values: np.ndarray, ends: np.ndarray, kept: np.ndarray, n_columns: int
) -> sparse.csr_array:
    counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[ends]
    matrix = csr(
        values[kept], columns[kept].astype(np.int32), row_pointers(counts),
        (ends.size - 1, int(n_columns)),
    )  # fmt: skip
    matrix.has_sorted_indices = False
    matrix.sort_indices()
    return matrix


def _refuse_values(
    rows: _Rows, columns: np.ndarray, values: np.ndarray, wrong: np.ndarray, expected: str
) -> None:
    if not wrong.any():
        return
    entry = int(np.argmax(wrong))
    row = int(np.searchsorted(np.frombuffer(rows.ends, np.int64), entry, side="right")) - 1
    raise DataError(
        f"{rows.lines}, line {rows.numbers[row]}: the value of "
        f"{rows.attributes[columns[entry]].name!r} is {values[entry]:g}; expected {expected}"
    )
