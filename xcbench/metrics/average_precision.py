"""Average precision of rankings of which only some entries are judged.

For a row, the mean over its relevant entries of the precision at the place where the entry stands:

    AP_i = 1/|R_i| sum over j in R_i of |{k in R_i: s_k >= s_j}| / |{k: s_k >= s_j}|,

k over the judged entries of the row alone; the value is the mean over the rows that have a relevant
one. This is the example-based average precision of multi-label learning (Zhang and Zhou, "A review
on multi-label learning algorithms", IEEE TKDE 26, 2014), by which Maxide is judged. Entries with
equal scores all count as at the last of their places, so that constant scores earn nothing: as in
scikit-learn's ``label_ranking_average_precision_score``, which counts rows without a relevant entry
as 1.
"""

from __future__ import annotations

import numpy as np


def row_average_precision(
    rows: np.ndarray, relevant: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rows with a relevant entry, ascending, and the average precision of each, float64.

    Parameters
    ----------
    rows : int, shape (entries,)
        The row of each judged entry, in any order.
    relevant : bool, shape (entries,)
    scores : float, shape (entries,)
    """
    order = np.lexsort((-scores, rows))
    rows, relevant, scores = rows[order], relevant[order], scores[order]
    begins_row = np.append(True, rows[1:] != rows[:-1])[: rows.size]
    begins_tie = begins_row | np.append(True, scores[1:] != scores[:-1])[: rows.size]
    # The last place of each entry's group of equal scores.
    ends = np.append(np.flatnonzero(begins_tie)[1:], rows.size) - 1
    last = ends[np.cumsum(begins_tie) - 1]
    first = np.flatnonzero(begins_row)[np.cumsum(begins_row) - 1]
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(relevant)])
    precision = (before[last + 1] - before[first]) / (last - first + 1)
    found, counts = np.unique(rows[relevant], return_counts=True)
    group = np.searchsorted(found, rows[relevant])
    return found, np.bincount(group, precision[relevant], found.size) / np.maximum(counts, 1)
