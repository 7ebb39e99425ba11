"""What is to be predicted: files of features or of texts, as blocks of features."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Literal, cast

from scipy import sparse

from xcbench.data.blocks import BlockForm, iter_blocks
from xcbench.data.byte_lines import STDIN, open_bytes
from xcbench.data.texts.records import RecordForm, form_by_name, read_texts
from xcbench.errors import ConfigError, DataError
from xcbench.inference.fitted import FittedModel

InputForm = Literal["xc", "pair", "npz", "libsvm", "csv", "tsv", "jsonl", "text"]
FEATURE_FORMS = ("xc", "pair", "npz", "libsvm")
TEXT_FORMS = ("csv", "tsv", "jsonl", "text")

# Rows read, and predicted, at once: enough for clusters to be visited with many rows each.
BLOCK_ROWS = 8192
_PEEKED = 4096
logger = logging.getLogger(__name__)

_HEADERS = {3: "xc", 2: "pair"}
_STDIN_NAME = "standard input"


@dataclass(frozen=True)
class Input:
    """Where new points come from, and how they are written.

    Attributes
    ----------
    path : Path
        ``-`` is the standard input.
    form : str or None
        None to tell it by the file's name and first line.
    text_column : str or None
        The column, or JSON key, of the text.
    base : 0, 1 or None
        The number that a libsvm file counts from.
    """

    path: Path
    form: InputForm | None = None
    text_column: str | None = None
    base: Literal[0, 1] | None = None

    def __str__(self) -> str:
        return _STDIN_NAME if self.path == STDIN else str(self.path)


def read_blocks(
    source: Input, fitted: FittedModel, rows: int = BLOCK_ROWS
) -> Iterator[sparse.csr_array]:
    """The features of new points, not scaled, so many rows at a time.

    Raises
    ------
    ConfigError
        The form does not go with the model or with the options, or nothing tells the form of the
        standard input.
    DataError
        The file is missing or malformed (names the line, when that is reached), or has another
        number of features than the model.
    """
    form = source.form or _form_of(source, fitted)
    if source.form is None and form in TEXT_FORMS:
        logger.info("reading %s as %s (--input-form says otherwise)", source, form)
    if source.base is not None and form != "libsvm":
        raise ConfigError(f"{source}: base is of libsvm alone; this is read as {form}")
    if form in TEXT_FORMS:
        return _text_blocks(source, fitted, form, rows)
    if source.text_column is not None:
        raise ConfigError(f"{source}: {form} holds no texts, so no text column")
    blocks = iter_blocks(
        source.path, cast(BlockForm, form), fitted.n_features, rows, source.base,
        "the model was fitted to",
    )  # fmt: skip
    may_be_text = source.form is None and form in _HEADERS.values() and fitted.text is not None
    return _told(blocks, source, form if may_be_text else None)


def _told(
    blocks: Iterator[sparse.csr_array], source: Input, guess: str | None
) -> Iterator[sparse.csr_array]:
    """The same blocks; errors name the standard input, and what was guessed of a text file."""
    try:
        yield from blocks
    except DataError as error:
        text = str(error)
        if source.path == STDIN:
            text = re.sub(f"^{STDIN}(?=[,:])", _STDIN_NAME, text)
        if guess is not None:
            text += (
                f"\nread as {guess} because of the first line; if it is text, a document a line, "
                "say --input-form text"
            )
        raise DataError(text) from None


def _form_of(source: Input, fitted: FittedModel) -> str:
    """By the options, the name, the header; what is left is text for a model that knows texts.

    On the standard input there is no name to tell a CSV, whose header would be taken for a text.
    """
    name = source.path.name.lower()
    if name.endswith(".npz"):
        return "npz"
    if source.base is not None:
        return "libsvm"
    by_name = form_by_name(source.path)
    if by_name is not None and by_name != "txt":
        return by_name
    if source.text_column is None:
        header = _first_line(source.path).strip()
        if source.path == STDIN and not re.match(rb"\d+ +\d+ +\d+$|{", header):
            raise ConfigError(
                f"{source}: say with --input-form how it is written "
                f"({', '.join(FEATURE_FORMS + TEXT_FORMS)}); only XC text and JSON lines are told "
                "by their first line"
            )
        if re.fullmatch(rb"\d+( +\d+){1,2}", header):
            return _HEADERS[len(header.split())]
        if fitted.text is None and not re.match(rb"[A-Za-z{\"]", header):
            return "xc"  # whose reader says what is wrong with the header
    return "text"


def _first_line(path: Path) -> bytes:
    """The start of the first line; of the standard input nothing is taken away."""
    if path == STDIN:
        return cast(BufferedReader, sys.stdin.buffer).peek(_PEEKED).partition(b"\n")[0]
    with open_bytes(path) as stream:
        return stream.readline(_PEEKED)


def _text_blocks(
    source: Input, fitted: FittedModel, form: str, rows: int
) -> Iterator[sparse.csr_array]:
    features = fitted.text
    if features is None:
        raise ConfigError(
            f"{source}: is read as {form}, but the model knows no words: its data did not "
            "come from text. Give features, or fit to data that `xcbench data convert` made of "
            "texts"
        )
    # Unless somebody says that it is plain text, the reader has a look at the first byte.
    known = {"text": None if source.form is None else "txt"}.get(form, form)
    texts = read_texts(source.path, source.text_column, cast(RecordForm | None, known))
    while block := list(islice(texts, rows)):
        yield features.transform(block)
