"""What is particular to Maxide as an XC model."""

import numpy as np
import pytest
from scipy import sparse

from tests.models.test_global_fixed_rank import made
from tests.optim.test_proximal_gradient import observed
from xcbench.config.maxide import MaxideSettings
from xcbench.data.dataset import Dataset
from xcbench.data.features import unit
from xcbench.data.xc_text import read_xc
from xcbench.errors import ConfigError
from xcbench.metrics import evaluate
from xcbench.models.maxide import Maxide
from xcbench.models.memory import DataShape
from xcbench.models.memory import maxide as memory
from xcbench.models.side_features import SideFeatures, correlation_basis
from xcbench.optim.proximal_gradient import Descent, continuation
from xcbench.optim.side_information import SideInformation


def one(**changes) -> MaxideSettings:
    return MaxideSettings(**({"ranks": (10,), "penalties": (0.1,)} | changes))


def scores(model: Maxide, X) -> np.ndarray:
    return (X @ model._left + model._offset) @ model._right.T


def test_side_features_are_orthonormal_and_the_same_for_a_point_seen_again():
    X = made().X
    side = SideFeatures(X, 12, np.random.default_rng(0))
    A = side.of_fitted()
    np.testing.assert_allclose(A.T @ A, np.eye(13), atol=1e-8)
    np.testing.assert_allclose(side.of(X), A, atol=1e-4)
    assert (side.lengths[:2] == 1).all()


@pytest.mark.parametrize("labels", ["identity", "correlation"])
def test_the_closed_form_is_what_the_solver_finds_with_everything_observed(labels):
    data = made()
    model = Maxide(one(labels=labels, label_rank=6), 0).fit(data)
    A = SideFeatures(data.X, 10, np.random.default_rng([0, 1])).of_fitted()
    B = None
    if labels == "correlation":
        B = correlation_basis(data.Y, 6, np.random.default_rng([0, 2]))
        np.testing.assert_allclose(B.T @ B, np.eye(6), atol=1e-8)
    Y = data.Y.toarray().astype(float)
    problem = SideInformation(observed(Y, np.ones(Y.shape, bool)), np.ascontiguousarray(A), B)
    Z = continuation(problem, [0.1], Descent(2.0, 1e-14, 500)).point.matrix
    expected = A @ Z @ (np.eye(Y.shape[1]) if B is None else B.T)
    np.testing.assert_allclose(scores(model, data.X), expected, atol=1e-4)


def test_the_better_of_two_ranks_is_chosen():
    """One direction cannot tell twelve groups apart."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 12, 300)
    own = np.eye(12, dtype=np.float32)[group]
    X = own + 0.1 * rng.random((300, 12), dtype=np.float32)
    data = Dataset(sparse.csr_array(X), sparse.csr_array(own))
    model = Maxide(one(ranks=(1, 11), penalties=(0.9, 0.01)), 0).fit(data)
    assert (model.chosen["rank"], model.chosen["penalty"]) == (11, 0.01)
    assert (model.predict(data.X, 1).labels[:, 0] == group).all()


def test_a_saved_model_tells_what_was_chosen(tmp_path):
    model = Maxide(one(), 3).fit(made())
    model.save(tmp_path)
    opened = Maxide.load(tmp_path)
    assert (opened.settings, opened.seed, opened.chosen) == (model.settings, 3, model.chosen)
    assert opened.nbytes == model.nbytes == 4 * model.chosen["rank_of_z"] * (20 + 1 + 15)
    np.testing.assert_array_equal(scores(opened, made().X), scores(model, made().X))


def test_features_of_another_width_and_what_is_for_completion_are_refused():
    with pytest.raises(ValueError, match="X has 5 features; this model was fitted to 20"):
        Maxide(one(), 0).fit(made()).predict(made(d=5).X, 1)
    with pytest.raises(ConfigError, match="weighting: singular_values is for label completion"):
        Maxide(one(weighting="singular_values"), 0).fit(made())
    with pytest.raises(ConfigError, match="over_ranks: mean is for label completion"):
        Maxide(one(over_ranks="mean"), 0).fit(made())


def test_the_estimate_of_memory_grows_with_the_rank_and_covers_the_model():
    shape = DataShape(1000, 100, 500, 300, 20000, 3000, 2000)
    small, large = (memory.stages(one(ranks=(r,)), shape, 5) for r in (10, 200))
    assert large[0].task > 2 * small[0].task
    data = made()
    model = Maxide(one(), 0).fit(data)
    assert memory.stages(one(), DataShape.of(data, data), 5)[1].held >= model.nbytes


@pytest.mark.realdata
def test_precision_on_bibtex(data_root):
    """57.3 when written."""
    train, test = (read_xc(data_root / "bibtex" / f"{part}.txt.gz") for part in ("train", "test"))
    model = Maxide(one(ranks=(200,), penalties=(0.0039,)), 0)
    model.fit(Dataset(unit(train.X), train.Y))
    found = evaluate(model.predict(unit(test.X), 5), test.Y, train.Y, [1, 3, 5], 0.55, 1.5)
    assert found["P@1"] >= 56.5
