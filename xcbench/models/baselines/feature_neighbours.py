"""The labels of the training points with the most similar features."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Self

import numpy as np
from scipy import sparse

from xcbench.config.peers import FeatureNeighboursSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.features import unit
from xcbench.data.matrix import slice_rows
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.tally import tally
from xcbench.kernels.topk import top_k
from xcbench.models.base import Executor
from xcbench.models.evidence import Evidence, of_votes, row_labels
from xcbench.models.files import (
    csr_bytes,
    load_csr,
    load_header,
    save_csr,
    save_header,
)

SIMILARITIES = 1 << 24  # held at once: rows of a block times training points


class FeatureNeighbours:
    """k nearest neighbours by the cosine of the features, weighted votes; nothing is learned.

    Parameters
    ----------
    settings : FeatureNeighboursSettings
        More neighbours than training points are all of them.
    seed : int
        Nothing is drawn.

    Attributes
    ----------
    stage_seconds : dict of str to float
        "index": the features of the training points, scaled and by column.
    """

    def __init__(self, settings: FeatureNeighboursSettings, seed: int) -> None:
        self.settings, self.seed = settings, seed
        self.stage_seconds: dict[str, float] = {}
        self._index = sparse.csr_array((0, 0), dtype=np.float32)  # (d, n)
        self._labels = sparse.csr_array((0, 0), dtype=np.float32)  # (n, l)

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """See Model.fit; too little work for tasks."""
        start = perf_counter()
        self._index = unit(train.X).T.tocsr()
        self._labels = train.Y
        self.stage_seconds = {"index": perf_counter() - start}
        return self

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """See Model.predict; labels that no neighbour has are not listed."""
        n, d = X.shape
        if k < 1:
            raise ValueError(f"k is {k}; expected at least 1")
        if d != self._index.shape[0]:
            raise ValueError(f"X has {d} features; this model was fitted to {self._index.shape[0]}")
        labels, scores = np.full((n, k), -1, np.int32), np.full((n, k), -np.inf, np.float32)
        indptr, indices, _ = csr_parts(self._labels)
        equal = np.ones(self._labels.shape[1], np.float32)  # labels weigh alike
        X = unit(X)
        step = max(1, SIMILARITIES // self._index.shape[1])
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            ids, weights = self._neighbours(slice_rows(X, rows.start, rows.stop))
            tally(ids, weights, indptr, indices, equal, labels[rows], scores[rows])
        return TopK(labels, scores)

    def _neighbours(self, X: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """Training points and their votes for unit rows; those without a common feature have 0."""
        similarity = np.ascontiguousarray((X @ self._index).toarray(), dtype=np.float32)
        count = min(self.settings.neighbours, similarity.shape[1])
        ids, best = top_k(similarity, count)
        weights = np.where(best > 0, np.maximum(best, 0) ** np.float32(self.settings.power), 0)
        return ids, weights.astype(np.float32)

    def evidence(self, x: sparse.csr_array, labels: Sequence[int]) -> list[Evidence]:
        """See Explainable.evidence: the neighbours' votes."""
        ids, weights = self._neighbours(unit(x))
        voters, votes = ids[0, weights[0] > 0], weights[0, weights[0] > 0]
        have = [self.labels_of(row) for row in voters.tolist()]
        found = []
        for label in labels:
            own = np.array([label in of_row for of_row in have], bool)
            rows, own_votes, shares = of_votes(voters[own], votes[own], 1.0)
            found.append(Evidence(label, rows=rows, weights=own_votes, row_shares=shares))
        return found

    def labels_of(self, row: int) -> np.ndarray:
        """See Voting.labels_of."""
        return row_labels(self._labels, row)

    def save(self, folder: Path) -> None:
        """See Model.save: the scaled features by column, the labels, model.json."""
        n_labels = self._labels.shape[1]
        save_header(
            folder, self.settings, self.seed, n_labels=n_labels, stage_seconds=self.stage_seconds
        )
        save_csr(folder, "index", self._index)
        save_csr(folder, "labels", self._labels)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """See Model.load."""
        header = load_header(folder)
        model = cls(FeatureNeighboursSettings.model_validate(header["settings"]), header["seed"])
        model.stage_seconds = header["stage_seconds"]
        model._labels = load_csr(folder, "labels", header["n_labels"])
        model._index = load_csr(folder, "index", model._labels.shape[0])
        return model

    @property
    def shape(self) -> tuple[int, int]:
        """See Model.shape."""
        return self._index.shape[0], self._labels.shape[1]

    @property
    def nbytes(self) -> int:
        """See Model.nbytes; the ones of the label matrix are stored and counted too."""
        return csr_bytes(self._index) + csr_bytes(self._labels)
