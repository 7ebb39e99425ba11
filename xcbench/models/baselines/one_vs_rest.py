"""One-vs-rest ridge regression from the features to every label.

min ||XW - Y||_F^2 + ridge ||W||_F^2 for W (d, l): the l columns have nothing to do with one another
and are solved in blocks. Scores are the rows of X W.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Self

import numpy as np
from scipy import sparse

from xcbench.config.peers import OneVsRestSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.matrix import csr, row_pointers, slice_rows
from xcbench.kernels import sparse_dense
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.topk import top_k
from xcbench.models.base import Executor, InlineExecutor, Task
from xcbench.models.evidence import Evidence, linear_evidence
from xcbench.models.files import (
    csr_bytes,
    load_csr,
    load_header,
    open_array,
    save_csr,
    save_header,
)
from xcbench.models.unseen import load_unseen, save_unseen, unseen_labels
from xcbench.optim.ridge import RidgeSolver, SparseOperator

STAGE = "regression"
# Labels of one task, which has a factorisation of its own where there is one, and of those the ones
# solved at once.
TASK_LABELS = 1024
SOLVED_AT_ONCE = 128
SCORES = 1 << 22  # held at once: rows of a block times labels


class OneVsRest:
    """A linear model for each label, all of full rank.

    Parameters
    ----------
    settings : OneVsRestSettings
    seed : int
        Nothing is drawn.

    Attributes
    ----------
    stage_seconds : dict of str to float
        All of the fit under "regression".
    """

    def __init__(self, settings: OneVsRestSettings, seed: int) -> None:
        self.settings, self.seed = settings, seed
        self.stage_seconds: dict[str, float] = {}
        # (d, l): dense, or sparse where only the largest weights are kept.
        self._weights: np.ndarray | sparse.csr_array = np.empty((0, 0), dtype=np.float32)
        self._unseen = np.empty(0, np.int32)

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """See Model.fit; one task for every TASK_LABELS labels."""
        bounds = range(0, train.n_labels, TASK_LABELS)
        tasks = [
            Task(f"labels {first} to {last - 1}", (train, first, last, self.settings), last - first)
            for first in bounds
            for last in [min(first + TASK_LABELS, train.n_labels)]
        ]
        blocks = (executor or InlineExecutor()).map(_solve, tasks, STAGE)
        self.stage_seconds = {STAGE: sum(seconds for *_, seconds in blocks)}
        self._unseen = unseen_labels(train.Y)
        shape = (train.n_features, train.n_labels)
        if self.settings.weights_per_label is None:
            weights = np.empty(shape, np.float32)
            for first, (_, block, _) in zip(bounds, blocks, strict=True):
                weights[:, first : first + block.shape[0]] = block.T
            self._weights = weights
        else:
            columns = np.concatenate([features for features, _, _ in blocks])
            values = np.concatenate([block for _, block, _ in blocks])
            starts = row_pointers(np.arange(0, columns.size + 1, columns.shape[1]))
            by_label = csr(values.ravel(), columns.ravel(), starts, shape[::-1])
            self._weights = by_label.T.tocsr()
        return self

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """See Model.predict; scores are formed in blocks, labels never seen are not listed."""
        (n, d), (fitted, n_labels) = X.shape, self._weights.shape
        if k < 1:
            raise ValueError(f"k is {k}; expected at least 1")
        if d != fitted:
            raise ValueError(f"X has {d} features; this model was fitted to {fitted}")
        labels, scores = np.empty((n, k), np.int32), np.empty((n, k), np.float32)
        step = max(1, SCORES // n_labels)
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            block = slice_rows(X, rows.start, rows.stop)
            of_block = self._scores(block)
            of_block[:, self._unseen] = np.nan
            labels[rows], scores[rows] = top_k(of_block, k)
        return TopK(labels, scores)

    def _scores(self, X: sparse.csr_array) -> np.ndarray:
        if isinstance(self._weights, np.ndarray):
            out = np.empty((X.shape[0], self._weights.shape[1]), np.float32)
            sparse_dense.multiply(*csr_parts(X), self._weights, out)
            return out
        return np.ascontiguousarray((X @ self._weights).toarray(), dtype=np.float32)

    def evidence(self, x: sparse.csr_array, labels: Sequence[int]) -> list[Evidence]:
        """See Explainable.evidence: the features' weights."""
        weights = self._weights[x.indices]
        of_labels = weights[:, list(labels)]
        if not isinstance(of_labels, np.ndarray):
            of_labels = of_labels.toarray()
        return linear_evidence(x, labels, of_labels, np.zeros(len(labels)))

    def save(self, folder: Path) -> None:
        """See Model.save: the weights, dense or sparse, unseen labels, and model.json."""
        save_unseen(folder, self._unseen)
        weights = self._weights
        n_labels = weights.shape[1]
        save_header(
            folder, self.settings, self.seed, n_labels=n_labels, stage_seconds=self.stage_seconds
        )
        if isinstance(weights, np.ndarray):
            np.save(folder / "weights.npy", weights, allow_pickle=False)
        else:
            save_csr(folder, "weights", weights)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """See Model.load."""
        header = load_header(folder)
        model = cls(OneVsRestSettings.model_validate(header["settings"]), header["seed"])
        model.stage_seconds = header["stage_seconds"]
        model._unseen = load_unseen(folder)
        if model.settings.weights_per_label is None:
            model._weights = open_array(folder / "weights.npy")
        else:
            model._weights = load_csr(folder, "weights", header["n_labels"])
        return model

    @property
    def shape(self) -> tuple[int, int]:
        """See Model.shape."""
        return int(self._weights.shape[0]), int(self._weights.shape[1])

    @property
    def nbytes(self) -> int:
        """See Model.nbytes."""
        weights = self._weights
        return weights.nbytes if isinstance(weights, np.ndarray) else csr_bytes(weights)


def _solve(
    train: Dataset, first: int, last: int, settings: OneVsRestSettings
) -> tuple[np.ndarray, np.ndarray, float]:
    """The weights of some labels, float32 (labels, kept), their features, and the seconds.

    With all weights kept the features are left out: an empty array.
    """
    start = perf_counter()
    solver = RidgeSolver(SparseOperator(train.X), settings.ridge)
    targets = train.Y.tocsc()[:, first:last]
    kept = min(settings.weights_per_label or train.n_features, train.n_features)
    values = np.empty((last - first, kept), np.float32)
    features = np.empty((last - first, kept if settings.weights_per_label else 0), np.int32)
    for at in range(0, last - first, SOLVED_AT_ONCE):
        block = slice(at, at + SOLVED_AT_ONCE)
        solved = solver.solve(targets[:, block].toarray().astype(np.float32)).T
        if settings.weights_per_label:
            features[block], values[block] = _largest(solved, kept)
        else:
            values[block] = solved
    return features, values, perf_counter() - start


def _largest(weights: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns of the largest absolute weights of each row, ascending, and the weights."""
    if count == weights.shape[1]:
        chosen = np.broadcast_to(np.arange(count), weights.shape)
    else:
        chosen = np.sort(np.argpartition(-np.abs(weights), count, axis=1)[:, :count], axis=1)
    return chosen.astype(np.int32), np.take_along_axis(weights, chosen, 1)
