from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xcbench.data.surfaces.mesh import find_mesh, read_obj
from xcbench.errors import DataError

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "shape.obj"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(folder: Path, text: str | bytes) -> str:
    path = written(folder, text)
    with pytest.raises(DataError) as caught:
        read_obj(path)
    return str(caught.value).removeprefix(str(path))


def test_vertices_and_triangles_of_plain_text(tmp_path: Path) -> None:
    mesh = read_obj(written(tmp_path, TETRAHEDRON))
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert mesh.triangles.tolist() == [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    assert (mesh.vertices.dtype, mesh.triangles.dtype) == (np.float64, np.int32)


def test_a_gzipped_file_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "shape.obj.gz"
    path.write_bytes(gzip.compress(TETRAHEDRON.encode()))
    plain = read_obj(written(tmp_path, TETRAHEDRON))
    assert np.array_equal(read_obj(path).vertices, plain.vertices)
    assert np.array_equal(read_obj(path).triangles, plain.triangles)


@pytest.mark.parametrize(
    "face", ["1 2 3", "1/5 2/6 3/7", "1//5 2//6 3//7", "1/1/9 2/1/9 3/1/9", "-3 -2 -1", "-3/-1 2 3"]
)
def test_forms_of_a_vertex_number_mean_the_same(tmp_path: Path, face: str) -> None:
    mesh = read_obj(written(tmp_path, f"v 0 0 0\nv 1 0 0\nv 0 1 0\nf {face}\n"))
    assert mesh.triangles.tolist() == [[0, 1, 2]]


def test_negative_numbers_count_from_the_line_they_stand_on(tmp_path: Path) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf -4 -3 -1\n"
    assert read_obj(written(tmp_path, text)).triangles.tolist() == [[0, 1, 2], [0, 1, 3]]


def test_polygons_become_fans_around_their_first_corner(tmp_path: Path) -> None:
    text = "".join(f"v {x} {x * x} 0\n" for x in range(5)) + "f 2 3 4 5 1\n"
    assert read_obj(written(tmp_path, text)).triangles.tolist() == [[1, 2, 3], [1, 3, 4], [1, 4, 0]]


def test_everything_but_vertices_and_faces_is_passed_over(tmp_path: Path) -> None:
    noise = "mtllib a.mtl\no x\ng y\ns off\nusemtl z\nvt 0 1\nvn nan nan nan\n\n   \n# f 9 9 9\n"
    text = noise + TETRAHEDRON.replace("f 1 3 2", "f 1 3 2 # the floor")
    assert len(read_obj(written(tmp_path, text)).triangles) == 4


def test_dos_line_ends_colours_and_continued_lines(tmp_path: Path) -> None:
    text = "v 0 0 0 1\r\nv 1 0 0 .5 .5 .5\r\nv 0 \\\r\n1 0\r\nf 1 \\\r\n2 3"
    mesh = read_obj(written(tmp_path, text))
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert mesh.triangles.tolist() == [[0, 1, 2]]


def test_vertices_without_a_face_are_dropped_and_the_others_renumbered(tmp_path: Path) -> None:
    mesh = read_obj(written(tmp_path, "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\nf 2 3 5\n"))
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert mesh.triangles.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("f 1 2 5", "found vertex 5; the file has 4"),
        ("f 1 2 0", "found vertex 0; numbers start at 1"),
        ("f 1 2 -5", "found vertex -5; 4 vertices come before this line"),
        ("f 1 2", "found a face of 2 vertices; expected at least 3"),
        ("f 1 2 1", "found the face '1 2 1'; a vertex occurs twice in it"),
        ("f 1 2 -4", "found the face '1 2 -4'; a vertex occurs twice in it"),
        ("f 1 2 x", "found 'x'; expected a vertex number, as 7, 7/1 or 7//1"),
        ("f 1 2 3.0", "found '3.0'; expected a vertex number, as 7, 7/1 or 7//1"),
        ("f 1 2 3/a", "found '3/a'; expected a vertex number, as 7, 7/1 or 7//1"),
        ("f 1 2 3/1/1/1", "found '3/1/1/1'; expected a vertex number, as 7, 7/1 or 7//1"),
        ("f 1 2 --3", "found '--3'; expected a vertex number, as 7, 7/1 or 7//1"),
        ("f 1 2 \u00b2", "found '\u00b2'; expected a vertex number, as 7, 7/1 or 7//1"),
        ("v 1 2", "found 2 coordinates; expected x, y and z"),
        ("v 1 2 nan", "found 'nan'; expected a finite coordinate"),
        ("v 1 2 1e999", "found '1e999'; expected a finite coordinate"),
        ("v 1 2 -1e31", "found '-1e31'; expected a coordinate of at most 1e+30"),
        ("v 1 2 1_0", "found '1_0'; expected a finite coordinate"),
        ("v 1 two 3", "found 'two'; expected a finite coordinate"),
    ],
)
def test_a_defect_is_named_with_its_line(tmp_path: Path, line: str, reason: str) -> None:
    assert refused(tmp_path, f"{TETRAHEDRON}# a comment\n{line}\n") == f", line 10: {reason}"


