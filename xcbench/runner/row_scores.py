"""What each test row contributed to the metrics of a stored run, from its saved predictions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import ValidationError

from xcbench.config.dataset import DatasetConfig, MetricsConfig
from xcbench.errors import DataError, XCBenchError
from xcbench.metrics.per_row import Contributions, per_row
from xcbench.metrics.propensity import inverse_propensity
from xcbench.runner.rerun import load_stored
from xcbench.runner.result import Result, kind_of_task
from xcbench.runner.store import ResultStore
from xcbench.tasks.xc import XCData, open_data


class StoredScores:
    """Per-row scores of stored runs; what is read of a dataset is kept for the next run on it.

    Parameters
    ----------
    store : ResultStore
    data_root : Path, optional
        Where the datasets lie; without it, where each run found its data.

    Attributes
    ----------
    missing : dict of str to str
        Runs that were asked for and have no scores, and why.
    """

    def __init__(self, store: ResultStore, data_root: Path | None = None) -> None:
        self.missing: dict[str, str] = {}
        self._store = store
        self._data_root = data_root
        self._opened: dict[tuple[str, int, Path], XCData | DataError] = {}
        self._weights: dict[tuple[str, float, float], np.ndarray] = {}

    def __call__(self, run_id: str) -> Contributions | None:
        """Of a run; None when its predictions or its data are gone, or no longer what they were."""
        try:
            return self.scores(run_id)
        except XCBenchError as error:
            self.missing[run_id] = str(error)
            return None

    def scores(self, run_id: str) -> Contributions:
        """Of a run.

        Raises
        ------
        XCBenchError
            Its predictions or its data are missing, damaged or changed since.
        """
        stored = load_stored(self._store, run_id)
        if (kind := kind_of_task(stored.result.config)) != "xc":
            raise XCBenchError(f"{run_id}: is a run of task {kind}, which ranks no labels of rows")
        data = self._data(stored.result)
        propensity, wanted = data.propensity, _metrics(stored.result)
        key = (data.sha256, propensity.a, propensity.b)
        if key not in self._weights:
            self._weights[key] = inverse_propensity(data.undamaged.train.Y, *key[1:])
        Y_test = data.prepared.test.Y
        return per_row(stored.predictions, Y_test, self._weights[key], wanted.k, wanted.psndcg)

    def _data(self, result: Result) -> XCData:
        root = self._data_root or Path(result.data_root or "data")
        dataset, split = _dataset(result), int(result.config["splits"][0])
        key = (dataset.model_dump_json(), split, root)
        if key not in self._opened:
            try:
                self._opened[key] = open_data(dataset, root, split)
            except DataError as error:
                self._opened[key] = error
        data = self._opened[key]
        if isinstance(data, DataError):
            raise data
        if data.sha256 != result.data_sha256:
            raise DataError(f"the data in {root} is not what {result.run_id} was made from")
        return data


# Not the whole config is read: methods may have changed since, and nothing is run again.
def _dataset(result: Result) -> DatasetConfig:
    try:
        return DatasetConfig.model_validate(result.config["dataset"])
    except ValidationError:
        raise XCBenchError(f"{result.run_id}: its dataset is of another xcbench") from None


def _metrics(result: Result) -> MetricsConfig:
    try:
        return MetricsConfig.model_validate(result.config.get("metrics", {}))
    except ValidationError:
        raise XCBenchError(f"{result.run_id}: its metrics are of another xcbench") from None
