"""What every model must do, whatever it is: one set of tests over METHODS."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.maxide import MaxideSettings
from xcbench.config.methods import GlobalSettings, LocalEmbeddingSettings, MethodSettings
from xcbench.config.peers import FeatureNeighboursSettings, OneVsRestSettings
from xcbench.config.presets import PRESETS
from xcbench.config.resolve import merge
from xcbench.data.dataset import Dataset, TopK
from xcbench.models import load_model, make_model
from xcbench.models.base import InlineExecutor
from xcbench.runner.executors import LokyExecutor
from xcbench.runner.progress import LogProgress

GROUPS, LABELS_PER_GROUP, FEATURES_PER_GROUP = 6, 4, 8


def local(preset: str, **changes: object) -> LocalEmbeddingSettings:
    """A preset of LocalEmbedding at a rank and neighbourhood that suit the made data."""
    # equal votes of more neighbours than a group has points say nothing
    votes = 1 if PRESETS[preset].get("vote") == {"kind": "euclidean"} else 10
    small = {"rank": 10, "neighbours": {"count": 15}, "vote": {"neighbours": votes}}
    return LocalEmbeddingSettings.model_validate(
        merge(merge({**PRESETS[preset], "clusters": 2}, small), changes)
    )


METHODS: dict[str, MethodSettings] = {
    "rxml": local("rxml"),
    "rxml, 3 learners of balanced clusters": local("rxml", learners=3, partition="balanced"),
    "rxml-blend": local("rxml-blend", learners=2),
    "rxml-blend, a head a cluster": local(
        "rxml-blend", learners=2, clusters=3, head={"scope": "cluster"}
    ),
    "ridge head, rare labels first": local("rxml", head="ridge", tail=0.5),
    "rxml-paper": local("rxml-paper", partition="spherical"),
    "sleec": local("sleec"),
    "sleec, released and sparsified": local(
        "sleec",
        completion={"kind": "released", "iterations": 30},
        regression={"weight_sparsity": 0.1, "embedding_sparsity": 0.1},
    ),
    "absolute errors, learned metric": local(
        "rxml",
        completion={"kind": "madmm_l1", "iterations": 5},
        vote={"kind": "itml", "neighbours": 1},
    ),
    "spectral start, inner product, ADMM": local(
        "rxml", neighbours={"kind": "inner"}, completion="none", regression={"kind": "admm_l1"}
    ),
    "maxide": MaxideSettings(ranks=(6, 12)),
    "maxide, correlations": MaxideSettings(ranks=(12,), labels="correlation", label_rank=9),
    "global": GlobalSettings(rank=12),
    "global closed form": GlobalSettings(rank=12, solver="closed_form"),
    "global as the paper": GlobalSettings(
        rank=12, ridge=0.0, start="random", iterations=40, beta="hestenes_stiefel",
        line_search="armijo", preconditioner="none",
    ),
    "ridge": OneVsRestSettings(),
    "ridge, few weights": OneVsRestSettings(weights_per_label=8),
    "knn": FeatureNeighboursSettings(neighbours=10),
}  # fmt: skip


def planted(n: int, seed: int) -> Dataset:
    """Points of six groups, each with its own features, one sure label and some of three more."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, GROUPS, n)
    X = np.zeros((n, GROUPS * FEATURES_PER_GROUP))
    Y = np.zeros((n, GROUPS * LABELS_PER_GROUP))
    for i, g in enumerate(group):
        own = g * FEATURES_PER_GROUP + rng.permutation(FEATURES_PER_GROUP)[:5]
        X[i, own] = rng.random(5) + 0.2
        X[i, rng.integers(0, X.shape[1], 2)] += 0.1
        first = g * LABELS_PER_GROUP
        Y[i, first] = 1
        Y[i, first + 1 : first + LABELS_PER_GROUP] = rng.random(LABELS_PER_GROUP - 1) < 0.3
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return Dataset(csr(X), csr(Y), "planted")


def csr(dense: np.ndarray) -> sparse.csr_array:
    matrix = sparse.csr_array(dense.astype(np.float32))
    matrix.sort_indices()
    return matrix


def changed(data: Dataset, X: np.ndarray | None = None, Y: np.ndarray | None = None) -> Dataset:
    return Dataset(data.X if X is None else csr(X), data.Y if Y is None else csr(Y), data.name)


