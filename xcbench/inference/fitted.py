"""A model folder, opened: arrays stay on disk until a prediction touches them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from pydantic import ValidationError
from scipy import sparse

from xcbench.config.loader import load_config
from xcbench.config.schema import JobConfig
from xcbench.data.dataset import TopK
from xcbench.data.features import tfidf, unit
from xcbench.data.names import FEATURE_NAMES, LABEL_NAMES, read_names
from xcbench.data.texts.features import TextFeatures
from xcbench.errors import ConfigError, DataError
from xcbench.inference.fit import CONFIG, IDF, MODEL
from xcbench.inference.manifest import Manifest, read_manifest, verify
from xcbench.models import Model, load_model
from xcbench.models.files import open_array
from xcbench.models.peers import require


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A model with what belongs to it.

    Attributes
    ----------
    folder : Path
    manifest : Manifest
    job : JobConfig
        What it was fitted as.
    model : Model
    idf : float64, shape (d,), or None
        What features are multiplied by before rows are brought to length 1.
    """

    folder: Path
    manifest: Manifest
    job: JobConfig
    model: Model
    idf: np.ndarray | None

    @property
    def n_features(self) -> int:
        return self.manifest.data.n_features

    @property
    def n_labels(self) -> int:
        return self.manifest.data.n_labels

    @cached_property
    def label_names(self) -> tuple[str, ...] | None:
        """What labels are called; None where the data does not say."""
        return self._names(LABEL_NAMES, self.n_labels)

    @cached_property
    def feature_names(self) -> tuple[str, ...] | None:
        """What features are called; None where the data does not say."""
        return self._names(FEATURE_NAMES, self.n_features)

    def _names(self, name: str, count: int) -> tuple[str, ...] | None:
        path = self.folder / name
        return read_names(path, count) if path.is_file() else None

    @cached_property
    def text(self) -> TextFeatures | None:
        """How texts become features; None where the data did not come from text."""
        return TextFeatures.open(self.folder)

    def scaled(self, X: sparse.csr_array) -> sparse.csr_array:
        """Features as they are read, (n, d), scaled as those of the training part were."""
        if X.shape[1] != self.n_features:
            raise DataError(
                f"the input has {X.shape[1]} features; the model was fitted to {self.n_features}"
            )
        if self.idf is not None:
            return tfidf(X, self.idf)
        return unit(X) if self.manifest.data.features == "unit" else X

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """The k best labels of every row of X (n, d), whose features are as they are read.

        Of a row the same to the bit, whatever the other rows. A row without any feature gets what
        the model says of nothing: from votes no label, from a head or an offset the labels it
        favours everywhere, else the first labels with a score of 0.

        Raises
        ------
        DataError
            X has another number of features.
        """
        return self.model.predict(self.scaled(X), k)


def open_model(folder: Path, cache_root: Path | None = None) -> FittedModel:
    """Open a model folder, wherever it was made.

    Parameters
    ----------
    folder : Path
    cache_root : Path, optional
        Where it is remembered which files were read and found as described.

    Raises
    ------
    DataError
        It is no model folder, of a newer format, not whole or changed.
    XCBenchError
        The library of its method is not installed.
    """
    manifest = read_manifest(folder)
    verify(folder, manifest, cache_root)
    try:
        (job,) = load_config(folder / CONFIG).jobs()
    except (ConfigError, ValueError) as error:
        raise DataError(_unreadable(folder, manifest, error)) from None
    require(job.method.settings)
    try:
        model = load_model(folder / MODEL)
        weights = open_array(folder / IDF) if manifest.data.features == "tfidf" else None
    except (OSError, KeyError, TypeError, ValueError, ValidationError) as error:
        raise DataError(_unreadable(folder, manifest, error)) from None
    return FittedModel(folder, manifest, job, model, weights)


def _unreadable(folder: Path, manifest: Manifest, error: Exception) -> str:
    import xcbench

    writer = manifest.versions.get("xcbench", "another version")
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return (
        f"{folder}: cannot be opened ({first}); it was written by xcbench {writer}, this is "
        f"{xcbench.__version__}: fit the model again"
    )
