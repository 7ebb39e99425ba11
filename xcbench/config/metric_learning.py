"""Settings of metric learning for nearest neighbours: the protocol, its data and its methods."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from xcbench.config.base import Count, Distinct, Positive, Settings, TaskSettings
from xcbench.config.names import data_name

Prior = Literal["identity", "inverse_covariance"]


# Bounds within which a multiplier over gamma neither overflows nor vanishes.
_Gamma = Annotated[float, Field(ge=1e-9, le=1e9)]
Gammas = Annotated[tuple[_Gamma, ...], *Distinct]


class MetricLearningTask(TaskSettings):
    """The notes' experiment: one run is one random draw of two halves, each once the test.

    ``neighbours`` vote by majority; ``standardise``: features get the mean 0 and standard deviation
    1 in the training half.
    """

    kind: Literal["metric_learning"] = "metric_learning"
    neighbours: Count = 4
    standardise: bool = True


class MetricLearningDataset(Settings):
    """A table of classified points: ``uci/wine`` is ``uci/wine.csv`` below the data folder."""

    name: Annotated[str, data_name("a .csv file, without the ending,", longest=100, nested=True)]

    @property
    def title(self) -> str:
        """What tables and folders call this data."""
        return self.name.replace("/", "-")


class FixedMetricSettings(Settings):
    """A metric that is not learned: Euclidean, or Mahalanobis with the inverse covariance."""

    model: Literal["fixed_metric"] = "fixed_metric"
    metric: Prior = "identity"


class ItmlSettings(Settings):
    """Information-theoretic metric learning, around the metric ``prior``.

    ``variant`` is that of the projections, see optim/bregman.py. With c classes there are
    ``pairs`` * c^2 random pairs (squared) or ``pairs`` * c (c - 1) (distinct). ``bounds``: squared
    distances of similar and dissimilar pairs are kept below the 5th and above the 95th percentile
    of all Euclidean ones (percentiles); or below and above these hundredths of their range in 100
    random pairs, as the release does (histogram). ``gammas``: the best in two-fold cross-validation
    on the training half. Learning ends with the pass in which ``projections`` are reached, or when
    a pass changes the multipliers by less than ``tolerance``.
    """

    model: Literal["itml"] = "itml"
    prior: Prior = "identity"
    variant: Literal["exact", "released", "printed"] = "exact"
    pairs: Count = 20
    classes: Literal["squared", "distinct"] = "squared"
    bounds: Literal["percentiles", "histogram"] = "percentiles"
    gammas: Gammas = (0.01, 0.1, 1.0, 10.0)
    projections: Count = 1_000_000
    tolerance: Positive = 1e-3


class MetricLearnSettings(Settings):
    """ITML_Supervised of the library metric-learn; options keep its names and defaults.

    ``gammas`` is the grid of its gamma, chosen as ours is. It draws 20 c^2 pairs of either sort,
    and takes percentiles of distances where the problem has their squares.
    """

    model: Literal["metric_learn"] = "metric_learn"
    prior: Literal["identity", "covariance"] = "identity"
    gammas: Gammas = (0.01, 0.1, 1.0, 10.0)
    max_iter: Count = 1000
    tol: Positive = 1e-3


MetricMethodSettings = FixedMetricSettings | ItmlSettings | MetricLearnSettings

PRESETS: dict[str, dict[str, Any]] = {
    "euclidean": {"model": "fixed_metric"},
    "inverse-covariance": {"model": "fixed_metric", "metric": "inverse_covariance"},
    # The notes' settings but for their step, which is the variant "printed": theirs solves the
    # problem they state at gamma = 1 alone, "exact" at any gamma. See optim/bregman.py.
    "itml": {"model": "itml"},
    "itml-covariance": {"model": "itml", "prior": "inverse_covariance"},
    # The defaults of the authors' release (MetricLearningAutotuneKnn with SetDefaultParams).
    "itml-released": {
        "model": "itml",
        "variant": "released",
        "pairs": 40,
        "classes": "distinct",
        "bounds": "histogram",
        "gammas": [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0],
        "projections": 100_000,
        "tolerance": 0.01,
    },
    "metric-learn": {"model": "metric_learn"},
}
