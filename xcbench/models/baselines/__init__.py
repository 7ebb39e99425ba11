"""Plain baselines from the features: what any method has to be better than."""

from xcbench.models.baselines.feature_neighbours import FeatureNeighbours
from xcbench.models.baselines.one_vs_rest import OneVsRest

__all__ = ["FeatureNeighbours", "OneVsRest"]
