"""The parts of a CSR matrix in the types the kernels take."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def csr_parts(matrix: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``indptr`` int64, ``indices`` int32 and ``data``; nothing is copied that already fits."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data,
    )
