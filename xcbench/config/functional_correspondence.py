"""Settings of functional correspondence: coupled bases of several poses of one mesh."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field

from xcbench.config.base import Count, NonNegative, Percents, Positive, Settings, TaskSettings
from xcbench.config.dataset import PathText
from xcbench.config.mesh_title import mesh_title

_DEFORMATION = 0.5


class FunctionalCorrespondenceTask(TaskSettings):
    """The protocol of the MADMM paper, section 4.2.

    ``basis`` eigenvectors a shape and ``functions`` matched functions a pair of shapes, of which
    ``outliers`` percent (one job for each) are matched wrongly. A function is the heat at a vertex
    after the time ``diffusion`` / (largest eigenvalue); ``mu`` weighs the sum of squares beside the
    diagonals; ``points`` vertices are judged.
    """

    kind: Literal["functional_correspondence"] = "functional_correspondence"
    basis: Annotated[int, Field(ge=2)] = 25
    functions: Count = 25
    outliers: Percents = (16.0,)
    diffusion: NonNegative = 1.0
    mu: NonNegative = 100.0
    points: Count = 500

    def each(self) -> list[Self]:
        """One task for each share of outliers."""
        return [self.model_copy(update={"outliers": (share,)}) for share in self.outliers]


class FunctionalCorrespondenceDataset(Settings):
    """``shapes`` poses of a mesh, each made from the job's seed.

    ``mesh`` is a name under the data root (meshes/spot) or a path; ``deformation`` says how far a
    pose is bent, twisted and waved, 0 not at all.
    """

    mesh: PathText
    shapes: Annotated[int, Field(ge=2, le=100)] = 2
    deformation: Annotated[float, Field(ge=0, le=2)] = _DEFORMATION

    @property
    def title(self) -> str:
        """``meshes-spot-2``: mesh, number of shapes, and the deformation where it is not 0.5."""
        usual = self.deformation == _DEFORMATION
        pose = "" if usual else f"-deformation{self.deformation:g}"
        return f"{mesh_title(self.mesh)}-{self.shapes}{pose}"


class _Coupling(Settings):
    """What all solvers have.

    ``start``: the least squares fit of each shape to the first in closed form, or the identity.
    """

    start: Literal["procrustes", "identity"] = "procrustes"


class CorrespondenceMadmmSettings(_Coupling):
    """MADMM: at most ``iterations`` rounds of ``inner_iterations`` steps of conjugate gradients."""

    model: Literal["correspondence_madmm"] = "correspondence_madmm"
    rho: Positive = 1.0
    iterations: Count = 500
    inner_iterations: Count = 3
    tolerance: NonNegative = 1e-4


class CorrespondenceLeastSquaresSettings(_Coupling):
    """Squared errors in place of the 2,1-norm, by conjugate gradients.

    ``mu``: a weight of its own, since squares weigh otherwise than lengths; the task's when null.
    """

    model: Literal["correspondence_least_squares"] = "correspondence_least_squares"
    mu: NonNegative | None = None
    iterations: Count = 1000


class CorrespondenceSmoothedSettings(_Coupling):
    """The 2,1-norm with ``epsilon`` added under its roots, by conjugate gradients."""

    model: Literal["correspondence_smoothed"] = "correspondence_smoothed"
    epsilon: Positive = 1e-4
    iterations: Count = 1000


CorrespondenceSettings = (
    CorrespondenceMadmmSettings
    | CorrespondenceLeastSquaresSettings
    | CorrespondenceSmoothedSettings
)

PRESETS: dict[str, dict[str, Any]] = {
    "correspondence-madmm": {"model": "correspondence_madmm"},
    "correspondence-least-squares": {"model": "correspondence_least_squares"},
    "correspondence-smoothed": {"model": "correspondence_smoothed"},
}
