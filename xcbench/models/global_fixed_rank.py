"""The global model: one weight matrix of fixed rank for all points and labels.

    min over rank(W) <= r of ||XW - Y||^2 + ridge ||W||^2

solved in closed form or by Riemannian conjugate gradients (the paper's global model; the ridge
term and the change of variables are ours). Scores are the rows of X W.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import numpy as np
from scipy import sparse

from xcbench.config.methods import GlobalSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.matrix import slice_rows
from xcbench.errors import ConfigError
from xcbench.kernels.topk import top_k_product
from xcbench.models.base import Executor, InlineExecutor, Task
from xcbench.models.evidence import Evidence, linear_evidence
from xcbench.models.unseen import load_unseen, save_unseen, unseen_labels
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.low_rank_regression import LowRankRegression, closed_form
from xcbench.optim.whitening import make_whitening

STAGE = "regression"
# What the closed form may take: an eigenproblem of this order (minutes), and this many numbers
# (4 GB) of whitened labels.
CLOSED_FORM_ORDER = 10_000
CLOSED_FORM_NUMBERS = 2**29
PREDICTED_ROWS = 8192


class GlobalFixedRank:
    """Low-rank multi-label least squares.

    Parameters
    ----------
    settings : GlobalSettings
        A rank above min(n, d, l) is taken as that.
    seed : int

    Attributes
    ----------
    stage_seconds : dict
        All of the fit under "regression".
    solver : dict
        "cost", "iterations", "reason" of the solver, and the "rank" used.
    """

    def __init__(self, settings: GlobalSettings, seed: int) -> None:
        self.settings, self.seed = settings, seed
        self.stage_seconds: dict[str, float] = {}
        self.solver: dict[str, Any] = {}
        self._left = np.empty((0, 0), dtype=np.float32)
        self._right = np.empty((0, 0), dtype=np.float32)
        self._unseen = np.empty(0, np.int32)

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """See Model.fit.

        Raises
        ------
        ConfigError
            The closed form was asked for and the data are too large for it.
        """
        if self.settings.solver == "closed_form":
            _check_closed_form(train)
        task = Task("global", (train, self.settings, self.seed))
        ((self._left, self._right, self.solver, seconds),) = (executor or InlineExecutor()).map(
            _solve, [task], STAGE
        )
        self.stage_seconds = {STAGE: seconds}
        self._unseen = unseen_labels(train.Y)
        return self

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """See Model.predict; scores are formed in blocks, labels never seen are not listed."""
        n, d = X.shape
        if d != self._left.shape[0]:
            raise ValueError(f"X has {d} features; this model was fitted to {self._left.shape[0]}")
        labels = np.empty((n, k), dtype=np.int32)
        scores = np.empty((n, k), dtype=np.float32)
        for start in range(0, n, PREDICTED_ROWS):
            rows = slice(start, min(start + PREDICTED_ROWS, n))
            block = slice_rows(X, rows.start, rows.stop)
            labels[rows], scores[rows] = top_k_product(
                block @ self._left, self._right, k, self._unseen
            )
        return TopK(labels, scores)

    def evidence(self, x: sparse.csr_array, labels: Sequence[int]) -> list[Evidence]:
        """See Explainable.evidence: the features' weights."""
        weights = self._left[x.indices].astype(np.float64) @ self._right[list(labels)].T
        return linear_evidence(x, labels, weights, np.zeros(len(labels)))

    def save(self, folder: Path) -> None:
        """See Model.save: left.npy (d, r), right.npy (l, r), unseen labels, model.json."""
        np.save(folder / "left.npy", self._left, allow_pickle=False)
        np.save(folder / "right.npy", self._right, allow_pickle=False)
        save_unseen(folder, self._unseen)
        about = {
            "settings": self.settings.model_dump(mode="json"),
            "seed": self.seed,
            "solver": self.solver,
            "stage_seconds": self.stage_seconds,
        }
        (folder / "model.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """See Model.load."""
        about = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        model = cls(GlobalSettings.model_validate(about["settings"]), about["seed"])
        model.solver, model.stage_seconds = about["solver"], about["stage_seconds"]
        model._unseen = load_unseen(folder)
        model._left = np.load(folder / "left.npy", mmap_mode="r", allow_pickle=False)
        model._right = np.load(folder / "right.npy", mmap_mode="r", allow_pickle=False)
        return model

    @property
    def shape(self) -> tuple[int, int]:
        """See Model.shape."""
        return self._left.shape[0], self._right.shape[0]

    @property
    def nbytes(self) -> int:
        """See Model.nbytes."""
        return int(self._left.nbytes + self._right.nbytes)


def _check_closed_form(train: Dataset) -> None:
    order = min(train.n_points, train.n_features)
    if order > CLOSED_FORM_ORDER or order * train.n_labels > CLOSED_FORM_NUMBERS:
        raise ConfigError(
            f"solver: closed_form needs min(points, features) of at most {CLOSED_FORM_ORDER} and "
            f"at most {CLOSED_FORM_NUMBERS} numbers in min(points, features) x labels; these data "
            f"have {order} and {order * train.n_labels}. Use solver: riemannian_cg."
        )


def _solve(
    train: Dataset, settings: GlobalSettings, seed: int
) -> tuple[np.ndarray, np.ndarray, dict[str, Any], float]:
    """The whole fit, as one task: W's two factors, how they were found, and the seconds."""
    started = perf_counter()
    X, Y = _double(train.X), _double(train.Y)
    rank = min(settings.rank, *X.shape, Y.shape[1])
    if settings.solver == "closed_form":
        exact = closed_form(X, Y, settings.ridge, rank)
        left, right = exact.weights, exact.V
        solver = {"cost": exact.cost, "iterations": 0, "reason": "closed form"}
    else:
        left, right, solver = _descend(X, Y, settings, rank, seed)
    return (
        np.ascontiguousarray(left, dtype=np.float32),
        np.ascontiguousarray(right, dtype=np.float32),
        solver | {"rank": left.shape[1]},
        perf_counter() - started,
    )


def _descend(
    X: sparse.csr_array, Y: sparse.csr_array, settings: GlobalSettings, rank: int, seed: int
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Riemannian conjugate gradients in whitened coordinates."""
    # Learner 0, cluster 0: the same rule of seeds as for the models of many tasks.
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, 0)))
    whitening = make_whitening(settings.preconditioner, X, settings.ridge, rank, rng)
    problem = LowRankRegression(X, Y, settings.ridge, whitening, rank)
    if settings.start == "spectral":
        start = problem.spectral_start(rng)
    else:
        start = problem.scaled(problem.manifold.random_point(rng))
    solution = conjugate_gradient(
        problem,
        start,
        manifold=problem.manifold,
        iterations=settings.iterations,
        beta=settings.beta,
        line_search=settings.line_search,
        tolerance=settings.tolerance,
    )
    solver = {
        "cost": solution.cost,
        "iterations": solution.iterations,
        "reason": solution.reason,
    }
    U, s, V = solution.point
    return whitening.to_weights(U * s), V, solver


def _double(matrix: sparse.csr_array) -> sparse.csr_array:
    """The same matrix in float64; the index arrays are shared, memory-mapped or not."""
    data = matrix.data.astype(np.float64)
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
