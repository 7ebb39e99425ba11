"""napkinXC: probabilistic label trees and binary relevance, compiled from C++."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.config.peers import NapkinXCSettings
from xcbench.data.dataset import Dataset
from xcbench.models.peers.base import PeerModel
from xcbench.models.peers.interruptible import interruptible

_OF_BOTH = {"loss", "weights_threshold", "liblinear_c", "liblinear_eps", "liblinear_max_iter"}
_OF_TREES = {"arity", "max_leaves", "ensemble", "tree_search_type", "beam_search_width"}


class NapkinXC(PeerModel):
    """A PLT or BR of napkinXC.

    It is not reproducible: its optimiser draws without the seed, and two fits of the same seed
    differ a little even in one thread.

    The training time is that of its ``fit``, which takes our matrices and writes the model's files
    as it goes; the two cannot be told apart. The prediction time is that of its
    ``predict_proba`` on all rows, with the model in memory.
    """

    settings_type = NapkinXCSettings

    def _model(self) -> Any:
        """napkinXC's model of these settings, in the folder of its files."""
        from napkinxc.models import BR, PLT

        trees = self.settings.kind == "plt"
        options = self.settings.model_dump(include=_OF_BOTH | (_OF_TREES if trees else set()))
        # Its seeds are signed and of 32 bits.
        options |= {"seed": self.seed % 2**31, "threads": self.threads}
        return (PLT if trees else BR)(str(self._files), **options)

    def _train(self, train: Dataset, scratch: Path) -> float:
        self.version = version("napkinxc")
        X, Y = (sparse.csr_matrix(matrix) for matrix in (train.X, train.Y))
        model = self._model()
        start = perf_counter()
        interruptible(lambda: model.fit(X, Y))
        return perf_counter() - start

    def _open(self) -> Any:
        model = self._model()
        model.load()
        return model

    def _predict(self, X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray, float]:
        rows = sparse.csr_matrix(X)
        start = perf_counter()
        found = interruptible(lambda: self._opened.predict_proba(rows, top_k=k))
        seconds = perf_counter() - start
        labels = np.full((X.shape[0], k), -1, np.int32)
        scores = np.full((X.shape[0], k), -np.inf, np.float32)
        for i, row in enumerate(found):
            for place, (label, score) in enumerate(row[:k]):
                labels[i, place], scores[i, place] = label, score
        return labels, scores, seconds
