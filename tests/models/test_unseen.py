"""Labels that no training row has are not predicted by models that would score them 0."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.maxide import MaxideSettings
from xcbench.config.methods import GlobalSettings
from xcbench.config.peers import OneVsRestSettings
from xcbench.data.dataset import Dataset
from xcbench.kernels.topk import BLOCK_COLUMNS, top_k, top_k_product
from xcbench.models import load_model, make_model


def data(n_seen, n_labels, seed=0):
    """Points whose labels are drawn from every third one."""
    rng = np.random.default_rng(seed)
    X = sparse.csr_array(sparse.random(60, 30, 0.3, random_state=seed, dtype=np.float32))
    Y = np.zeros((60, n_labels), np.float32)
    Y[np.arange(60), 3 * rng.integers(n_seen, size=60)] = 1
    return Dataset(X, sparse.csr_array(Y))


@pytest.mark.parametrize(
    "settings",
    [
        OneVsRestSettings(), OneVsRestSettings(weights_per_label=5), GlobalSettings(rank=8),
        MaxideSettings(ranks=(8,)),
    ],
    ids=["ridge", "ridge, sparse", "global", "maxide"],
)  # fmt: skip
def test_only_labels_with_a_training_row_are_listed_also_by_a_saved_model(settings, tmp_path):
    train = data(5, 20)
    seen = set(np.unique(train.Y.indices).tolist())
    model = make_model(settings, 0).fit(train)
    model.save(tmp_path)
    for each in (model, load_model(tmp_path)):
        top = each.predict(train.X, 8)
        assert {label for label in top.labels.ravel().tolist() if label >= 0} == seen
        assert (np.sum(top.labels >= 0, axis=1) == len(seen)).all()
        assert np.isneginf(top.scores[top.labels < 0]).all()


def test_columns_left_out_of_a_product_are_those_of_the_whole_matrix():
    rng = np.random.default_rng(0)
    left = rng.integers(-3, 4, (4, 3)).astype(np.float32)
    right = rng.integers(-3, 4, (BLOCK_COLUMNS + 9, 3)).astype(np.float32)
    without = np.array([0, 5, BLOCK_COLUMNS - 1, BLOCK_COLUMNS, BLOCK_COLUMNS + 8], np.int32)
    scores = left @ right.T
    scores[:, without] = np.nan
    for found, expected in zip(
        top_k_product(left, right, 7, without), top_k(scores, 7), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
