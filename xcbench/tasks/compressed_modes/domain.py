"""The domain modes live on: its vertices, its energy, and what a vertex stands for.

On a domain of measure M (length, area) the continuous problem, after Ozolins, Lai, Caflisch and
Osher (2013), is min sum_j int |grad psi_j|^2 + mu int |psi_j| with int psi_i psi_j = [i = j]. As
in the MADMM paper n vertices are equal samples of the domain, h = M / n each, and psi = Phi /
sqrt(h) with Phi^T Phi = I:

    line    int |grad psi|^2 = tr(Phi^T L Phi) / h^2,  L the graph Laplacian
    mesh    int |grad psi|^2 = tr(Phi^T L Phi) / h,    L the cotangent weights
    both    int |psi| = sqrt(h) ||Phi||_1

(A mesh of very uneven vertices would need its areas in place of h; the release of Neumann et al.
leaves them out too, unless asked.)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.config.compressed_modes import CompressedModesDataset
from xcbench.data.surfaces.laplacian import cotangent_laplacian, line_laplacian, require_areas
from xcbench.data.surfaces.mesh import Mesh, find_mesh, read_obj


@dataclass(frozen=True, eq=False)
class Domain:
    """A line or a surface.

    Attributes
    ----------
    energy : csr_array of float64, shape (n, n)
        tr(Phi^T energy Phi) is the Dirichlet energy of the modes.
    spacing : float
        h, the measure of a vertex.
    mesh : Mesh or None
        None on the line.
    path : Path or None
        Of the mesh.
    """

    energy: sparse.csr_array
    spacing: float
    mesh: Mesh | None = None
    path: Path | None = None

    @property
    def n(self) -> int:
        """Number of vertices."""
        return int(self.energy.shape[0])

    def weight(self, mu: float) -> float:
        """The factor of ||Phi||_1."""
        return float(mu * np.sqrt(self.spacing))


def open_domain(dataset: CompressedModesDataset, data_root: Path) -> Domain:
    """The domain of a dataset.

    Raises
    ------
    DataError
        The mesh is missing or malformed, or a vertex has no area around it.
    """
    if dataset.line is not None:
        spacing = dataset.measure / dataset.line
        return Domain(sparse.csr_array(line_laplacian(dataset.line) / spacing**2), spacing)
    path = find_mesh(str(dataset.mesh), data_root)
    mesh = read_obj(path)
    laplacian, areas = cotangent_laplacian(mesh)
    require_areas(mesh, areas, path)
    spacing = dataset.measure / areas.size
    return Domain(sparse.csr_array(laplacian / spacing), spacing, mesh, path)
