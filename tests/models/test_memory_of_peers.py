"""The memory estimates of peers and baselines: what makes them grow."""

from dataclasses import replace

import pytest

from xcbench.config.peers import (
    FeatureNeighboursSettings,
    NapkinXCSettings,
    OmikujiSettings,
    OneVsRestSettings,
    PecosSettings,
)
from xcbench.models.baselines.one_vs_rest import TASK_LABELS
from xcbench.models.memory import DataShape, estimate
from xcbench.models.memory.stages import PROCESS

SHAPE = DataShape(
    n_train=200_000, n_test=50_000, n_features=50_000, n_labels=30_000,
    nnz_features=8_000_000, nnz_labels=1_000_000, nnz_test_features=2_000_000,
)  # fmt: skip
METHODS = {
    "ridge": OneVsRestSettings(),
    "ridge, few weights": OneVsRestSettings(weights_per_label=500),
    "knn": FeatureNeighboursSettings(),
    "omikuji": OmikujiSettings(),
    "plt": NapkinXCSettings(),
    "br": NapkinXCSettings(kind="br"),
    "pecos": PecosSettings(),
}
every_method = pytest.mark.parametrize("settings", METHODS.values(), ids=METHODS)


@every_method
@pytest.mark.parametrize("size", ["n_train", "n_features", "n_labels", "nnz_features"])
def test_more_data_takes_no_less_memory(settings, size):
    larger = replace(SHAPE, **{size: 2 * getattr(SHAPE, size)})
    if size == "n_train":  # more rows like these
        larger = replace(
            larger, nnz_features=2 * SHAPE.nnz_features, nnz_labels=2 * SHAPE.nnz_labels
        )
    for jobs in (1, 8):
        before, after = (estimate(settings, shape, jobs, k=5) for shape in (SHAPE, larger))
        assert after.total >= before.total


@every_method
def test_data_of_one_point_can_be_estimated(settings):
    tiny = DataShape(1, 0, 1, 1, 1, 1, 0)
    total = estimate(settings, tiny, 1, k=1).total
    assert PROCESS <= total < (3 if settings.model == "pecos" else 2) * PROCESS


def test_a_dense_ridge_model_is_counted_whole_and_a_pruned_one_by_its_weights():
    dense, pruned = (METHODS[name] for name in ("ridge", "ridge, few weights"))
    model = 4 * SHAPE.n_features * SHAPE.n_labels
    assert estimate(dense, SHAPE, 1, k=5).stages[1].held == 2 * model
    assert estimate(pruned, SHAPE, 1, k=5).stages[1].held == 3 * 8 * 500 * SHAPE.n_labels
    assert estimate(pruned, SHAPE, 4, k=5).stages[0].tasks == -(-SHAPE.n_labels // TASK_LABELS)


def test_more_trees_take_more_memory():
    few, many = (estimate(OmikujiSettings(n_trees=n), SHAPE, 1, k=5).total for n in (3, 6))
    assert few < many
