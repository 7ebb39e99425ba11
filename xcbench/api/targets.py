"""Labels and features as callers have them, and as models take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from xcbench.api.types import MatrixLike
from xcbench.data.dataset import TopK
from xcbench.data.matrix import INT32_MAX, csr, row_pointers

_HINT = (
    "expected a binary indicator matrix (n, l), sparse or dense, or one class a point; lists of "
    "labels become such a matrix by sklearn.preprocessing.MultiLabelBinarizer(sparse_output=True)"
)


def features(X: Any) -> sparse.csr_array:
    """Checked features (n, d), sparse or dense, as a canonical csr_array of float32.

    Arrays that have that form already are shared, none is changed.
    """
    rows = sparse.csr_array(X)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if rows.shape[1] > INT32_MAX:
        raise ValueError(f"X has {rows.shape[1]} features; expected at most {INT32_MAX}")
    with np.errstate(over="ignore"):
        data = rows.data.astype(np.float32, copy=False)
    if not np.isfinite(data).all():
        raise ValueError("X holds a value too large for float32")
    return _csr(data, rows)


def indicators(Y: Any) -> sparse.csr_array:
    """A sparse or dense matrix of 0 and 1 as a canonical csr_array of float32 that holds the ones.

    Raises
    ------
    ValueError
        It is not two-dimensional, or holds another value.
    """
    if Y.ndim != 2:
        raise ValueError(f"y has {Y.ndim} dimensions; {_HINT}")
    if not sparse.issparse(Y):
        _refuse_other_values(np.asarray(Y))
    rows = sparse.csr_array(Y)
    if not rows.has_canonical_format or not np.all(rows.data):
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    _refuse_other_values(rows.data)
    return _csr(np.ones(rows.nnz, np.float32), rows)


def as_indicators(y: MatrixLike) -> sparse.csr_array:
    """``indicators`` of whatever ``fit`` takes as a matrix, nested lists and frames too."""
    return indicators(y if sparse.issparse(y) else _dense(y))


def _csr(data: np.ndarray, rows: sparse.csr_array) -> sparse.csr_array:
    return csr(
        data, rows.indices.astype(np.int32, copy=False), row_pointers(rows.indptr), rows.shape
    )


def _refuse_other_values(values: np.ndarray) -> None:
    other = values[(values != 0) & (values != 1)]
    if other.size:
        raise ValueError(f"y holds the value {other.flat[0]!s}; {_HINT}")


@dataclass(frozen=True, eq=False)
class Targets:
    """In which form labels were given; predictions are in the same.

    Attributes
    ----------
    kind : str
        "classes" (one a point), "dense", "matrix" or "array" (scipy's sparse ones).
    classes : ndarray, shape (l,)
        What the columns stand for: sorted classes, else 0 to l - 1.
    dtype : dtype
        Theirs.
    """

    kind: Literal["classes", "dense", "matrix", "array"]
    classes: np.ndarray
    dtype: np.dtype[Any]

    @property
    def is_single(self) -> bool:
        """Whether each point has one class."""
        return self.kind == "classes"

    def more(self, y: MatrixLike) -> sparse.csr_array:
        """Another indicator matrix of the same labels, as read_targets gives them."""
        Y = as_indicators(y)
        if Y.shape[1] != self.classes.size:
            raise ValueError(f"y has {Y.shape[1]} columns; expected {self.classes.size} as in fit")
        return Y

    def indicator(self, top: TopK) -> Any:
        """The labels of a prediction as a matrix of 0 and 1 of the kind and dtype given."""
        n = len(top.labels)
        listed = top.labels >= 0
        ends = np.concatenate([[0], np.cumsum(listed.sum(axis=1))])
        parts = np.ones(ends[-1], self.dtype), top.labels[listed], ends
        form = sparse.csr_matrix if self.kind == "matrix" else sparse.csr_array
        rows = form(parts, shape=(n, self.classes.size))
        rows.sort_indices()
        return rows.toarray() if self.kind == "dense" else rows


def read_targets(y: MatrixLike) -> tuple[Targets, sparse.csr_array]:
    """The labels as canonical csr_array of float32 (n, l), and in which form they came.

    A column vector is taken as one class a point, with scikit-learn's warning.

    Raises
    ------
    ValueError
        They are neither classes nor an indicator matrix, or there is none among them.
    """
    given: Any = y
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if not sparse.issparse(given):
        given = _dense(given)
        if given.ndim == 1 or given.shape[1] == 1:
            given = column_or_1d(given, warn=True)
            check_classification_targets(given)
            classes, at = np.unique(given, return_inverse=True)
            return Targets("classes", classes, classes.dtype), _one_hot(at, classes.size)
        kind: Literal["dense", "matrix", "array"] = "dense"
    else:
        kind = "array" if isinstance(given, sparse.sparray) else "matrix"
    Y = indicators(given)
    if Y.nnz == 0:
        raise ValueError("y holds no label at all; there is nothing to learn from")
    return Targets(kind, np.arange(Y.shape[1]), given.dtype), Y


def _one_hot(columns: np.ndarray, width: int) -> sparse.csr_array:
    ends = np.arange(columns.size + 1, dtype=np.int64)
    ones = np.ones(columns.size, np.float32)
    return csr(ones, columns.astype(np.int32), row_pointers(ends), (columns.size, width))


def _dense(y: Any) -> Any:
    try:
        return check_array(y, input_name="y", ensure_2d=False, dtype=None, ensure_min_samples=0)
    except ValueError as error:
        if "inhomogeneous" in str(error) or "setting an array element" in str(error):
            raise ValueError(f"y holds lists of labels; {_HINT}") from None
        raise
