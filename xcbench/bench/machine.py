"""What this machine can do at best on one thread, so that kernels can be held against it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xcbench.bench.timing import median_seconds

GEMM_SIZE = 2048
COPY_BYTES = 1 << 28  # far beyond any cache


@dataclass(frozen=True)
class Machine:
    """Measured rates of one thread: float32 matrix product (flop/s) and copy (bytes/s)."""

    gemm: float
    memory: float

    def share(self, flops: float, seconds: float) -> str:
        """A rate in Gflop/s and its share of the matrix product's."""
        rate = flops / seconds
        return f"{rate / 1e9:.1f} Gflop/s, {100 * rate / self.gemm:.0f} % of GEMM"

    def traffic(self, moved: float, seconds: float) -> str:
        """Operand bytes a second and their share of the copy rate; above 100 % caches serve."""
        rate = moved / seconds
        return f"{rate / 1e9:.1f} GB/s, {100 * rate / self.memory:.0f} % of copy"


def measure(repeats: int) -> Machine:
    """Time a float32 GEMM and a copy that no cache holds."""
    rng = np.random.default_rng(0)
    A = rng.random((GEMM_SIZE, GEMM_SIZE), dtype=np.float32)
    out = np.empty_like(A)
    gemm = 2.0 * GEMM_SIZE**3 / median_seconds(lambda: np.matmul(A, A, out=out), repeats)
    source = np.ones(COPY_BYTES // 4, np.float32)
    target = np.empty_like(source)
    # read and written
    memory = 2.0 * COPY_BYTES / median_seconds(lambda: np.copyto(target, source), repeats)
    return Machine(gemm, memory)
