"""A curve on two logarithmic axes, drawn with letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_WIDTH, _HEIGHT = 60, 12


def log_log_curve(counts: np.ndarray, x: str, y: str) -> str:
    """Counts against their rank.

    Parameters
    ----------
    counts : ndarray of int, shape (m,)
        Positive, decreasing; m at least 1.
    x, y : str
        What the axes are of.
    """
    import numpy as np

    marks = np.full((_HEIGHT, _WIDTH), " ")
    ranks = np.arange(1, counts.size + 1)
    at = _places(ranks, counts.size, _WIDTH), _places(counts, int(counts[0]), _HEIGHT)
    marks[at[1], at[0]] = "*"
    tens = _powers(int(counts[0]))
    ticks = dict(zip(_places(tens, int(counts[0]), _HEIGHT).tolist(), tens.tolist(), strict=True))
    if counts[0] > 1:
        ticks[_HEIGHT - 1] = int(counts[0])
    margin = max(len(str(tick)) for tick in ticks.values())
    lines = [f"{y}"]
    for level in range(_HEIGHT - 1, -1, -1):
        tick = str(ticks.get(level, ""))
        axis = "+" if tick else "|"
        lines.append(f"{tick:>{margin}} {axis}{''.join(marks[level])}".rstrip())
    return "\n".join([*lines, *_rank_axis(counts.size, margin, x)])


def _rank_axis(largest: int, margin: int, x: str) -> list[str]:
    import numpy as np

    line, text = np.full(_WIDTH, "-"), [" "] * (_WIDTH + 12)
    tens = _powers(largest)
    for tick, place in zip(tens.tolist(), _places(tens, largest, _WIDTH).tolist(), strict=True):
        if "".join(text[max(0, place - 1) :]).strip():
            continue  # no room beside the last one
        line[place] = "+"
        text[place : place + len(str(tick))] = str(tick)
    indent = " " * (margin + 1)
    return [f"{indent}+{''.join(line)}", f"{indent} {''.join(text).rstrip()}  {x}"]


def _powers(largest: int) -> np.ndarray:
    """1, 10, 100 ... up to a number."""
    import numpy as np

    return 10 ** np.arange(len(str(largest)))


def _places(values: np.ndarray, largest: int, cells: int) -> np.ndarray:
    """In which of the cells from 1 to ``largest`` values are, on a logarithmic scale."""
    import numpy as np

    share = np.log(values) / max(np.log(largest), 1e-9)
    places: np.ndarray = np.rint(share * (cells - 1)).astype(np.int64)
    return places
