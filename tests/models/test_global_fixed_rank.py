"""What is particular to the global model; what all models share is in test_contract.py."""

import json

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.methods import GlobalSettings
from xcbench.data.dataset import Dataset
from xcbench.data.features import unit
from xcbench.data.xc_text import read_xc
from xcbench.errors import ConfigError, TaskError
from xcbench.metrics import evaluate
from xcbench.models import global_fixed_rank as module
from xcbench.models.global_fixed_rank import GlobalFixedRank
from xcbench.optim import whitening


def made(n=60, d=20, n_labels=15, seed=0) -> Dataset:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5)
    Y = X @ rng.standard_normal((d, n_labels)) > 2.0
    return Dataset(
        sparse.csr_array(X.astype(np.float32)), sparse.csr_array(Y.astype(np.float32)), "made"
    )


def weights(model: GlobalFixedRank) -> np.ndarray:
    return model._left.astype(np.float64) @ model._right.T


def fit(data: Dataset, **changes) -> GlobalFixedRank:
    return GlobalFixedRank(GlobalSettings(**changes), 0).fit(data)


@pytest.mark.parametrize("preconditioner", ["none", "gram", "sketch"])
@pytest.mark.parametrize("start", ["spectral", "random"])
def test_conjugate_gradients_find_the_weights_of_the_closed_form(
    start, preconditioner, monkeypatch
):
    if preconditioner == "sketch":
        monkeypatch.setattr(whitening, "CHOLESKY_FEATURES", 0)
        preconditioner = "gram"
    data = made()
    exact = fit(data, rank=4, ridge=0.5, solver="closed_form")
    found = fit(data, rank=4, ridge=0.5, start=start, preconditioner=preconditioner, iterations=300)
    np.testing.assert_allclose(weights(found), weights(exact), atol=2e-4)
    assert found.solver["cost"] == pytest.approx(exact.solver["cost"], rel=1e-7)
    assert exact.solver["reason"] == "closed form"
    # A spectral start may lie so near that rounding ends the descent before the tolerance does.
    assert found.solver["reason"] != "iteration limit"


def test_prediction_ranks_the_scores_of_the_weights(monkeypatch):
    monkeypatch.setattr(module, "PREDICTED_ROWS", 7)
    data = made()
    model = fit(data, rank=4)
    scores = data.X @ weights(model)
    prediction = model.predict(data.X, 3)
    order = np.argsort(-scores, axis=1)[:, :3]
    np.testing.assert_array_equal(prediction.labels, order)
    np.testing.assert_allclose(
        prediction.scores, np.take_along_axis(scores, order, 1), rtol=1e-4, atol=1e-5
    )


def test_no_iterations_leave_the_start():
    model = fit(made(), rank=4, iterations=0)
    assert (model.solver["iterations"], model.solver["reason"]) == (0, "iteration limit")


def test_a_larger_ridge_gives_smaller_weights():
    data = made()
    sizes = [np.linalg.norm(weights(fit(data, rank=6, ridge=ridge))) for ridge in (0.1, 1.0, 10.0)]
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize("solver", ["closed_form", "riemannian_cg"])
@pytest.mark.parametrize("shape", [(6, 20, 15), (60, 5, 15), (60, 20, 3)])
def test_a_rank_above_points_features_or_labels_is_lowered(shape, solver):
    model = fit(made(*shape), rank=100, solver=solver)
    assert model.solver["rank"] <= min(shape)
    assert np.isfinite(weights(model)).all()


def test_seeds_matter_to_a_random_start_only_before_it_has_converged():
    data = made()

    def at(seed, iterations):
        settings = GlobalSettings(rank=4, start="random", iterations=iterations)
        return weights(GlobalFixedRank(settings, seed).fit(data))

    assert np.abs(at(0, 1) - at(1, 1)).max() > 1e-3
    np.testing.assert_allclose(at(0, 300), at(1, 300), atol=1e-4)


def test_features_of_another_width_are_refused():
    model = fit(made(), rank=4)
    with pytest.raises(ValueError, match="X has 7 features; this model was fitted to 20"):
        model.predict(sparse.csr_array((3, 7), dtype=np.float32), 1)


@pytest.mark.parametrize("limit", ["CLOSED_FORM_ORDER", "CLOSED_FORM_NUMBERS"])
def test_a_closed_form_too_large_is_refused_before_it_starts(limit, monkeypatch):
    monkeypatch.setattr(module, limit, 10)
    with pytest.raises(ConfigError, match=r"have 20 and 300. Use solver: riemannian_cg"):
        fit(made(), solver="closed_form")


def test_an_error_in_the_fit_names_its_task(monkeypatch):
    def fail(*arguments):
        raise MemoryError("no room")

    monkeypatch.setattr(module, "make_whitening", fail)
    with pytest.raises(TaskError, match=r"global: out of memory \(no room\)"):
        fit(made())


def test_the_saved_json_tells_how_the_model_was_made(tmp_path):
    model = fit(made(), rank=4, ridge=3.0)
    model.save(tmp_path)
    about = json.loads((tmp_path / "model.json").read_text())
    assert about["settings"]["model"] == "global"
    assert about["settings"]["ridge"] == 3.0
    assert set(about["solver"]) == {"cost", "iterations", "reason", "rank"}
    opened = GlobalFixedRank.load(tmp_path)
    assert opened.settings == model.settings
    assert opened.stage_seconds == model.stage_seconds
    assert opened.nbytes == 4 * 4 * (20 + 15)


@pytest.mark.realdata
@pytest.mark.parametrize(("name", "least"), [("bibtex", 62.5), ("delicious", 64.0)])
def test_precision_on_real_data_with_the_preset(data_root, name, least):
    """63.3 and 64.4 when written."""
    train, test = (read_xc(data_root / name / f"{part}.txt.gz") for part in ("train", "test"))
    model = GlobalFixedRank(GlobalSettings(), 0).fit(Dataset(unit(train.X), train.Y))
    found = evaluate(model.predict(unit(test.X), 5), test.Y, train.Y, [1, 3, 5], 0.55, 1.5)
    assert found["P@1"] >= least


@pytest.mark.parametrize("start", ["spectral", "random"])
def test_unused_labels_and_a_rank_beyond_the_used_ones_keep_the_basis_orthonormal(start):
    """The tangent of an unused direction is zero, and its complement must not be left to chance."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array((rng.random((300, 40)) * (rng.random((300, 40)) < 0.2)).astype("f4"))
    Y = np.zeros((300, 10), np.float32)
    Y[np.arange(300), rng.integers(0, 3, 300)] = 1  # three of ten labels occur
    data = Dataset(X, sparse.csr_array(Y))
    settings = {"rank": 5, "ridge": 2.0, "iterations": 10}
    exact = GlobalFixedRank(GlobalSettings(solver="closed_form", **settings), 0).fit(data)
    found = GlobalFixedRank(GlobalSettings(start=start, **settings), 0).fit(data)
    assert found.solver["cost"] >= exact.solver["cost"] * (1 - 1e-6)
    if start == "spectral":
        assert found.solver["cost"] == pytest.approx(exact.solver["cost"], rel=1e-6)
