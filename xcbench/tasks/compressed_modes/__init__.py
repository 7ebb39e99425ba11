"""Compressed modes: sparse orthonormal functions of low Dirichlet energy on a line or a mesh."""

from xcbench.tasks.compressed_modes.task import memory, open_data, run

__all__ = ["memory", "open_data", "run"]
