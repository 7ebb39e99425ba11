"""Settings of Maxide and of the methods its matrix completion is compared with.

Grids: of several values, the one is taken that does best on a held-out part of what is observed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from xcbench.config.base import Count, Counts, Distinct, Penalty, Settings, Share

_PenaltyShare = Annotated[float, Field(gt=0, le=1)]
PenaltyShares = Annotated[tuple[_PenaltyShare, ...], *Distinct]
Penalties = Annotated[tuple[Penalty, ...], *Distinct]
Growth = Annotated[float, Field(ge=1.01, le=100)]

_HALVES = tuple(0.5**power for power in range(1, 9))


class DescentSettings(Settings):
    """Proximal gradients: ``growth`` is gamma, ``tolerance`` epsilon of the note.

    ``penalties`` are shares of the least penalty with which the solution is zero.
    """

    penalties: PenaltyShares = Field(
        default=_HALVES,
        description="the penalties tried, as shares of the least with which the solution is zero",
    )
    growth: Growth = Field(
        default=2.0, description="what the step is divided by where it is too long"
    )
    tolerance: Share = Field(
        default=1e-4, description="stop where the objective improves by less, relatively"
    )
    iterations: Count = Field(default=300, description="the most proximal gradient steps")


class MaxideSettings(DescentSettings):
    """Maxide: matrix completion with side information.

    A: a constant and the ``ranks`` leading left singular vectors of the centred features. B:
    ``labels``, the identity or the ``label_rank`` leading eigenvectors of the labels' correlation
    (cosine). Made-up matrices to recover come with both. The constant is ours, and so are
    ``weighting``: A's columns times the singular values, relative to the first, so that a direction
    in which the features vary little is trusted little (A is then not orthonormal); and
    ``over_ranks``: the scores of the best rank, or their mean over all ranks, each with the penalty
    best for it. What few held-out labels say of a rank is mostly noise, and a mean has no choice
    to make.
    """

    model: Literal["maxide"] = Field(
        default="maxide", description="matrix completion with side information"
    )
    ranks: Counts = Field(
        default=(25, 50, 100, 200),
        description="how many singular vectors of the features are tried as side information",
    )
    labels: Literal["identity", "correlation"] = Field(
        default="identity",
        description="side information of the labels: none (identity), or eigenvectors of "
        "their correlation",
    )
    label_rank: Count = Field(default=50, description="how many eigenvectors")
    weighting: Literal["none", "singular_values"] = Field(
        default="none",
        description="trust directions of the features equally (none), or by their singular values",
    )
    over_ranks: Literal["best", "mean"] = Field(
        default="best", description="take the scores of the best rank, or their mean over all ranks"
    )


class SVTSettings(DescentSettings):
    """Matrix completion without side information, by singular value thresholding."""

    model: Literal["svt"] = "svt"


class BinaryRelevanceSettings(Settings):
    """A linear classifier for each label, on the points whose label is observed.

    Squared errors (``ridge`` regression to 1 and -1) or the squared hinge loss (an L2-SVM), with an
    intercept; ``rounds`` Newton steps of ``iterations`` conjugate gradient iterations.
    """

    model: Literal["binary_relevance"] = "binary_relevance"
    loss: Literal["squared", "squared_hinge"] = "squared_hinge"
    penalties: Penalties = (10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)
    rounds: Count = 6
    iterations: Count = 20


PRESETS: dict[str, dict[str, Any]] = {
    "maxide": {"model": "maxide"},
    # Label completion only.
    "maxide-averaged": {"model": "maxide", "weighting": "singular_values", "over_ranks": "mean"},
    "svt": {"model": "svt"},
    "binary-relevance": {"model": "binary_relevance"},
}
