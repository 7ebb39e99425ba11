"""Settings of the methods xcbench is compared with: other libraries, and two plain baselines.

Options of a library keep its names and, unless said otherwise, its defaults.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from xcbench.config.base import Count, NonNegative, Penalty, Positive, Power, Settings, Share


class OmikujiSettings(Settings):
    """omikuji: partitioned label trees (Parabel, Bonsai and their kin).

    ``cluster_k``, ``cluster_balanced``, ``max_depth`` and ``collapse_every_n_layers`` shape the
    trees; ``beam_size`` and ``max_sparse_density`` (above it a classifier's weights are stored
    dense) are those of its command line's test.
    """

    model: Literal["omikuji"] = Field(
        default="omikuji", description="omikuji: partitioned label trees (Parabel, Bonsai)"
    )
    n_trees: Count = Field(default=3, description="trees whose scores are averaged")
    min_branch_size: Annotated[int, Field(ge=2)] = Field(
        default=100, description="clusters of fewer labels are not split"
    )
    max_depth: Count = Field(default=20, description="levels of a tree")
    cluster_k: Annotated[int, Field(ge=2)] = Field(
        default=2, description="clusters that a node is split into"
    )
    cluster_balanced: bool = Field(default=True, description="whether these are of equal size")
    cluster_eps: Positive = Field(
        default=1e-4, description="k-means stops where it improves by less"
    )
    cluster_min_size: Count = Field(default=2, description="labels of the smallest cluster")
    collapse_every_n_layers: Annotated[int, Field(ge=0)] = Field(
        default=0, description="merge so many layers into one; 0 is none"
    )
    centroid_threshold: NonNegative = Field(
        default=0.0, description="numbers of a centroid below this are dropped"
    )
    linear_loss: Literal["hinge", "log"] = Field(
        default="hinge", description="loss of the linear classifiers"
    )
    linear_c: Positive = Field(default=1.0, description="price of their errors; more fits closer")
    linear_eps: Positive = Field(default=0.1, description="their solver's tolerance")
    linear_max_iter: Count = Field(default=20, description="their solver's iterations")
    linear_weight_threshold: NonNegative = Field(
        default=0.1, description="weights smaller than this are dropped"
    )
    beam_size: Count = Field(
        default=10, description="nodes of each level that a prediction follows"
    )
    max_sparse_density: Share = Field(
        default=0.1, description="above this density a classifier's weights are stored dense"
    )

    @model_validator(mode="after")
    def _branches_can_be_split(self) -> Self:
        # omikuji ends the whole process over it.
        if self.min_branch_size < self.cluster_k:
            raise ValueError(
                f"min_branch_size needs at least cluster_k, {self.cluster_k}; found "
                f"{self.min_branch_size}"
            )
        return self


class NapkinXCSettings(Settings):
    """napkinXC: probabilistic label trees (plt) or binary relevance (br) of logistic regressions.

    ``arity``, ``max_leaves``, ``ensemble`` and ``tree_search_type`` are plt's.
    """

    model: Literal["napkinxc"] = Field(
        default="napkinxc",
        description="napkinXC: label trees or binary relevance of linear classifiers",
    )
    kind: Literal["plt", "br"] = Field(
        default="plt", description="a probabilistic label tree, or binary relevance"
    )
    arity: Annotated[int, Field(ge=2)] = Field(default=2, description="children of a node of plt")
    max_leaves: Annotated[int, Field(ge=2)] = Field(
        default=100, description="labels below the last inner node of plt"
    )
    ensemble: Count = Field(default=1, description="trees of plt")
    loss: Literal["log", "l2"] = Field(default="log", description="loss of the linear classifiers")
    weights_threshold: NonNegative = Field(
        default=0.1, description="weights smaller than this are dropped"
    )
    liblinear_c: Positive = Field(default=10.0, description="price of errors; more fits closer")
    liblinear_eps: Positive = Field(default=0.1, description="the solver's tolerance")
    liblinear_max_iter: Count = Field(default=100, description="the solver's iterations")
    tree_search_type: Literal["exact", "beam"] = Field(
        default="exact", description="how plt finds the best labels"
    )
    beam_search_width: Count = Field(
        default=10, description="nodes of each level that a beam search follows"
    )


class PecosSettings(Settings):
    """PECOS XR-Linear: a label tree with linear rankers, trained on teacher-forced negatives."""

    model: Literal["pecos"] = Field(
        default="pecos", description="PECOS XR-Linear: a label tree with linear rankers"
    )
    nr_splits: Annotated[int, Field(ge=2)] = Field(default=16, description="children of a node")
    max_leaf_size: Annotated[int, Field(ge=2)] = Field(default=100, description="labels of a leaf")
    kmeans_max_iter: Count = Field(default=20, description="rounds of k-means")
    negative_sampling: Literal["tfn", "man", "tfn+man"] = Field(
        default="tfn",
        description="which negatives a ranker learns from: teacher-forced, matched, or both",
    )
    solver_type: Literal["L2R_L2LOSS_SVC_DUAL", "L2R_LR_DUAL"] = Field(
        default="L2R_L2LOSS_SVC_DUAL", description="squared hinge loss or logistic regression"
    )
    Cp: Positive = Field(default=1.0, description="price of errors on positives")
    Cn: Positive = Field(default=1.0, description="price of errors on negatives")
    bias: Positive = Field(default=1.0, description="the constant feature")
    threshold: NonNegative = Field(default=0.1, description="weights smaller than this are dropped")
    beam_size: Count = Field(
        default=10, description="nodes of each level that a prediction follows"
    )


class OneVsRestSettings(Settings):
    """One ridge regression for each label, from the features: min ||XW - Y||^2 + ridge ||W||^2.

    ``weights_per_label``: keep so many of each label's weights, the largest, and store them sparse;
    null keeps all, as one dense matrix. The default ridge is the best on the whole of 0.5, 1, 2 and
    4 on a held-out fifth of the training rows of bibtex, delicious, stackex-cs and yso-4k (sum of
    P@1, P@3 and P@5).
    """

    model: Literal["one_vs_rest"] = Field(
        default="one_vs_rest", description="one ridge regression for each label"
    )
    ridge: Penalty = Field(default=2.0, description="penalty on the weights; more is smoother")
    weights_per_label: Count | None = Field(
        default=None,
        description="keep so many of each label's weights, the largest; null keeps all",
    )


class FeatureNeighboursSettings(Settings):
    """The labels of the training points with the most similar features (cosine).

    Each neighbour votes with max(similarity, 0)^power. The defaults are the best on the whole
    of 15, 30, 60, 100 and 1, 2, 4, 8, found as the ridge of OneVsRestSettings.
    """

    model: Literal["feature_neighbours"] = Field(
        default="feature_neighbours",
        description="a vote of the training points with the most similar features",
    )
    neighbours: Count = Field(default=60, description="how many nearest training points vote")
    power: Power = Field(
        default=2.0,
        description="power of the similarity in their votes; more trusts the nearest more",
    )
