"""Rows of made-up sparse text: the inner loop of ``data/synthesis``, which states the model.

Random numbers are SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): one stream a row, so a row is
the same whichever block or process it is written in. Besides whole numbers there is one division
and one square root an entry, which IEEE 754 rounds the same way on every machine.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.parse import sort_row
from xcbench.kernels.types import readonly, writable

# The slots of ``sizes``.
N_TRAIN, N_COLUMNS, LABELS, FEATURES, MOST_FEATURES, PART, N_SIZES = 0, 1, 2, 3, 4, 5, 6
TRAIN, TEST = 0, 1

ONE = 1 << 16  # means and spreads are counted in parts of this
LONGEST_LABEL, LONGEST_ENTRY = 11, 18  # bytes: 2147483647, and 2147483647:0.0721 with the space
GUIDE_BITS = 16

# Shares of the words of a row, of 256: of its labels, of labels it might as well have had, of its
# two topics; the rest is drawn from all text.
_OF_LABELS, _OF_OTHERS, _OF_TOPICS = 36, 84, 148
_SWAPPED = 13  # of 256: labels that are of another place
_WORDS_OF_LABEL, _WORDS_OF_TOPIC = 8, 48
_TOPIC_POINTS = (64, 2048)
_TRIES = 8  # words drawn for an entry, before entries are filled up in order

# (1 + ln tf) in tenths
_TIMES = np.array([0, 10, 17, 21, 24, 26, 28, 29, 31], np.int64)

_U = np.uint64
_GOLDEN, _FIRST, _SECOND = _U(0x9E3779B97F4A7C15), _U(0xBF58476D1CE4E5B9), _U(0x94D049BB133111EB)
_U0, _U1, _U30, _U27, _U31, _U32, _U48 = _U(0), _U(1), _U(30), _U(27), _U(31), _U(32), _U(48)
_LABEL_WORDS, _TOPIC_WORDS, _ROWS = _U(1 << 61), _U(1 << 62), _U(1 << 63)

_SPACE, _COMMA, _DOT, _ZERO, _COLON, _NEWLINE = 32, 44, 46, 48, 58, 10

_compiled = njit(error_model="numpy")
_inlined = njit(error_model="numpy", inline="always")


@_inlined
def _mix(x):
    x = (x ^ (x >> _U30)) * _FIRST
    x = (x ^ (x >> _U27)) * _SECOND
    return x ^ (x >> _U31)


@_inlined
def _next(state):
    """The next number of a stream, of 64 random bits."""
    state[0] += _GOLDEN
    return _mix(state[0])


@_inlined
def _below(bits, bound):
    """A number below bound, from the upper half of 64 random bits."""
    return np.int64(((bits >> _U32) * _U(bound)) >> _U32)


@_compiled
def _scattered(row, n, key):
    """A bijection of 0..n-1: rounds that are bijections of the next power of two, until inside."""
    bits = _U1
    while (_U1 << bits) < _U(n):
        bits += _U1
    mask = (_U1 << bits) - _U1
    half = (bits + _U1) >> _U1
    x = _U(row)
    while True:
        for k in range(4):
            x = (x * (_mix(key + _U(k)) | _U1) + (key >> _U(k))) & mask
            x ^= x >> half
        if x < _U(n):
            return np.int64(x)


@_compiled
def _find(ends, slot):
    """The first label whose end is beyond slot."""
    low, high = 0, ends.size - 1
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] > slot:
            high = middle
        else:
            low = middle + 1
    return low


@_compiled
def _word(bits, ends, guide):
    """The rank of the word at a place of the cumulative frequencies, which end at 2**48."""
    place = np.int64(bits >> _U(16))
    bin_ = place >> (48 - GUIDE_BITS)
    low, high = guide[bin_], guide[bin_ + 1]
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] > place:
            high = middle
        else:
            low = middle + 1
    return low


@_inlined
def _telling_word(bits, ends, guide):
    """The rarer of two words: what tells a label or a topic from others is rarely a common one."""
    return max(_word(_mix(bits), ends, guide), _word(_mix(bits + _GOLDEN), ends, guide))


@_compiled
def _count(state, mean, spread):
    """A count of at least 1 whose mean is ``mean`` parts of ONE."""
    multiplier = spread[_below(_next(state), spread.size)]
    excess = ((mean - ONE) * multiplier) // ONE
    return 1 + (excess + _below(_next(state), ONE)) // ONE


@_compiled
def _draw_labels(state, q, sizes, label_ends, mean, spread, columns, near, labels):
    """Fill ``near`` with all labels of place q, ``labels`` with those the point has: their number.

    A training point always has the labels whose middle it is.
    """
    n, n_columns = sizes[N_TRAIN], sizes[N_COLUMNS]
    n_fixed = 0
    for i in range(n_columns):
        columns[i] = i
        near[i] = _find(label_ends, i * n + q)
        start = label_ends[near[i] - 1] if near[i] > 0 else 0
        if sizes[PART] == TRAIN and (start + label_ends[near[i]]) // 2 == i * n + q:
            columns[i], columns[n_fixed] = columns[n_fixed], columns[i]
            near[i], near[n_fixed] = near[n_fixed], near[i]
            n_fixed += 1
    k = max(min(_count(state, mean, spread), n_columns), n_fixed)
    for i in range(k):
        if i >= n_fixed:
            j = i + _below(_next(state), n_columns - i)
            columns[i], columns[j] = columns[j], columns[i]
            near[i], near[j] = near[j], near[i]
        labels[i] = near[i]
        if i >= n_fixed and (_next(state) >> _U(56)) < _U(_SWAPPED):
            labels[i] = _find(label_ends, columns[i] * n + _below(_next(state), n))
    return k


@_compiled
def _draw_word(state, q, n_columns, k, key, near, labels, word_ends, guide):
    """One word of a row."""
    bits = _next(state)
    source = np.int64(bits & _U(255))
    if source >= _OF_TOPICS:
        return _word(_next(state), word_ends, guide)
    if source < _OF_OTHERS:
        label = labels[_below(bits, k)]
        if source >= _OF_LABELS:
            label = near[_below(bits, n_columns)]
        which = _below(_next(state), _WORDS_OF_LABEL)
        return _telling_word(
            key ^ (_LABEL_WORDS + _U(label * _WORDS_OF_LABEL + which) * _GOLDEN), word_ends, guide
        )
    level = source & 1
    topic = q // _TOPIC_POINTS[level]
    which = _below(_next(state), _WORDS_OF_TOPIC)
    place = ((topic << 1) + level) * _WORDS_OF_TOPIC + which
    return _telling_word(key ^ (_TOPIC_WORDS + _U(place) * _GOLDEN), word_ends, guide)


@_compiled
def _draw_entries(
    state, q, n_entries, k, key, near, labels, word_ends, guide, entry_of, ranks, times
):
    """Fill the ranks of a row's distinct words and how often each was drawn."""
    filled, tries = 0, 0
    word = 0
    while filled < n_entries:
        if tries < _TRIES * n_entries:
            word = _draw_word(state, q, near.size, k, key, near, labels, word_ends, guide)
        else:
            word = (word + 1) % word_ends.size
        tries += 1
        entry = entry_of[word]
        if entry:
            times[entry - 1] += 1
        else:
            ranks[filled], times[filled] = word, 1
            filled += 1
            entry_of[word] = filled
    for i in range(n_entries):
        entry_of[ranks[i]] = 0


