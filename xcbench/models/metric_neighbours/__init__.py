"""Nearest neighbours under a metric that is given or learned from the classes."""

from xcbench.models.metric_neighbours.learn import LearnedFactors, learn
from xcbench.models.metric_neighbours.library import missing_metric_learn
from xcbench.models.metric_neighbours.neighbours import majority

__all__ = ["LearnedFactors", "learn", "majority", "missing_metric_learn"]
