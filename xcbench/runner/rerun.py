"""Repeating a stored run from its own folder: finding it, its job and its data, and running it.

The repeat has a results folder of its own, which is removed in the end; the stored run is read and
never touched.
"""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from xcbench.config.loader import load_config
from xcbench.data.dataset import TopK
from xcbench.errors import ConfigError, DataError, XCBenchError
from xcbench.models.peers import require
from xcbench.runner.comparison import Comparison, compare, settings_of
from xcbench.runner.plan import Job, Plan, make_job
from xcbench.runner.progress import Progress
from xcbench.runner.result import Result, kind_of_task
from xcbench.runner.run import Runner
from xcbench.runner.store import ResultStore
from xcbench.tasks import kind_of
from xcbench.tasks.base import fingerprint_of
from xcbench.tasks.xc import fingerprint

_MOST_LISTED = 10


@dataclass(frozen=True)
class Stored:
    """A finished run as it is stored; ``arrays`` are those of its ``predictions.npz``."""

    result: Result
    arrays: dict[str, np.ndarray]
    config: Path

    @property
    def predictions(self) -> TopK:
        """The labels and scores of a run of extreme classification."""
        return top_k(self.arrays)


def find_run(store: ResultStore, text: str) -> str:
    """The one run meant by its id, the path of its folder, or any part of its id.

    Raises
    ------
    ConfigError
        None or several are meant; the text lists them, or the nearest ones.
    """
    known = store.run_ids()
    path = Path(text).absolute()
    exact = [
        run_id for run_id in known if text == run_id or path == store.folder(run_id).absolute()
    ]
    found = exact or [run_id for run_id in known if text in run_id]
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigError(f"{text}: {len(found)} runs have it in their id:{_listed(found)}")
    nearest = sorted(known, key=lambda run_id: -_likeness(text, run_id))[:_MOST_LISTED]
    hint = f"; the nearest are:{_listed(nearest)}" if nearest else ""
    raise ConfigError(f"{text}: no such run in {store.runs}{hint}")


def load_stored(store: ResultStore, run_id: str) -> Stored:
    """Read a finished run.

    Raises
    ------
    ConfigError
        The run has no result, or did not end well.
    XCBenchError
        Its predictions are missing, or not those that its result was made from.
    """
    result, folder = store.find(run_id), store.folder(run_id)
    if result is None or result.status != "done":
        has = "no result" if result is None else f"the status {result.status}"
        raise ConfigError(f"{run_id}: has {has}; only a finished run can be repeated")
    return Stored(result, stored_arrays(store, result), folder / "config.yaml")


def stored_arrays(store: ResultStore, result: Result) -> dict[str, np.ndarray]:
    """The arrays of a run's ``predictions.npz``, when they are those of its result.

    Raises
    ------
    XCBenchError
        They are missing, damaged, or not those that the result was made from.
    """
    folder = store.folder(result.run_id)
    # A process killed while it put things into place has left some of them here.
    gathered = folder / ".partial"
    is_gathered = all((gathered / name).exists() for name in ("result.json", "predictions.npz"))
    path = (gathered if is_gathered else folder) / "predictions.npz"
    is_xc = kind_of_task(result.config) == "xc"
    arrays = load_arrays(path, ("labels", "scores") if is_xc else ())
    found = fingerprint(top_k(arrays)) if is_xc else fingerprint_of(arrays)
    if result.predictions_sha256 not in ("", found):
        raise XCBenchError(
            f"{path}: is not what its result was made from; it was changed, so it is of no use. "
            "Remove it, and `xcbench run` makes it again"
        )
    return arrays


def top_k(arrays: Mapping[str, np.ndarray]) -> TopK:
    """The labels and scores among a run's arrays."""
    return TopK(arrays["labels"].astype(np.int32), arrays["scores"].astype(np.float32))


