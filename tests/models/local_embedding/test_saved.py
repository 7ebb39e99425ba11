"""A saved model is predicted a cluster at a time, from files that are written piece by piece."""

import json
import mmap
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np
import psutil
import pytest
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings
from xcbench.data.dataset import Dataset
from xcbench.errors import DataError
from xcbench.models import files as model_files
from xcbench.models import load_model
from xcbench.models.base import row_blocks
from xcbench.models.local_embedding import LocalEmbedding, ensemble
from xcbench.models.local_embedding.cluster import Cluster
from xcbench.models.local_embedding.partition import nearest_cluster


def made(n: int = 400, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 60)) * (rng.random((n, 60)) < 0.2)
    Y = rng.random((n, 15)) < 0.15
    return Dataset(sparse.csr_array(X.astype(np.float32)), sparse.csr_array(Y.astype(np.float32)))


def fitted(**settings: object) -> LocalEmbedding:
    given = {"clusters": 4, "rank": 6, "vote": {"neighbours": 5}} | settings
    return LocalEmbedding(LocalEmbeddingSettings.model_validate(given), 0).fit(made())


def saved(model: LocalEmbedding, folder: Path) -> LocalEmbedding:
    model.save(folder)
    return load_model(folder)


SPARSE = {"weight_sparsity": 0.8, "embedding_sparsity": 0.7}
SIXTEEN = {"weights": "float16", "embeddings": "float16"}


