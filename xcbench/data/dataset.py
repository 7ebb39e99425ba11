"""The two types that carry data between rooms: a set of labelled points and a ranked prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points with features and labels, rows aligned.

    Attributes
    ----------
    X : csr_array of float32, shape (n, d)
        Features, canonical (sorted, no duplicates).
    Y : csr_array of float32, shape (n, l)
        Labels, canonical, every stored value 1.
    name : str
        What a person calls it ("bibtex").
    reopen : (callable, arguments) or None
        How to map the same data again elsewhere. Set by the prepared store: such a dataset
        pickles as this pair, so a worker maps the store and no array is ever sent to it.
    """

    X: sparse.csr_array
    Y: sparse.csr_array
    name: str = ""
    reopen: tuple[Callable[..., Dataset], tuple[Any, ...]] | None = None

    def __post_init__(self) -> None:
        if self.X.shape[0] != self.Y.shape[0]:
            raise ValueError(
                f"X has {self.X.shape[0]} rows and Y {self.Y.shape[0]}; expected the same number"
            )

    @property
    def n_points(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        return int(self.Y.shape[1])

    def __reduce__(self) -> tuple[Callable[..., Dataset], tuple[Any, ...]]:
        if self.reopen is not None:
            return self.reopen
        return (Dataset, (self.X, self.Y, self.name))


@dataclass(frozen=True, eq=False)
class TopK:
    """The k best labels of every point, best first, ties by the smaller label.

    Attributes
    ----------
    labels : ndarray of int32, shape (n, k)
        Label ids; -1 pads a list shorter than k.
    scores : ndarray of float32, shape (n, k)
        Scores, not increasing along a row; -inf where labels is -1.
    """

    labels: np.ndarray
    scores: np.ndarray

    def __post_init__(self) -> None:
        if self.labels.shape != self.scores.shape or self.labels.ndim != 2:
            raise ValueError(
                f"labels {self.labels.shape} and scores {self.scores.shape} must be equal (n, k)"
            )
