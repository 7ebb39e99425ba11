"""Small valid files, and small damage done to them; everything follows from one seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

# Numbers at the edges of the types, and forms that one parser takes and another does not.
_WORDS = """
0 1 2 00 01 2147483646 2147483647 2147483648 4294967295 4294967296 9223372036854775807
9223372036854775808 18446744073709551616 -1 +1 -0 1.0 .5 1. . - + e5 1e 1e+ 1e5 1E-5 1e400 1e-400
-1e400 4.9e-324 1e-45 7e-46 7.006492321624085e-46 1.1754943e-38 3.4028235e38 3.4028235677973366e38
3.4028235677973362e38 1e39 0x1p3 0x10 nan NaN inf -inf Infinity 1_0 1,0 1:1 0:1 :1 1: , : ,, ::
1.000000059604644775390625 1.00000005960464478 1.00000017881393433
0.1000000014901161193847656250001 16777217 9007199254740993 1e0000000000000000000001
1e-0000000000000000000001 0e99999999999999999999 1e99999999999999999999 1e-99999999999999999999
1e18446744073709551617 ٣ １ ½ # qid:1 0:1:2 0:1,
"""
_BYTES = (
    b" ", b"  ", b"\n", b"\r", b"\r\n", b"\n\n", b"\x00", b"\t", b"\x0b", b"\x0c", b"\x1b[31m",
    b"\x7f", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\xa8",
    b"0" * 30 + b"1", b"1" + b"0" * 30, b"0" * 5000 + b"1", b"9" * 5000, b" " * 300,
    b"0." + b"0" * 400 + b"1e401", b"1" + b"0" * 300 + b"e-300",
)  # fmt: skip
TOKENS: tuple[bytes, ...] = (*_WORDS.encode().split(), *_BYTES)


def number(rng: random.Random) -> bytes:
    """A value, plain most of the time."""
    kind = rng.randrange(8)
    if kind < 3:
        return b"%d" % rng.randrange(-3, 10)
    if kind < 5:
        return b"%.*f" % (rng.randrange(1, 8), rng.uniform(-2, 2))
    if kind == 5:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-46, 38)).encode()
    if kind == 6:
        return b"%d.%de%d" % (rng.randrange(10**9), rng.randrange(10**9), rng.randrange(-60, 25))
    # Halfway between two float32 but for the last digits: where roundings part.
    middle = (2**24 + 2 * rng.randrange(2**22) + 1) * 2.0 ** rng.randrange(-60, 60)
    return b"%.*e" % (rng.randrange(14, 24), middle)


def table(rng: random.Random, n_counts: int, base: int = 0) -> bytes:
    """A valid text; n_counts 3: XC, 2: split form, 0: libsvm counted from base."""
    n, d, n_labels = rng.randrange(6), rng.randrange(1, 15), rng.randrange(1, 8)
    end = rng.choice([b"\n", b"\n", b"\r\n"])
    lines = []
    if n_counts:
        counts = [n, d, n_labels][:n_counts]
        lines.append(rng.choice([b" ", b" ", b"  "]).join(b"%d" % count for count in counts))
    for _ in range(n):
        labels = [] if n_counts == 2 else rng.choices(range(n_labels), k=rng.randrange(4))
        features = rng.sample(range(d), k=rng.randrange(min(d, 5)))
        if rng.random() < 0.6:
            labels, features = sorted(set(labels)), sorted(features)
        line = rng.choice([b",", b",", b", "]).join(b"%d" % (label + base) for label in labels)
        for feature in features:
            line += rng.choice([b" ", b" ", b" ", b"  "])
            line += b"%d:%s" % (feature + base, number(rng))
        if not n_counts and not line:
            line = b" "
        lines.append(line + rng.choice([b"", b"", b"", b" "]))
    return end.join(lines) + rng.choice([end, end, b""])


def split_file(rng: random.Random, n: int) -> bytes:
    """A valid split file: rows of 1 to n, a column a split."""
    k, n_columns = rng.randint(1, n), rng.randint(1, 3)
    columns = [rng.sample(range(1, n + 1), k=k) for _ in range(n_columns)]
    gap = rng.choice([b" ", b"  ", b"\t"])
    lines = [gap.join(b"%d" % row for row in rows) for rows in zip(*columns, strict=True)]
    return b"\n".join(lines) + rng.choice([b"\n", b""])


def damaged(rng: random.Random, data: bytes, tokens: Sequence[bytes] = TOKENS) -> bytes:
    """The text with none to a few pieces of damage."""
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 6])):
        data = rng.choice(_DAMAGES)(rng, data, tokens)
    return data


def _flip(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    if not data:
        return data
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]


def _insert_byte(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + bytes([rng.randrange(256)]) + data[place:]


def _insert_token(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(tokens) + data[place:]


def _replace_word(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    """A token in the place of a word or of a part of one, as an index, a value or a key is."""
    start = place = rng.randrange(len(data) + 1)
    while start > 0 and data[start - 1] not in b" \n:,":
        start -= 1
    while place < len(data) and data[place] not in b" \n:,":
        place += 1
    return data[:start] + rng.choice(tokens) + data[place:]


def _delete(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + data[place + rng.choice([1, 1, 1, 2, 5]) :]


def _repeat(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    place = rng.randrange(len(data) + 1)
    piece = data[place : place + rng.choice([1, 3, 8, 40])]
    return data[:place] + piece * rng.choice([2, 2, 3, 50]) + data[place + len(piece) :]


def _cut(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _lines(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    """A line repeated, taken away, or exchanged for another."""
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        lines.insert(i, lines[j])
    elif kind == 1:
        del lines[i]
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def _words(rng: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    """Two words of one line exchanged: swapped counts, features out of order."""
    lines = data.split(b"\n")
    i = rng.choice([0, rng.randrange(len(lines))])
    words = lines[i].split(b" ")
    a, b = rng.randrange(len(words)), rng.randrange(len(words))
    words[a], words[b] = words[b], words[a]
    lines[i] = b" ".join(words)
    return b"\n".join(lines)


_Damage = Callable[[random.Random, bytes, Sequence[bytes]], bytes]
_DAMAGES: tuple[_Damage, ...] = (
    _flip, _insert_byte, _insert_token, _insert_token, _replace_word, _replace_word, _replace_word,
    _delete, _repeat, _cut, _lines, _words,
)  # fmt: skip
