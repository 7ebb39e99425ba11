"""The readers of text held against the reference on damaged files.

    python -m tests.fuzz.reader --runs 200000 --seed 0

A run passes when both read the same matrices to the bit, or both refuse with the same line and the
same kind of reason; anything else is a failure, printed with the number that repeats it alone
(``--first N --runs 1``).
"""

from __future__ import annotations

import gzip
import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tests.fuzz import mutate, reference
from tests.fuzz.campaign import main
from tests.fuzz.reference import Defect, Table
from xcbench.data import rows
from xcbench.data.byte_lines import whole_lines
from xcbench.data.libsvm import read_libsvm
from xcbench.data.sparse_text import read_sparse_text
from xcbench.data.splits.read import read_split
from xcbench.data.xc_text import XCText, read_xc
from xcbench.errors import DataError

N_ROWS = 9  # of the data file that split files are made for
BLOCKS = (2, 7, 64, 1 << 20)
LONGEST_MESSAGE = 400

# What the message for a defect says; the reference names the kind.
SAYS = {
    "packed": r".*unpack it first$",
    "broken": r"the gzip stream (ends early|is corrupt|is followed)",
    "empty": r"the file is empty; expected ",
    "header": r"found .*; expected (a header|plain ASCII)",
    "count": r"found \d+(\.\.\.)? \w+; expected at most 2147483647$",
    "extra row": r"found (a row|an empty line) after the last of the \d+ rows the header states$",
    "missing row": r"the file ends after \d+ rows; the header states \d+$",
    "blank": r"found an empty line; ",
    "label": r"(label|label list|found) .* expected ",
    "label range": r"label \d+(\.\.\.)? is (out of range|written in \d+ digits); .*expected ",
    "feature": r"(feature|feature index|found) .* expected ",
    "feature range": r"feature \d+(\.\.\.)? is (out of range|written in \d+ digits); .*expected ",
    "value": r"(value .* of feature \d+ is not|feature .* has no value).*; expected ",
    "value range": r"value .* of feature \d+ is too large for float32; expected at most ",
    "repeated": r"feature \d+ occurs twice in the row; expected each feature once$",
    "row number": r"found .*; expected a row number of 1 to \d+$",
    "columns": r"found \d+ columns; expected ",
    "row range": r"row \d+(\.\.\.)? is out of range; expected 1 to \d+$",
    "row twice": r"row \d+ is in split \d+ twice .* expected each row once$",
}
# A byte that belongs into no text is named before what it stands in.
STRAY_BYTE = r"found (a NUL byte|a tab|a carriage return|the byte 0x..) \(column \d+\); expected "


@dataclass(frozen=True)
class Case:
    """One file, how it is to be read, and in blocks of how many bytes."""

    form: str
    data: bytes
    block_bytes: int = 1 << 20


def made(seed: int) -> Case:
    """The case of a number: a small file of one of the forms, damaged, packed at times."""
    rng = random.Random(seed)
    form = rng.choice(["xc"] * 6 + ["split form", "libsvm 0", "libsvm 1", "rows 1", "rows 2"])
    if form.startswith("rows"):
        data = mutate.split_file(rng, N_ROWS)
    else:
        counts = {"xc": 3, "split form": 2}.get(form, 0)
        data = mutate.table(rng, counts, base=int(form == "libsvm 1"))
    data = mutate.damaged(rng, data)
    if rng.random() < 0.1:
        data = gzip.compress(data, mtime=0)
        if rng.random() < 0.5:
            data = mutate.damaged(rng, data)
    return Case(form, data, rng.choice(BLOCKS))


def expected(case: Case) -> Table | list[int] | Defect:
    """What the reference makes of it."""
    parsers: dict[str, Callable[[bytes], Table]] = {
        "xc": reference.xc,
        "split form": reference.split_form,
        "libsvm 0": partial(reference.libsvm, base=0),
        "libsvm 1": partial(reference.libsvm, base=1),
        "rows 1": partial(reference.row_numbers, column=1, n=N_ROWS),
        "rows 2": partial(reference.row_numbers, column=2, n=N_ROWS),
    }
    try:
        return reference.read(case.data, parsers[case.form])
    except Defect as defect:
        return defect