@_compiled
def _weigh(n_entries, ranks, times, feature_ids, idf, ids, weights):
    """Fill the ids and tf-idf of a row's entries, in parts of 10000 of its length, ascending."""
    squares = 0.0
    for i in range(n_entries):
        weight = _TIMES[min(times[i], _TIMES.size - 1)] * idf[ranks[i]]
        ids[i], weights[i] = feature_ids[ranks[i]], weight
        squares += np.float64(weight) * np.float64(weight)
    length = np.sqrt(squares)
    for i in range(n_entries):
        weights[i] = max(np.int64(10000.0 * np.float64(weights[i]) / length + 0.5), 1)
    sort_row(ids, weights, _U0, _U(n_entries))


@_inlined
def _write_number(out, p, number):
    n_digits, power = 1, 10
    while number >= power:
        power *= 10
        n_digits += 1
    for i in range(n_digits):
        out[p + n_digits - 1 - i] = _ZERO + number % 10
        number //= 10
    return p + n_digits


@_inlined
def _write_value(out, p, parts):
    """Parts of 10000, as in 0.0721."""
    if parts >= 10000:
        out[p] = _ZERO + 1
        return p + 1
    out[p], out[p + 1] = _ZERO, _DOT
    p += 2
    unit = 1000
    while parts:
        out[p] = _ZERO + parts // unit
        parts %= unit
        unit //= 10
        p += 1
    return p


