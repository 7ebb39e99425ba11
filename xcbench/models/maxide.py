"""Maxide as a method of extreme classification.

Every training label is known, 0s included, so that the problem has a closed form: with A of the
training points, Z is A^T Y B with its singular values shrunk by the penalty. Maxide is transductive
by nature; as a model that is fitted before it sees a test row it takes A from the training
features alone, and gives a new point x the row of A that these features imply
(models/side_features). M is 1 for a label and 0 for none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import numpy as np
from scipy import sparse

from xcbench.config.maxide import MaxideSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.matrix import slice_rows, take_rows
from xcbench.errors import ConfigError
from xcbench.kernels.topk import top_k_product
from xcbench.metrics.ranking import hits
from xcbench.models.base import Executor, InlineExecutor, Task
from xcbench.models.evidence import Evidence, linear_evidence
from xcbench.models.files import load_header, open_array, save_header
from xcbench.models.side_features import SideFeatures, correlation_basis
from xcbench.models.unseen import load_unseen, save_unseen, unseen_labels
from xcbench.optim.proximal_gradient import shrunk

STAGE = "completion"
HELD_OUT = 0.2  # of the training rows, on which rank and penalty are chosen
_LEAST_ROWS = 10  # fewer leave nothing to choose on
_DEPTH = 5  # places of the rankings compared
_PREDICTED_ROWS = 8192


class Maxide:
    """Multi-label least squares in the span of leading features, with a trace norm penalty.

    Parameters
    ----------
    settings : MaxideSettings
        Of several ranks and penalties, those with the most right labels among the first five are
        taken, as found on a fifth of the training rows. ``growth``, ``tolerance`` and
        ``iterations`` have no part in a closed form.
    seed : int
        Draws that fifth, and starts the singular vectors.

    Attributes
    ----------
    stage_seconds : dict of str to float
    chosen : dict
        "rank" and "penalty" (a share of the largest one), and the rank of Z, "rank_of_z".
    """

    def __init__(self, settings: MaxideSettings, seed: int) -> None:
        self.settings, self.seed = settings, seed
        self.stage_seconds: dict[str, float] = {}
        self.chosen: dict[str, Any] = {}
        # Scores are (x left + offset) right^T: (d, r), (1, r) and (l, r), float32.
        self._left = self._offset = self._right = np.empty((0, 0), np.float32)
        self._unseen = np.empty(0, np.int32)

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """See Model.fit.

        Raises
        ------
        ConfigError
            A weighting was asked for, with which there is no closed form, or a mean over ranks.
        """
        for key, value in (("weighting", "none"), ("over_ranks", "best")):
            if (asked := getattr(self.settings, key)) != value:
                raise ConfigError(
                    f"{key}: {asked} is for label completion; in extreme classification Maxide "
                    f"has {key}: {value}"
                )
        task = Task("maxide", (train, self.settings, self.seed))
        ((self._left, self._offset, self._right, self.chosen, seconds),) = (
            executor or InlineExecutor()
        ).map(_solve, [task], STAGE)
        self.stage_seconds = {STAGE: seconds}
        self._unseen = unseen_labels(train.Y)
        return self

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """See Model.predict; scores are formed in blocks, labels never seen are not listed."""
        n, d = X.shape
        if d != self._left.shape[0]:
            raise ValueError(f"X has {d} features; this model was fitted to {self._left.shape[0]}")
        labels, scores = np.empty((n, k), np.int32), np.empty((n, k), np.float32)
        for start in range(0, n, _PREDICTED_ROWS):
            rows = slice(start, min(start + _PREDICTED_ROWS, n))
            image = slice_rows(X, rows.start, rows.stop) @ self._left + self._offset
            labels[rows], scores[rows] = top_k_product(image, self._right, k, self._unseen)
        return TopK(labels, scores)

    def evidence(self, x: sparse.csr_array, labels: Sequence[int]) -> list[Evidence]:
        """See Explainable.evidence: the features' weights, and the offset."""
        right = self._right[list(labels)].T.astype(np.float64)
        weights = self._left[x.indices].astype(np.float64) @ right
        return linear_evidence(x, labels, weights, (self._offset.astype(np.float64) @ right)[0])

    def save(self, folder: Path) -> None:
        """See Model.save: left (d, r), offset (1, r), right (l, r), unseen labels, model.json."""
        for name in ("left", "offset", "right"):
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"), allow_pickle=False)
        save_unseen(folder, self._unseen)
        save_header(
            folder, self.settings, self.seed, chosen=self.chosen, stage_seconds=self.stage_seconds
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """See Model.load."""
        header = load_header(folder)
        model = cls(MaxideSettings.model_validate(header["settings"]), header["seed"])
        model.chosen, model.stage_seconds = header["chosen"], header["stage_seconds"]
        for name in ("left", "offset", "right"):
            setattr(model, f"_{name}", open_array(folder / f"{name}.npy"))
        model._unseen = load_unseen(folder)
        return model

    @property
    def shape(self) -> tuple[int, int]:
        """See Model.shape."""
        return self._left.shape[0], self._right.shape[0]

    @property
    def nbytes(self) -> int:
        """See Model.nbytes."""
        return int(self._left.nbytes + self._offset.nbytes + self._right.nbytes)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A^T Y B of some points for the largest rank; smaller ones are its first rows."""

    side: SideFeatures
    target: np.ndarray
    B: np.ndarray | None

    @classmethod
    def of(cls, train: Dataset, settings: MaxideSettings, seed: int) -> _Fitted:
        side = SideFeatures(train.X, max(settings.ranks), np.random.default_rng([seed, 1]))
        target = np.ascontiguousarray((train.Y.T @ side.of_fitted()).T)
        if settings.labels == "identity":
            return cls(side, target, None)
        B = correlation_basis(train.Y, settings.label_rank, np.random.default_rng([seed, 2]))
        return cls(side, target @ B, B)

    def decomposed(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The singular triplets for a rank; the constant is a row more."""
        return shrunk(self.target[: rank + 1], 0.0)

    def factors(
        self, triplets: tuple[np.ndarray, np.ndarray, np.ndarray], share: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Z B^T for a penalty as a product: (1 + rank, r) and (l, r)."""
        U, s, Vt = triplets
        left = s - share * s.max(initial=0.0)
        kept = left > 0
        right = Vt[kept].T if self.B is None else self.B @ Vt[kept].T
        return U[:, kept] * left[kept], np.ascontiguousarray(right, np.float32)


def _solve(
    train: Dataset, settings: MaxideSettings, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Any], float]:
    """The whole fit, as one task: the three arrays, what was chosen, and the seconds."""
    start = perf_counter()
    rank, share = _choose(train, settings, seed)
    fitted = _Fitted.of(train, settings, seed)
    left, right = fitted.factors(fitted.decomposed(rank), share)
    side = fitted.side
    weights = side.directions[:, : len(left) - 1] @ left[1:]
    offset = left[:1] * side.n_points**-0.5 - side.mean @ weights
    chosen = {"rank": len(left) - 1, "penalty": share, "rank_of_z": left.shape[1]}
    arrays = (np.ascontiguousarray(each, np.float32) for each in (weights, offset, right))
    return *arrays, chosen, perf_counter() - start  # type: ignore[return-value]


def _choose(train: Dataset, settings: MaxideSettings, seed: int) -> tuple[int, float]:
    """Rank and penalty; of too few rows the largest rank and the smallest penalty."""
    pairs = list(product(sorted(settings.ranks), sorted(settings.penalties, reverse=True)))
    n = train.n_points
    if len(pairs) == 1 or n < _LEAST_ROWS:
        return pairs[-1]
    order = np.random.default_rng([seed, 0]).permutation(n)
    parts = np.split(order, [n - round(HELD_OUT * n)])
    kept, out = (
        Dataset(take_rows(train.X, rows), take_rows(train.Y, rows))
        for rows in (np.sort(part) for part in parts)
    )
    fitted = _Fitted.of(kept, settings, seed)
    A = fitted.side.of(out.X).astype(np.float32)
    found = {}
    for rank in sorted(settings.ranks):
        triplets = fitted.decomposed(rank)
        for share in settings.penalties:
            left, right = fitted.factors(triplets, share)
            image = A[:, : len(left)] @ left.astype(np.float32)
            labels, scores = top_k_product(image, right, _DEPTH)
            found[rank, share] = int(hits(TopK(labels, scores), out.Y, _DEPTH).sum())
    return max(pairs, key=lambda pair: found[pair])
