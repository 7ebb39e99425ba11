"""Triangle meshes, their Laplacians, and the deformations of one shape into others."""
