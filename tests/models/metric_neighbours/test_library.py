"""metric-learn: whether it can be used, and that its metric is handed on as its own."""

import numpy as np
import pytest

from xcbench.config.metric_learning import MetricLearnSettings
from xcbench.models.metric_neighbours import library, missing_metric_learn
from xcbench.models.metric_neighbours.library import fit_metric_learn


@pytest.fixture
def installed(monkeypatch):
    def pretend(versions):
        monkeypatch.setattr(library, "find_spec", lambda name: versions or None)
        monkeypatch.setattr(library, "version", lambda name: versions[name])

    return pretend


def test_a_library_that_is_not_there_is_named_with_the_remedy(installed):
    installed({})
    assert missing_metric_learn() == (
        "metric-learn is not installed: pip install 'xcbench[metric-learn]'"
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "works"),
    [
        ("0.7.0", "1.7.2", True), ("0.7.0", "1.8.0", False), ("0.7.0", "1.10.0", False),
        ("0.6.3", "2.0.dev0", False), ("0.8.0", "1.9.0", True), ("0.7.0", "0.24.1", True),
    ],
)  # fmt: skip
def test_a_scikit_learn_that_is_too_new_is_told_at_once(installed, ours, theirs, works):
    installed({"metric-learn": ours, "scikit-learn": theirs})
    expected = f"metric-learn {ours} does not run with scikit-learn {theirs}: pip install"
    assert missing_metric_learn() is None if works else expected in missing_metric_learn()


@pytest.mark.skipif(missing_metric_learn() is not None, reason="needs metric-learn")
def test_the_factor_is_that_of_the_library():
    from metric_learn import ITML_Supervised

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), np.arange(40) % 2
    factor = fit_metric_learn(MetricLearnSettings(), X, y, 0.5, seed=3)
    theirs = ITML_Supervised(gamma=0.5, random_state=3).fit(X, y)
    np.testing.assert_allclose(factor @ factor.T, theirs.get_mahalanobis_matrix(), rtol=1e-12)
