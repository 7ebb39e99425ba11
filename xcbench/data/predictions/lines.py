"""Lines of text and the numbers in them, for the readers of predictions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from xcbench.data.byte_lines import BrokenStream, place_after, whole_lines
from xcbench.errors import DataError

WHOLE = re.compile(rb"\d{1,18}")


def number(text: bytes) -> float | None:
    """The number a text is; None if it is none."""
    try:
        value = float(text) if b"_" not in text else None
    except ValueError:
        return None
    return None if value is None or math.isnan(value) else value


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines without their ends, and their numbers from 1."""
    count = 0
    try:
        for block in whole_lines(path):
            for line in block.tobytes()[:-1].split(b"\n"):
                count += 1
                yield count, line.removesuffix(b"\r")
    except BrokenStream as broken:
        raise DataError(f"{path}, {place_after(count)}: {broken}") from None
