"""A job from mesh file to arrays and metrics."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

from tests.tasks.functional_correspondence.conftest import bumpy_sphere
from xcbench.config.functional_correspondence import (
    CorrespondenceLeastSquaresSettings,
    CorrespondenceMadmmSettings,
    FunctionalCorrespondenceDataset,
    FunctionalCorrespondenceTask,
)
from xcbench.errors import DataError
from xcbench.tasks.functional_correspondence import memory, open_data, run

TASK = FunctionalCorrespondenceTask(basis=10, functions=15, points=60)
DATASET = FunctionalCorrespondenceDataset(mesh="bumpy", shapes=3, deformation=0.3)


def obj(mesh) -> str:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    return "\n".join(lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.triangles.tolist()])


@pytest.fixture
def root(tmp_path):
    (tmp_path / "bumpy.obj").write_text(obj(bumpy_sphere(10, 14)))
    return tmp_path


def job(method=None, task=TASK, dataset=DATASET, seed=0):
    settings = method or CorrespondenceMadmmSettings()
    return SimpleNamespace(
        task=task, dataset=dataset, method=SimpleNamespace(settings=settings), seed=seed
    )


def outcome(root, folder, given):
    folder.mkdir(exist_ok=True)
    data = open_data(given.dataset, root, 0)
    found = run(given, data, folder, None)
    with np.load(folder / "predictions.npz") as arrays:
        return found, dict(arrays)


def test_metrics_are_those_of_the_arrays(root, tmp_path):
    found, arrays = outcome(root, tmp_path / "run", job())
    errors = arrays["errors"]
    assert errors.shape == arrays["maps"].shape == (6, 60)
    assert found.metrics["correspondence_error"] == pytest.approx(100 * errors.mean())
    assert found.metrics["within_5"] == pytest.approx(100 * (errors <= 0.05).mean())
    assert found.metrics["cost"] == pytest.approx(arrays["trace_cost"][-1], rel=1e-9)
    assert found.metrics["iterations"] == len(arrays["trace_seconds"]) - 1
    assert arrays["within"][np.searchsorted(arrays["radii"], 0.05)] == pytest.approx(
        found.metrics["within_5"]
    )
    assert set(found.seconds) == {"train", "predict"}


def test_what_is_drawn_is_in_the_mesh_s_own_numbering(root, tmp_path):
    _, arrays = outcome(root, tmp_path / "run", job())
    mesh = open_data(DATASET, root, 0).content
    n = len(mesh.vertices)
    np.testing.assert_array_equal(arrays["triangles"], mesh.triangles)
    assert arrays["vertices"].shape == (3, n, 3)
    np.testing.assert_array_equal(arrays["transferred"][0], np.arange(n))
    # A map that is mostly right takes most vertices to near themselves.
    first, images = arrays["vertices"][0], arrays["transferred"][1:]
    away = np.linalg.norm(first[images] - first, axis=2)
    assert np.median(away) < 0.1 < np.median(np.linalg.norm(first - first[0], axis=1))


def test_a_repeat_gives_the_same_fingerprint_and_another_seed_does_not(root, tmp_path):
    prints = [
        outcome(root, tmp_path / str(i), job(seed=seed))[0].predictions_sha256
        for i, seed in enumerate((3, 3, 4))
    ]
    assert prints[0] == prints[1] != prints[2]


def test_methods_meet_the_same_poses_and_matches(root, tmp_path):
    _, ours = outcome(root, tmp_path / "a", job())
    _, theirs = outcome(root, tmp_path / "b", job(CorrespondenceLeastSquaresSettings()))
    for name in ("vertices", "points", "distortion"):
        np.testing.assert_array_equal(ours[name], theirs[name])
    assert ours["trace_cost"][0] == pytest.approx(theirs["trace_cost"][0])


def test_the_fingerprint_of_the_data_tells_settings_and_files_apart(root):
    same, other = (open_data(d, root, 0).sha256 for d in (DATASET, DATASET))
    assert same == other
    assert open_data(DATASET.model_copy(update={"shapes": 4}), root, 0).sha256 != same
    (root / "bumpy.obj").write_text(obj(bumpy_sphere(10, 15)))
    data = open_data(DATASET, root, 0)
    assert data.sha256 != same
    assert data.sizes.n_train == 152


@pytest.mark.parametrize(("shapes", "basis"), [(2, 60), (8, 10)])
def test_the_memory_asked_for_is_about_what_the_arrays_take(root, tmp_path, shapes, basis):
    (root / "bumpy.obj").write_text(obj(bumpy_sphere(30, 40)))
    dataset = FunctionalCorrespondenceDataset(mesh="bumpy", shapes=shapes)
    method = CorrespondenceMadmmSettings(iterations=3)
    given = job(method, TASK.model_copy(update={"basis": basis}), dataset)
    data = open_data(dataset, root, 1)
    tracemalloc.start()
    run(given, data, tmp_path, None)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < memory(given, data, 1).peak.task < 3.5 * taken


def test_a_vertex_without_area_is_refused(root):
    text = obj(bumpy_sphere(10, 14)) + "\nv 0 0 0\nf 1 2 143\n"
    x, y, z = bumpy_sphere(10, 14).vertices[:2].mean(axis=0)
    (root / "bumpy.obj").write_text(
        text.replace("v 0 0 0", f"v {x!r} {y!r} {z!r}".replace("np.float64(", "").replace(")", ""))
    )
    with pytest.raises(DataError, match=r"bumpy\.obj: found no triangle with an area around the"):
        open_data(DATASET, root, 1)


def test_too_small_a_mesh_is_refused(root, tmp_path):
    task = FunctionalCorrespondenceTask(basis=142)
    with pytest.raises(DataError, match="found 142 vertices; expected at least 143"):
        outcome(root, tmp_path / "run", job(task=task))


def test_a_mesh_in_pieces_is_refused(root):
    text = obj(bumpy_sphere(10, 14)) + "\nv 9 9 9\nv 9 9 8\nv 9 8 8\nf -1 -2 -3\n"
    (root / "bumpy.obj").write_text(text)
    with pytest.raises(DataError, match=r"bumpy\.obj: found a mesh in 2 pieces"):
        open_data(DATASET, root, 0)


@pytest.mark.realdata
def test_spot_is_one_surface_with_a_basis(data_root, tmp_path):
    dataset = FunctionalCorrespondenceDataset(mesh="meshes/spot")
    task = FunctionalCorrespondenceTask(points=20)
    given = job(CorrespondenceMadmmSettings(iterations=50), task, dataset, seed=2)
    found, arrays = outcome(data_root, tmp_path / "run", given)
    assert arrays["vertices"].shape == (2, 2930, 3)
    assert found.metrics["correspondence_error"] < 5.0
