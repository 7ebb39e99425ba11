"""Makes a dataset of records of text and labels: the vocabulary, the label set, the matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.data.convert.content import Content, Part, RowDraw
from xcbench.data.matrix import csr
from xcbench.data.names import LABEL_NAMES, Names, read_names
from xcbench.data.texts.features import TextFeatures, TextSettings, collapsed
from xcbench.data.texts.records import (
    LABELS_COLUMN,
    TEXT_COLUMN,
    Record,
    RecordForm,
    quoted,
    read_records,
    shown,
    text_of,
)
from xcbench.errors import DataError

SEPARATOR = ","
_OTHER_SEPARATORS = (",", ";", "|")
_HARDLY_ANY = 0.1  # of the cells


@dataclass(frozen=True)
class RecordColumns:
    """Where a record has its text and its labels, and how these are separated in a cell.

    Attributes
    ----------
    text, labels : str
        Columns, or keys of JSON lines.
    separator : str
        Between the labels of a cell; a list of JSON needs none.
    delimiter : str or None
        Between the cells of CSV; None if the header is to tell.
    """

    text: str = TEXT_COLUMN
    labels: str = LABELS_COLUMN
    separator: str = SEPARATOR
    delimiter: str | None = None


@dataclass
class Documents:
    """Texts and the names of their labels, and what was mended on the way.

    Attributes
    ----------
    texts : list of str
        White space collapsed.
    labels : list of tuple of str
        Distinct in each.
    """

    texts: list[str] = field(default_factory=list)
    labels: list[tuple[str, ...]] = field(default_factory=list)
    n_collapsed: int = 0
    n_repeated: int = 0
    n_blank: int = 0
    n_cells: int = 0
    n_split: int = 0
    n_with: dict[str, int] = field(default_factory=dict)


def read_documents(path: Path, form: RecordForm, columns: RecordColumns) -> Documents:
    """Read a file of records.

    Labels of a cell lose the spaces around them; empty ones are dropped and counted, and so are
    those that a row has already. A JSON list holds labels as they are: strings, or whole numbers.

    Raises
    ------
    DataError
        With file and line: what the form does not allow, a text or label of another type, a label
        with a line break. Or there is no row.
    """
    documents = Documents()
    for record in read_records(path, (columns.text, columns.labels), form, columns.delimiter):
        text = text_of(path, record, columns.text)
        kept = collapsed(text)
        documents.n_collapsed += kept != text
        documents.texts.append(kept)
        documents.labels.append(_labels(documents, path, record, columns))
    if not documents.texts:
        raise DataError(f"{path}: found no row; expected at least one")
    return documents


def _labels(
    documents: Documents, path: Path, record: Record, columns: RecordColumns
) -> tuple[str, ...]:
    names = list(_raw_labels(documents, path, record, columns))
    filled = [name for name in names if name]
    if columns.separator.strip():  # several spaces between labels are no empty labels
        documents.n_blank += len(names) - len(filled)
    distinct = tuple(dict.fromkeys(filled))
    documents.n_repeated += len(filled) - len(distinct)
    for name in distinct:
        if not {"\n", "\r", "\0"}.isdisjoint(name):
            raise DataError(
                f"{path}, line {record.line}: the label {quoted(name)} holds a line break or NUL"
            )
    return distinct


def _raw_labels(
    documents: Documents, path: Path, record: Record, columns: RecordColumns
) -> Iterator[str]:
    value: Any = record.values[1]
    if isinstance(value, str):
        if not value.strip():
            return
        parts = value.split(columns.separator)
        documents.n_cells += 1
        documents.n_split += len(parts) > 1
        for mark in _OTHER_SEPARATORS:
            documents.n_with[mark] = documents.n_with.get(mark, 0) + (mark in value)
        yield from (part.strip() for part in parts)
        return
    items = value if isinstance(value, list) else () if value is None else (value,)
    for item in items:
        if not isinstance(item, str | int) or isinstance(item, bool) or not isinstance(value, list):
            raise DataError(
                f"{path}, line {record.line}: {columns.labels} is {shown(value)}; expected a "
                "string or a list of strings"
            )
        yield str(item)


@dataclass(frozen=True)
class Kept:
    """What a folder of texts says of how they were read when they last were a dataset.

    Attributes
    ----------
    labels : tuple of str or None
        In their order, also those no row has.
    text : TextFeatures or None
    settings : TextSettings
        How to read the texts where ``text`` does not say.
    """

    labels: tuple[str, ...] | None = None
    text: TextFeatures | None = None
    settings: TextSettings = field(default_factory=TextSettings)

    @classmethod
    def beside(cls, folder: Path) -> Kept:
        """What lies in a folder.

        Raises
        ------
        DataError
            It cannot be read.
        """
        labels = folder / LABEL_NAMES
        return cls(read_names(labels) if labels.is_file() else None, TextFeatures.open(folder))


def content_of_documents(
    train: Documents,
    test: Documents | None,
    kept: Kept,
    share: RowDraw | None = None,
) -> Content:
    """Make a dataset: term counts by the vocabulary of the training texts alone.

    Parameters
    ----------
    train : Documents
        Of both parts if ``test`` is None; then ``share`` says which rows become the test part.
    test : Documents or None
    kept : Kept
    share : RowDraw, optional

    Returns
    -------
    Content
        Labels are those of both parts, in the order of their characters' numbers (code points), so
        they do not depend on the order of the rows.

    Raises
    ------
    DataError
        No term or no label is there, a label is none of those kept, or a part would be empty.
    """
    every = [*train.labels, *(test.labels if test else ())]
    names = kept.labels or tuple(sorted({name for row in every for name in row}))
    if not names:
        raise DataError("no row has a label; expected at least one")
    index = {name: i for i, name in enumerate(names)}
    Y = _label_matrix(train.labels, index)
    remarks = _remarks(train, test)
    if test is not None:
        parts = [(train.texts, Y), (test.texts, _label_matrix(test.labels, index))]
    else:
        if share is None:
            raise ValueError("neither test documents nor their share")
        whole = Part(sparse.csr_array((Y.shape[0], 0), dtype=np.float32), Y, tuple(train.texts))
        try:
            drawn = share.of(Y)
        except DataError as error:
            raise DataError("; ".join([str(error), *_separator_hint(train)])) from None
        cut = [whole.rows(rows) for rows in (drawn.train, drawn.test)]
        parts = [(list(part.texts or ()), part.Y) for part in cut]
        remarks = (*share.remarks(drawn), *remarks)
    text = kept.text
    if text is None:
        text, X = TextFeatures.fit_transform(parts[0][0], kept.settings)
    else:
        X = text.transform(parts[0][0])
    matrices = (X, text.transform(parts[1][0]))
    made = [
        Part(matrix, labels, tuple(texts))
        for matrix, (texts, labels) in zip(matrices, parts, strict=True)
    ]
    return Content(made[0], made[1], Names(names, text.vocabulary), text, remarks)


def _label_matrix(rows: list[tuple[str, ...]], index: dict[str, int]) -> sparse.csr_array:
    unknown = next((name for row in rows for name in row if name not in index), None)
    if unknown is not None:
        raise DataError(f"the label {quoted(unknown)} is not in {LABEL_NAMES} beside the texts")
    indptr = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=indptr[1:])
    columns = np.array([i for row in rows for i in sorted(index[n] for n in row)], np.int32)
    return csr(np.ones(columns.size, np.float32), columns, indptr, (len(rows), len(index)))


def _remarks(*parts: Documents | None) -> tuple[str, ...]:
    documents = [part for part in parts if part is not None]
    remarks = []
    for attribute, what in (
        ("n_repeated", "labels that their row had already, merged"),
        ("n_blank", "empty labels between separators, dropped"),
        ("n_collapsed", "texts with line breaks or several spaces, each made one space"),
    ):
        if count := sum(getattr(part, attribute) for part in documents):
            remarks.append(f"{what}: {count}")
    return (*remarks, *_separator_hint(*documents))


def _separator_hint(*documents: Documents) -> Iterator[str]:
    """What else the labels may be separated by, if hardly any cell holds two."""
    n_cells, n_split = (
        sum(getattr(part, of) for part in documents) for of in ("n_cells", "n_split")
    )
    if n_split > _HARDLY_ANY * n_cells:
        return
    found = "no row has" if n_split == 0 else f"only {n_split} of {n_cells} rows have"
    for mark in _OTHER_SEPARATORS:
        count = sum(part.n_with.get(mark, 0) for part in documents)
        # A comma or two among names says nothing once another separator is at work.
        if count and (n_split == 0 or count > max(n_split, n_cells / 2)):
            yield f"{found} several labels; rows with {mark!r} (see --sep): {count}"
