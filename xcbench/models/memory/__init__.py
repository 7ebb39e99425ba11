"""How much memory a job will take, from its settings and the size of its data, before the fit.

The figures count the arrays that are alive at once in each stage, in the dtypes the code gives
them; what cannot be known before the fit (how uneven the clusters are, how many features occur in
one, how many neighbours share a label) is taken as is usual for text and never as the best case.
"""

from __future__ import annotations

from xcbench.config.maxide import MaxideSettings
from xcbench.config.methods import GlobalSettings, LocalEmbeddingSettings, MethodSettings
from xcbench.config.peers import FeatureNeighboursSettings, OneVsRestSettings
from xcbench.models.memory import baselines, global_fixed_rank, local_embedding, maxide, peers
from xcbench.models.memory.shape import DataShape
from xcbench.models.memory.stages import (
    Limits,
    MemoryEstimate,
    Stage,
    too_large,
    warning,
    within,
)

__all__ = [
    "DataShape",
    "Limits",
    "MemoryEstimate",
    "Stage",
    "estimate",
    "too_large",
    "warning",
    "within",
]


def estimate(settings: MethodSettings, shape: DataShape, jobs: int, k: int) -> MemoryEstimate:
    """The memory of a job that fits a method and predicts the test rows.

    Parameters
    ----------
    settings : MethodSettings
    shape : DataShape
    jobs : int
        Processes, at least 1.
    k : int
        Labels predicted for each row.
    """
    if isinstance(settings, LocalEmbeddingSettings):
        stages = local_embedding.stages(settings, shape, k)
        advice = "a smaller rank, fewer learners or fewer clusters"
    elif isinstance(settings, GlobalSettings):
        stages = global_fixed_rank.stages(settings, shape, k)
        advice = global_fixed_rank.ADVICE
    elif isinstance(settings, OneVsRestSettings):
        stages = baselines.one_vs_rest(settings, shape, k)
        advice = baselines.ONE_VS_REST_ADVICE
    elif isinstance(settings, FeatureNeighboursSettings):
        stages = baselines.feature_neighbours(settings, shape, k)
        advice = baselines.NEIGHBOURS_ADVICE
    elif isinstance(settings, MaxideSettings):
        stages, advice = maxide.stages(settings, shape, k), maxide.ADVICE
    else:
        stages, advice = peers.stages(settings, shape, k), peers.ADVICE
    return MemoryEstimate(stages, jobs, advice)
