"""What callers may pass."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

# (n, d) features, (n, l) labels, or (n,) classes. ArrayLike holds data frames and nested lists.
MatrixLike: TypeAlias = npt.ArrayLike | sparse.sparray | sparse.spmatrix
RandomState: TypeAlias = int | np.random.RandomState | None
