"""What tables and folders call a mesh."""

from __future__ import annotations

import re

_LONGEST = 100  # file systems take names of 255 bytes, and titles get hashes added


def mesh_title(name: str) -> str:
    """``meshes-spot`` of ``meshes/spot``: the whole path, as folders may hold meshes of one name.

    Safe as a folder name; of a long path the end.
    """
    plain = name.removesuffix(".gz").removesuffix(".obj")
    safe = re.sub(r"[^A-Za-z0-9._+=-]+", "-", plain).strip("-.")
    return safe[-_LONGEST:].strip("-.") or "mesh"
