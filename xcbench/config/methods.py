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

POINTS_PER_CLUSTER = 6000  # of ``clusters: auto``, as in the RXML paper


class PartitionSettings(Settings):
    """How a learner splits the training points into clusters."""

    kind: Literal["kmeans", "spherical", "balanced"] = Field(
        default="kmeans",
        description="kmeans on the rows as they are, spherical on rows of length one, "
        "balanced into clusters of equal size",
    )
    iterations: Count = Field(default=7, description="rounds of k-means")


class NeighbourSettings(Settings):
    """Which pairs of points the embedding keeps: the ``count`` most similar label rows.

    ``disjoint``: points without a common label fill up short lists (keep: as printed, in order
    of their number) or are left out (drop). ``per_label``: a label brings a point at most so many
    candidates, those around it in order of number, which bounds the search where labels are
    frequent; all of them when null.
    """

    kind: Literal["cosine", "inner"] = Field(
        default="cosine", description="what makes label rows similar: cosine or inner product"
    )
    count: Count = Field(
        default=100, description="how many most similar training points of each are kept"
    )
    disjoint: Literal["keep", "drop"] = Field(
        default="drop",
        description="points without a common label: drop leaves them out, keep fills short "
        "lists with them",
    )
    per_label: Count | None = Field(
        default=None,
        description="at most so many candidates by each label, to bound the search where "
        "labels are frequent; null is all",
    )


class CompletionSettings(Settings):
    """How the embeddings are found from the similarities on Omega.

    ``iterations`` counts CG iterations, SVP steps, alternating gradient steps (released), or rounds
    of MADMM (madmm_l1: absolute errors, ``rho`` its penalty). ``start`` is that of riemannian_cg,
    madmm_l1 and none; ``beta``, ``line_search`` and ``tolerance`` are riemannian_cg's.
    """

    kind: Literal["riemannian_cg", "svp", "released", "madmm_l1", "none"] = Field(
        default="riemannian_cg",
        description="the solver that finds embeddings with these similarities; svp is SLEEC's "
        "as printed, released that of its code, madmm_l1 takes absolute errors",
    )
    start: Literal["spectral", "random"] = Field(
        default="spectral", description="where riemannian_cg, madmm_l1 and none start"
    )
    iterations: Annotated[int, Field(ge=0)] = Field(
        default=10, description="CG iterations, SVP or gradient steps, or rounds of madmm_l1"
    )
    beta: Literal["polak_ribiere", "hestenes_stiefel"] = Field(
        default="polak_ribiere", description="how riemannian_cg conjugates its directions"
    )
    line_search: Literal["exact", "armijo"] = Field(
        default="exact", description="how riemannian_cg finds its step"
    )
    tolerance: NonNegative = Field(
        default=1e-6,
        description="riemannian_cg stops where the gradient is so small, relative to the first",
    )
    rho: Positive = Field(default=10.0, description="penalty of madmm_l1")

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

    kind: Literal["ridge", "admm_l1"] = Field(
        default="ridge",
        description="ridge regression from features to embeddings, or with an L1 term on the "
        "embeddings",
    )
    ridge: Penalty = Field(default=2.0, description="penalty on the weights; more is smoother")
    l1: NonNegative = Field(default=0.1, description="weight of the L1 term of admm_l1")
    rho: Positive = Field(default=1.0, description="penalty of admm_l1")
    iterations: Count = Field(default=30, description="iterations of admm_l1")
    threshold: Literal["printed", "exact"] = Field(
        default="exact", description="soft threshold of admm_l1: l1/(2 rho), or l1/rho as printed"
    )
    weight_sparsity: Share = Field(
        default=0.0, description="the share of the smallest weights that is set to zero"
    )
    embedding_sparsity: Share = Field(
        default=0.0,
        description="the share of the smallest numbers of the embeddings that is set to zero",
    )


class VoteSettings(Settings):
    """How the stored neighbours of a test point vote for labels.

    cosine: weight max(similarity, 0)^power; euclidean: one equal vote each (SLEEC); itml: the same
    with a metric learned from pairs of Omega and pairs without a common label (``gamma`` its
    slack price).
    """

    kind: Literal["cosine", "euclidean", "itml"] = Field(
        default="cosine",
        description="how neighbours vote: cosine by similarity^power, euclidean one equal "
        "vote each (SLEEC), itml the same with a learned metric",
    )
    neighbours: Count = Field(
        default=30, description="how many nearest training points vote for a point's labels"
    )
    power: Power = Field(
        default=8.0,
        description="power of the similarity in a cosine vote; more trusts the nearest more",
    )
    gamma: Positive = Field(default=0.01, description="price of slack of itml")


