"""Files of predictions: writers of our three forms; readers of these and of what others write.

Ours, rows and labels counted from 0, the best label first::

    tsv    row  rank  label  score [name]     a header, then a line a predicted label, tabs between
    jsonl  {"row": 0, "labels": [17, 3], "scores": [0.9, 0.4], "names": ["owl", "elk"]}
    npz    labels (n, k) int32, -1 where a row has fewer; scores (n, k) float32; as a run stores it

Others', which ``read_predictions`` tells by their first bytes:

- score matrices as XC text: a header ``n l``, a row ``label:score label:score`` a point;
- score matrices as ``scipy.sparse.save_npz`` writes them;
- lists without a header, a line a point: ``17:0.9 3:0.4`` or, best first, ``17,3`` or ``17 3``.

The entries of a matrix, and of lists with scores, are ranked by score (compared as float64), equal
scores by the smaller label; all else is read in the order it stands in.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.data.predictions.readers import read_arrays, read_text
from xcbench.data.predictions.table import table_name
from xcbench.data.predictions.truth import require_file
from xcbench.data.whole.file import whole_file
from xcbench.errors import ConfigError

PREDICTION_FORMATS = ("tsv", "jsonl", "npz")

_ROWS_AT_ONCE = 4096


class PredictionWriter(ABC):
    """Takes the predictions of one block of rows after another."""

    @abstractmethod
    def write(self, top: TopK) -> None:
        """Append the rows of ``top``."""


@contextmanager
def open_writer(
    out: Path | None, form: str, k: int, names: Sequence[str] | None = None
) -> Iterator[PredictionWriter]:
    """A writer of predictions, in memory one block of rows; the file appears whole or not at all.

    Parameters
    ----------
    out : Path or None
        None for the standard output, which "npz" cannot go to.
    form : {"tsv", "jsonl", "npz"}
    k : int
        Columns of what will be written.
    names : sequence of str, optional
        Of the labels, to be written beside them; "npz" has no place for them.

    Raises
    ------
    ConfigError
        The form cannot go there, or there is no such folder.
    """
    if form not in PREDICTION_FORMATS:
        raise ConfigError(f"prediction format {form!r}: expected {' or '.join(PREDICTION_FORMATS)}")
    if out is None:
        if form == "npz":
            raise ConfigError("predictions as npz need a file; say which with --out")
        yield _text_writer(sys.stdout.buffer, form, names)
        sys.stdout.buffer.flush()
        return
    if not out.parent.is_dir():
        raise ConfigError(f"{out}: there is no folder {out.parent}")
    with whole_file(out) as stream:
        if form == "npz":
            with _array_writer(stream, out.parent, k) as writer:
                yield writer
        else:
            yield _text_writer(stream, form, names)


def _text_writer(stream: BinaryIO, form: str, names: Sequence[str] | None) -> PredictionWriter:
    return (_TableWriter if form == "tsv" else _JsonWriter)(stream, names)


class _TextWriter(PredictionWriter):
    def __init__(self, stream: BinaryIO, names: Sequence[str] | None) -> None:
        self.stream, self.names = stream, names
        self.row = 0

    def write(self, top: TopK) -> None:
        for first in range(0, len(top.labels), _ROWS_AT_ONCE):
            block = slice(first, first + _ROWS_AT_ONCE)
            labels = top.labels[block]
            text = self._text(labels, _shortest(top.scores[block]))
            self.stream.write(text.encode("utf-8"))
            self.row += len(labels)

    @abstractmethod
    def _text(self, labels: np.ndarray, scores: np.ndarray) -> str: ...


class _TableWriter(_TextWriter):
    def __init__(self, stream: BinaryIO, names: Sequence[str] | None) -> None:
        super().__init__(stream, names)
        stream.write(b"row\trank\tlabel\tscore" + (b"\tname\n" if names else b"\n"))

    def _text(self, labels: np.ndarray, scores: np.ndarray) -> str:
        at, column = np.nonzero(labels >= 0)
        chosen = labels[at, column].tolist()
        fields = zip(
            (at + self.row).tolist(), (column + 1).tolist(), chosen, scores[at, column].tolist(),
            strict=True,
        )  # fmt: skip
        lines = [f"{row}\t{rank}\t{label}\t{score}" for row, rank, label, score in fields]
        if self.names:
            names = [table_name(self.names[label]) for label in chosen]
            lines = [f"{line}\t{name}" for line, name in zip(lines, names, strict=True)]
        return "".join([f"{line}\n" for line in lines])


class _JsonWriter(_TextWriter):
    def _text(self, labels: np.ndarray, scores: np.ndarray) -> str:
        lines = []
        for number, (ids, texts) in enumerate(zip(labels, scores, strict=True), start=self.row):
            chosen = ids[ids >= 0].tolist()
            values = [float(text) for text in texts[ids >= 0].tolist()]
            entry = {"row": number, "labels": chosen, "scores": values}
            if self.names:
                entry["names"] = [self.names[label] for label in chosen]
            lines.append(json.dumps(entry, ensure_ascii=False))
        return "".join([f"{line}\n" for line in lines])


def _shortest(scores: np.ndarray) -> np.ndarray:
    """Each score in the fewest digits that read back to the same float32."""
    return scores.astype(np.float32).astype("U")


class _ArrayWriter(PredictionWriter):
    """Keeps both arrays in files without names, as an archive takes one after the other."""

    def __init__(self, folder: Path, k: int) -> None:
        self.k, self.n_rows = k, 0
        self.files: dict[str, IO[bytes]] = {
            name: tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
            for name in ("labels", "scores")
        }

    def write(self, top: TopK) -> None:
        if top.labels.shape[1] != self.k:
            raise ValueError(f"found {top.labels.shape[1]} columns; expected {self.k}")
        self.files["labels"].write(np.ascontiguousarray(top.labels, "<i4").data)
        self.files["scores"].write(np.ascontiguousarray(top.scores, "<f4").data)
        self.n_rows += len(top.labels)

    def pack(self, stream: BinaryIO) -> None:
        about = {"fortran_order": False, "shape": (self.n_rows, self.k)}
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            for (name, file), item in zip(self.files.items(), ("<i4", "<f4"), strict=True):
                file.seek(0)
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array_header_1_0(member, about | {"descr": item})
                    shutil.copyfileobj(file, member, 1 << 20)


@contextmanager
def _array_writer(stream: BinaryIO, folder: Path, k: int) -> Iterator[PredictionWriter]:
    writer = _ArrayWriter(folder, k)
    try:
        yield writer
        writer.pack(stream)
    finally:
        for file in writer.files.values():
            file.close()


def read_predictions(
    path: Path,
    k: int | None = None,
    shape: tuple[int, int] | None = None,
    without: sparse.csr_array | None = None,
    names: Sequence[str] | None = None,
    lists_of_names: bool = True,
) -> TopK:
    """Read predictions of any of the forms above, text also gzipped.

    Parameters
    ----------
    path : Path
    k : int, optional
        How many labels of each row to keep at most; there are no more columns than the longest
        list needs.
    shape : (n, l), optional
        Rows and labels there are, to hold the file against. Only from it is known how many rows a
        tsv file is of, as it has no line for a row without predictions.
    without : csr_array, shape (n, l), optional
        Pairs to leave out before the first k are counted; see ``read_filter_labels``.
    names : sequence of str, optional
        Of the labels: a list without a header is then of names, with tabs between them, and so is
        a JSON line that has ``names`` and no ``labels``. Where a file has numbers and names, they
        must agree.
    lists_of_names : bool
        False where ``names`` are known but a list without a header may be of numbers: its first
        labels tell, and what can be numbers is.

    Raises
    ------
    DataError
        The file is missing, a pipe or malformed (names the line), of another number of rows, or
        has a label that does not exist or occurs twice in a row.
    """
    require_file(path)
    is_text = path.suffix != ".npz"
    found = read_text(path, names, lists_of_names) if is_text else read_arrays(path)
    if shape is not None:
        found = found.of(*shape)
    if without is not None:
        found = found.without(without)
    return found.top(k)