def first_is_right(prediction: TopK, truth: Dataset) -> float:
    rows = np.arange(truth.n_points)
    return float(truth.Y.toarray()[rows, prediction.labels[:, 0]].mean())


def assert_well_formed(prediction: TopK, n: int, k: int, n_labels: int) -> None:
    labels, scores = prediction.labels, prediction.scores
    assert labels.shape == scores.shape == (n, k)
    assert labels.dtype == np.int32
    assert scores.dtype == np.float32
    assert ((labels >= -1) & (labels < n_labels)).all()
    np.testing.assert_array_equal(labels == -1, np.isneginf(scores))
    assert not np.isnan(scores).any()
    for row, score in zip(labels, scores, strict=True):
        found = row[row >= 0]
        assert len(set(found)) == len(found)
        assert (row[len(found) :] == -1).all()
        pairs = list(zip(-score[: len(found)], found, strict=True))
        assert pairs == sorted(pairs)


def assert_same(one: TopK, other: TopK) -> None:
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.scores, other.scores)


@pytest.fixture(scope="module")
def train() -> Dataset:
    return planted(240, seed=1)


@pytest.fixture(scope="module")
def test() -> Dataset:
    return planted(80, seed=2)


@pytest.fixture(params=METHODS.values(), ids=METHODS.keys())
def settings(request) -> MethodSettings:
    return request.param


@pytest.fixture(scope="module")
def fitted(train):
    """Model fitted to ``train`` with seed 0, once for each method."""
    models = {}

    def of(settings: MethodSettings):
        if settings not in models:
            models[settings] = make_model(settings, 0).fit(train)
        return models[settings]

    return of


def test_planted_labels_are_found(settings, fitted, test):
    prediction = fitted(settings).predict(test.X, 5)
    assert_well_formed(prediction, test.n_points, 5, test.n_labels)
    assert first_is_right(prediction, test) > 0.9


def test_a_saved_model_predicts_the_same_from_mapped_files(settings, fitted, test, tmp_path):
    model = fitted(settings)
    model.save(tmp_path)
    names = {path.suffix for path in Path(tmp_path).rglob("*") if path.is_file()}
    assert names <= {".npy", ".json"}
    for path in Path(tmp_path).rglob("*.npy"):
        np.load(path, allow_pickle=False)
    opened = load_model(tmp_path)
    assert type(opened) is type(model)
    assert_same(opened.predict(test.X, 5), model.predict(test.X, 5))
    assert opened.nbytes == model.nbytes > 0
    arrays = [value for value in gather(opened) if value.size > 1]
    assert arrays
    assert not any(array.flags.writeable for array in arrays)


