"""Names of labels and features: text files beside the data, line i + 1 is the name of index i.

They are called as in the XC repository. A name is any UTF-8 text without a line break: spaces at
its ends, quotes and commas are part of it, and it may be empty. Names may repeat, as titles of the
repository's labels do. A line may end in CRLF; a byte order mark is no part of the first name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xcbench.data.byte_lines import READ_ERRORS, open_bytes
from xcbench.data.whole.file import whole_file
from xcbench.errors import DataError

LABEL_NAMES = "Yf.txt"
FEATURE_NAMES = "Xf.txt"
TEXTS = ("trn_X.txt", "tst_X.txt")  # the texts themselves, of the training and the test part

_MARK = "\ufeff"


@dataclass(frozen=True)
class Names:
    """What labels and features are called; None where nobody says."""

    labels: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None


def read_names(path: Path, count: int | None = None) -> tuple[str, ...]:
    """Read a file of names, plain or gzipped.

    Parameters
    ----------
    path : Path
    count : int, optional
        How many there must be.

    Raises
    ------
    DataError
        The file is missing, not UTF-8 (with the line), or holds another number of names.
    """
    with open_bytes(path) as stream:
        try:
            data = stream.read()
        except READ_ERRORS as error:
            raise DataError(f"{path}: cannot be read ({error})") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, line {line}: found bytes that are not UTF-8 text") from None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()  # what follows the last line break is no line
    names = tuple(line.removesuffix("\r") for line in lines)
    if count is not None and len(names) != count:
        raise DataError(f"{path}: found {len(names)} names; expected {count}, one a line")
    return names


def write_names(path: Path, names: Sequence[str]) -> None:
    """Write names, one a line; the file appears whole or not at all.

    Raises
    ------
    DataError
        A name cannot be read back as it is: it holds a line break or is no UTF-8 text.
    """
    for number, name in enumerate(names):
        if "\n" in name or "\r" in name:
            raise DataError(f"{path}: name {number}, {name!r}, holds a line break")
    # A mark that begins the first name would be taken for the file's: it gets one of its own.
    mark = _MARK if names and names[0].startswith(_MARK) else ""
    try:
        data = (mark + "".join(f"{name}\n" for name in names)).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"{path}: a name is no UTF-8 text ({error.reason})") from None
    with whole_file(path) as stream:
        stream.write(data)


def names_beside(folder: Path, n_features: int, n_labels: int) -> Names:
    """The names that lie in a dataset's folder, as far as they do.

    Raises
    ------
    DataError
        A file of names is there, and cannot be read or holds another number of names.
    """
    labels, features = folder / LABEL_NAMES, folder / FEATURE_NAMES
    return Names(
        read_names(labels, n_labels) if labels.is_file() else None,
        read_names(features, n_features) if features.is_file() else None,
    )