def found(case: Case, path: Path) -> Table | list[int] | str:
    """What the package makes of it: the content, or the text of its DataError."""
    path.write_bytes(case.data)
    whole, rows.whole_lines = rows.whole_lines, partial(whole_lines, block_bytes=case.block_bytes)
    try:
        if case.form.startswith("rows"):
            numbers = read_split(path, int(case.form[-1]), N_ROWS)
            assert numbers.dtype == np.int32
            return numbers.tolist()
        if case.form == "xc":
            return as_table(read_xc(path))
        if case.form == "split form":
            X = read_sparse_text(path)
            return as_table(XCText(X, X[:, :0]))
        return as_table(read_libsvm(path, 1 if case.form[-1] == "1" else 0))
    except DataError as error:
        return str(error)
    finally:
        rows.whole_lines = whole


def as_table(content: XCText) -> Table:
    """Matrices as the reference's rows; what every model relies on is tested on the way."""
    X, Y = content.X, content.Y
    for matrix in (X, Y):
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
        assert matrix.data.dtype == np.float32
        assert matrix.indptr[0] == 0
        assert matrix.indptr[-1] == matrix.indices.size == matrix.data.size
    assert (Y.data == 1).all()
    table = Table(X.shape[1], Y.shape[1], n_merged=content.n_duplicate_labels)
    for i in range(X.shape[0]):
        labels = Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist()
        entries = slice(X.indptr[i], X.indptr[i + 1])
        table.rows.append(
            (labels, list(zip(X.indices[entries].tolist(), X.data[entries], strict=True)))
        )
    return table


def in_bits(content: Table | list[int]) -> object:
    """A form in which -0 is not 0."""
    if isinstance(content, list):
        return content
    bits = [(y, [(f, v.tobytes()) for f, v in x]) for y, x in content.rows]
    return content.n_features, content.n_labels, content.n_merged, bits


def difference(case: Case, path: Path) -> str | None:
    """What sets the package apart from the reference on this case, or None."""
    right, ours = expected(case), found(case, path)
    if isinstance(right, Defect) and isinstance(ours, str):
        return _misworded(ours, right, str(path))
    if isinstance(right, Defect):
        return f"accepted, but has a defect: {right}"
    if isinstance(ours, str):
        return f"refused, but is well formed: {ours}"
    return None if in_bits(ours) == in_bits(right) else f"read {ours}, expected {right}"


def _misworded(message: str, defect: Defect, path: str) -> str | None:
    place = rf"{re.escape(path)}(?:, (after )?line (\d+))?: (.*)"
    match = re.fullmatch(place, message, re.DOTALL)
    if match is None:
        return f"the message names no file and line: {message}"
    after, line, reason = bool(match[1]), int(match[2] or 0), match[3]
    if len(reason) > LONGEST_MESSAGE or not reason.isascii() or not reason.isprintable():
        return f"the message is long or not printable: {message}"
    if defect.kind == "undecodable":
        return None  # how much of the text comes out before zlib gives up is zlib's to decide
    if defect.kind == "broken":
        right_place = (after, line) == ((True, defect.line) if defect.line else (False, 1))
    else:
        right_place = (after, line) == (False, defect.line)
    if not right_place:
        return f"another place: {message}, expected {defect}"
    if not re.match(f"{SAYS[defect.kind]}|{STRAY_BYTE}", reason):
        return f"{defect} is said as: {message}"
    return None


def check(seed: int) -> str | None:
    """Run one case by its number."""
    case = made(seed)
    failure = difference(case, scratch_file())
    return None if failure is None else f"{failure}\n  {case}"


def scratch_file() -> Path:
    """One file in memory for all runs of this process."""
    folder = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    return folder / f"xcbench-fuzz-{os.getpid()}.txt"


if __name__ == "__main__":
    try:
        main("the reader", check)
    finally:
        scratch_file().unlink(missing_ok=True)
