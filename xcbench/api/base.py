"""What all estimators have in common: a model of xcbench behind scikit-learn's conventions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from xcbench.api.rankings import checked_k
from xcbench.api.settings import resolved
from xcbench.api.targets import Targets, features, read_targets
from xcbench.api.threads import ThreadExecutor
from xcbench.api.types import MatrixLike, RandomState
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.matrix import slice_rows, take_rows
from xcbench.errors import ConfigError
from xcbench.metrics.ranking import hits
from xcbench.models import make_model
from xcbench.models.base import Model, Task, row_blocks

_SCORES_AT_ONCE = 1 << 24  # of decision_function, rows times labels


class XCClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the estimators; not to be used itself.

    A subclass has in ``_keys`` the dotted key of a config that each of its parameters stands for.

    Attributes
    ----------
    classes_ : ndarray, shape (l,)
        0 to l - 1 for an indicator matrix, else the sorted classes.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where X was a data frame.
    top_k_ : int
        How many labels ``predict`` gives a row.
    model_ : Model
        The fitted model of ``xcbench.models``; its ``settings`` are all settings in full.
    """

    _keys: ClassVar[Mapping[str, str]] = {}

    top_k: int | None
    settings: Mapping[str, Any] | None
    n_jobs: int | None
    random_state: RandomState

    classes_: np.ndarray
    n_features_in_: int
    top_k_: int
    model_: Model

    @abstractmethod
    def _preset(self) -> str:
        """The preset of the config whose values the parameters change."""

    def fit(self, X: MatrixLike, y: MatrixLike) -> Self:
        """Learn from labelled points.

        Parameters
        ----------
        X : sparse or dense matrix, shape (n, d)
            Taken as it is, as float32: for most data rows of length one are best
            (TfidfVectorizer makes them, sklearn.preprocessing.Normalizer does).
        y : sparse or dense matrix of 0 and 1, shape (n, l), or array of classes, shape (n,)

        Raises
        ------
        ValueError
            X, y or a parameter is not as expected.
        TaskError
            A part of the fit failed, for want of memory for example.

        Notes
        -----
        After an error the estimator is as it was, so that a fitted one still predicts.
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X, y)
        except BaseException:
            self.__dict__ = before
            raise

    def _fit(self, X: MatrixLike, y: MatrixLike) -> Self:
        top_k, settings = self._checked_top_k(), self._settings()
        rows = validate_data(self, X, accept_sparse="csr")
        targets, Y = read_targets(y)
        check_consistent_length(rows, Y)
        model = make_model(settings, self._seed())
        try:
            model.fit(Dataset(features(rows), Y), ThreadExecutor(self.n_jobs))
        except ConfigError as error:
            raise ValueError(str(error)) from None
        self.model_, self._targets, self.classes_ = model, targets, targets.classes
        self.top_k_ = top_k or (1 if targets.is_single else max(1, round(Y.nnz / Y.shape[0])))
        return self

    def predict_top_k(self, X: MatrixLike, k: int = 5) -> TopK:
        """The k best labels of every row, best first, with their scores.

        Parameters
        ----------
        X : sparse or dense matrix, shape (n, d)
        k : int

        Returns
        -------
        TopK
            ``labels`` int32 (n, k), positions in ``classes_``, -1 where fewer have a score;
            ``scores`` float32 (n, k), -inf there.
        """
        return self._ranked(self._rows(X), checked_k(k))

    def predict(self, X: MatrixLike) -> Any:
        """The ``top_k`` best labels of every row.

        Returns
        -------
        matrix of 0 and 1, shape (n, l), or array of classes, shape (n,)
            Of the form that y had in ``fit``: sparse if it was. A row has fewer labels only where
            no more have a score.
        """
        check_is_fitted(self)
        targets: Targets = self._targets
        if targets.is_single:
            scores = self.decision_function(X)
            best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
            return targets.classes[best]
        return targets.indicator(self.predict_top_k(X, self.top_k_))

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """The scores of all labels, 0 for those a method does not list; dense.

        For many labels ``predict_top_k`` is what is fast and fits memory.

        Returns
        -------
        ndarray of float32, shape (n, l); (n,) for two classes
            Of two classes the score of the second less that of the first.
        """
        rows = self._rows(X)
        n, n_labels = rows.shape[0], self.classes_.size
        scores = np.zeros((n, n_labels), np.float32)
        step = max(1, _SCORES_AT_ONCE // n_labels)
        for start in range(0, n, step):
            stop = min(start + step, n)
            top = self._ranked(slice_rows(rows, start, stop), n_labels)
            at, listed = np.nonzero(top.labels >= 0)
            scores[start + at, top.labels[at, listed]] = top.scores[at, listed]
        if self._targets.is_single and n_labels == 2:
            difference: np.ndarray = scores[:, 1] - scores[:, 0]
            return difference
        return scores

    def score(
        self, X: MatrixLike, y: MatrixLike, sample_weight: np.typing.ArrayLike | None = None
    ) -> float:
        """P@1: the share of rows whose best label is right; the accuracy where y is classes."""
        check_is_fitted(self)
        if self._targets.is_single:
            return float(super().score(X, y, sample_weight))
        Y = self._targets.more(y)
        top = self.predict_top_k(X, 1)
        check_consistent_length(top.labels, Y)
        right = hits(top, Y, 1)[:, 0]
        if sample_weight is None:
            return float(right.mean())
        weights = np.asarray(sample_weight, np.float64)
        if (
            weights.shape != right.shape
            or not (weights >= 0).all()
            or not 0 < weights.sum() < np.inf
        ):
            raise ValueError("sample_weight: expected a number for each row, not all of them 0")
        return float(np.average(right, weights=weights))

    def _settings(self) -> Any:
        parameters = {name: getattr(self, name) for name in self._keys}
        return resolved(self._preset(), parameters, self._keys, self.settings)

    def _checked_top_k(self) -> int | None:
        top_k = self.top_k
        if top_k is None:
            return None
        if isinstance(top_k, bool) or not isinstance(top_k, int | np.integer) or top_k < 1:
            raise ValueError(f"top_k: found {top_k!r}; expected a whole number of at least 1")
        return int(top_k)

    def _seed(self) -> int:
        """An int is the seed itself, as in a config."""
        state = self.random_state
        if not isinstance(state, int | np.integer):
            return int(check_random_state(state).randint(np.iinfo(np.int32).max))
        if state < 0:
            raise ValueError(f"random_state: found {state}; expected at least 0")
        return int(state)

    def _rows(self, X: MatrixLike) -> sparse.csr_array:
        check_is_fitted(self)
        return features(validate_data(self, X, accept_sparse="csr", reset=False))

    def _ranked(self, X: sparse.csr_array, k: int) -> TopK:
        """A row is predicted in the same company whatever the number of jobs."""
        executor = ThreadExecutor(self.n_jobs)
        blocks = row_blocks(self.model_, X, executor.jobs)
        tasks = [
            Task(f"rows, block {number} of {len(blocks)}", (self.model_, X, rows, k), rows.size)
            for number, rows in enumerate(blocks)
        ]
        labels = np.empty((X.shape[0], k), np.int32)
        scores = np.empty((X.shape[0], k), np.float32)
        found = executor.map(_predict_block, tasks, "predict")
        for rows, block in zip(blocks, found, strict=True):
            labels[rows], scores[rows] = block.labels, block.scores
        return TopK(labels, scores)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def _predict_block(model: Model, X: sparse.csr_array, rows: np.ndarray, k: int) -> TopK:
    return model.predict(take_rows(X, rows), k)
