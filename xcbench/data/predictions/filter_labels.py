"""The pairs that the XC repository's LF-* datasets take out of the predictions before scoring.

In those datasets documents and labels are of one kind (products, articles), so a document may be a
label too. ``filter_labels_test.txt`` names, in each line, a test row and a label, both counted from
0: the document itself, and what would be a reciprocal pair. Evaluation scripts that use
pyxclib set the scores at these pairs to zero; the truth stays. Here a named pair leaves the
**predictions** and the labels after it move up. **The truth stays as it is**, and so do the
propensities: a pair that is in the truth too can only be missed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.byte_lines import BrokenStream, place_after, whole_lines
from xcbench.data.defects import shown
from xcbench.data.matrix import csr, row_pointers
from xcbench.errors import DataError


def read_filter_labels(path: Path, shape: tuple[int, int]) -> sparse.csr_array:
    """Read a ``filter_labels`` file, plain or gzipped; it may be empty.

    Parameters
    ----------
    path : Path
    shape : (n, l)
        Rows and labels of the truth.

    Returns
    -------
    csr_array of float32, shape (n, l)
        1 where a prediction is to be left out; a pair that is named twice counts once.

    Raises
    ------
    DataError
        The file is missing or malformed, or a row or label does not exist; names the line.
    """
    pairs: list[tuple[int, int]] = []
    line_number = 0
    try:
        for block in whole_lines(path):
            for line in block.tobytes()[:-1].split(b"\n"):
                line_number += 1
                if words := line.split():
                    pairs.append(_pair(words, shape, f"{path}, line {line_number}"))
    except BrokenStream as broken:
        raise DataError(f"{path}, {place_after(line_number)}: {broken}") from None
    n, n_labels = shape
    keys = np.unique(np.array(pairs, np.int64).reshape(-1, 2) @ np.array([n_labels, 1]))
    ends = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n_labels)
    labels = (keys % n_labels).astype(np.int32) if keys.size else np.zeros(0, np.int32)
    return csr(np.ones(keys.size, np.float32), labels, row_pointers(ends), shape)


def _pair(words: list[bytes], shape: tuple[int, int], place: str) -> tuple[int, int]:
    if len(words) != 2 or not all(word.isdigit() and len(word) <= 18 for word in words):
        raise DataError(
            f"{place}: found {shown(b' '.join(words))}; expected 'row label', both counted from 0"
        )
    for word, count, what in zip(words, shape, ("row", "label"), strict=True):
        if int(word) >= count:
            raise DataError(
                f"{place}: {what} {int(word)} is out of range; expected 0 to {count - 1}"
            )
    return int(words[0]), int(words[1])
