"""Settings of robust Euclidean embedding: a map of places from distances, some of them wrong."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field

from xcbench.config.base import Count, NonNegative, Percents, Settings, TaskSettings
from xcbench.config.names import data_name

# Beyond these, 500 rounds from classical scaling hardly come below it.
_Rho = Annotated[float, Field(ge=1e-2, le=1e3)]
# A step of 100 moves points by ten times what lies between them.
_Step = Annotated[float, Field(ge=1e-6, le=100)]


class RobustEmbeddingTask(TaskSettings):
    """Which distances are spoiled: ``doubled`` percent of the pairs, one job for each.

    ``doubling``: of the squared distance, as the methods see it, or of the plain one (then the
    squared distance is four times too large).
    """

    kind: Literal["robust_embedding"] = "robust_embedding"
    doubled: Percents = (5.0,)
    doubling: Literal["squared", "plain"] = "squared"

    def each(self) -> list[Self]:
        """One task for each share of doubled distances."""
        return [self.model_copy(update={"doubled": (share,)}) for share in self.doubled]


class RobustEmbeddingDataset(Settings):
    """The first ``rows`` places of a list.

    ``name``: a folder with one CSV file, in the data folder. ``distances``: those on a flat map
    (Albers' conic), which a plane holds exactly, or the geodesic ones, which no plane does.
    """

    name: Annotated[str, data_name("a folder", longest=60)] = "us-cities"
    rows: Annotated[int, Field(ge=4)] = 500
    distances: Literal["planar", "geodesic"] = "planar"

    @property
    def title(self) -> str:
        """Name and number of places; the kind of distances where it is not planar."""
        kind = "" if self.distances == "planar" else f"-{self.distances}"
        return f"{self.name}-{self.rows}{kind}"


class EmbeddingMadmmSettings(Settings):
    """MADMM from classical scaling.

    ``rho`` is for squared distances in units of their median; errors of many medians want a smaller
    one, about 1. ``inner_iterations`` are those of conjugate gradients or steepest descent in a
    round. ``tolerance`` is that of the residuals, relative; a hundredth of it is the absolute one
    of an entry, so that with 0 all rounds are run.
    """

    model: Literal["embedding_madmm"] = "embedding_madmm"
    rho: _Rho = 10.0
    iterations: Count = 500
    inner_iterations: Count = 5
    solver: Literal["conjugate_gradient", "steepest_descent"] = "conjugate_gradient"
    tolerance: NonNegative = 1e-4


class EmbeddingClassicalSettings(Settings):
    """Classical scaling (multidimensional scaling of Torgerson)."""

    model: Literal["embedding_classical_mds"] = "embedding_classical_mds"


class EmbeddingSubgradientSettings(Settings):
    """The subgradient method from classical scaling; ``step`` is c in c / (n sqrt(k)).

    Of 0.5, 1, 2, 3, 4, 8 and 16 the step 2 came lowest in 500 iterations on 500 US cities with 5 %
    of the squared distances doubled; plain doubling wants 16 to 32.
    """

    model: Literal["embedding_subgradient"] = "embedding_subgradient"
    step: _Step = 2.0
    iterations: Count = 500


EmbeddingSettings = (
    EmbeddingMadmmSettings | EmbeddingClassicalSettings | EmbeddingSubgradientSettings
)

PRESETS: dict[str, dict[str, Any]] = {
    "embedding-madmm": {"model": "embedding_madmm"},
    "embedding-madmm-paper": {"model": "embedding_madmm", "inner_iterations": 2},
    "embedding-classical-mds": {"model": "embedding_classical_mds"},
    "embedding-subgradient": {"model": "embedding_subgradient"},
}
