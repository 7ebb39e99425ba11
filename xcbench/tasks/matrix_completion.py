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
from xcbench.errors import DataError
from xcbench.metrics.average_precision import row_average_precision
from xcbench.models.base import Executor
from xcbench.models.label_completion import (
    Completer,
    Completion,
    MeanCompletion,
    make_completer,
)
from xcbench.models.memory import DataShape, MemoryEstimate, completion
from xcbench.optim.observed import Observed
from xcbench.tasks import xc
from xcbench.tasks.base import Outcome, TaskData, save_arrays

_SCORES = 1 << 22  # held at once: rows of a block times labels


def open_data(dataset: DatasetConfig, data_root: Path, split: int) -> TaskData:
    """As in extreme classification."""
    return xc.open_data(dataset, data_root, split)


def memory(job: JobConfig, data: TaskData, jobs: int) -> MemoryEstimate:
    """What ``run`` will take, in one process whatever ``jobs`` says."""
    shape = DataShape.of(data.content.train, data.content.test)
    (percent,) = job.task.observed
    stages = completion.stages(job.method.settings, shape, percent / 100)
    return MemoryEstimate(stages, 1, completion.ADVICE)


def run(job: JobConfig, data: TaskData, folder: Path, executor: Executor) -> Outcome:
    """Hide labels, choose settings, complete and score; leaves ``predictions.npz`` in the folder.

    It holds the rows judged and the average precision of each (``hidden_rows``,
    ``hidden_precision`` of training points, ``test_precision`` of the test points
    ``test_rows``), and the held-out average precision of all settings, percent: ``held_out``
    (variants, penalties) and the places ``chosen`` in it, (1, 2), or (variants, 2) of a method that
    averages. Without test points that have a label, and of a method that knows nothing of test
    points, there is no AP_test.

    Raises
    ------
    DataError
        All labels of the training points are observed.
    """
    train, test = data.content.train, data.content.test
    (percent,) = job.task.observed
    start = time.perf_counter()
    X = sparse.vstack([train.X, test.X], format="csr")
    X.sort_indices()
    known = observed_labels(train.Y, percent / 100, np.random.default_rng([job.seed, 0]))
    if _rows_to_judge(train.Y, known).size == 0:
        raise DataError(
            f"with {percent:g} % of {train.n_points} training points observed for each label, none "
            "of their labels is hidden; use a smaller task.observed"
        )
    completer = make_completer(job.method.settings, sparse.csr_array(X), train.n_points, job.seed)
    held_out = held_out_precision(completer, known, job.task.folds, job.seed)
    chosen = chosen_places(held_out, completer.averaged)
    found = MeanCompletion(
        [completer.path(known, variant, place + 1)[-1] for variant, place in chosen.tolist()]
    )
    seconds = {"train": time.perf_counter() - start}
    start = time.perf_counter()
    hidden = judged(found, train.Y, 0, known)
    arrays = {"hidden_rows": hidden[0], "hidden_precision": hidden[1]}
    metrics = {"AP_hidden": 100 * float(hidden[1].mean())}
    if completer.n_rows > train.n_points:
        rows, values = judged(found, test.Y, train.n_points)
        arrays |= {"test_rows": rows, "test_precision": values}
        if rows.size:
            metrics["AP_test"] = 100 * float(values.mean())
    seconds["predict"] = time.perf_counter() - start
    sha256 = save_arrays(folder, held_out=held_out, chosen=chosen, **arrays)
    return Outcome(metrics, seconds, {"model_bytes": found.nbytes}, sha256)


def observed_labels(Y: sparse.csr_array, share: float, rng: np.random.Generator) -> Observed:
    """The entries of Y at ``share`` of the rows of each label, drawn at random; at least one.

    Values are 1 for a label and -1 for none. Of one generator, a larger share observes more
    entries, and all those of a smaller one.
    """
    n, labels = Y.shape
    count = min(max(1, round(share * n)), n)
    rows = np.empty((labels, count), np.int32)
    for own in rows:
        own[:] = rng.permutation(n)[:count]
    columns = np.repeat(np.arange(labels, dtype=np.int32), count)
    pattern = sparse.csr_array((np.ones(rows.size), (rows.ravel(), columns)), shape=Y.shape)
    return _with_labels(pattern, Y)


def held_out_precision(completer: Completer, known: Observed, folds: int, seed: int) -> np.ndarray:
    """Average precision of held-out labels in their rows, percent, (variants, penalties).

    A mean over the parts that hold out a label; 0 where none does.
    """
    entries = known.columns.size
    parts = np.random.default_rng([seed, 3]).permutation(entries) % folds
    found = np.zeros((completer.variants, len(completer.penalties)))
    used = np.unique(parts[known.values > 0])
    for fold in used:
        out = parts == fold
        labels = known.holding(np.where(out & (known.values > 0), 1.0, 0.0))
        labels.eliminate_zeros()
        kept = _kept(known, ~out)
        for variant in range(completer.variants):
            for place, each in enumerate(completer.path(kept, variant)):
                values = judged(each, labels, 0, kept)[1]
                found[variant, place] += 100 * values.mean() / used.size
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
    rows = _rows_to_judge(Y, known)  # few, of a held-out part
    values = np.zeros(rows.size)
    step = max(1, _SCORES // Y.shape[1])
    for start in range(0, rows.size, step):
        block = rows[start : start + step]
        scores = completion.rows(first + block)
        relevant = Y[block].toarray() > 0
        asked = np.ones(scores.shape, bool)
        if known is not None:
            asked[_pattern(known)[block].nonzero()] = False
        at, columns = np.nonzero(asked)
        _, values[start : start + step] = row_average_precision(
            at, relevant[at, columns], scores[at, columns]
        )
    return rows, values


def _rows_to_judge(Y: sparse.csr_array, known: Observed | None) -> np.ndarray:
    """Rows of Y with a label that is not known, int64."""
    has = sparse.csr_array(Y > 0)
    counts = has.sum(axis=1)
    if known is not None:
        counts = counts - has.multiply(_pattern(known)).sum(axis=1)
    return np.flatnonzero(counts)


def _pattern(known: Observed) -> sparse.csr_array:
    return known.holding(np.ones(known.values.size, bool))


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
