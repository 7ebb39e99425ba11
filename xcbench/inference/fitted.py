"""A model folder, opened: arrays stay on disk until a prediction touches them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.config.loader import load_config
from xcbench.config.schema import JobConfig
from xcbench.data.dataset import TopK
from xcbench.data.features import tfidf, unit
from xcbench.data.names import FEATURE_NAMES, LABEL_NAMES, read_names
from xcbench.data.texts.features import TextFeatures
from xcbench.errors import ConfigError, DataError
from xcbench.inference.fit import CONFIG, IDF, MODEL
from xcbench.inference.manifest import MANIFEST, Manifest, read_manifest, verify
from xcbench.models import Model, load_model
from xcbench.models.files import open_array
from xcbench.models.peers import require

# What reading another version's files, whose hashes are right, may come to.
_UNREADABLE = (
    ArithmeticError, AttributeError, EOFError, LookupError, OSError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip


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
        return unit(X) if self.job.dataset.features == "unit" else X

    def predict(self, X: sparse.csr_array | Sequence[str], k: int) -> TopK:
        """The k best labels of every row of X.

        X holds features as they are read, (n, d), or is a list of n texts for a model whose data
        came from text.

        Of a row the same whatever the other rows, but for the last bits: float32 products are
        rounded otherwise in other company on some processors. A row without any feature gets what
        the model says of nothing: from votes no label, from a head or an offset the labels it
        favours everywhere, else the first labels with a score of 0.

        Raises
        ------
        DataError
            X has another number of features.
        TypeError
            X is neither a sparse matrix nor a list of texts, or the model knows no words.
        """
        return self.model.predict(self.scaled(self._features_of(X)), k)

    def _features_of(self, X: sparse.csr_array | Sequence[str]) -> sparse.csr_array:
        if sparse.issparse(X):
            return sparse.csr_array(X)
        takes = f"a scipy csr_array of shape (n, {self.n_features})"
        if isinstance(X, list | tuple) and X and all(isinstance(text, str) for text in X):
            if self.text is None:
                raise TypeError(f"found texts, but the model knows no words; expected {takes}")
            return self.text.transform(X)
        if self.text is not None:
            takes += ", or a list of texts"
        raise TypeError(f"found {type(X).__name__}; expected {takes}")


def open_model(folder: Path, cache_root: Path | None = None) -> FittedModel:
    """Open a model folder, wherever it was made.

    Its files are held against what it says of them, and their sizes against each other. That
    guards against damage, not against somebody who makes a folder to do harm: open the folders of
    people you trust.

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
        weights = open_array(folder / IDF) if job.dataset.features == "tfidf" else None
        _require_fitting(manifest, model, weights)
    except _UNREADABLE as error:
        raise DataError(_unreadable(folder, manifest, error)) from None
    return FittedModel(folder, manifest, job, model, weights)


def _require_fitting(manifest: Manifest, model: Model, weights: np.ndarray | None) -> None:
    """Nothing is read beyond the end of an array because another one is larger."""
    shape = manifest.data.n_features, manifest.data.n_labels
    if model.shape != shape:
        raise ValueError(
            "the model is of {} features and {} labels, {} states {} and {}".format(
                *model.shape, MANIFEST, *shape
            )
        )
    if weights is not None and (weights.shape != shape[:1] or weights.dtype != np.float64):
        raise ValueError(
            f"{IDF} holds {weights.dtype} of shape {weights.shape}; expected a float64 of each of "
            f"{shape[0]} features"
        )


def _unreadable(folder: Path, manifest: Manifest, error: Exception) -> str:
    import xcbench

    writer = manifest.versions.get("xcbench", "another version")
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return (
        f"{folder}: cannot be opened ({first}); it was written by xcbench {writer}, this is "
        f"{xcbench.__version__}: fit the model again"
    )
