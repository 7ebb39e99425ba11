"""Made-up data of the shape of a known dataset, to time methods where the real one cannot be had.

It is for speed, not for ranking methods: which method is the more accurate on it says nothing about
real text. What is like the real thing is what costs time and memory: the counts, the entries a row
and their spread, and how few rows most labels and features have.

**Sizes.** At scale s the points and labels are s times, the features sqrt(s) times those of the
catalogue: a vocabulary grows about as the square root of the text (Heaps, *Information Retrieval*,
1978). Entries a row and labels a point keep their means; their spread is log-normal.

**Labels.** The label of rank r has points in proportion to r**-9/16, and one at least. That label
frequencies are a power law is Babbar and Schölkopf's (DiSMEC, WSDM 2017); with this exponent, the
3.99 points a label of Amazon-670K make about 3,000 points of the heaviest label, and nine of ten
labels have fewer than ten. The training points have places 0 to n - 1 on a ring, and each label
covers a stretch of it; ``C`` stretches, one a column, lie over every place. A point has a third of
the labels of its place, drawn at random: long stretches are broad topics, short ones are within
them, and labels of one stretch of the ring occur together. One label in twenty is swapped for that
of another place. The training point in the middle of a stretch always has the label, so no label
is without one. Test points lie anywhere on the ring.

**Features.** Words are drawn from a Zipf-Mandelbrot law, 1 / (r + 2.7), exponent 1 as in text (Zipf
1949; Mandelbrot 1953). Of 256 words of a row 36 are from the eight that tell one of its labels, 48
from those of any label of its place, 64 from those of its place on the ring, at two
resolutions, and 108 are from all text. Values are tf-idf at row length 1, four decimals.

Rows are written as they are drawn, and each from its own random stream: memory does not grow with
the points, and the same seed and shape give the same bytes on every machine; ``GENERATOR`` is
raised when they change.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import numpy as np

from xcbench import __version__
from xcbench.data.synthesis.shape import NOTE, SynthesisShape, read_note
from xcbench.data.synthesis.tables import Tables, make_tables, mixed
from xcbench.errors import ConfigError, DataError
from xcbench.kernels import synthesis as kernel

__all__ = ["GENERATOR", "SynthesisShape", "synthesize"]

GENERATOR = 1  # of the bytes; raised when they change
_BLOCK_BYTES = 1 << 23
_PARTS = {"train.txt": kernel.TRAIN, "test.txt": kernel.TEST}


def _unheard(count: int) -> None:
    pass


def synthesize(
    folder: Path,
    shape: SynthesisShape,
    seed: int,
    *,
    force: bool = False,
    advance: Callable[[int], None] = _unheard,
) -> None:
    """Write made-up data to a folder, train.txt and test.txt; it appears whole or not at all.

    Parameters
    ----------
    folder : Path
        Its name is the dataset's. It is made, and so are those above it.
    shape : SynthesisShape
    seed : int
        At least 0.
    force : bool
        Replace a folder this made before.
    advance : callable
        Told the number of points that were written, again and again.

    Raises
    ------
    ConfigError
        The folder is there; with ``force``: and is not, or not only, what this made.
    DataError
        Another process is writing it, or the disk is full or not writable.
    """
    try:
        _require_free(folder, force)
        with _work_folder(folder) as work:
            _write(work, shape, seed, advance)
            _require_free(folder, force)  # it took a while: someone may have come in between
            if folder.is_dir():
                shutil.rmtree(folder)
            work.rename(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"{folder}: cannot be written ({reason}); nothing new is kept") from error


def _require_free(folder: Path, force: bool) -> None:
    if not os.path.lexists(folder):
        return
    if not force:
        raise ConfigError(
            f"{folder} is there already; take another name, or replace it with --force"
        )
    if folder.is_symlink() or not folder.is_dir() or not _is_made_up(folder):
        raise ConfigError(
            f"{folder} is not, or not only, made-up data; remove it, or take another name"
        )


def _is_made_up(folder: Path) -> bool:
    """Whether it holds the note of made-up data, the texts that the note tells of, and no more."""
    try:
        note = read_note(folder)
    except DataError:
        return False
    if note is None:
        return False
    found = {path.name for path in folder.iterdir()} - {NOTE}
    return found <= set(_PARTS) and all(
        (folder / name).is_file() and _starts_with(folder / name, _header(note.shape, _PARTS[name]))
        for name in found
    )


def _starts_with(path: Path, start: bytes) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(start)) == start


def _header(shape: SynthesisShape, part: int) -> bytes:
    n = shape.n_train if part == kernel.TRAIN else shape.n_test
    return f"{n} {shape.n_features} {shape.n_labels}\n".encode()


@contextmanager
def _work_folder(folder: Path) -> Iterator[Path]:
    """An empty folder beside the one to be written, locked; it is gone at the end.

    Its name is always the same, so what a killed process left is found by the next one.
    """
    work = folder.with_name(f".{folder.name}.synth")
    work.mkdir(parents=True, exist_ok=True)
    held = os.open(work, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(f"{folder}: another process is writing it") from None
        for left in work.iterdir():
            left.unlink()
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)
    finally:
        os.close(held)


def _write(work: Path, shape: SynthesisShape, seed: int, advance: Callable[[int], None]) -> None:
    key = mixed(mixed(seed))
    tables = make_tables(
        shape.n_train,
        shape.n_features,
        shape.n_labels,
        shape.features_per_point,
        shape.labels_per_point,
        key,
    )
    note = {"seed": seed, "xcbench": __version__, "generator": GENERATOR, **asdict(shape)}
    with _whole_file(work / NOTE) as stream:
        stream.write((json.dumps(note, indent=1) + "\n").encode())
    for name, part in _PARTS.items():
        with _whole_file(work / name) as stream:
            _write_part(stream, part, shape, tables, key, advance)


@contextmanager
def _whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when all of it is on the disk."""
    unnamed = path.with_name(path.name + ".part")
    with unnamed.open("wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
    unnamed.rename(path)


def _write_part(
    stream: BinaryIO,
    part: int,
    shape: SynthesisShape,
    tables: Tables,
    key: int,
    advance: Callable[[int], None],
) -> None:
    n = shape.n_train if part == kernel.TRAIN else shape.n_test
    sizes = np.zeros(kernel.N_SIZES, np.int64)
    sizes[kernel.N_TRAIN], sizes[kernel.PART] = shape.n_train, part
    sizes[kernel.N_COLUMNS], sizes[kernel.MOST_FEATURES] = tables.n_columns, tables.most_features
    sizes[kernel.LABELS] = round(shape.labels_per_point * kernel.ONE)
    sizes[kernel.FEATURES] = round(shape.features_per_point * kernel.ONE)
    longest = (
        tables.n_columns * kernel.LONGEST_LABEL + tables.most_features * kernel.LONGEST_ENTRY + 2
    )
    rows = max(_BLOCK_BYTES // longest, 1)
    out, entry_of = np.empty(rows * longest, np.uint8), np.zeros(shape.n_features, np.int32)
    stream.write(_header(shape, part))
    for first in range(0, n, rows):
        last = min(first + rows, n)
        size = kernel.write_rows(
            first,
            last,
            np.uint64(key),
            sizes,
            tables.label_ends,
            tables.label_ids,
            tables.word_ends,
            tables.guide,
            tables.feature_ids,
            tables.idf,
            tables.label_spread,
            tables.feature_spread,
            entry_of,
            out,
        )
        stream.write(out[:size].data)
        advance(last - first)