class StorageSettings(Settings):
    """In how many bits a model keeps its weights and stored embeddings.

    16 halve their size, in memory and on disk; sums are in 32 bits all the same.
    """

    weights: Literal["float32", "float16"] = Field(
        default="float32", description="numbers a model keeps its weights in"
    )
    embeddings: Literal["float32", "float16"] = Field(
        default="float32", description="numbers a model keeps its embeddings in"
    )


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

    kind: Literal["none", "squared_hinge", "ridge"] = Field(
        default="none",
        description="a linear classifier for each label beside the vote: none, by squared "
        "hinge loss, or by its first Newton step alone (ridge)",
    )
    scope: Literal["all", "cluster"] = Field(
        default="all",
        description="one head of all labels and rows, or one for each cluster of the first learner",
    )
    ridge: Penalty = Field(default=1.0, description="penalty on the head's weights")
    rounds: Count = Field(default=3, description="Newton steps of squared_hinge")
    iterations: Count = Field(default=4, description="conjugate gradient iterations of each step")
    lift: NonNegative = Field(
        default=0.0,
        description="keep of a label with few rows the features so many times as frequent "
        "there as in all rows; more is quicker, 0 is all",
    )
    threshold: NonNegative = Field(
        default=0.05, description="weights smaller than this are dropped"
    )
    weight: Annotated[float, Field(ge=0, le=1e6)] = Field(
        default=1.5, description="weight of the head beside the vote, each scaled to length one"
    )


class LocalEmbeddingSettings(Settings):
    """RXML, SLEEC and their variants; ``clusters: auto`` is max(1, n // 6000) as in the paper.

    ``tail``: scores are multiplied by (inverse propensity of the label)^tail, with the usual
    constants 0.55 and 1.5; above 0 it trades P@k for PSP@k.
    """

    model: Literal["local_embedding"] = Field(
        default="local_embedding", description="local embeddings: RXML, SLEEC and their variants"
    )
    learners: Count = Field(
        default=1,
        description="models of other random clusterings whose votes are added; time and "
        "memory grow with it",
    )
    clusters: Annotated[int, Field(ge=1)] | Literal["auto"] = Field(
        default="auto",
        description="clusters of the training points in each learner; auto is one for every 6000",
    )
    rank: Count = Field(default=100, description="dimensions of the embeddings")
    partition: Annotated[PartitionSettings, Shorthand] = Field(
        default=PartitionSettings(), description="how the training points are clustered"
    )
    neighbours: Annotated[NeighbourSettings, Shorthand] = Field(
        default=NeighbourSettings(),
        description="which pairs of training points the embedding keeps similar",
    )
    completion: Annotated[CompletionSettings, Shorthand] = Field(
        default=CompletionSettings(), description="how the embeddings are found"
    )
    regression: Annotated[RegressionSettings, Shorthand] = Field(
        default=RegressionSettings(), description="how features are mapped to embeddings"
    )
    vote: Annotated[VoteSettings, Shorthand] = Field(
        default=VoteSettings(),
        description="how the labels of the nearest training points are ranked",
    )
    head: Annotated[HeadSettings, Shorthand] = Field(
        default=HeadSettings(), description="a linear classifier for each label beside the vote"
    )
    storage: StorageSettings = Field(
        default=StorageSettings(),
        description="numbers a model is stored in; float16 is half the size",
    )
    tail: Annotated[float, Field(ge=0, le=4)] = Field(
        default=0.0,
        description="multiply scores by (inverse propensity)^tail: above 0 it trades P@k for PSP@k",
    )

    def clusters_among(self, n: int) -> int:
        """The clusters a learner is told to make of n training points."""
        return max(1, n // POINTS_PER_CLUSTER) if self.clusters == "auto" else self.clusters


class GlobalSettings(Settings):
    """The global fixed-rank model min ||XW - Y||^2 + ridge ||W||^2 over rank(W) = rank.

    rank and ridge were chosen by the sum of P@1, P@3 and P@5 on a held-out tenth of the training
    rows of bibtex, delicious and stackex-cs, among ranks 100 and 150 and ridges 1 to 3.
    """

    model: Literal["global"] = Field(
        default="global", description="one fixed-rank linear model of all labels"
    )
    rank: Count = Field(default=150, description="rank of the weights")
    ridge: NonNegative = Field(default=2.0, description="penalty on the weights; more is smoother")
    solver: Literal["closed_form", "riemannian_cg"] = Field(
        default="riemannian_cg",
        description="the exact solution, or conjugate gradients on the fixed-rank manifold",
    )
    start: Literal["spectral", "random"] = Field(
        default="spectral", description="where riemannian_cg starts"
    )
    iterations: Annotated[int, Field(ge=0)] = Field(
        default=10, description="iterations of riemannian_cg"
    )
    beta: Literal["polak_ribiere", "hestenes_stiefel"] = Field(
        default="polak_ribiere", description="how riemannian_cg conjugates its directions"
    )
    line_search: Literal["exact", "armijo"] = Field(
        default="exact", description="how riemannian_cg finds its step"
    )
    preconditioner: Literal["none", "gram"] = Field(
        default="gram", description="gram measures directions by the features' Gram matrix"
    )
    tolerance: NonNegative = Field(
        default=1e-6,
        description="riemannian_cg stops where the gradient is so small, relative to the first",
    )


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
