"""Kernels on a symmetric sparse pattern stored as its upper triangle in CSR form.

``indptr`` int64 (n+1), ``columns`` int32 (entries), columns at least their row. Rows of the dense
factors are read in the order of the pattern, so a pattern whose neighbouring rows share columns
stays in cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("f4", 2), readonly("f4", 2),
        writable("f4"),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def residual(indptr, columns, targets, U, V, out):
    """out = targets - u_i . v_j on the pattern, here any one; U, V float32 (n, r)."""
    r = U.shape[1]
    for i in range(indptr.size - 1):
        ui = U[i]
        for p in range(indptr[i], indptr[i + 1]):
            vj = V[np.uint32(columns[p])]
            dot = np.float32(0.0)
            for c in range(r):
                dot += ui[c] * vj[c]
            out[p] = targets[p] - dot


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4", 2), readonly("f4", 2),
        writable("f4"), writable("f4"),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def line_products(indptr, columns, Z, U, linear, quadratic):
    """linear = z_i . u_j + u_i . z_j and quadratic = u_i . u_j on the pattern, in one pass."""
    r = Z.shape[1]
    for i in range(indptr.size - 1):
        zi = Z[i]
        ui = U[i]
        p = indptr[i]
        stop = indptr[i + 1]
        # two columns at a time read the row's own factors half as often
        while p + 1 < stop:
            j, k = np.uint32(columns[p]), np.uint32(columns[p + 1])
            zj, uj, zk, uk = Z[j], U[j], Z[k], U[k]
            aj = bj = ak = bk = np.float32(0.0)
            for c in range(r):
                aj += zi[c] * uj[c] + ui[c] * zj[c]
                bj += ui[c] * uj[c]
                ak += zi[c] * uk[c] + ui[c] * zk[c]
                bk += ui[c] * uk[c]
            linear[p], quadratic[p] = aj, bj
            linear[p + 1], quadratic[p + 1] = ak, bk
            p += 2
        if p < stop:
            j = np.uint32(columns[p])
            zj, uj = Z[j], U[j]
            aj = bj = np.float32(0.0)
            for c in range(r):
                aj += zi[c] * uj[c] + ui[c] * zj[c]
                bj += ui[c] * uj[c]
            linear[p], quadratic[p] = aj, bj


@njit(
    types.void(
        readonly("f4"), readonly("f4"), readonly("f4"), readonly("f4"), writable("f8")
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def quartic(weights, residuals, linear, quadratic, out):
    """Coefficients (t^0 .. t^4) of sum w (r - t a - t^2 b)^2, summed in float64."""
    c0 = c1 = c2 = c3 = c4 = 0.0
    for p in range(weights.size):
        w = np.float64(weights[p])
        r = np.float64(residuals[p])
        a = np.float64(linear[p])
        b = np.float64(quadratic[p])
        c0 += w * r * r
        c1 += w * r * a
        c2 += w * (a * a - 2.0 * r * b)
        c3 += w * a * b
        c4 += w * b * b
    out[0] = c0
    out[1] = -2.0 * c1
    out[2] = c2
    out[3] = 2.0 * c3
    out[4] = c4


@njit(
    types.void(types.float32, readonly("f4"), readonly("f4"), writable("f4")),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def advance(t, linear, quadratic, residuals):
    """residuals -= t linear + t^2 quadratic, in place."""
    for p in range(residuals.size):
        residuals[p] -= t * (linear[p] + t * quadratic[p])


@njit(
    types.float64(readonly("f4"), readonly("f4")),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def weighted_square(weights, residuals):
    """sum w r^2 in float64."""
    total = 0.0
    for p in range(weights.size):
        r = np.float64(residuals[p])
        total += np.float64(weights[p]) * r * r
    return total


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("i4"), readonly("f4"), readonly("f4"),
        readonly("f4", 2), writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def symmetric_product(indptr, columns, source, weights, values, Z, out):
    """out = (T + T^T) Z for the stored triangle T of entries weights * values.

    ``indptr, columns, source`` are the mirrored pattern (see pattern.mirror): every row complete,
    each entry with its place in the triangle. Z, out float32 (n, r).
    """
    r = Z.shape[1]
    for i in range(indptr.size - 1):
        row = out[i]
        row[:] = np.float32(0.0)
        p = indptr[i]
        stop = indptr[i + 1]
        # four columns at a time quarter the traffic of the row being summed
        while p + 3 < stop:
            s0, s1 = np.uint32(source[p]), np.uint32(source[p + 1])
            s2, s3 = np.uint32(source[p + 2]), np.uint32(source[p + 3])
            x0, x1 = weights[s0] * values[s0], weights[s1] * values[s1]
            x2, x3 = weights[s2] * values[s2], weights[s3] * values[s3]
            z0, z1 = Z[np.uint32(columns[p])], Z[np.uint32(columns[p + 1])]
            z2, z3 = Z[np.uint32(columns[p + 2])], Z[np.uint32(columns[p + 3])]
            for c in range(r):
                row[c] += x0 * z0[c] + x1 * z1[c] + x2 * z2[c] + x3 * z3[c]
            p += 4
        while p < stop:
            s0 = np.uint32(source[p])
            x0 = weights[s0] * values[s0]
            z0 = Z[np.uint32(columns[p])]
            for c in range(r):
                row[c] += x0 * z0[c]
            p += 1
