"""Multi-label libsvm text without a header: rows `l1,l2 f:v f:v`, counted from a stated base.

Rows are those of the XC format (see ``xc_text``), except that an empty line is an error: without a
header nothing tells a point without labels and features from a stray line. The base is never
guessed: a guess shifts every index of a file in which the first one does not occur.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from xcbench.data.defects import Bounds
from xcbench.data.rows import TextFormat, read_rows
from xcbench.data.xc_text import XCText

LIBSVM = TextFormat((), "", with_labels=True)


def read_libsvm(
    path: str | os.PathLike[str],
    base: Literal[0, 1],
    n_features: int | None = None,
    n_labels: int | None = None,
) -> XCText:
    """Read headerless multi-label libsvm text, plain or gzipped.

    Parameters
    ----------
    path : path
    base : 0 or 1
        The number features and labels are counted from.
    n_features, n_labels : int, optional
        Counts to hold indices against; by default the largest index sets them.

    Raises
    ------
    DataError
        The file is missing or malformed; names file, line, what was found and expected.
    """
    bounds = Bounds(n_features, n_labels, base, stated_by="the caller states")
    rows = read_rows(Path(path), LIBSVM, bounds)
    return XCText(rows.X, rows.Y, rows.n_merged)
