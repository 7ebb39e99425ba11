"""The tables made-up data is drawn from: O(l + d) numbers, the same on every machine.

What floating point makes is rounded to whole numbers far coarser than its last bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from xcbench.kernels import synthesis as kernel

_LABEL_EXPONENT, _WORD_SHIFT = 9 / 16, 2.7
SHARE = 0.35  # of the labels of a place that a point there has
_LABEL_SIGMA, _FEATURE_SIGMA = 0.45, 0.6  # of the logarithms
_QUANTILES = 256
_IDF_UNIT = 100
_MASK = 2**64 - 1


@dataclass(frozen=True)
class Tables:
    """What ``kernels/synthesis.py`` takes; see there.

    Attributes
    ----------
    n_columns, most_features : int
        Labels, and features, a point can have at most.
    label_ends, word_ends, idf, label_spread, feature_spread : ndarray of int64
    label_ids, feature_ids, guide : ndarray of int32
    """

    n_columns: int
    most_features: int
    label_ends: np.ndarray
    label_ids: np.ndarray
    word_ends: np.ndarray
    guide: np.ndarray
    feature_ids: np.ndarray
    idf: np.ndarray
    label_spread: np.ndarray
    feature_spread: np.ndarray


def make_tables(
    n: int, d: int, n_labels: int, features_per_point: float, labels_per_point: float, key: int
) -> Tables:
    """The tables for n training points, d features and l labels.

    Parameters
    ----------
    n, d, n_labels : int
    features_per_point, labels_per_point : float
        At least 1, and at most d and l.
    key : int
        64 bits, the seed well mixed.
    """
    lengths = _stretches(n, n_labels, labels_per_point)
    label_ends = np.cumsum(lengths[_shuffled(n_labels, key, 1)])
    n_columns = int(label_ends[-1]) // n
    probabilities = 1.0 / (np.arange(d) + _WORD_SHIFT)
    probabilities /= math.fsum(probabilities)
    word_ends = np.rint(np.cumsum(probabilities) * 2.0**48).astype(np.int64)
    word_ends[-1] = 1 << 48
    bins = np.arange((1 << kernel.GUIDE_BITS) + 1, dtype=np.int64) << (48 - kernel.GUIDE_BITS)
    guide = np.minimum(np.searchsorted(word_ends, bins, side="right"), d - 1)
    # In a row of so many words; the share of rows that have each, as if all words were of all text.
    found = -np.expm1(-probabilities * features_per_point)
    idf = np.rint(_IDF_UNIT * (1.0 + np.log((1.0 + n) / (1.0 + n * found)))).astype(np.int64)
    label_spread = _spread(labels_per_point, _LABEL_SIGMA, n_columns)
    feature_spread = _spread(features_per_point, _FEATURE_SIGMA, d)
    most = 2 + math.ceil((features_per_point - 1) * int(feature_spread.max()) / kernel.ONE)
    return Tables(
        n_columns=n_columns,
        most_features=min(most, d),
        label_ends=label_ends,
        label_ids=_shuffled(n_labels, key, 2).astype(np.int32),
        word_ends=word_ends,
        guide=guide.astype(np.int32),
        feature_ids=_shuffled(d, key, 3).astype(np.int32),
        idf=idf,
        label_spread=label_spread,
        feature_spread=feature_spread,
    )


def mixed(x: int) -> int:
    """SplitMix64's finaliser: 64 bits of which each depends on all of x."""
    x = (x + 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def _shuffled(size: int, key: int, what: int) -> np.ndarray:
    """0 to size - 1 in a random order; numpy's own shuffle may change with its version."""
    x = np.arange(size, dtype=np.uint64) + np.uint64(mixed(key + what))
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.argsort(x ^ (x >> np.uint64(31)), kind="stable")


def _stretches(n: int, n_labels: int, labels_per_point: float) -> np.ndarray:
    """The places each label covers, by rank: at least 1, at most n, a multiple of n in all."""
    shape = np.arange(1, n_labels + 1) ** -_LABEL_EXPONENT
    most = 1 + SHARE * (n - 1)
    low, high = 0.0, most / float(shape[-1])
    for _ in range(64):  # the factor with which the points of all labels come to n labels_per_point
        middle = (low + high) / 2
        too_many = np.clip(middle * shape, 1.0, most).sum() > n * labels_per_point
        low, high = (low, middle) if too_many else (middle, high)
    points = np.clip(low * shape, 1.0, most)
    lengths: np.ndarray = np.clip(np.rint(1 + (points - 1) / SHARE), 1, n).astype(np.int64)
    missing = int(-lengths.sum() % n)
    # In proportion, and the rest wherever there is room, from the rarest label on.
    lengths = np.minimum(lengths + missing * lengths // lengths.sum(), n)
    missing = int(-lengths.sum() % n)
    while missing:
        with_room = np.flatnonzero(lengths < n)[-missing:]
        lengths[with_room] += 1
        missing -= with_room.size
    return lengths


def _spread(mean: float, sigma: float, most: int) -> np.ndarray:
    """Equally likely multiples of mean - 1: log-normal, of mean 1, and none beyond ``most``."""
    quantiles = [NormalDist().inv_cdf((i + 0.5) / _QUANTILES) for i in range(_QUANTILES)]
    if mean > 1:
        room = max(most - 1, 1) / (mean - 1)
        sigma = min(sigma, math.log(max(room, 1.0)) / quantiles[-1])
    multiples = [math.exp(sigma * z) for z in quantiles]
    unit = kernel.ONE * len(multiples) / math.fsum(multiples)
    return np.array([round(unit * multiple) for multiple in multiples], np.int64)