@pytest.mark.parametrize("vote", ["cosine", "euclidean"])
@pytest.mark.parametrize("regression", [{}, SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize("storage", [{}, SIXTEEN], ids=["32 bits", "16 bits"])
def test_a_saved_model_holds_what_was_fitted(vote, regression, storage, tmp_path):
    model = fitted(
        learners=2, regression=regression, storage=storage,
        vote={"kind": vote, "neighbours": 5},
    )  # fmt: skip
    again = saved(model, tmp_path)
    for one, other in zip(model.learners, again.learners, strict=True):
        assert (one.centroids != other.centroids).nnz == 0
        for a, b in zip(one.clusters, other.clusters, strict=True):
            for mine, theirs in zip(a.arrays, b.arrays, strict=True):
                np.testing.assert_array_equal(mine, theirs)
                assert mine.dtype == theirs.dtype
    assert again.nbytes == model.nbytes
    X = made(50, seed=1).X
    np.testing.assert_array_equal(again.predict(X, 5).labels, model.predict(X, 5).labels)


def test_zeros_and_bits_make_the_model_smaller():
    (dense, sparser), (dense_16, sparser_16) = (
        [fitted(regression=regression, storage=storage).nbytes for regression in ({}, SPARSE)]
        for storage in ({}, SIXTEEN)
    )
    assert dense > sparser > sparser_16
    assert dense > dense_16 > sparser_16


def test_sixteen_bits_change_scores_little():
    X = made(50, seed=1).X
    a, b = (fitted(storage=storage).predict(X, 3) for storage in ({}, SIXTEEN))
    same = a.labels == b.labels
    assert same.mean() > 0.95
    assert np.median(np.abs(a.scores / b.scores - 1)[same]) < 0.01


def mapped(folder: Path) -> list[str]:
    """The model's flat files that this process maps."""
    maps = psutil.Process().memory_maps(grouped=False)
    return [m.path for m in maps if m.path.startswith(str(folder)) and "-stored-values" in m.path]


def test_one_cluster_is_mapped_at_a_time_and_none_after(tmp_path, monkeypatch):
    model = saved(fitted(learners=2), tmp_path)
    at_visits = []
    real = Cluster.neighbours

    def visited(self, X, settings):
        at_visits.append(len(mapped(tmp_path)))
        return real(self, X, settings)

    monkeypatch.setattr(Cluster, "neighbours", visited)
    model.predict(made(50, seed=1).X, 3)
    assert at_visits == [1] * 8
    assert mapped(tmp_path) == []


def through_a_buffer(path: Path) -> np.ndarray:
    """As results of tasks are mapped."""
    with path.open("rb") as file:
        content = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    return np.ndarray((1 << 20,), np.float32, content, 128)


@pytest.mark.parametrize("opened", [model_files.open_array, through_a_buffer])
def test_a_mapped_array_that_was_written_is_not_kept_in_memory(opened, tmp_path):
    array = np.arange(1 << 20, dtype=np.float32)
    np.save(tmp_path / "result.npy", array)
    result = opened(tmp_path / "result.npy")
    model_files.save_flat(tmp_path / "flat.npy", [result[:10], result[10:]], np.float32)
    (resident,) = [
        m.rss for m in psutil.Process().memory_maps() if m.path == str(tmp_path / "result.npy")
    ]
    assert resident < array.nbytes // 4
    np.testing.assert_array_equal(np.load(tmp_path / "flat.npy"), array)
    np.testing.assert_array_equal(result, array)


def test_arrays_are_written_one_after_the_other_as_numpy_would(tmp_path):
    parts = [np.arange(6, dtype=np.int32).reshape(2, 3), np.empty(0, np.int32), np.array([7, 8])]
    model_files.save_flat(tmp_path / "flat.npy", parts, np.int32)
    found = np.load(tmp_path / "flat.npy")
    assert found.dtype == np.int32
    assert found.tolist() == [0, 1, 2, 3, 4, 5, 7, 8]
    model_files.save_flat(tmp_path / "none.npy", [], np.uint16)
    assert model_files.open_array(tmp_path / "none.npy").shape == (0,)


@pytest.mark.parametrize("found", [None, 1, 99])
def test_a_model_of_another_format_is_refused_in_one_line(found, tmp_path):
    fitted().save(tmp_path)
    header = json.loads((tmp_path / "model.json").read_text())
    header.pop("format")
    if found is not None:
        header["format"] = found
    (tmp_path / "model.json").write_text(json.dumps(header))
    with pytest.raises(DataError, match=f"is in format {found or 1}; .* train it again$"):
        load_model(tmp_path)


def test_labels_take_no_memory_for_their_ones(tmp_path):
    assert saved(fitted(), tmp_path).labels.data.strides == (0,)


def test_one_learners_blocks_follow_its_clusters(monkeypatch):
    model, X = fitted(), made(100, seed=1).X
    monkeypatch.setattr(ensemble, "BLOCK_ROWS", 30)
    blocks = model.blocks(X)
    assert [rows.size for rows in blocks] == [30, 30, 30, 10]
    assert all(np.all(np.diff(rows) > 0) and rows.dtype == np.int32 for rows in blocks)
    assert np.sort(np.concatenate(blocks)).tolist() == list(range(100))
    cluster_of = nearest_cluster(X, model.learners[0].centroids)
    ranges = [(cluster_of[rows].min(), cluster_of[rows].max()) for rows in blocks]
    assert all(last <= first for (_, last), (first, _) in pairwise(ranges))
    for a, b in zip(blocks, model.blocks(X, threads=2), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_single_clusters_blocks_are_the_rows_in_order(monkeypatch):
    monkeypatch.setattr(ensemble, "BLOCK_ROWS", 30)
    blocks = fitted(clusters=1).blocks(made(70).X)
    assert [(rows[0], rows[-1]) for rows in blocks] == [(0, 29), (30, 59), (60, 69)]


def test_blocks_of_several_learners_are_worth_a_visit_and_their_votes_fit():
    def size(learners: int, clusters: int, n: int = 10**6) -> int:
        settings = LocalEmbeddingSettings(learners=learners)
        return ensemble.block_rows(settings, clusters, n)

    assert size(1, 300) == size(5, 3) == size(5, 8) == ensemble.BLOCK_ROWS
    assert size(2, 80) == pytest.approx(80 * ensemble.VISIT_ROWS, rel=0.02)
    assert 0.8 * ensemble.VOTE_BYTES < 8 * 30 * 20 * size(20, 300) <= ensemble.VOTE_BYTES
    assert size(2, 80, n=25_000) == ceil(25_000 / 3)
    assert size(2, 80, n=0) >= 1


@pytest.mark.parametrize("learners", [1, 3])
def test_a_block_alone_is_predicted_as_with_all_others(learners, tmp_path, monkeypatch):
    monkeypatch.setattr(ensemble, "BLOCK_ROWS", 30)
    monkeypatch.setattr(ensemble, "VISIT_ROWS", 10)
    model, X = saved(fitted(learners=learners), tmp_path), made(100, seed=1).X
    whole, blocks = model.predict(X, 4), row_blocks(model, X)
    assert len(blocks) > 2
    for rows in blocks:
        alone = model.predict(X[rows], 4)
        np.testing.assert_array_equal(alone.labels, whole.labels[rows])
        np.testing.assert_array_equal(alone.scores, whole.scores[rows])


def test_features_whose_weights_are_all_zero_are_not_kept():
    (learner,) = fitted(clusters=1, regression={"weight_sparsity": 0.9}).learners
    (cluster,) = learner.clusters
    assert 0 < cluster.features.size < 60
    assert cluster.weights.counts.min() > 0


@pytest.mark.parametrize("size", [1e-8, 1e8])
@pytest.mark.parametrize("kind", ["cosine", "euclidean"])
def test_sixteen_bits_serve_features_of_any_size(size, kind, tmp_path):
    """Weights of features of 1e8 are about 1e-8, which float16 has no digits for."""
    train, test = made(), made(50, seed=1)
    train.X.data *= np.float32(size)
    test.X.data *= np.float32(size)
    found = []
    for storage in ({}, SIXTEEN):
        settings = LocalEmbeddingSettings.model_validate(
            {
                "clusters": 4, "rank": 6, "storage": storage,
                "vote": {"kind": kind, "neighbours": 5},
            }
        )  # fmt: skip
        model = LocalEmbedding(settings, 0).fit(train)
        found.append(model.predict(test.X, 1).labels)
    assert np.unique(found[0]).size > 3
    assert (found[0] == found[1]).mean() > 0.8
    np.testing.assert_array_equal(saved(model, tmp_path).predict(test.X, 1).labels, found[1])
