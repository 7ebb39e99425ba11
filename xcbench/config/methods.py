"""Typed settings of the methods: one class per model, one small class per stage.

Defaults are those of the preset ``rxml``; presets are in ``config/presets.py``.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from xcbench.config.base import (
    Count,
    NonNegative,
    Penalty,
    Positive,
    Power,
    Settings,
    Share,
    Shorthand,
)
from xcbench.config.maxide import MaxideSettings
from xcbench.config.peers import (
    FeatureNeighboursSettings,
    NapkinXCSettings,
    OmikujiSettings,
    OneVsRestSettings,
    PecosSettings,
)


class PartitionSettings(Settings):
    """How a learner splits the training points into clusters."""

    kind: Literal["kmeans", "spherical", "balanced"] = "kmeans"
    iterations: Count = 7


class NeighbourSettings(Settings):
    """Which pairs of points the embedding keeps: the ``count`` most similar label rows.

    ``disjoint``: points without a common label fill up short lists (keep: as printed, in order
    of their number) or are left out (drop). ``per_label``: a label brings a point at most so many
    candidates, those around it in order of number, which bounds the search where labels are
    frequent; all of them when null.
    """

    kind: Literal["cosine", "inner"] = "cosine"
    count: Count = 100
    disjoint: Literal["keep", "drop"] = "drop"
    per_label: Count | None = None


class CompletionSettings(Settings):
    """How the embeddings are found from the similarities on Omega.

    ``iterations`` counts CG iterations, SVP steps, alternating gradient steps (released), or rounds
    of MADMM (madmm_l1: absolute errors, ``rho`` its penalty). ``start`` is that of riemannian_cg,
    madmm_l1 and none; ``beta``, ``line_search`` and ``tolerance`` are riemannian_cg's.
    """

    kind: Literal["riemannian_cg", "svp", "released", "madmm_l1", "none"] = "riemannian_cg"
    start: Literal["spectral", "random"] = "spectral"
    iterations: Annotated[int, Field(ge=0)] = 10
    beta: Literal["polak_ribiere", "hestenes_stiefel"] = "polak_ribiere"
    line_search: Literal["exact", "armijo"] = "exact"
    tolerance: NonNegative = 1e-6
    rho: Positive = 10.0

    @model_validator(mode="after")
    def _svp_takes_a_step(self) -> Self:
        if self.kind == "svp" and self.iterations == 0:
            raise ValueError("kind svp needs iterations of at least 1; found 0")
        return self


class RegressionSettings(Settings):
    """How features are mapped to embeddings.

    min ||Z - XV||^2 + ridge ||V||^2 [+ l1 ||XV||_1 by ADMM when kind is admm_l1].
    ``threshold``: soft threshold of the ADMM step, l1/rho (printed) or l1/(2 rho) (exact).
    ``weight_sparsity`` and ``embedding_sparsity`` are the shares of smallest entries zeroed; zeros
    are not stored where a model is smaller without.
    """

    kind: Literal["ridge", "admm_l1"] = "ridge"
    ridge: Penalty = 2.0
    l1: NonNegative = 0.1
    rho: Positive = 1.0
    iterations: Count = 30
    threshold: Literal["printed", "exact"] = "exact"
    weight_sparsity: Share = 0.0
    embedding_sparsity: Share = 0.0


class VoteSettings(Settings):
    """How the stored neighbours of a test point vote for labels.

    cosine: weight max(similarity, 0)^power; euclidean: one equal vote each (SLEEC); itml: the same
    with a metric learned from pairs of Omega and pairs without a common label (``gamma`` its
    slack price).
    """

    kind: Literal["cosine", "euclidean", "itml"] = "cosine"
    neighbours: Count = 30
    power: Power = 8.0
    gamma: Positive = 0.01


class StorageSettings(Settings):
    """In how many bits a model keeps its weights and stored embeddings.

    16 halve their size, in memory and on disk; sums are in 32 bits all the same.
    """

    weights: Literal["float32", "float16"] = "float32"
    embeddings: Literal["float32", "float16"] = "float32"


class HeadSettings(Settings):
    """A linear classifier for each label, blended with the vote [ours].

    squared_hinge: ``rounds`` Newton steps of ``iterations`` conjugate gradient iterations each,
    penalty ``ridge``; ridge: the first of these steps alone. A label with few rows has weights on
    the features of these rows only, and of them on those ``lift`` times as frequent there as in all
    rows: fewer make a fit quicker. Weights smaller than ``threshold`` are dropped. Scores are
    vote / |vote| + weight * head / |head|.

    ``scope``: all has one head, of all labels against all rows, whose cost is labels times data;
    cluster has one for each cluster of the first learner, of the labels and rows that are in it.
    """

    kind: Literal["none", "squared_hinge", "ridge"] = "none"
    scope: Literal["all", "cluster"] = "all"
    ridge: Penalty = 1.0
    rounds: Count = 3
    iterations: Count = 4
    lift: NonNegative = 0.0
    threshold: NonNegative = 0.05
    weight: Annotated[float, Field(ge=0, le=1e6)] = 1.5


class LocalEmbeddingSettings(Settings):
    """RXML, SLEEC and their variants; ``clusters: auto`` is max(1, n // 6000) as in the paper.

    ``tail``: scores are multiplied by (inverse propensity of the label)^tail, with the usual
    constants 0.55 and 1.5; above 0 it trades P@k for PSP@k.
    """

    model: Literal["local_embedding"] = "local_embedding"
    learners: Count = 1
    clusters: Annotated[int, Field(ge=1)] | Literal["auto"] = "auto"
    rank: Count = 100
    partition: Annotated[PartitionSettings, Shorthand] = PartitionSettings()
    neighbours: Annotated[NeighbourSettings, Shorthand] = NeighbourSettings()
    completion: Annotated[CompletionSettings, Shorthand] = CompletionSettings()
    regression: Annotated[RegressionSettings, Shorthand] = RegressionSettings()
    vote: Annotated[VoteSettings, Shorthand] = VoteSettings()
    head: Annotated[HeadSettings, Shorthand] = HeadSettings()
    storage: StorageSettings = StorageSettings()
    tail: Annotated[float, Field(ge=0, le=4)] = 0.0


class GlobalSettings(Settings):
    """The global fixed-rank model min ||XW - Y||^2 + ridge ||W||^2 over rank(W) = rank.

    rank and ridge were chosen by the sum of P@1, P@3 and P@5 on a held-out tenth of the training
    rows of bibtex, delicious and stackex-cs, among ranks 100 and 150 and ridges 1 to 3.
    """

    model: Literal["global"] = "global"
    rank: Count = 150
    ridge: NonNegative = 2.0
    solver: Literal["closed_form", "riemannian_cg"] = "riemannian_cg"
    start: Literal["spectral", "random"] = "spectral"
    iterations: Annotated[int, Field(ge=0)] = 10
    beta: Literal["polak_ribiere", "hestenes_stiefel"] = "polak_ribiere"
    line_search: Literal["exact", "armijo"] = "exact"
    preconditioner: Literal["none", "gram"] = "gram"
    tolerance: NonNegative = 1e-6


MethodSettings = (
    LocalEmbeddingSettings
    | GlobalSettings
    | OneVsRestSettings
    | FeatureNeighboursSettings
    | OmikujiSettings
    | NapkinXCSettings
    | PecosSettings
    | MaxideSettings
)
