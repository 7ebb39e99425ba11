"""Parts the rows of a dataset at random into training and test rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from xcbench.errors import DataError
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.partition import spare_rows


class RowParts(NamedTuple):
    """Training and test rows.

    Attributes
    ----------
    train, test : ndarray of int64
        Ascending.
    n_passed_over : int or None
        How many rows were not taken for the test part because of their labels; None where labels
        were not looked at.
    """

    train: np.ndarray
    test: np.ndarray
    n_passed_over: int | None

    def __str__(self) -> str:
        if self.n_passed_over is None:
            return "test rows drawn at random (random)"
        return (
            "test rows drawn at random, every label keeps a training row (xc); rows passed over "
            f"for that: {self.n_passed_over}"
        )


def split_rows(Y: sparse.csr_array, test_share: float, seed: int, keep_labels: bool) -> RowParts:
    """Training and test rows.

    The rows are put in a random order and the first ``round(n * test_share)`` become test rows.
    With ``keep_labels`` a row is passed over that holds the last training point of a label, and
    those after it move up: every label that has a point keeps a training point, and no more rows
    change places than that needs. Rows with rare labels are thereby missing in the test part, which
    is easier than one drawn at random.

    Parameters
    ----------
    Y : csr_array of float32, shape (n, l)
        Labels, canonical.
    test_share : float
        Above 0 and below 1.
    seed : int
        Not negative.
    keep_labels : bool

    Returns
    -------
    RowParts
        With ``keep_labels`` there are fewer test rows than asked for where too few rows can be
        spared.

    Raises
    ------
    DataError
        One of the parts would be empty.
    """
    if not 0 < test_share < 1:
        raise ValueError(f"test_share is {test_share}; expected more than 0 and less than 1")
    n = Y.shape[0]
    wanted = round(n * test_share)
    if not 0 < wanted < n:
        part = "test" if wanted == 0 else "training"
        raise DataError(
            f"a test share of {test_share:g} of {n} rows leaves the {part} part without a row"
        )
    order = np.random.default_rng(seed).permutation(n).astype(np.int64)
    test = _spared(Y, order, wanted) if keep_labels else order[:wanted]
    # As long as rows are missing all are looked at.
    n_seen = n if test.size < wanted else np.flatnonzero(order == test[-1])[0] + 1
    if test.size == 0:
        raise DataError(
            "every row holds a label that no other row has, so none can be a test row when every "
            "label is to keep a training row"
        )
    in_test = np.zeros(n, bool)
    in_test[test] = True
    passed_over = int(n_seen) - test.size if keep_labels else None
    return RowParts(np.flatnonzero(~in_test), np.flatnonzero(in_test), passed_over)


def _spared(Y: sparse.csr_array, order: np.ndarray, most: int) -> np.ndarray:
    indptr, indices, _ = csr_parts(Y)
    # Columns by rank among those that occur: a header may state any number of labels.
    _, places, counts = np.unique(indices, return_inverse=True, return_counts=True)
    spared = np.empty(most, np.int64)
    remaining = counts.astype(np.int64)
    n_taken = spare_rows(indptr, places.astype(np.int32), order, most, remaining, spared)
    return spared[:n_taken]
