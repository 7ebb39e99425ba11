"""What the models of other libraries have in common.

Such a model is the files its library saves, in a folder; what predicts is opened from there.
"""

from __future__ import annotations

import json
import shutil
from abc import ABC, abstractmethod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from xcbench.config.peers import NapkinXCSettings, OmikujiSettings, PecosSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.errors import DataError
from xcbench.models.base import Executor, InlineExecutor
from xcbench.models.peers.installed import require
from xcbench.models.peers.silence import silenced

FILES = "library"  # the folder of the library's files in that of the model


class PeerModel(ABC):
    """A WholeModel of another library.

    Parameters
    ----------
    settings : settings of the library
    seed : int

    Attributes
    ----------
    threads : int
    stage_seconds : dict of str to float
        All of the training, under the model's name.
    wall_seconds : dict of str to float
        See WholeModel.
    version : str
        Of the library that trained the model.
    """

    settings_type: ClassVar[Any]

    def __init__(
        self, settings: OmikujiSettings | NapkinXCSettings | PecosSettings, seed: int
    ) -> None:
        # Each library has settings of its own, and one of these classes for them.
        self.settings: Any = settings
        self.seed = seed
        self.threads = 1
        self.stage_seconds: dict[str, float] = {}
        self.wall_seconds: dict[str, float] = {}
        self.version = ""
        self.n_features = self.n_labels = 0
        self._files = Path()
        self._temporary: TemporaryDirectory[str] | None = None
        self._opened: Any = None

    @abstractmethod
    def _train(self, train: Dataset, scratch: Path) -> float:
        """Leave the library's files and its version, and return the seconds of the training."""

    @abstractmethod
    def _open(self) -> Any:
        """The model in memory, from the library's files."""

    @abstractmethod
    def _predict(self, X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray, float]:
        """Labels (n, k), scores (n, k) and the seconds; -1 and -inf where a row has no more."""

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """See Model.fit; all in one piece, with the threads of all the executor's processes.

        Raises
        ------
        XCBenchError
            The library is not installed.
        DataError
            No training row has a label, with which some libraries end the process.
        """
        require(self.settings)
        if train.Y.nnz == 0:
            raise DataError(f"{train.name}: no training row has a label; nothing to learn from")
        executor = executor or InlineExecutor()
        self.threads = executor.jobs * executor.threads
        self.n_features, self.n_labels = train.n_features, train.n_labels
        self._temporary = TemporaryDirectory(prefix="xcbench-", ignore_cleanup_errors=True)
        scratch = Path(self._temporary.name)
        self._files, self._opened = scratch / FILES, None
        self._files.mkdir()
        with silenced():
            seconds = self._train(train, scratch)
        self.stage_seconds = {self.settings.model: seconds}
        self.wall_seconds = {"train": seconds}
        return self

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """See Model.predict; ``wall_seconds["predict"]`` tells what the library's part took."""
        if k < 1:
            raise ValueError(f"k is {k}; expected at least 1")
        n, d = X.shape
        if d != self.n_features:
            raise ValueError(f"X has {d} features; this model was fitted to {self.n_features}")
        labels, scores = np.full((n, k), -1, np.int32), np.full((n, k), -np.inf, np.float32)
        self.wall_seconds["predict"] = 0.0
        if n:
            asked = min(k, self.n_labels)
            with silenced():
                if self._opened is None:
                    self._opened = self._open()
                found = self._predict(X, asked)
            labels[:, :asked], scores[:, :asked] = _ranked(*found[:2])
            self.wall_seconds["predict"] = found[2]
        return TopK(labels, scores)

    def save(self, folder: Path) -> None:
        """See Model.save; the library's own files, and model.json."""
        shutil.copytree(self._files, folder / FILES)
        about = {
            "settings": self.settings.model_dump(mode="json"),
            "seed": self.seed,
            "version": self.version,
            "n_features": self.n_features,
            "n_labels": self.n_labels,
            "stage_seconds": self.stage_seconds,
            "wall_seconds": self.wall_seconds,
        }
        (folder / "model.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """See Model.load; the library reads its own files when the first row is predicted."""
        about = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        model = cls(cls.settings_type.model_validate(about["settings"]), about["seed"])
        model.version = about["version"]
        model.n_features, model.n_labels = about["n_features"], about["n_labels"]
        model.stage_seconds, model.wall_seconds = about["stage_seconds"], about["wall_seconds"]
        model._files = folder / FILES
        return model

    @property
    def shape(self) -> tuple[int, int]:
        """See Model.shape."""
        return self.n_features, self.n_labels

    @property
    def nbytes(self) -> int:
        """Bytes of the library's files, all of which prediction reads."""
        if self.n_labels == 0:  # Nothing is fitted yet.
            return 0
        return sum(path.stat().st_size for path in self._files.rglob("*") if path.is_file())


def _ranked(labels: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row best first, ties by the smaller label; padding stays last."""
    order = np.lexsort((labels, -scores), axis=-1)
    return np.take_along_axis(labels, order, 1), np.take_along_axis(scores, order, 1)