def load_arrays(path: Path, needed: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Read the arrays of a run's ``predictions.npz``.

    Raises
    ------
    XCBenchError
        The file is missing or damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in {*needed, *file.files}}
    except FileNotFoundError:
        raise XCBenchError(f"{path}: is missing; `xcbench run` makes it again") from None
    except Exception as error:  # A damaged file makes numpy and zipfile raise a dozen kinds.
        raise XCBenchError(
            f"{path}: is damaged ({error or type(error).__name__}); remove it, and `xcbench run` "
            "makes it again"
        ) from None


def repeat_job(stored: Stored, data_root: Path, jobs: int | None) -> Job:
    """The job of a stored run, with its data opened; it runs on this machine.

    Parameters
    ----------
    stored : Stored
    data_root : Path
    jobs : int, optional
        Processes, instead of what its config says.

    Raises
    ------
    ConfigError
        The stored config cannot be read, or is no longer what the run was told.
    XCBenchError
        The library of its method is not installed.
    DataError
        The data is missing, or not what the run was made from.
    """
    executor = [f"executor.jobs={jobs}"] if jobs is not None else []
    config = load_config(stored.config, ["executor.checkpoint=never", *executor])
    result = stored.result
    job = config.jobs()[0]
    require(job.method.settings)
    before, after = settings_of(result.config), settings_of(job.mapping())
    for key in sorted(before.keys() & after.keys()):
        if before[key] != after[key]:
            raise ConfigError(
                f"{stored.config}: {key}: found {after[key]!r}; the run was told {before[key]!r}. "
                "The file was changed, so this would be no repeat"
            )
    data = kind_of(job).open_data(job.dataset, data_root, job.split)
    if data.sha256 != result.data_sha256:
        changes = "\n".join(_changed_files(result.sources, data.sources))
        raise DataError(f"{result.run_id}: its data is no longer what it was:\n{changes}")
    executor_config = config.executor
    if executor_config.backend in ("dask", "slurm"):  # which would not see the temporary folder
        here = {"backend": "loky", "jobs": jobs or -1}
        executor_config = executor_config.model_copy(update=here)
    return make_job(job, executor_config, data, data_root)


def repeat(stored: Stored, job: Job, progress: Progress) -> Comparison:
    """Run the job again in a folder of its own, and compare.

    Raises
    ------
    XCBenchError
        The repeat failed.
    """
    with tempfile.TemporaryDirectory(prefix="xcbench-", ignore_cleanup_errors=True) as folder:
        store = ResultStore(Path(folder))
        Runner(store, progress).run(Plan((job,), ()))
        result = store.find(job.run_id)
        if result is None or result.status != "done":
            what = result.error if result else "it left no result"
            raise XCBenchError(f"{stored.result.run_id}: the repeat failed: {what}")
        arrays = load_arrays(store.folder(job.run_id) / "predictions.npz")
    return compare(stored.result, stored.arrays, result, arrays)


def _changed_files(
    before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]
) -> Iterator[str]:
    if not before:
        yield "  its result is of an xcbench that did not record the files"
    elif len(before) != len(after):
        yield f"  it was read from {len(before)} files and now would be from {len(after)}"
    else:
        pairs = [(old.get("sha256"), new["sha256"]) for old, new in zip(before, after, strict=True)]
        if all(was == now for was, now in pairs):
            yield "  its files are the same, but this xcbench reads them otherwise"
        for (was, now), file in zip(pairs, after, strict=True):
            if was != now:
                yield f"  {file['path']}: its sha256 was {str(was)[:12]}..., now is {now[:12]}..."


def _likeness(text: str, run_id: str) -> float:
    """How like a run's id, its label or its hash a text is, 0 to 1."""
    label, _, digits = run_id.rpartition("/")[2].rpartition("-")
    parts = (run_id, label, digits)
    return max(difflib.SequenceMatcher(None, text, part).ratio() for part in parts)


def _listed(run_ids: list[str]) -> str:
    more = len(run_ids) - _MOST_LISTED
    lines = [*run_ids[:_MOST_LISTED], *([f"and {more} more"] if more > 0 else [])]
    return "".join(f"\n  {line}" for line in lines)
