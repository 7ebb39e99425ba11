"""Predicts blocks of rows as they come, in order, with so many of them in memory and no more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from xcbench.data.dataset import TopK
from xcbench.inference.fit import MODEL
from xcbench.inference.fitted import FittedModel
from xcbench.models import Model, load_model


@dataclass(frozen=True, eq=False)
class Predicted:
    """What came of one block; ``unknown`` of its rows have no feature the model was fitted to."""

    top: TopK
    unknown: int


def predict_blocks(
    fitted: FittedModel,
    blocks: Iterable[sparse.csr_array],
    k: int,
    pool: Executor | None = None,
    ahead: int = 4,
) -> Iterator[Predicted]:
    """Predict blocks of features that are not scaled yet, in their order.

    Parameters
    ----------
    fitted : FittedModel
    blocks : iterable of csr_array, shape (rows, d)
    k : int
    pool : Executor, optional
        Of processes, each of which maps the model; by default this process predicts.
    ahead : int
        Blocks that may be read before the first of them is predicted.

    Raises
    ------
    DataError
        What reading the blocks raises; those before it were given.
    """
    if pool is None:
        for block in blocks:
            X = fitted.scaled(block)
            with threadpool_limits(1):
                yield Predicted(fitted.model.predict(X, k), _unknown(X))
        return
    folder, made = (fitted.folder / MODEL).absolute(), fitted.manifest.created
    yield from _in_order(
        lambda X: pool.submit(_predict, folder, made, X, k), map(fitted.scaled, blocks), ahead
    )


def _in_order(
    submit: Callable[[sparse.csr_array], Future[Predicted]],
    blocks: Iterable[sparse.csr_array],
    ahead: int,
) -> Iterator[Predicted]:
    waiting: deque[Future[Predicted]] = deque()
    for block in blocks:
        waiting.append(submit(block))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _predict(folder: Path, made: str, X: sparse.csr_array, k: int) -> Predicted:
    """What a process of the pool does."""
    with threadpool_limits(1):
        return Predicted(_opened(folder, made).predict(X, k), _unknown(X))


@lru_cache(maxsize=1)
def _opened(folder: Path, made: str) -> Model:
    """The model, opened once a process; ``made`` tells it from another one in the same place."""
    return load_model(folder)


def _unknown(X: sparse.csr_array) -> int:
    return int(np.count_nonzero(np.diff(X.indptr) == 0))
