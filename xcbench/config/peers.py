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

    model: Literal["omikuji"] = "omikuji"
    n_trees: Count = 3
    min_branch_size: Annotated[int, Field(ge=2)] = 100
    max_depth: Count = 20
    cluster_k: Annotated[int, Field(ge=2)] = 2
    cluster_balanced: bool = True
    cluster_eps: Positive = 1e-4
    cluster_min_size: Count = 2
    collapse_every_n_layers: Annotated[int, Field(ge=0)] = 0
    centroid_threshold: NonNegative = 0.0
    linear_loss: Literal["hinge", "log"] = "hinge"
    linear_c: Positive = 1.0
    linear_eps: Positive = 0.1
    linear_max_iter: Count = 20
    linear_weight_threshold: NonNegative = 0.1
    beam_size: Count = 10
    max_sparse_density: Share = 0.1

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

    model: Literal["napkinxc"] = "napkinxc"
    kind: Literal["plt", "br"] = "plt"
    arity: Annotated[int, Field(ge=2)] = 2
    max_leaves: Annotated[int, Field(ge=2)] = 100
    ensemble: Count = 1
    loss: Literal["log", "l2"] = "log"
    weights_threshold: NonNegative = 0.1
    liblinear_c: Positive = 10.0
    liblinear_eps: Positive = 0.1
    liblinear_max_iter: Count = 100
    tree_search_type: Literal["exact", "beam"] = "exact"
    beam_search_width: Count = 10


class PecosSettings(Settings):
    """PECOS XR-Linear: a label tree with linear rankers, trained on teacher-forced negatives."""

    model: Literal["pecos"] = "pecos"
    nr_splits: Annotated[int, Field(ge=2)] = 16
    max_leaf_size: Annotated[int, Field(ge=2)] = 100
    kmeans_max_iter: Count = 20
    negative_sampling: Literal["tfn", "man", "tfn+man"] = "tfn"
    solver_type: Literal["L2R_L2LOSS_SVC_DUAL", "L2R_LR_DUAL"] = "L2R_L2LOSS_SVC_DUAL"
    Cp: Positive = 1.0
    Cn: Positive = 1.0
    bias: Positive = 1.0
    threshold: NonNegative = 0.1
    beam_size: Count = 10


class OneVsRestSettings(Settings):
    """One ridge regression for each label, from the features: min ||XW - Y||^2 + ridge ||W||^2.

    ``weights_per_label``: keep so many of each label's weights, the largest, and store them sparse;
    null keeps all, as one dense matrix. The default ridge is the best on the whole of 0.5, 1, 2 and
    4 on a held-out fifth of the training rows of bibtex, delicious, stackex-cs and yso-4k (sum of
    P@1, P@3 and P@5).
    """

    model: Literal["one_vs_rest"] = "one_vs_rest"
    ridge: Penalty = 2.0
    weights_per_label: Count | None = None


class FeatureNeighboursSettings(Settings):
    """The labels of the training points with the most similar features (cosine).

    Each neighbour votes with max(similarity, 0)^power. The defaults are the best on the whole
    of 15, 30, 60, 100 and 1, 2, 4, 8, found as the ridge of OneVsRestSettings.
    """

    model: Literal["feature_neighbours"] = "feature_neighbours"
    neighbours: Count = 60
    power: Power = 2.0
