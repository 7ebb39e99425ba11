"""Training labels damaged on purpose."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.dataset import CorruptionConfig, DatasetConfig
from xcbench.data.corruption import corrupted
from xcbench.data.sources import locate
from xcbench.data.store import prepare
from xcbench.errors import DataError

Y = sparse.csr_array((np.random.default_rng(0).uniform(size=(40, 12)) < 0.2).astype(np.float32))


def test_the_stated_share_of_rows_gets_the_stated_number_of_labels():
    damaged = corrupted(Y, CorruptionConfig(rows=25, labels=7), "tiny")
    changed = np.flatnonzero((damaged != Y).sum(axis=1))
    assert changed.size == 10
    assert set(np.diff(damaged.indptr)[changed]) == {7}
    assert damaged.has_canonical_format
    assert set(damaged.data) == {1.0}


def test_the_same_seed_damages_the_same_and_another_seed_others():
    first, second, other = (
        corrupted(Y, CorruptionConfig(rows=25, labels=7, seed=seed), "tiny").toarray()
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"rows": 50, "labels": 9}, "tiny-corrupted50: corrupted.labels: found 9; the dataset"),
        ({"rows": 0.001, "labels": 3}, "tiny-corrupted0.001: corrupted.rows: found 0.001; of 60"),
        ({"rows": 0.8, "labels": 3}, "percentage is none, expected at least 1.7"),
    ],
)  # fmt: skip
def test_damage_that_cannot_be_done_is_a_data_error_that_names_the_dataset(
    tiny_data, tmp_path, how, message
):
    sources = locate(DatasetConfig(name="tiny", corrupted=CorruptionConfig(**how)), tiny_data)
    with pytest.raises(DataError) as caught:
        prepare(sources, "unit", tmp_path / "cache")
    assert message in str(caught.value)


def test_only_training_labels_change_and_the_data_is_other_data(tiny_data, tmp_path):
    def open_(**more):
        config = DatasetConfig(name="tiny", **more)
        return config, prepare(locate(config, tiny_data), "unit", tmp_path / "cache")

    (_, clean), (config, damaged) = open_(), open_(corrupted=CorruptionConfig(rows=50, labels=3))
    assert config.title == "tiny-corrupted50"
    assert clean.meta["data_sha256"] != damaged.meta["data_sha256"]
    for part, matrix, equal in (
        ("train", "X", True), ("test", "X", True), ("test", "Y", True), ("train", "Y", False),
    ):  # fmt: skip
        old, new = (getattr(getattr(data, part), matrix) for data in (clean, damaged))
        assert ((old != new).nnz == 0) is equal
