"""Labels that no training row has: a linear model knows nothing of them, and scores them 0.

That would put them before every label with a negative score; so they are not listed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.matrix import column_counts
from xcbench.models.files import open_array

_FILE = "unseen.npy"


def unseen_labels(Y: sparse.csr_array) -> np.ndarray:
    """The labels without a training row, int32 ascending."""
    return np.setdiff1d(np.arange(Y.shape[1], dtype=np.int32), column_counts(Y)[0])


def save_unseen(folder: Path, labels: np.ndarray) -> None:
    """Write them beside the weights."""
    np.save(folder / _FILE, labels, allow_pickle=False)


def load_unseen(folder: Path) -> np.ndarray:
    """Map them; none of a model that was saved before they were."""
    path = folder / _FILE
    return open_array(path) if path.exists() else np.empty(0, np.int32)
