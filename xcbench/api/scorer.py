"""Ranking metrics as scorers of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from xcbench.api.base import XCClassifier
from xcbench.api.targets import as_indicators
from xcbench.api.types import MatrixLike


@dataclass(frozen=True)
class RankingScorer:
    """What ``ranking_scorer`` makes; it pickles."""

    metric: Callable[..., np.ndarray]
    k: int
    arguments: dict[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: MatrixLike, y: MatrixLike) -> float:
        """The metric at k of an estimator's predictions for X; y as ``fit`` takes it."""
        Y = as_indicators(y)
        if isinstance(estimator, Pipeline):
            if len(estimator) > 1:  # one without steps does not transform
                X = estimator[:-1].transform(X)
            estimator = estimator[-1]
        if isinstance(estimator, XCClassifier):
            prediction: Any = estimator.predict_top_k(X, self.k)
        else:
            prediction = estimator.decision_function(X)
        return float(self.metric(Y, prediction, k=self.k, **self.arguments)[self.k - 1])


def ranking_scorer(
    metric: Callable[..., np.ndarray], k: int = 1, **arguments: Any
) -> RankingScorer:
    """A metric at k as ``scoring`` of GridSearchCV and cross_val_score, for indicator matrices.

    It asks an estimator of xcbench, also at the end of a pipeline, for its k best labels only, and
    others for their ``decision_function``.

    Parameters
    ----------
    metric : callable
        precision_at_k, or another of this package's metrics.
    k : int
    **arguments
        What the metric takes besides, ``inv_ps``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import cross_val_score
    >>> from xcbench import FeatureNeighbours, precision_at_k, ranking_scorer
    >>> X, Y = np.eye(3).repeat(4, 0), np.eye(3, dtype=int).repeat(4, 0)
    >>> model = FeatureNeighbours(neighbours=1)
    >>> cross_val_score(model, X, Y, cv=2, scoring=ranking_scorer(precision_at_k, k=1)).shape
    (2,)
    """
    return RankingScorer(metric, k, arguments)
