"""Rows of a sparse matrix as text, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy import sparse

ROWS_AT_ONCE = 4096
_SAMPLE = 1 << 14


def entry_rows(
    X: sparse.csr_array, first: int, last: int, *, lead: str = "", mark: str = ":", gap: str = ""
) -> Iterator[str]:
    """Rows first to last - 1, an entry as ``<lead>index<mark>value``, ``gap`` between entries.

    Values get the fewest digits that read back to the same float32.
    """
    start, stop = X.indptr[first], X.indptr[last]
    values = _value_texts(X.data[start:stop])
    columns = X.indices[start:stop].tolist()
    entries = [f"{lead}{f}{mark}{v}" for f, v in zip(columns, values, strict=True)]
    ends = (X.indptr[first : last + 1] - start).tolist()
    for begin, end in pairwise(ends):
        yield gap.join(entries[begin:end])


def _value_texts(values: np.ndarray) -> list[str]:
    """Where values repeat, as counts and rounded weights do, each distinct one is written once."""
    bits = np.ascontiguousarray(values, np.float32).view(np.int32)  # which tell 0 from -0
    sample = bits[:_SAMPLE]
    if np.unique(sample).size > 0.75 * sample.size:
        return _shortest(bits)
    distinct, which = np.unique(bits, return_inverse=True)
    texts: list[str] = np.array(_shortest(distinct), object)[which].tolist()
    return texts


def _shortest(bits: np.ndarray) -> list[str]:
    return [text.removesuffix(".0") for text in bits.view(np.float32).astype("U").tolist()]


def label_rows(Y: sparse.csr_array, first: int, last: int, gap: str = ",") -> Iterator[str]:
    """The columns that rows first to last - 1 have entries in."""
    start, stop = Y.indptr[first], Y.indptr[last]
    labels = list(map(str, Y.indices[start:stop].tolist()))
    ends = (Y.indptr[first : last + 1] - start).tolist()
    for begin, end in pairwise(ends):
        yield gap.join(labels[begin:end])