def gather(thing, depth: int = 4) -> list[np.ndarray]:
    """All arrays of the object, its lists and the objects in them."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if depth == 0 or isinstance(thing, str | int | float | type(None)):
        return []
    if sparse.issparse(thing):
        parts = [thing.data, thing.indices, thing.indptr]
    elif isinstance(thing, dict):
        parts = list(thing.values())
    elif isinstance(thing, list | tuple):
        parts = list(thing)
    elif hasattr(thing, "__dict__") and type(thing).__module__.startswith("xcbench"):
        parts = list(vars(thing).values())
    else:
        return []
    return [array for part in parts for array in gather(part, depth - 1)]


def test_a_batch_predicts_what_its_rows_predict_alone(settings, fitted, test):
    """Scores to rounding: BLAS sums a single row in another order."""
    model = fitted(settings)
    together = model.predict(test.X, 3)
    for i in range(0, test.n_points, 10):
        alone = model.predict(test.X[i : i + 1], 3)
        np.testing.assert_allclose(alone.scores[0], together.scores[i], rtol=1e-4, atol=1e-5)
        assert alone.labels[0, 0] == together.labels[i, 0]


def test_no_rows_give_no_predictions(settings, fitted, test):
    assert_well_formed(fitted(settings).predict(test.X[:0], 3), 0, 3, test.n_labels)


def test_k_beyond_the_labels_is_padded(settings, fitted, test):
    k = test.n_labels + 5
    prediction = fitted(settings).predict(test.X, k)
    assert_well_formed(prediction, test.n_points, k, test.n_labels)
    assert (prediction.labels[:, -5:] == -1).all()


def test_training_rows_without_labels_do_no_harm(settings, train, test):
    Y = train.Y.toarray()
    Y[::7] = 0
    model = make_model(settings, 0).fit(changed(train, Y=Y))
    assert first_is_right(model.predict(test.X, 1), test) > 0.9


def test_rows_without_features_are_learnt_from_and_predicted(settings, train, test):
    X, blank = train.X.toarray(), test.X.toarray()
    X[::9] = 0
    blank[::2] = 0
    model = make_model(settings, 0).fit(changed(train, X=X))
    prediction = model.predict(csr(blank), 3)
    assert_well_formed(prediction, test.n_points, 3, test.n_labels)
    kept = np.arange(1, test.n_points, 2)
    truth = Dataset(test.X[kept], test.Y[kept])
    of_kept = TopK(prediction.labels[kept], prediction.scores[kept])
    assert first_is_right(of_kept, truth) > 0.85


@pytest.mark.parametrize("n", [1, 2, 5])
def test_very_few_points(settings, test, n):
    """The rank is above n, and so are neighbours and clusters."""
    data = planted(n, seed=3)
    prediction = make_model(settings, 0).fit(data).predict(test.X, 3)
    assert_well_formed(prediction, test.n_points, 3, data.n_labels)
    own = make_model(settings, 0).fit(data).predict(data.X, 3)
    assert first_is_right(own, data) == 1.0


@pytest.mark.parametrize("empty", ["labels", "features"])
def test_data_without_any_label_or_feature_are_fitted(settings, train, test, empty):
    data = (
        changed(train, Y=np.zeros(train.Y.shape))
        if empty == "labels"
        else changed(train, X=np.zeros(train.X.shape))
    )
    prediction = make_model(settings, 0).fit(data).predict(test.X, 3)
    assert_well_formed(prediction, test.n_points, 3, train.n_labels)


def test_the_same_seed_gives_the_same_bytes(settings, fitted, train, test):
    again = make_model(settings, 0).fit(train)
    assert_same(again.predict(test.X, 5), fitted(settings).predict(test.X, 5))


class PicklingExecutor(InlineExecutor):
    """Sends tasks and results through pickle, the last task first, as another process would."""

    def map(self, function, tasks, stage):
        tasks = pickle.loads(pickle.dumps(list(tasks)))
        results = super().map(function, tasks[::-1], stage)[::-1]
        return pickle.loads(pickle.dumps(results))


def test_predictions_do_not_depend_on_the_executor(settings, fitted, train, test):
    expected = fitted(settings).predict(test.X, 5)
    executors = [PicklingExecutor()] + [LokyExecutor(jobs, 1, LogProgress()) for jobs in (2, 3)]
    for executor in executors:
        assert_same(make_model(settings, 0).fit(train, executor).predict(test.X, 5), expected)


def test_index_pointers_of_64_bits_are_read(settings, fitted, train, test):
    expected = fitted(settings).predict(test.X, 5)
    wide = [matrix.copy() for matrix in (train.X, train.Y, test.X)]
    for matrix in wide:
        matrix.indptr = matrix.indptr.astype(np.int64)
    X, Y, X_test = wide
    assert_same(make_model(settings, 0).fit(Dataset(X, Y)).predict(X_test, 5), expected)


def test_memory_mapped_data_are_read_and_left_alone(settings, fitted, train, test, tmp_path):
    expected = fitted(settings).predict(test.X, 5)

    def mapped(matrix: sparse.csr_array, name: str) -> sparse.csr_array:
        parts = []
        for part in ("data", "indices", "indptr"):
            np.save(tmp_path / f"{name}-{part}.npy", getattr(matrix, part))
            parts.append(np.load(tmp_path / f"{name}-{part}.npy", mmap_mode="r"))
        return sparse.csr_array(tuple(parts), shape=matrix.shape)

    data = Dataset(mapped(train.X, "X"), mapped(train.Y, "Y"))
    X_test = mapped(test.X, "X_test")
    assert_same(make_model(settings, 0).fit(data).predict(X_test, 5), expected)


def test_stage_seconds_are_left_by_the_fit(settings, fitted):
    seconds = fitted(settings).stage_seconds
    assert seconds
    assert all(value >= 0 for value in seconds.values())


def test_impossible_requests_are_refused_before_any_kernel_runs(settings, fitted, test):
    model = fitted(settings)
    with pytest.raises(ValueError, match="k is 0"):
        model.predict(test.X, 0)
    with pytest.raises(ValueError, match="features"):
        model.predict(csr(np.ones((2, test.n_features + 1))), 3)