def test_a_continued_line_is_named_by_its_first(tmp_path: Path) -> None:
    assert refused(tmp_path, TETRAHEDRON + "f 1 \\\n2 \\\n9\n").startswith(
        ", line 9: found vertex 9"
    )


def test_text_that_is_no_utf8(tmp_path: Path) -> None:
    found = refused(tmp_path, TETRAHEDRON.encode() + b"o caf\xe9\n")
    assert found == ", line 9: found bytes that are not UTF-8"


def test_a_comment_may_be_in_any_encoding(tmp_path: Path) -> None:
    text = b"# caf\xe9 \\\n" + TETRAHEDRON.replace("\n", " # \udce9\n").encode(
        "utf-8", "surrogateescape"
    )
    plain = read_obj(written(tmp_path, TETRAHEDRON))
    assert np.array_equal(read_obj(written(tmp_path, text)).corners, plain.corners)


def test_a_byte_order_mark_is_no_part_of_the_first_statement(tmp_path: Path) -> None:
    plain = read_obj(written(tmp_path, TETRAHEDRON))
    marked = read_obj(written(tmp_path, "\ufeff" + TETRAHEDRON + "v 9 9 9\nf 1 2 5\n"))
    assert np.array_equal(marked.corners[:4], plain.corners)


@pytest.mark.parametrize("text", ["", "v 0 0 0\n", "# nothing\n"])
def test_a_file_without_faces(tmp_path: Path, text: str) -> None:
    assert refused(tmp_path, text) == ": found no face; expected lines such as 'f 1 2 3'"


def test_a_line_to_be_continued_at_the_end(tmp_path: Path) -> None:
    assert "ends in a line to be continued" in refused(tmp_path, TETRAHEDRON + "f 1 2 \\\n")


def test_a_gzipped_file_cut_short(tmp_path: Path) -> None:
    packed = gzip.compress(TETRAHEDRON.encode() * 50)
    assert "ends early" in refused(tmp_path, packed[: len(packed) // 2])


def test_a_missing_mesh_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        find_mesh("meshes/none", tmp_path)
    for suffix in (".obj", ".obj.gz"):
        assert str(tmp_path / f"meshes/none{suffix}") in str(caught.value)


def test_a_mesh_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    path = written(tmp_path, TETRAHEDRON)
    names = ("shape", "shape.obj", str(path), str(path.with_suffix("")))
    assert [find_mesh(name, tmp_path) for name in names] == [path] * 4


coordinates = st.floats(-1e6, 1e6)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_mesh_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, data) -> None:
    n = data.draw(st.integers(3, 12))
    vertices = data.draw(st.lists(st.tuples(*[coordinates] * 3), min_size=n, max_size=n))
    faces = data.draw(st.lists(st.permutations(range(n)).map(lambda p: p[:3]), min_size=1))
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices]
    lines += [f"f {a + 1} {b + 1}/7 {c - n}//2" for a, b, c in faces]
    mesh = read_obj(written(tmp_path_factory.mktemp("mesh"), "\n".join(lines)))
    assert np.array_equal(mesh.corners, np.array(vertices)[np.array(faces)])
    assert np.unique(mesh.triangles).size == len(mesh.vertices)


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "n_vertices", "n_triangles"),
    [
        ("spot", 2930, 5856),
        ("fandisk", 6475, 12946),
        ("stanford-bunny", 35947 - 1113, 69451),  # so many of its points are on no face
        ("suzanne", 507, 968),  # of 500 faces, 468 are quadrangles
    ],
)
def test_real_meshes(data_root: Path, name: str, n_vertices: int, n_triangles: int) -> None:
    mesh = read_obj(find_mesh(f"meshes/{name}", data_root))
    assert (len(mesh.vertices), len(mesh.triangles)) == (n_vertices, n_triangles)
