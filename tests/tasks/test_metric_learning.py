"""The notes' experiment: halves, standardising, what a run leaves, and real errors."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xcbench.config.dataset import MetricsConfig
from xcbench.config.metric_learning import (
    PRESETS,
    FixedMetricSettings,
    ItmlSettings,
    MetricLearningDataset,
    MetricLearningTask,
)
from xcbench.config.schema import JobConfig, MethodConfig
from xcbench.data.class_table import LARGEST
from xcbench.errors import DataError
from xcbench.models.base import InlineExecutor
from xcbench.tasks import metric_learning

MODELS = {"fixed_metric": FixedMetricSettings, "itml": ItmlSettings}


@pytest.fixture
def root(tmp_path):
    """A data folder with the tables ``three`` (3 classes, a loud feature) and ``words``."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 3)) + 2.5 * np.eye(3)[y]
    X[:, 2] *= 1000
    lines = [f"{a:.6f},{b:.6f},{c:.6f},7,{'xyz'[k]}" for (a, b, c), k in zip(X, y, strict=True)]
    (tmp_path / "three.csv").write_text("a,b,c,same,class\n" + "\n".join(lines) + "\n")
    words = [f"{'?' if i % 7 == 0 else 'uvw'[i % 3]},{i % 5},{'xyz'[i % 3]}" for i in range(60)]
    (tmp_path / "words.csv").write_text("w,n,class\n" + "\n".join(words) + "\n")
    return tmp_path


def opened(root, name="three"):
    return metric_learning.open_data(MetricLearningDataset(name=name), root, 1)


def run(root, preset="euclidean", seed=0, name="three", folder=None, task=None, **changes):
    """Metrics and arrays of one job."""
    values = PRESETS[preset] | changes
    settings = MODELS[values["model"]].model_validate(values)
    job = JobConfig(
        MetricLearningDataset(name=name), MethodConfig(preset, preset, settings), seed, 1,
        MetricsConfig(), task or MetricLearningTask(),
    )  # fmt: skip
    folder = folder or root
    outcome = metric_learning.run(job, opened(root, name), folder, InlineExecutor())
    with np.load(folder / "predictions.npz", allow_pickle=False) as arrays:
        return outcome, dict(arrays)


def test_euclidean_is_scikit_learns_standardised_neighbours_on_the_same_halves(root):
    table = opened(root).content
    outcome, arrays = run(root, seed=3)
    halves = [(np.flatnonzero(arrays["folds"] != f), np.flatnonzero(arrays["folds"] == f))
              for f in (0, 1)]  # fmt: skip
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(4))
    scores = cross_val_score(model, table.X, table.y, cv=halves)
    assert outcome.metrics["error_rate"] == pytest.approx(100 * (1 - scores.mean()))


def test_every_point_is_the_test_once_and_the_error_counts_them_all(root):
    outcome, arrays = run(root)
    assert np.bincount(arrays["folds"]).tolist() == [45, 45]
    np.testing.assert_array_equal(arrays["truth"], opened(root).content.y)
    wrong = arrays["labels"] != arrays["truth"]
    assert outcome.metrics == {"error_rate": pytest.approx(100 * wrong.mean())}
    assert 0 < wrong.mean() < 0.5


def test_halves_go_with_the_seed_and_are_those_of_every_method(root):
    folds = {
        (preset, seed): run(root, preset, seed)[1]["folds"]
        for preset in ("euclidean", "itml") for seed in (0, 1)
    }  # fmt: skip
    np.testing.assert_array_equal(folds["euclidean", 0], folds["itml", 0])
    assert (folds["itml", 0] != folds["itml", 1]).any()


def test_a_run_leaves_metrics_gammas_and_their_errors(root):
    outcome, arrays = run(root, "itml")
    assert arrays["metrics"].shape == (2, 4, 4)
    assert np.linalg.eigvalsh(arrays["metrics"]).min() > 0
    assert set(arrays["gammas"]) <= {0.01, 0.1, 1.0, 10.0}
    assert arrays["cross_validation"].shape == (2, 4)
    assert set(outcome.seconds) == {"train", "predict"}
    assert np.isnan(run(root)[1]["gammas"]).all()


