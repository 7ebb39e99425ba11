"""Rows of sparse text, from bytes to numbers: the inner loop of every text reader.

Grammar of a row (`l`, `f`: indices of at most 18 digits, `v`: a decimal; spaces are bytes 32)::

    row     = [labels] *(space) *(feature *(space)) [return] newline
    labels  = l *("," *(space) l)           only at the very start of the row
    feature = f ":" v

A row that starts with a space has no labels. A row whose first token is `f:v` has none either:
no label list can hold a colon, so the missing space loses nothing.

Values are ``float32(float(text))`` to the bit. Up to 15 digits with a small exponent are exact in
one operation; longer tokens are bracketed, and the few (about one in 10**8) whose bracket
straddles two float32 are handed back in ``patches`` for the caller to convert.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable

# What went wrong, in ``result[CODE]``.
OK, LABEL_SYNTAX, LABEL_RANGE, FEATURE_SYNTAX, FEATURE_RANGE = 0, 1, 2, 3, 4
VALUE_SYNTAX, VALUE_RANGE, DUPLICATE_FEATURE, EXTRA_ROW, BLANK_ROW = 5, 6, 7, 8, 9

# The slots of ``result``.
CODE = 0  # one of the codes above
ROWS = 1  # complete rows parsed
FEATURES = 2  # entries filled in ``features`` and ``values``
LABELS = 3  # entries filled in ``labels``
MERGED = 4  # duplicate labels dropped
PATCHES = 5  # rows filled in ``patches``
START = 6  # first byte of the offending token (of the row, for DUPLICATE_FEATURE)
INDEX = 7  # the duplicated feature, as written in the file
N_RESULTS = 8

MAX_DIGITS = 18  # of an index; so many always fit an int64

_NEWLINE, _RETURN, _SPACE = 10, 13, 32
_PLUS, _COMMA, _MINUS, _DOT, _COLON = 43, 44, 45, 46, 58
_UPPER_E, _LOWER_E = 69, 101

# Positions are unsigned: a signed index would be tested for Python's counting from the end at
# every byte, which halves the speed. Signed and unsigned never meet, they would make a float.
_POSITION, _STEP = np.uint64, np.uint64(1)
_ZERO, _NINE = np.uint64(48), np.uint64(9)

_BEYOND_ANY_INDEX = 1 << 60
_FULL_MANTISSA = 10**17  # appending a digit to one below it never leaves int64
_MAX_POWER = 280  # beyond it every float32 is 0 or infinite
_EXACT_POWER = 22  # 10**22 is the last power of ten that is a float64
_EXACT_MANTISSA = 1 << 53
_POWERS = np.array([float(f"1e{k}") for k in range(-_MAX_POWER, _MAX_POWER + 1)])
_BRACKET = 1e-15  # three roundings of 2**-53 and the cut digits stay within 4e-16

_ACCEPTED, _AMBIGUOUS, _MALFORMED, _OVERFLOW = 0, 1, 2, 3

# No divisor is ever 0; testing for it, and calling what runs at every byte, costs an eighth.
_compiled = njit(error_model="numpy")
_inlined = njit(error_model="numpy", inline="always")


@_inlined
def _skip_spaces(text, p):
    while text[p] == _SPACE:
        p += _STEP
    return p


@_inlined
def _ends_row(text, p):
    return text[p] == _NEWLINE or (text[p] == _RETURN and text[p + _STEP] == _NEWLINE)


@_inlined
def _read_index(text, p):
    """The digits from p on: (number, position after them)."""
    start = p
    index = np.int64(0)
    digit = np.uint64(text[p]) - _ZERO
    while digit <= _NINE:
        index = index * 10 + np.int64(digit)
        p += _STEP
        digit = np.uint64(text[p]) - _ZERO
    if p - start > MAX_DIGITS:
        index = np.int64(_BEYOND_ANY_INDEX)
    return index, p


@_inlined
def _read_exponent(text, p):
    """The signed digits after an `e`: (exponent, position after them, well formed)."""
    negative = text[p] == _MINUS
    if negative or text[p] == _PLUS:
        p += _STEP
    start = p
    exponent, p = _read_index(text, p)
    return -exponent if negative else exponent, p, p > start


@_inlined
def _nearest_float32(mantissa, power):
    """mantissa * 10**power as (float32, status)."""
    if mantissa <= _EXACT_MANTISSA and -_EXACT_POWER <= power <= _EXACT_POWER:
        if power >= 0:
            return np.float32(mantissa * _POWERS[_POSITION(_MAX_POWER + power)]), _ACCEPTED
        return np.float32(mantissa / _POWERS[_POSITION(_MAX_POWER - power)]), _ACCEPTED
    if mantissa == 0 or power < -_MAX_POWER:
        return np.float32(0.0), _ACCEPTED
    if power > _MAX_POWER:
        return np.float32(0.0), _OVERFLOW
    near = mantissa * _POWERS[_POSITION(_MAX_POWER + power)]
    low = np.float32(near * (1.0 - _BRACKET))
    if low != np.float32(near * (1.0 + _BRACKET)):
        return low, _AMBIGUOUS
    if np.isinf(low):
        return low, _OVERFLOW
    return low, _ACCEPTED


@_inlined
def _read_digits(text, p, mantissa):
    """The digits from p on, appended to mantissa while it has room: (it, number cut, end)."""
    cut = _POSITION(0)
    digit = np.uint64(text[p]) - _ZERO
    while digit <= _NINE:
        if mantissa < _FULL_MANTISSA:
            mantissa = mantissa * 10 + np.int64(digit)
        else:
            cut += _STEP
        p += _STEP
        digit = np.uint64(text[p]) - _ZERO
    return mantissa, cut, p


@_inlined
def _read_value(text, p):
    """The decimal number from p on: (float32, position after it, status)."""
    negative = text[p] == _MINUS
    if negative or text[p] == _PLUS:
        p += _STEP
    start = p
    mantissa, dropped, p = _read_digits(text, p, 0)
    power = np.int64(dropped)
    n_digits = p - start
    if text[p] == _DOT:
        start = p + _STEP
        mantissa, dropped, p = _read_digits(text, start, mantissa)
        power -= np.int64(p - start - dropped)
        n_digits += p - start
    if n_digits == 0:
        return np.float32(0.0), p, _MALFORMED
    if text[p] == _LOWER_E or text[p] == _UPPER_E:
        exponent, p, well_formed = _read_exponent(text, p + _STEP)
        if not well_formed:
            return np.float32(0.0), p, _MALFORMED
        if abs(exponent) == _BEYOND_ANY_INDEX:  # or leading zeros before a small one
            return np.float32(0.0), p, _AMBIGUOUS
        power += exponent
    value, status = _nearest_float32(mantissa, power)
    return -value if negative else value, p, status


@_compiled
def sort_row(indices, values, first, last):
    """Shell sort of indices[first:last], values alike; rows out of order are rare."""
    gap = _STEP
    while gap < (last - first) // _POSITION(3):
        gap = _POSITION(3) * gap + _STEP
    while gap > 0:
        i = first + gap
        while i < last:
            index, value = indices[i], values[i]
            j = i
            while j >= first + gap and indices[j - gap] > index:
                indices[j], values[j] = indices[j - gap], values[j - gap]
                j -= gap
            indices[j], values[j] = index, value
            i += _STEP
        gap //= _POSITION(3)


@_compiled
def _read_labels(text, p, base, n_labels, labels, filled):
    """The label list from p on: (code, position after it or of the defect, labels filled)."""
    first = filled
    while True:
        start = p
        label, p = _read_index(text, p)
        if p > start and text[p] == _COLON and filled == first:
            return OK, start, filled  # the row starts with a feature
        if p == start or not (text[p] == _COMMA or text[p] == _SPACE or _ends_row(text, p)):
            return LABEL_SYNTAX, start, filled
        label -= base
        if label < 0 or label >= n_labels:
            return LABEL_RANGE, start, filled
        labels[filled] = label
        filled += _STEP
        if text[p] != _COMMA:
            return OK, p, filled
        p = _skip_spaces(text, p + _STEP)


@_compiled
def _merge_labels(labels, first, last):
    """Sort labels[first:last] and drop repeats; the new end."""
    i = first + _STEP
    while i < last and labels[i] > labels[i - _STEP]:
        i += _STEP
    if i >= last:
        return last
    sort_row(labels, labels, first, last)  # labels stand in for the values that move alongside
    end = i = first + _STEP
    while i < last:
        if labels[i] != labels[end - _STEP]:
            labels[end] = labels[i]
            end += _STEP
        i += _STEP
    return end


@_compiled
def _read_features(text, p, base, n_features, row, features, values, filled, patches, n_patches):
    """The features from p on: (code, position, entries filled, patches filled, ascending)."""
    previous, ascending = np.int64(-1), True
    while True:
        p = _skip_spaces(text, p)
        if _ends_row(text, p):
            return OK, p, filled, n_patches, ascending
        start = p
        feature, p = _read_index(text, p)
        if p == start or text[p] != _COLON:
            return FEATURE_SYNTAX, start, filled, n_patches, ascending
        feature -= base
        if feature < 0 or feature >= n_features:
            return FEATURE_RANGE, start, filled, n_patches, ascending
        value_start = p + _STEP
        value, p, status = _read_value(text, value_start)
        if status == _MALFORMED or not (text[p] == _SPACE or _ends_row(text, p)):
            return VALUE_SYNTAX, start, filled, n_patches, ascending
        if status == _OVERFLOW:
            return VALUE_RANGE, start, filled, n_patches, ascending
        if status == _AMBIGUOUS:
            patches[n_patches, 0], patches[n_patches, 1] = row, feature
            patches[n_patches, 2], patches[n_patches, 3] = value_start, p
            n_patches += _STEP
        ascending &= feature > previous
        previous = feature
        features[filled] = feature
        values[filled] = value
        filled += _STEP


@_compiled
def _repeated(features, first, last):
    """The first feature that occurs twice in sorted features[first:last], or -1."""
    i = first + _STEP
    while i < last:
        if features[i] == features[i - _STEP]:
            return np.int64(features[i])
        i += _STEP
    return np.int64(-1)


_WHOLE, _FLAG = types.int64, types.boolean
_SIGNATURE = types.void(
    readonly("u8"),
    *(_WHOLE, _WHOLE, _WHOLE, _WHOLE),
    *(_FLAG, _FLAG),
    *(writable("i4"), writable("f4"), writable("i4")),
    *(writable("i8"), writable("i8"), writable("i8", 2), writable("i8")),
)


@njit(_SIGNATURE, cache=True, nogil=True, error_model="numpy")
def parse_rows(
    text,
    max_rows,
    n_features,
    n_labels,
    base,
    with_labels,
    blank_rows,
    features,
    values,
    labels,
    feature_ends,
    label_ends,
    patches,
    result,
):
    """Parse whole lines of text into the given arrays; stop at the first defect.

    Parameters
    ----------
    text : ndarray of uint8
        Whole lines; the last byte is a newline.
    max_rows, n_features, n_labels : int
        Bounds; a row beyond the first, or an index at or beyond the others, is a defect.
    base : int
        The number the file counts from (0 or 1); it is subtracted from every index.
    with_labels : bool
        Whether a row may start with a label list.
    blank_rows : bool
        Whether an empty row stands for a point without labels and features.
    features, values, labels : ndarray of int32, float32, int32
        Filled with the entries of all rows, sorted within a row. Room for one entry per
        2 bytes of text is always enough.
    feature_ends, label_ends : ndarray of int64
        Filled with the end of each row in ``features`` and ``labels``.
    patches : ndarray of int64, shape (room, 4)
        Filled with (row, feature, start, stop) of the values the caller has to convert.
    result : ndarray of int64, shape (N_RESULTS,)
        See the slots above; on a defect the arrays hold the rows before it.
    """
    p = row = feature_end = label_end = n_patches = _POSITION(0)
    result[:] = 0
    while p < text.size:
        start = p
        if row == max_rows:
            result[CODE], result[START] = EXTRA_ROW, start
            break
        code, n_entries, n_listed = OK, feature_end, label_end
        if _ends_row(text, p):
            code = OK if blank_rows else BLANK_ROW
        elif with_labels and text[p] != _SPACE:
            code, p, n_listed = _read_labels(text, p, base, n_labels, labels, label_end)
        if code == OK:
            code, p, n_entries, n_patches, ascending = _read_features(
                text, p, base, n_features, row, features, values, feature_end, patches, n_patches
            )
            if code == OK and not ascending:
                sort_row(features, values, feature_end, n_entries)
                repeated = _repeated(features, feature_end, n_entries)
                if repeated >= 0:
                    code, p, result[INDEX] = DUPLICATE_FEATURE, start, repeated + base
        if code != OK:
            result[CODE], result[START] = code, p
            break
        merged_end = _merge_labels(labels, label_end, n_listed)
        result[MERGED] += np.int64(n_listed - merged_end)
        feature_end, label_end = n_entries, merged_end
        feature_ends[row], label_ends[row] = feature_end, label_end
        row += _STEP
        p += _STEP + _POSITION(text[p] == _RETURN)
    result[ROWS], result[FEATURES], result[LABELS] = row, feature_end, label_end
    result[PATCHES] = n_patches
