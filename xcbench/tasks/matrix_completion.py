"""Transductive incomplete multi-label learning: labels of training points are hidden, and found.

The protocol of Maxide (Xu, Jin and Zhou, NIPS 2013): the features of all points are known, the test
points' too; of each label a share of the training points, with and without it alike, says whether
they have it. The settings of a method are chosen on what is observed: its entries are parted at
random, each part is held out once, and its labels are to be found in their rows, among all entries
that are not left in. The unobserved ones count as no labels there, as most of them are: the few
entries that a row holds out itself would say little of a ranking.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.config.dataset import DatasetConfig
from xcbench.config.schema import JobConfig
from xcbench.metrics.average_precision import row_average_precision
from xcbench.models.base import Executor
from xcbench.models.label_completion import (
    Completer,
    Completion,
    MeanCompletion,
    make_completer,
)
from xcbench.models.memory import MemoryEstimate
from xcbench.optim.observed import Observed
from xcbench.tasks import xc
from xcbench.tasks.base import Outcome, TaskData, save_arrays

_SCORES = 1 << 22  # held at once: rows of a block times labels


def open_data(dataset: DatasetConfig, data_root: Path, split: int) -> TaskData:
    """As in extreme classification."""
    return xc.open_data(dataset, data_root, split)


def memory(job: JobConfig, data: TaskData, jobs: int) -> MemoryEstimate | None:
    """None: the label matrices of this protocol are small."""
    return None


def run(job: JobConfig, data: TaskData, folder: Path, executor: Executor) -> Outcome:
    """Hide labels, choose settings, complete and score; leaves ``predictions.npz`` in the folder.

    It holds the rows judged and the average precision of each (``hidden_rows``,
    ``hidden_precision`` of training points, ``test_precision`` of the test points
    ``test_rows``), and the held-out average precision of all settings, percent: ``held_out``
    (variants, penalties) and the places ``chosen`` in it, (1, 2), or (variants, 2) of a method that
    averages. A method that knows nothing of test points has no AP_test.
    """
    train, test = data.content.train, data.content.test
    (percent,) = job.task.observed
    start = time.perf_counter()
    X = sparse.vstack([train.X, test.X], format="csr")
    X.sort_indices()
    known = observed_labels(train.Y, percent / 100, np.random.default_rng([job.seed, 0]))
    completer = make_completer(job.method.settings, sparse.csr_array(X), train.n_points, job.seed)
    held_out = held_out_precision(completer, known, job.task.folds, job.seed)
    chosen = chosen_places(held_out, completer.averaged)
    completion = MeanCompletion(
        [completer.path(known, variant, place + 1)[-1] for variant, place in chosen.tolist()]
    )
    seconds = {"train": time.perf_counter() - start}
    start = time.perf_counter()
    hidden = judged(completion, train.Y, 0, known)
    arrays = {"hidden_rows": hidden[0], "hidden_precision": hidden[1]}
    metrics = {"AP_hidden": 100 * float(hidden[1].mean())}
    if completer.n_rows > train.n_points:
        rows, values = judged(completion, test.Y, train.n_points)
        arrays |= {"test_rows": rows, "test_precision": values}
        metrics["AP_test"] = 100 * float(values.mean())
    seconds["predict"] = time.perf_counter() - start
    sha256 = save_arrays(folder, held_out=held_out, chosen=chosen, **arrays)
    return Outcome(metrics, seconds, {"model_bytes": completion.nbytes}, sha256)


def observed_labels(Y: sparse.csr_array, share: float, rng: np.random.Generator) -> Observed:
    """The entries of Y at ``share`` of the rows of each label, drawn at random; at least one.

    Values are 1 for a label and -1 for none. Of one generator, a larger share observes more
    entries, and all those of a smaller one.
    """
    n, labels = Y.shape
    count = min(max(1, round(share * n)), n)
    rows = np.concatenate([rng.permutation(n)[:count] for _ in range(labels)])
    columns = np.repeat(np.arange(labels), count)
    pattern = sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=Y.shape)
    return _with_labels(pattern, Y)


def held_out_precision(completer: Completer, known: Observed, folds: int, seed: int) -> np.ndarray:
    """Average precision of held-out labels in their rows, percent, (variants, penalties).

    A mean over the parts that hold out a label.
    """
    entries = known.columns.size
    parts = np.random.default_rng([seed, 3]).permutation(entries) % folds
    found = np.zeros((completer.variants, len(completer.penalties)))
    for fold in range(folds):
        out = parts == fold
        labels = known.holding(np.where(out & (known.values > 0), 1.0, 0.0))
        labels.eliminate_zeros()
        if labels.nnz == 0:
            continue
        kept = _kept(known, ~out)
        for variant in range(completer.variants):
            for place, completion in enumerate(completer.path(kept, variant)):
                found[variant, place] += 100 * judged(completion, labels, 0, kept)[1].mean() / folds
    return found


def chosen_places(held_out: np.ndarray, averaged: bool) -> np.ndarray:
    """Of the best variant, or of each, the best penalty: rows of variant and place, int64."""
    places = held_out.argmax(axis=1)
    variants = np.arange(places.size)
    if not averaged:
        variants = variants[[held_out.max(axis=1).argmax()]]
    return np.column_stack([variants, places[variants]])


def judged(
    completion: Completion | MeanCompletion,
    Y: sparse.csr_array,
    first: int,
    known: Observed | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of Y with a label to be found, and the average precision of each, in blocks of rows.

    Parameters
    ----------
    completion : Completion
    Y : csr_array, shape (n, l)
    first : int
        The row of the completion that is Y's first.
    known : Observed, optional
        Entries that are not judged.
    """
    n, labels = Y.shape
    step = max(1, _SCORES // labels)
    found = []
    for start in range(0, n, step):
        stop = min(start + step, n)
        scores = completion.rows(first + start, first + stop)
        relevant = Y[start:stop].toarray() > 0
        asked = np.ones(scores.shape, bool)
        if known is not None:
            asked[known.holding(np.ones(known.values.size), start, stop).nonzero()] = False
        asked[~(asked & relevant).any(axis=1)] = False  # most rows, of a held-out part
        rows, columns = np.nonzero(asked)
        block, values = row_average_precision(rows, relevant[rows, columns], scores[rows, columns])
        found.append((block + start, values))
    return np.concatenate([rows for rows, _ in found]), np.concatenate([v for _, v in found])


def _with_labels(pattern: sparse.csr_array, Y: sparse.csr_array) -> Observed:
    """1 where Y has an entry of the pattern (of ones), -1 where it has none."""
    has = sparse.csr_array(pattern.multiply(Y))
    signed = sparse.csr_array(2 * has - pattern)  # 1 and -1: none of them vanishes
    signed.sort_indices()
    return Observed(
        signed.indptr.astype(np.int64), signed.indices.astype(np.int32), signed.data, Y.shape[1]
    )


def _kept(known: Observed, which: np.ndarray) -> Observed:
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(which)])
    return Observed(
        before[known.indptr], known.columns[which], known.values[which], known.n_columns
    )
