"""The estimators. Parameters have the names and defaults of a config's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from xcbench.api.base import XCClassifier
from xcbench.api.types import RandomState
from xcbench.config.problems import unknown

_EMBEDDING_KEYS = {
    "learners": "learners",
    "clusters": "clusters",
    "rank": "rank",
    "neighbours": "neighbours.count",
    "vote_neighbours": "vote.neighbours",
    "ridge": "regression.ridge",
}
_RXML_PRESETS = ("rxml", "rxml-blend", "rxml-paper")


class RXML(XCClassifier):
    """Embeddings of label neighbourhoods by Riemannian optimisation, and votes of neighbours.

    The same as ``xcbench run`` with this preset, these settings and this seed.

    Parameters
    ----------
    preset : {"rxml", "rxml-blend", "rxml-paper"}
        The vote alone; with a linear classifier for each label beside it (as a rule better,
        slower to fit); or as the paper ran it.
    learners : int
        Independent partitions of the training points, whose votes are pooled.
    clusters : int or "auto"
        Of each learner; auto is one for every 6000 training points.
    rank : int
        Of the embedding.
    neighbours : int
        Label neighbours of a training point that its embedding keeps.
    vote_neighbours : int
        Training points that vote for the labels of a new one.
    ridge : float
        Penalty of the regression from features to embeddings.
    top_k : int or None
        Labels that ``predict`` gives each row; None takes the mean number in training, rounded.
    settings : dict or None
        Any other setting of the method, nested as in a config, ``{"vote": {"power": 4.0}}``; it
        has the last word. ``xcbench config show`` prints all of them.
    n_jobs : int or None
        Threads of fit and prediction; results do not depend on it.
    random_state : int, RandomState or None
        An int is the seed of ``xcbench run``.

    Examples
    --------
    >>> import numpy as np
    >>> from xcbench import RXML
    >>> X = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 0.9]])
    >>> Y = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0]])
    >>> model = RXML(rank=2).fit(X, Y)
    >>> model.predict(np.array([[0.9, 0.1], [0.0, 0.5]]))
    array([[1, 0, 0],
           [0, 1, 0]])
    >>> model.predict_top_k(np.array([[0.9, 0.1]]), k=2).labels
    array([[0, 2]], dtype=int32)
    """

    _keys: ClassVar[Mapping[str, str]] = _EMBEDDING_KEYS

    def __init__(
        self,
        preset: str = "rxml",
        *,
        learners: int = 1,
        clusters: int | Literal["auto"] = "auto",
        rank: int = 100,
        neighbours: int = 100,
        vote_neighbours: int = 30,
        ridge: float = 2.0,
        top_k: int | None = None,
        settings: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.preset = preset
        self.learners = learners
        self.clusters = clusters
        self.rank = rank
        self.neighbours = neighbours
        self.vote_neighbours = vote_neighbours
        self.ridge = ridge
        self.top_k = top_k
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _preset(self) -> str:
        if self.preset not in _RXML_PRESETS:
            raise ValueError(f"preset: {unknown(self.preset, _RXML_PRESETS)}")
        return self.preset


class SLEEC(XCClassifier):
    """Sparse local embeddings (Bhatia et al. 2015) with singular value projection.

    The same as ``xcbench run`` with ``preset: sleec``, these settings and this seed.

    Parameters
    ----------
    learners, clusters, rank, neighbours, vote_neighbours, ridge : see RXML
    top_k, settings, n_jobs, random_state : see RXML

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from xcbench import SLEEC
    >>> X = csr_array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 0.9]])
    >>> Y = csr_array([[1, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0]])
    >>> SLEEC(rank=2, vote_neighbours=1).fit(X, Y).predict(X).toarray()
    array([[1, 0, 0],
           [1, 0, 0],
           [0, 1, 0],
           [0, 1, 0]])
    """

    _keys: ClassVar[Mapping[str, str]] = _EMBEDDING_KEYS

    def __init__(
        self,
        *,
        learners: int = 1,
        clusters: int | Literal["auto"] = "auto",
        rank: int = 100,
        neighbours: int = 100,
        vote_neighbours: int = 30,
        ridge: float = 2.0,
        top_k: int | None = None,
        settings: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.learners = learners
        self.clusters = clusters
        self.rank = rank
        self.neighbours = neighbours
        self.vote_neighbours = vote_neighbours
        self.ridge = ridge
        self.top_k = top_k
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _preset(self) -> str:
        return "sleec"


class GlobalFixedRank(XCClassifier):
    """One weight matrix of fixed rank for all points and labels, by Riemannian optimisation.

    The same as ``xcbench run`` with ``preset: global``, these settings and this seed.

    Parameters
    ----------
    rank : int
        Of the weights.
    ridge : float
        Penalty of the weights.
    iterations : int
        Of conjugate gradients.
    top_k, settings, n_jobs, random_state : see RXML
        The fit is one task: n_jobs helps prediction only.

    Examples
    --------
    >>> import numpy as np
    >>> from xcbench import GlobalFixedRank
    >>> X = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 0.9]])
    >>> GlobalFixedRank(rank=2, ridge=0.1).fit(X, ["a", "a", "b", "b"]).predict(X).tolist()
    ['a', 'a', 'b', 'b']
    """

    _keys: ClassVar[Mapping[str, str]] = {
        "rank": "rank",
        "ridge": "ridge",
        "iterations": "iterations",
    }

    def __init__(
        self,
        *,
        rank: int = 150,
        ridge: float = 2.0,
        iterations: int = 10,
        top_k: int | None = None,
        settings: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.rank = rank
        self.ridge = ridge
        self.iterations = iterations
        self.top_k = top_k
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _preset(self) -> str:
        return "global"


class Maxide(XCClassifier):
    """Multi-label least squares in the span of leading features, with a trace norm penalty.

    The same as ``xcbench run`` with ``preset: maxide``, these settings and this seed.

    Parameters
    ----------
    ranks : sequence of int
        Numbers of leading directions of the features; the best on held-out rows is taken.
    top_k, settings, n_jobs, random_state : see RXML
        The fit is one task: n_jobs helps prediction only.

    Examples
    --------
    >>> import numpy as np
    >>> from xcbench import Maxide
    >>> X = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 0.9]])
    >>> Maxide(ranks=(1,)).fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    _keys: ClassVar[Mapping[str, str]] = {"ranks": "ranks"}

    def __init__(
        self,
        *,
        ranks: Sequence[int] = (25, 50, 100, 200),
        top_k: int | None = None,
        settings: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.ranks = ranks
        self.top_k = top_k
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _preset(self) -> str:
        return "maxide"


class OneVsRest(XCClassifier):
    """A plain baseline: one ridge regression for each label.

    The same as ``xcbench run`` with ``preset: ridge`` and these settings. No intercept is fitted.

    Parameters
    ----------
    ridge : float
        Penalty of the weights.
    weights_per_label : int or None
        Keep so many of each label's weights, the largest; None keeps all.
    top_k, settings, n_jobs, random_state : see RXML
        Nothing is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from xcbench import OneVsRest
    >>> X = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 0.9]])
    >>> OneVsRest(ridge=0.1).fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    _keys: ClassVar[Mapping[str, str]] = {
        "ridge": "ridge",
        "weights_per_label": "weights_per_label",
    }

    def __init__(
        self,
        *,
        ridge: float = 2.0,
        weights_per_label: int | None = None,
        top_k: int | None = None,
        settings: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.ridge = ridge
        self.weights_per_label = weights_per_label
        self.top_k = top_k
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _preset(self) -> str:
        return "ridge"


class FeatureNeighbours(XCClassifier):
    """A plain baseline: the labels of the training points with the most similar features.

    The same as ``xcbench run`` with ``preset: knn`` and these settings.

    Parameters
    ----------
    neighbours : int
        Training points that vote.
    power : float
        A neighbour's vote is its cosine similarity to this power.
    top_k, settings, n_jobs, random_state : see RXML
        Nothing is drawn; n_jobs helps prediction only.

    Examples
    --------
    >>> import numpy as np
    >>> from xcbench import FeatureNeighbours
    >>> X = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.1, 0.9]])
    >>> FeatureNeighbours(neighbours=1).fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    _keys: ClassVar[Mapping[str, str]] = {"neighbours": "neighbours", "power": "power"}

    def __init__(
        self,
        *,
        neighbours: int = 60,
        power: float = 2.0,
        top_k: int | None = None,
        settings: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.neighbours = neighbours
        self.power = power
        self.top_k = top_k
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _preset(self) -> str:
        return "knn"
