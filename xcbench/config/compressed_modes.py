"""Settings of compressed modes: the problem, the domain it lives on and the solvers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from xcbench.config.base import Count, NonNegative, Positive, Settings, TaskSettings
from xcbench.config.dataset import PathText
from xcbench.config.mesh_title import mesh_title

_MEASURE = 50.0


class CompressedModesTask(TaskSettings):
    """min tr(Phi^T L Phi) + mu ||Phi||_1 over orthonormal Phi of ``modes`` columns.

    ``mu`` is of the continuous problem, see tasks/compressed_modes/domain.py, so that it means the
    same for every number of vertices.
    """

    kind: Literal["compressed_modes"] = "compressed_modes"
    modes: Annotated[int, Field(ge=1, le=1000)] = 10
    mu: Positive = 0.3


class CompressedModesDataset(Settings):
    """A line of so many vertices, or a triangle mesh (``meshes/spot``, or a path of an OBJ file).

    ``measure``: the length of the line, or the area a mesh is scaled to.
    """

    line: Annotated[int, Field(ge=2, le=10_000_000)] | None = None
    mesh: PathText | None = None
    measure: Positive = _MEASURE

    @model_validator(mode="after")
    def _one_domain(self) -> Self:
        if (self.line is None) == (self.mesh is None):
            raise ValueError("give either line (a number of vertices) or mesh (a name or path)")
        return self

    @property
    def title(self) -> str:
        """``line-500`` or ``meshes-spot``, and the measure where it is not 50."""
        name = f"line-{self.line}" if self.mesh is None else mesh_title(self.mesh)
        return name if self.measure == _MEASURE else f"{name}-measure{self.measure:g}"


class MadmmModesSettings(Settings):
    """MADMM on the Stiefel manifold; ``rho`` couples the modes with their sparse copy.

    A round takes ``inner_iterations`` steps of ``solver``; rounds end at ``iterations`` or when
    both residuals are below the tolerances (``absolute`` for an entry, ``relative`` for the whole).
    The preconditioner is (2 L + rho I)^-1, factorised once and projected to the tangent space.
    """

    model: Literal["modes_madmm"] = "modes_madmm"
    rho: Positive = 10.0
    iterations: Count = 1000
    inner_iterations: Count = 1
    solver: Literal[
        "preconditioned_conjugate_gradient",
        "conjugate_gradient",
        "steepest_descent",
        "trust_region",
    ] = "preconditioned_conjugate_gradient"
    absolute: NonNegative = 1e-6
    relative: NonNegative = 1e-4


class SocModesSettings(Settings):
    """Splitting of orthogonality constraints, after Lai and Osher (2014).

    ``rho`` couples with the sparse copy and ``orthogonal_rho`` with the orthonormal one (their
    lambda and r).
    """

    model: Literal["modes_soc"] = "modes_soc"
    rho: Positive = 10.0
    orthogonal_rho: Positive = 100.0
    iterations: Count = 1000
    absolute: NonNegative = 1e-6
    relative: NonNegative = 1e-4


class NeumannModesSettings(Settings):
    """The three-way splitting of Neumann et al. (2014).

    ``adapt``: rho is doubled or halved as in their release, where one residual is five times the
    other.
    """

    model: Literal["modes_neumann"] = "modes_neumann"
    rho: Positive = 10.0
    adapt: bool = False
    iterations: Count = 1000
    absolute: NonNegative = 1e-6
    relative: NonNegative = 1e-4


ModesSettings = MadmmModesSettings | SocModesSettings | NeumannModesSettings

PRESETS: dict[str, dict[str, Any]] = {
    # Penalties: of 1, 3 or more per decade, those of lowest cost after 1000 iterations on a line of
    # 500 vertices (mu 0.6, 10 modes).
    # With the preconditioner [ours], chosen on starts that are not those of the configs (seeds from
    # 100). 1, 2, 3, 5 or 10 steps a round end within 0.2 % of each other after as many rounds, on
    # the line (mu 0.3) and on a mesh (fandisk, mu 0.6), so 1 is the fastest. Of penalties from 2 to
    # 50 smaller ones are faster on the line and larger ones better on the mesh; 10 ends within
    # 0.3 % of the lowest cost on both.
    "modes-madmm": {"model": "modes_madmm"},
    # As the MADMM paper ran it: plain conjugate gradients, a few steps a round.
    "modes-madmm-paper": {
        "model": "modes_madmm",
        "solver": "conjugate_gradient",
        "inner_iterations": 3,
    },
    "modes-soc": {"model": "modes_soc"},
    "modes-neumann": {"model": "modes_neumann"},
}