@pytest.mark.parametrize("preset", ["itml", "itml-covariance", "itml-released"])
def test_the_same_seed_gives_the_same_predictions(root, preset):
    hashes = [run(root, preset, seed)[0].predictions_sha256 for seed in (5, 5, 6)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("preset", ["inverse-covariance", "itml", "itml-covariance"])
@pytest.mark.parametrize("test", [0, 1])
def test_nothing_about_the_test_half_is_learned_from(root, tmp_path, preset, test):
    """Whatever the features and classes of the test half, metric and gamma stay what they are."""
    _, first = run(root, preset, gammas=[0.01, 1.0]) if "itml" in preset else run(root, preset)
    header, *lines = (root / "three.csv").read_text().splitlines()
    rng = np.random.default_rng(7)
    for number in np.flatnonzero(first["folds"] == test):
        values = [f"{value:.6f}" for value in 50 + 20 * rng.standard_normal(4)]
        lines[number] = ",".join([*values, "xyz"[rng.integers(3)]])
    other = tmp_path / "other"
    other.mkdir()
    (other / "three.csv").write_text("\n".join([header, *lines]) + "\n")
    _, second = run(other, preset, gammas=[0.01, 1.0]) if "itml" in preset else run(other, preset)
    np.testing.assert_array_equal(first["folds"], second["folds"])
    assert (first["truth"] != second["truth"]).any()
    for learned in ("metrics", "gammas", "cross_validation"):
        np.testing.assert_array_equal(first[learned][test], second[learned][test])
    # The other half was learned from what has changed.
    assert (first["metrics"][1 - test] != second["metrics"][1 - test]).any()


@pytest.mark.parametrize("preset", ["inverse-covariance", "itml"])
def test_every_point_gets_the_class_scikit_learn_gives_it_under_the_metric_of_its_half(
    root, preset
):
    table = opened(root).content
    _, arrays = run(root, preset, seed=2)
    for test in (0, 1):
        rows = arrays["folds"] == test
        scaler = StandardScaler().fit(table.X[~rows])
        factor = np.linalg.cholesky(arrays["metrics"][test])
        train, tested = (scaler.transform(table.X[part]) @ factor for part in (~rows, rows))
        theirs = KNeighborsClassifier(4).fit(train, table.y[~rows]).predict(tested)
        np.testing.assert_array_equal(arrays["labels"][rows], theirs)


def test_no_two_purposes_share_random_numbers(root, monkeypatch):
    """Halves; of each half folds, two candidates and the final metric: 1 + 2 (1 + 2 + 1)."""
    states, made = [], np.random.default_rng

    def recorded(seed):
        rng = made(seed)
        states.append(rng.bit_generator.state["state"]["state"])
        return rng

    monkeypatch.setattr(np.random, "default_rng", recorded)
    for seed in (0, 1):
        run(root, "itml", seed, gammas=[0.1, 1.0])
    # Folds and pairs are the same for both gammas.
    assert len(states) == 2 * (1 + 2 * (2 * (1 + 2) + 1))
    assert len(set(states)) == 2 * 9


def test_a_loud_feature_rules_where_nothing_is_standardised(root):
    raw = MetricLearningTask(standardise=False)
    assert run(root, task=raw)[0].metrics["error_rate"] > run(root)[0].metrics["error_rate"] + 5


def test_a_constant_feature_is_harmless(root):
    without = "\n".join(
        line.replace(",7,", ",").replace(",same", "")
        for line in (root / "three.csv").read_text().splitlines()
    )
    (root / "plain.csv").write_text(without + "\n")
    for preset in ("euclidean", "inverse-covariance"):
        _, arrays = run(root, preset)
        assert np.isfinite(arrays["metrics"]).all()
    np.testing.assert_array_equal(run(root)[1]["labels"], run(root, name="plain")[1]["labels"])


def test_missing_numbers_take_the_mean_of_the_training_rows():
    X = np.array([[1.0], [3.0], [np.nan], [100.0]])
    scaled = metric_learning._scaled(X, np.array([0, 1, 2]), standardise=False)
    np.testing.assert_allclose(scaled, [[1.0], [3.0], [2.0], [100.0]])
    nothing = metric_learning._scaled(X, np.array([2]), standardise=True)
    assert np.isfinite(nothing).all()


def test_standardised_training_rows_have_mean_zero_and_deviation_one():
    X = np.random.default_rng(0).gamma(2.0, 5.0, (30, 3))
    scaled = metric_learning._scaled(X, np.arange(20), standardise=True)[:20]
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0)


@pytest.mark.parametrize("preset", ["euclidean", "inverse-covariance", "itml", "itml-released"])
def test_words_and_missing_cells_run(root, preset):
    outcome, arrays = run(root, preset, name="words")
    assert arrays["metrics"].shape == (2, 4, 4)
    assert outcome.metrics["error_rate"] < 60


def test_open_data_tells_sizes_and_sources(root):
    data = opened(root)
    sizes = data.sizes
    assert (sizes.n_train, sizes.n_test, sizes.n_features, sizes.n_labels) == (45, 90, 4, 3)
    assert data.sources[0]["path"] == str(root / "three.csv")
    assert data.sha256 != opened(root, "words").sha256


def test_data_that_cannot_be_split_is_refused(root):
    (root / "short.csv").write_text("a,class\n1,x\n2,y\n3,x\n")
    with pytest.raises(DataError, match=r"short\.csv: found 3 rows; expected at least 4"):
        opened(root, "short")


@pytest.mark.parametrize("preset", ["euclidean", "inverse-covariance", "itml", "itml-covariance"])
@pytest.mark.parametrize("standardise", [True, False])
def test_the_largest_numbers_a_table_may_hold_overflow_nowhere(root, preset, standardise):
    rng = np.random.default_rng(0)
    lines = [f"{LARGEST * rng.uniform(-1, 1)!r},{rng.uniform()!r},{'xy'[i % 2]}" for i in range(40)]
    (root / "large.csv").write_text("a,b,class\n" + "\n".join(lines) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, arrays = run(
            root, preset, name="large", task=MetricLearningTask(standardise=standardise)
        )
    assert np.isfinite(arrays["metrics"]).all()


def test_four_points_are_enough(root):
    (root / "four.csv").write_text("a,class\n1,x\n2,y\n3,x\n4,y\n")
    for preset in ("euclidean", "inverse-covariance", "itml", "itml-covariance", "itml-released"):
        outcome, _ = run(root, preset, name="four")
        assert 0 <= outcome.metrics["error_rate"] <= 100


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["wine", "iris", "ionosphere"])
def test_itml_is_not_above_euclidean_on_the_uci_sets(data_root: Path, tmp_path, name):
    errors = {
        preset: np.mean([
            run(data_root, preset, seed, f"uci/{name}", tmp_path)[0].metrics["error_rate"]
            for seed in range(5)
        ])
        for preset in ("euclidean", "itml")
    }  # fmt: skip
    assert errors["itml"] <= errors["euclidean"]
