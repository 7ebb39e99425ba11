"""One-vs-rest ridge against the normal equations in float64."""

import json

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.peers import OneVsRestSettings
from xcbench.data.dataset import Dataset
from xcbench.kernels.topk import top_k
from xcbench.models import load_model
from xcbench.models.baselines import OneVsRest, one_vs_rest


def made(n: int, d: int, n_labels: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)

    def matrix(columns: int, density: float) -> sparse.csr_array:
        found = sparse.random_array((n, columns), density=density, rng=rng, dtype=np.float32)
        found = found.tocsr()
        found.sort_indices()
        return found

    X, Y = matrix(d, 0.3), matrix(n_labels, 0.1)
    Y.data[:] = 1
    return Dataset(X, Y, "made")


def weights_of(data: Dataset, ridge: float) -> np.ndarray:
    """The exact solution, float64 (d, l)."""
    X, Y = data.X.toarray().astype(float), data.Y.toarray().astype(float)
    return np.linalg.solve(X.T @ X + ridge * np.eye(X.shape[1]), X.T @ Y)


def stored(model: OneVsRest, folder) -> np.ndarray:
    """The weights a model saves, dense."""
    model.save(folder)
    if (folder / "weights.npy").exists():
        return np.load(folder / "weights.npy")
    parts = (np.load(folder / f"weights_{p}.npy") for p in ("data", "indices", "indptr"))
    n_labels = json.loads((folder / "model.json").read_text())["n_labels"]
    data, indices, indptr = parts
    return sparse.csr_array((data, indices, indptr), (indptr.size - 1, n_labels)).toarray()


@pytest.mark.parametrize(("n", "d"), [(60, 20), (20, 60)])
@pytest.mark.parametrize("ridge", [0.5, 3.0])
def test_the_weights_are_the_ridge_solution_of_every_label(n, d, ridge, tmp_path):
    data = made(n, d, 30, seed=n)
    model = OneVsRest(OneVsRestSettings(ridge=ridge), 0).fit(data)
    np.testing.assert_allclose(stored(model, tmp_path), weights_of(data, ridge), atol=1e-4)


def test_labels_are_solved_alike_however_they_are_cut_into_blocks(monkeypatch, tmp_path):
    data = made(50, 30, 23, seed=1)
    whole = stored(OneVsRest(OneVsRestSettings(), 0).fit(data), tmp_path)
    monkeypatch.setattr(one_vs_rest, "TASK_LABELS", 10)
    monkeypatch.setattr(one_vs_rest, "SOLVED_AT_ONCE", 4)
    (other := tmp_path / "blocks").mkdir()
    blocks = stored(OneVsRest(OneVsRestSettings(), 0).fit(data), other)
    np.testing.assert_allclose(blocks, whole, atol=1e-5)


def test_only_the_largest_weights_of_each_label_are_kept_and_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(one_vs_rest, "TASK_LABELS", 10)
    data = made(60, 25, 23, seed=2)
    exact = weights_of(data, 2.0)
    kept = stored(OneVsRest(OneVsRestSettings(weights_per_label=6), 0).fit(data), tmp_path)
    assert ((kept != 0).sum(axis=0) == 6).all()
    np.testing.assert_allclose(kept[kept != 0], exact[kept != 0], atol=1e-4)
    smallest_kept = np.where(kept != 0, np.abs(exact), np.inf).min(axis=0)
    largest_left = np.where(kept == 0, np.abs(exact), 0).max(axis=0)
    assert (smallest_kept >= largest_left - 1e-4).all()


@pytest.mark.parametrize("kept", [None, 25, 1000])
def test_keeping_all_weights_sparse_or_dense_predicts_the_same(kept, tmp_path):
    data, test = made(60, 25, 23, seed=3), made(15, 25, 23, seed=4)
    exact = (test.X.toarray() @ weights_of(data, 2.0)).astype(np.float32)
    model = OneVsRest(OneVsRestSettings(weights_per_label=kept), 0).fit(data)
    model.save(tmp_path)
    for each in (model, load_model(tmp_path)):
        found = each.predict(test.X, 4)
        np.testing.assert_allclose(found.scores, top_k(exact, 4)[1], atol=1e-4)


def test_rows_are_predicted_alike_however_they_are_blocked(monkeypatch):
    data = made(60, 25, 23, seed=5)
    model = OneVsRest(OneVsRestSettings(), 0).fit(data)
    whole = model.predict(data.X, 3)
    monkeypatch.setattr(one_vs_rest, "SCORES", 23 * 7)
    blocks = model.predict(data.X, 3)
    np.testing.assert_array_equal(blocks.labels, whole.labels)
    np.testing.assert_array_equal(blocks.scores, whole.scores)