@_compiled
def _write_row(out, p, k, labels, n_entries, ids, weights):
    sort_row(labels, labels, _U0, _U(k))
    for i in range(k):
        if i and labels[i] == labels[i - 1]:
            continue  # one that came from another place too
        if i:
            out[p] = _COMMA
            p += 1
        p = _write_number(out, p, labels[i])
    for i in range(n_entries):
        out[p] = _SPACE
        p = _write_number(out, p + 1, ids[i])
        out[p] = _COLON
        p = _write_value(out, p + 1, weights[i])
    out[p] = _NEWLINE
    return p + 1


_WHOLE = types.int64
_SIGNATURE = types.int64(
    *(_WHOLE, _WHOLE, types.uint64, readonly("i8"), readonly("i8"), readonly("i4")),
    *(readonly("i8"), readonly("i4"), readonly("i4"), readonly("i8")),
    *(readonly("i8"), readonly("i8"), writable("i4"), writable("u8")),
)


@njit(_SIGNATURE, cache=True, nogil=True, error_model="numpy")
def write_rows(
    first,
    last,
    key,
    sizes,
    label_ends,
    label_ids,
    word_ends,
    guide,
    feature_ids,
    idf,
    label_spread,
    feature_spread,
    entry_of,
    out,
):
    """Write rows first to last of a part as XC text into out; the number of bytes.

    Parameters
    ----------
    first, last : int
    key : uint64
        The seed, well mixed.
    sizes : ndarray of int64, shape (N_SIZES,)
        See the slots above; means are in parts of ONE.
    label_ends : ndarray of int64, shape (l,)
        Where each label ends on the line that all columns make, one after the other.
    label_ids, feature_ids : ndarray of int32, shape (l,) and (d,)
        What a label of the line, and a word by its rank, is called in the text.
    word_ends : ndarray of int64, shape (d,)
        Cumulative frequencies of the words, up to 2**48.
    guide : ndarray of int32, shape (2**GUIDE_BITS + 1,)
        The words at equally spaced places of those.
    idf : ndarray of int64, shape (d,)
        By rank; the unit is of no account.
    label_spread, feature_spread : ndarray of int64
        Equally likely multiples of the means less one, in parts of ONE.
    entry_of : ndarray of int32, shape (d,)
        Zeros; they are zeros again afterwards.
    out : ndarray of uint8
        Room for ``LONGEST_LABEL`` bytes a column and ``LONGEST_ENTRY`` a feature, and two, a row.
    """
    n_columns, most = sizes[N_COLUMNS], sizes[MOST_FEATURES]
    state = np.empty(1, np.uint64)
    columns, near = np.empty(n_columns, np.int64), np.empty(n_columns, np.int64)
    labels = np.empty(n_columns, np.int64)
    ranks, times = np.empty(most, np.int64), np.empty(most, np.int64)
    ids, weights = np.empty(most, np.int64), np.empty(most, np.int64)
    row_key = key ^ (_ROWS + (_U(sizes[PART]) << _U48))
    p = 0
    for row in range(first, last):
        state[0] = _mix(row_key + _U(row))
        if sizes[PART] == TRAIN:
            q = _scattered(row, sizes[N_TRAIN], key)
        else:
            q = _below(_next(state), sizes[N_TRAIN])
        k = _draw_labels(
            state, q, sizes, label_ends, sizes[LABELS], label_spread, columns, near, labels
        )
        n_entries = min(_count(state, sizes[FEATURES], feature_spread), most)
        _draw_entries(
            state, q, n_entries, k, key, near, labels, word_ends, guide, entry_of, ranks, times
        )
        for i in range(k):
            labels[i] = label_ids[labels[i]]
        _weigh(n_entries, ranks, times, feature_ids, idf, ids, weights)
        p = _write_row(out, p, k, labels, n_entries, ids, weights)
    return p
