"""What every model promises, and the seam through which it hands its work to an executor."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, TypeGuard, TypeVar

import numpy as np
from scipy import sparse

from xcbench.data.dataset import Dataset, TopK
from xcbench.errors import TaskError

T = TypeVar("T")

# Rows predicted as one task, as a rule. Fixed, so that a row is predicted in the same company
# whatever the number of processes.
BLOCK_ROWS = 2048


@dataclass(frozen=True)
class Task:
    """One independent piece of a fit.

    Attributes
    ----------
    label : str
        What a person calls it ("learner 2, cluster 1"); errors and progress show it.
    arguments : tuple
        Arguments of the mapped function; picklable and small (a stored Dataset pickles as its
        path).
    cost : float
        Relative size; executors start the largest first.
    """

    label: str
    arguments: tuple[Any, ...]
    cost: float = 1.0


class Executor(Protocol):
    """Runs tasks somewhere and returns their results in the order of the tasks.

    A result is made of arrays, numbers, texts, None, tuples, lists and dicts with text keys, so
    that it can be kept on disk without pickle. A stage's name is used once a job.

    When tasks fail the others still finish; then one TaskError names every failure by its label.

    Attributes
    ----------
    jobs, threads : int
        Processes, and BLAS and numba threads of each. A library that spreads its own work over
        threads takes ``jobs * threads`` of them.
    """

    @property
    def jobs(self) -> int: ...

    @property
    def threads(self) -> int: ...

    def map(self, function: Callable[..., T], tasks: Sequence[Task], stage: str) -> list[T]:
        """Call ``function(*task.arguments)`` for each task; ``stage`` names the progress line."""
        ...


@dataclass(frozen=True)
class Outcome:
    """What one task came to: its value, or the error it raised and the traceback (as text)."""

    label: str
    value: Any = None
    error: str | None = None
    traceback: str = ""


def attempt(function: Callable[..., Any], task: Task) -> Outcome:
    """Run one task and catch what it raises, so that one failure never loses the other results."""
    try:
        return Outcome(task.label, value=function(*task.arguments))
    except Exception as error:
        if (ending := _ending_behind(error)) is not None:
            raise ending from None
        return Outcome(task.label, error=worded(error), traceback=traceback.format_exc())


def _ending_behind(error: BaseException | None) -> BaseException | None:
    """The KeyboardInterrupt or SystemExit an error comes from.

    A signal that arrives while numba prepares a call comes out as a SystemError.
    """
    while error is not None and not isinstance(error, (KeyboardInterrupt, SystemExit)):
        error = error.__cause__ or error.__context__
    return error


def worded(error: Exception) -> str:
    """An unexpected error in one line; a MemoryError of any kind as what it is."""
    if isinstance(error, MemoryError):
        return f"out of memory ({error})" if str(error) else "out of memory"
    return f"{type(error).__name__}: {error}"


def values_or_raise(outcomes: Sequence[Outcome]) -> list[Any]:
    """The values in order, or one TaskError that names every failed task."""
    failed = [f"{outcome.label}: {outcome.error}" for outcome in outcomes if outcome.error]
    if failed:
        raise TaskError("; ".join(failed))
    return [outcome.value for outcome in outcomes]


class InlineExecutor:
    """Runs tasks one after the other in this process."""

    jobs = 1
    threads = 1

    def map(self, function: Callable[..., T], tasks: Sequence[Task], stage: str) -> list[T]:
        """See Executor.map."""
        return values_or_raise([attempt(function, task) for task in tasks])


class Model(Protocol):
    """A multi-label classifier on sparse features.

    ``fit`` leaves ``stage_seconds``: stage name -> seconds summed over its tasks.
    """

    stage_seconds: dict[str, float]

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """Learn from ``train``; tasks go through ``executor`` (in-process when None)."""
        ...

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """The k best labels of every row of X (n, d)."""
        ...

    def save(self, folder: Path) -> None:
        """Write the model as .npy files and JSON into an existing empty folder; no pickle."""
        ...

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Open a saved model; its arrays are memory-mapped read-only."""
        ...

    @property
    def shape(self) -> tuple[int, int]:
        """How many features and labels it was fitted to, (d, l)."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays prediction needs."""
        ...


class WholeModel(Model, Protocol):
    """A model that predicts all rows in one call, in memory and with threads of its own.

    Others are predicted in blocks, by tasks that each open the saved model.

    Attributes
    ----------
    threads : int
        Threads of ``predict``; the fit takes those of its executor.
    wall_seconds : dict of str to float
        What "train" and "predict" took by the model's own clock, without the files it writes,
        reads or loads on the way; a job reports these.
    """

    threads: int
    wall_seconds: dict[str, float]


class BlockModel(Model, Protocol):
    """A model that says which rows are best predicted together."""

    def blocks(self, X: sparse.csr_array, threads: int = 1) -> list[np.ndarray]:
        """Row numbers of X, int32 ascending, in blocks that hold every row once.

        They depend on the model and X only, never on ``threads``.
        """
        ...


def row_blocks(model: Model, X: sparse.csr_array, threads: int = 1) -> list[np.ndarray]:
    """The rows of X that are predicted together: a BlockModel's choice, else one after the other.

    ``predict`` of a block gives its rows what ``predict`` of all of X gives them.
    """
    if hasattr(model, "blocks"):
        blocks: list[np.ndarray] = model.blocks(X, threads)
        return blocks
    return consecutive(X.shape[0], BLOCK_ROWS)


def consecutive(n: int, size: int) -> list[np.ndarray]:
    """Row numbers 0 to n - 1 in blocks of so many."""
    return [np.arange(start, min(start + size, n), dtype=np.int32) for start in range(0, n, size)]


def is_whole(model: Model) -> TypeGuard[WholeModel]:
    """Whether a model predicts all rows in one call."""
    return hasattr(model, "wall_seconds")
