"""Writes a dataset in any of its forms, with names and texts, to a folder."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

from scipy import sparse

from xcbench.data.convert.content import LABELS_XML, Content, Part
from xcbench.data.convert.forms import FILES, TEXT_FORMS
from xcbench.data.mulan.header import PREFIX, UNNAMED, quoted
from xcbench.data.names import FEATURE_NAMES, LABEL_NAMES, TEXTS, Names, write_names
from xcbench.data.sparse_text import write_sparse_text
from xcbench.data.text_rows import ROWS_AT_ONCE, entry_rows, label_rows
from xcbench.data.texts.records import LABELS_COLUMN, TEXT_COLUMN
from xcbench.data.whole.file import whole_file
from xcbench.data.xc_text import write_xc
from xcbench.errors import DataError

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_content(folder: Path, content: Content, form: str, separator: str) -> None:
    """Write a dataset to a folder that is there.

    Parameters
    ----------
    folder : Path
    content : Content
    form : str
        A key of ``FILES``.
    separator : str
        Between the labels of a cell of CSV or TSV.

    Raises
    ------
    DataError
        The form cannot carry what the dataset holds, as it is.
    """
    files = FILES[form]
    names = (files.alone,) if content.test is None else (files.train, files.test)
    if form in TEXT_FORMS:
        for part, (name,) in zip(content.parts, names, strict=True):
            _write_texts(folder / name, part, content.names, form, separator)
        # With these beside them the texts become the same matrices again.
        _write_names(folder, content)
        return
    if form == "mulan":
        attributes = _attributes(content)
        for part, (name,) in zip(content.parts, names, strict=True):
            _write_arff(folder / name, part, attributes)
        _write_xml(folder / LABELS_XML, attributes[1])
        return
    for part, part_names in zip(content.parts, names, strict=True):
        _write_matrices([folder / name for name in part_names], part, form)
    _write_names(folder, content)
    for part, name in zip(content.parts, TEXTS, strict=False):
        if part.texts is not None:
            write_names(folder / name, part.texts)


def _write_matrices(paths: list[Path], part: Part, form: str) -> None:
    if form == "xc":
        write_xc(paths[0], part.X, part.Y)
        return
    for path, matrix in zip(paths, (part.X, part.Y), strict=True):
        if form == "npz":
            with whole_file(path) as stream:
                sparse.save_npz(stream, matrix)
        else:
            write_sparse_text(path, matrix)


def _write_names(folder: Path, content: Content) -> None:
    names = content.names
    if names.labels is not None:
        write_names(folder / LABEL_NAMES, names.labels)
    if names.features is not None:
        write_names(folder / FEATURE_NAMES, names.features)
    if content.text is not None:
        content.text.save(folder)


def _write_texts(path: Path, part: Part, names: Names, form: str, separator: str) -> None:
    if part.texts is None:
        raise DataError(
            f"the data is not of texts that were kept ({' and '.join(TEXTS)}), so it cannot become "
            f"{form}"
        )
    if names.labels is None:
        raise DataError(f"the labels have no names ({LABEL_NAMES}), so they cannot become {form}")
    _refuse_labels(names.labels, form, separator)
    rows = _rows_of(part, names.labels)
    with whole_file(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8", newline="")
        if form == "jsonl":
            for document, labels in rows:
                record = {TEXT_COLUMN: document, LABELS_COLUMN: labels}
                text.write(json.dumps(record, ensure_ascii=False) + "\n")
        else:
            mark = "\t" if form == "tsv" else ","
            writer = csv.writer(text, delimiter=mark, lineterminator="\n")
            writer.writerow((TEXT_COLUMN, LABELS_COLUMN))
            writer.writerows((document, separator.join(labels)) for document, labels in rows)
        text.detach()


def _rows_of(part: Part, names: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    ends, columns = part.Y.indptr.tolist(), part.Y.indices.tolist()
    for row, document in enumerate(part.texts or ()):
        yield document, [names[label] for label in columns[ends[row] : ends[row + 1]]]


def _refuse_labels(names: tuple[str, ...], form: str, separator: str) -> None:
    """Refuse labels that would be read back as others."""
    seen = set[str]()
    for name in names:
        reason = ""
        if not name:
            reason = "is empty"
        elif name in seen:
            reason = "is the name of two labels"
        elif form != "jsonl" and name != name.strip():
            reason = "has spaces at its ends, which a cell does not keep; jsonl does"
        elif "\0" in name:
            reason = "holds a NUL"
        elif form != "jsonl" and (name + separator + name).split(separator) != [name, name]:
            reason = f"holds the separator {separator!r}; give another with --sep, or write jsonl"
        if reason:
            raise DataError(f"the label {name!r} {reason}")
        seen.add(name)


def _attributes(content: Content) -> tuple[list[str], list[str], list[str]]:
    """The names of features and labels in an ARFF file, and the notes on them."""
    d, n_labels = content.train.X.shape[1], content.train.Y.shape[1]
    notes, made_up, prefix = [], [], ""
    features, labels = content.names.features, content.names.labels
    if features is None:
        made_up.append("features")
        features = tuple(f"feature{i}" for i in range(d))
    if labels is None:
        made_up.append("labels")
        labels = tuple(f"label{i}" for i in range(n_labels))
    for what, names in (("feature", features), ("label", labels)):
        seen = set[str]()
        for name in names:
            if name in seen or _NO_XML.search(name):
                reason = "is there twice" if name in seen else "holds a character that XML cannot"
                raise DataError(f"the {what} name {name!r} {reason}, so it cannot become mulan")
            seen.add(name)
    # Words are often labels too, and all attributes of a file have one space of names.
    while not {prefix + name for name in labels}.isdisjoint(features):
        prefix = f"label:{prefix}"
    if made_up:
        notes.append(f"{UNNAMED} {' '.join(made_up)}")
    if prefix:
        notes.append(f"{PREFIX} {quoted(prefix)}")
    return list(features), [prefix + name for name in labels], notes


def _write_arff(path: Path, part: Part, attributes: tuple[list[str], list[str], list[str]]) -> None:
    features, labels, notes = attributes
    head = [*notes, f"@relation {quoted(path.stem)}", ""]
    head += [f"@attribute {quoted(name)} numeric" for name in features]
    head += [f"@attribute {quoted(name)} {{0,1}}" for name in labels]
    shifted = sparse.csr_array(
        (part.Y.data, part.Y.indices + len(features), part.Y.indptr),
        shape=(part.Y.shape[0], len(features) + len(labels)),
    )
    with whole_file(path) as stream:
        stream.write("".join(f"{line}\n" for line in [*head, "", "@data"]).encode())
        n = part.X.shape[0]
        for first in range(0, n, ROWS_AT_ONCE):
            last = min(first + ROWS_AT_ONCE, n)
            entries = entry_rows(part.X, first, last, mark=" ", gap=",")
            marked = label_rows(shifted, first, last, gap=" 1,")
            rows = zip(entries, marked, strict=True)
            stream.write("".join(_sparse_row(x, y) for x, y in rows).encode())


def _sparse_row(features: str, labels: str) -> str:
    return f"{{{features}{',' if features and labels else ''}{labels}{' 1' if labels else ''}}}\n"


def _write_xml(path: Path, labels: list[str]) -> None:
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<labels xmlns="http://mulan.sourceforge.net/labels">',
        *(f"<label name={quoteattr(name)}></label>" for name in labels),
        "</labels>",
    ]
    with whole_file(path) as stream:
        stream.write("".join(f"{line}\n" for line in lines).encode())
