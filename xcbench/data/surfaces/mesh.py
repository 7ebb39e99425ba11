"""Triangle meshes from Wavefront OBJ text, plain or gzipped.

Of the format (Wavefront Technologies, "Object files (.obj)", appendix B1 of the Advanced Visualizer
manual) the two statements that make a mesh are read, ``v x y z`` and ``f a b c ...``; normals,
texture, groups and materials are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path, PurePath

import numpy as np

from xcbench.config.problems import suggestion
from xcbench.data.byte_lines import BrokenStream, place_after, whole_lines
from xcbench.errors import DataError

_SUFFIXES = (".obj", ".obj.gz")
_SHOWN = 40  # characters of a wrong word that a message repeats
_BOM = b"\xef\xbb\xbf"  # some editors begin UTF-8 text with this mark
_LARGEST = 1e30  # of a coordinate: areas are computed from fourth powers


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh, or a bare set of triangles: nothing is asked of how they join.

    Attributes
    ----------
    vertices : ndarray of float64, shape (n, 3)
        Each is a corner of some triangle.
    triangles : ndarray of int32, shape (m, 3)
        Numbers of three different vertices, counted from 0.
    """

    vertices: np.ndarray
    triangles: np.ndarray

    @property
    def corners(self) -> np.ndarray:
        """Corners of every triangle, float64 (m, 3, 3): triangle, corner, coordinate."""
        found: np.ndarray = self.vertices[self.triangles]
        return found


def find_mesh(name: str, data_root: Path) -> Path:
    """The OBJ file of that name: ``meshes/spot`` under the data root, or a path to a file.

    Raises
    ------
    DataError
        There is none; the text says where it was looked for.
    """
    if name.endswith(_SUFFIXES):
        places = [Path(name), data_root / name]
    elif PurePath(name).is_absolute():
        places = [Path(name + suffix) for suffix in _SUFFIXES]
    else:
        places = [data_root / (name + suffix) for suffix in _SUFFIXES]
    try:
        for place in places:
            if place.is_file():
                return place
    except OSError as error:  # a folder that may not be looked into, a name that is too long
        raise DataError(f"{error.filename}: cannot be read ({error.strerror})") from None
    known = (
        f"{each.parent.name}/{each.name.removesuffix(suffix)}"
        for suffix in _SUFFIXES
        for each in sorted(data_root.glob(f"*/*{suffix}"))
    )
    looked = " and ".join(map(str, places))
    raise DataError(f"mesh {name!r} is not in place. Looked for {looked}{suggestion(name, known)}")


def read_obj(path: Path) -> Mesh:
    """Read a mesh from OBJ text.

    Polygons are split into triangles that share their first corner. A vertex that no face uses is
    dropped, and those after it count one less: the Laplacian of a mesh says nothing of such points.

    Raises
    ------
    DataError
        The file is missing or malformed; names file, line, what was found and expected.
    """
    vertices: list[tuple[float, float, float]] = []
    faces: list[tuple[int, list[int]]] = []
    for number, words in _statements(path):
        try:
            if words[0] == "v":
                vertices.append(_vertex(words[1:]))
            elif words[0] == "f":
                faces.append((number, _face(words[1:], len(vertices))))
        except ValueError as defect:
            raise DataError(f"{path}, line {number}: {defect}") from None
    if not faces:
        raise DataError(f"{path}: found no face; expected lines such as 'f 1 2 3'")
    for number, face in faces:
        # Only here, since a face may name vertices that follow it.
        if max(face) >= len(vertices):
            raise DataError(
                f"{path}, line {number}: found vertex {max(face) + 1}; the file has {len(vertices)}"
            )
    triangles = np.array(
        [(face[0], face[i], face[i + 1]) for _, face in faces for i in range(1, len(face) - 1)],
        dtype=np.int32,
    )
    used, renumbered = np.unique(triangles, return_inverse=True)
    return Mesh(
        np.array(vertices, dtype=np.float64)[used],
        renumbered.reshape(triangles.shape).astype(np.int32),
    )


def _statements(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and words of every statement; a backslash at a line's end joins the next one."""
    number, begun, start = 0, "", 0
    try:
        for block in whole_lines(path):
            for raw in block.tobytes().splitlines():
                number += 1
                raw = raw.removeprefix(_BOM) if number == 1 else raw
                try:
                    # Comments go first: they may be in any encoding.
                    line = raw.partition(b"#")[0].decode("utf-8").rstrip()
                except UnicodeDecodeError:
                    raise DataError(
                        f"{path}, line {number}: found bytes that are not UTF-8"
                    ) from None
                start = start or number
                if line.endswith("\\"):
                    begun += line[:-1] + " "
                    continue
                if words := (begun + line).split():
                    yield start, words
                begun, start = "", 0
    except BrokenStream as broken:
        raise DataError(f"{path}, {place_after(number)}: {broken}") from None
    if begun:
        raise DataError(f"{path}, line {number}: the file ends in a line to be continued")


def _vertex(words: list[str]) -> tuple[float, float, float]:
    # A fourth number is the weight of rational curves, and some programs append a colour.
    if len(words) < 3:
        raise ValueError(f"found {len(words)} coordinates; expected x, y and z")
    x, y, z = (_coordinate(word) for word in words[:3])
    return x, y, z


def _coordinate(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = np.nan
    # float() takes 1_000 too.
    if not isfinite(value) or "_" in word:
        raise ValueError(f"found {word[:_SHOWN]!r}; expected a finite coordinate")
    if abs(value) > _LARGEST:
        raise ValueError(f"found {word[:_SHOWN]!r}; expected a coordinate of at most {_LARGEST:g}")
    return value


def _face(words: list[str], n_before: int) -> list[int]:
    """Vertex numbers of a face from 0; negative ones count back from the ``n_before``-th vertex."""
    if len(words) < 3:
        raise ValueError(f"found a face of {len(words)} vertices; expected at least 3")
    face = [_vertex_number(word, n_before) for word in words]
    if len(set(face)) < len(face):
        raise ValueError(
            f"found the face {' '.join(words)[:_SHOWN]!r}; a vertex occurs twice in it"
        )
    return face


def _vertex_number(word: str, n_before: int) -> int:
    """The v of ``v``, ``v/vt``, ``v//vn`` and ``v/vt/vn``."""
    first, *others = word.split("/")
    digits = [part.removeprefix("-") for part in (first, *(other or "0" for other in others))]
    if len(others) > 2 or not all(part.isascii() and part.isdigit() for part in digits):
        raise ValueError(f"found {word[:_SHOWN]!r}; expected a vertex number, as 7, 7/1 or 7//1")
    number = int(first)
    if number == 0:
        raise ValueError("found vertex 0; numbers start at 1")
    if number > 0:
        return number - 1
    if number < -n_before:
        raise ValueError(f"found vertex {number}; {n_before} vertices come before this line")
    return n_before + number
