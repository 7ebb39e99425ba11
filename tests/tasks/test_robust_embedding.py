"""Robust embedding as a task: what is spoiled, what is measured, what is left behind."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from xcbench.config.robust_embedding import (
    EmbeddingClassicalSettings,
    EmbeddingMadmmSettings,
    EmbeddingSubgradientSettings,
    RobustEmbeddingDataset,
    RobustEmbeddingTask,
)
from xcbench.errors import DataError
from xcbench.models.memory import too_large, within
from xcbench.tasks.robust_embedding import align, memory, open_data, run, spoiled_distances

N = 40
METHODS = [
    EmbeddingClassicalSettings(),
    EmbeddingMadmmSettings(),
    EmbeddingSubgradientSettings(iterations=60),
]


@pytest.fixture
def root(tmp_path):
    """A data folder with a list of made-up places."""
    rng = np.random.default_rng(0)
    lines = ["name,latitude,longitude"]
    lines += [f"p{i},{rng.uniform(30, 48):.5f},{rng.uniform(-120, -70):.5f}" for i in range(N)]
    (tmp_path / "towns").mkdir()
    (tmp_path / "towns" / "towns.csv").write_text("\n".join(lines))
    return tmp_path


def job(settings, dataset, *, doubled=5.0, doubling="squared", seed=0):
    task = RobustEmbeddingTask(doubled=(doubled,), doubling=doubling)
    method = SimpleNamespace(settings=settings)
    return SimpleNamespace(task=task, dataset=dataset, method=method, seed=seed)


def towns(**settings) -> RobustEmbeddingDataset:
    return RobustEmbeddingDataset(name="towns", rows=N, **settings)


def measure(root, folder, settings, dataset=None, **options):
    dataset = dataset or towns()
    folder.mkdir(exist_ok=True)
    data = open_data(dataset, root, 1)
    outcome = run(job(settings, dataset, **options), data, folder, None)
    return outcome, dict(np.load(folder / "predictions.npz"))


def test_data_says_what_it_was_read_from(root):
    data = open_data(towns(), root, 1)
    assert data.sizes.n_train == N
    assert data.sources[0]["path"].endswith("towns.csv")
    assert data.sha256 != open_data(towns(distances="geodesic"), root, 1).sha256
    with pytest.raises(DataError, match="found 40 places"):
        open_data(RobustEmbeddingDataset(name="towns", rows=N + 1), root, 1)


@pytest.mark.parametrize(("doubling", "factor"), [("squared", 2.0), ("plain", 4.0)])
@pytest.mark.parametrize("distances", ["planar", "geodesic"])
def test_the_asked_share_of_squared_distances_is_too_large(root, doubling, factor, distances):
    dataset = towns(distances=distances)
    places = open_data(dataset, root, 1).content
    clean = (
        pdist(places.map_positions(), "sqeuclidean")
        if distances == "planar"
        else places.geodesic_distances() ** 2
    )
    task = RobustEmbeddingTask(doubled=(10.0,), doubling=doubling)
    first, second = (
        spoiled_distances(places, task, dataset, np.random.default_rng(seed)) / clean
        for seed in (0, 1)
    )
    assert sorted(set(np.round(first, 9))) == [1.0, factor]
    assert (first > 1.5).sum() == round(0.1 * clean.size)
    assert (first != second).any()


@pytest.mark.parametrize("settings", METHODS, ids=lambda s: s.model)
def test_right_distances_give_the_right_map(root, tmp_path, settings):
    outcome, arrays = measure(root, tmp_path / "run", settings, doubled=0.0)
    np.testing.assert_allclose(arrays["aligned"], arrays["truth"], atol=1e-6)
    assert outcome.metrics["median_error"] < 1e-6
    assert outcome.metrics["cost"] < 1e-6


@pytest.mark.parametrize("doubling", ["squared", "plain"])
def test_the_robust_map_has_a_tenth_of_the_classical_error(root, tmp_path, doubling):
    classical, robust = (
        measure(root, tmp_path / "run", settings, doubling=doubling)[0].metrics
        for settings in METHODS[:2]
    )
    assert robust["median_error"] < 0.1 * classical["median_error"]
    assert robust["cost"] < classical["cost"]


def test_metrics_are_those_of_the_saved_arrays(root, tmp_path):
    for settings in METHODS:
        outcome, arrays = measure(root, tmp_path / "run", settings)
        metrics, costs = outcome.metrics, arrays["costs"]
        errors = np.linalg.norm(arrays["aligned"] - arrays["truth"], axis=1)
        assert metrics["median_error"] == pytest.approx(np.median(errors))
        assert metrics["iterations"] == len(costs) - 1
        assert len(arrays["trace_seconds"]) == len(costs)
        assert metrics["cost"] == pytest.approx(costs.min(), rel=1e-2)
        assert ("ms_per_iteration" in metrics) == (len(costs) > 1)
        assert outcome.seconds["train"] > 0


def test_same_seed_same_fingerprint_and_methods_meet_the_same_distances(root, tmp_path):
    first, arrays = measure(root, tmp_path / "a", METHODS[1])
    again, _ = measure(root, tmp_path / "b", METHODS[1])
    other, _ = measure(root, tmp_path / "c", METHODS[1], seed=1)
    _, classical = measure(root, tmp_path / "d", METHODS[0])
    assert first.predictions_sha256 == again.predictions_sha256 != other.predictions_sha256
    assert arrays["costs"][0] == pytest.approx(classical["costs"][0])


def test_alignment_turns_and_mirrors_but_does_not_stretch():
    rng = np.random.default_rng(0)
    truth = rng.standard_normal((20, 2))
    rotation = np.linalg.qr(rng.standard_normal((2, 2)))[0] @ np.diag([1.0, -1.0])
    np.testing.assert_allclose(align(truth @ rotation + 5.0, truth), truth, atol=1e-12)
    stretched = align(2.0 * truth, truth)
    np.testing.assert_allclose(pdist(stretched), 2.0 * pdist(truth))


@pytest.mark.parametrize("distances", ["planar", "geodesic"])
@pytest.mark.parametrize(("apart", "refused"), [(0, True), (2, True), (3, False)])
def test_places_of_which_most_pairs_are_one_are_refused(root, apart, refused, distances):
    """Of 10 places 3 apart leave 21 of 45 pairs at one place, and 2 apart 28: the median is 0."""
    path = root / "towns" / "towns.csv"
    lines = ["name,latitude,longitude", *["p,40,-100"] * (10 - apart)]
    lines += [f"q,{41 + i},-{100 + 3 * i}" for i in range(apart)]
    path.write_text("\n".join(lines))
    dataset = RobustEmbeddingDataset(name="towns", rows=10, distances=distances)
    if refused:
        with pytest.raises(DataError, match=rf"{10 - apart} of the first 10 places are one"):
            open_data(dataset, root, 1)
    else:
        assert open_data(dataset, root, 1).sizes.n_train == 10


@pytest.mark.parametrize("rho", [1e-2, 1e3])
def test_at_the_bounds_of_the_penalty_the_points_move(root, tmp_path, rho):
    outcome, arrays = measure(root, tmp_path / "run", EmbeddingMadmmSettings(rho=rho))
    assert outcome.metrics["cost"] < 0.9 * arrays["costs"][0]


@pytest.mark.parametrize("step", [1e-6, 100.0])
def test_at_the_bounds_of_the_step_the_map_is_finite(root, tmp_path, step):
    settings = EmbeddingSubgradientSettings(step=step, iterations=60)
    outcome, arrays = measure(root, tmp_path / "run", settings)
    assert np.isfinite(arrays["aligned"]).all()
    assert outcome.metrics["cost"] <= arrays["costs"][0]


def test_a_tolerance_of_zero_runs_all_rounds(root, tmp_path):
    """Even with right distances, where what is left is rounding from the start."""
    rounds = {
        tolerance: measure(
            root, tmp_path / "run", EmbeddingMadmmSettings(iterations=30, tolerance=tolerance),
            doubled=0.0,
        )[0].metrics["iterations"]
        for tolerance in (0.0, 1e-4)
    }  # fmt: skip
    assert rounds[0.0] == 30 > rounds[1e-4]


@pytest.mark.parametrize("settings", METHODS, ids=lambda s: s.model)
def test_memory_is_what_the_arrays_of_pairs_take(tmp_path, settings):
    n = 300
    rng = np.random.default_rng(0)
    lines = [f"p,{rng.uniform(30, 48):.5f},{rng.uniform(-120, -70):.5f}" for _ in range(n)]
    (tmp_path / "many").mkdir()
    (tmp_path / "many" / "many.csv").write_text("\n".join(["name,latitude,longitude", *lines]))
    dataset = RobustEmbeddingDataset(name="many", rows=n)
    data = open_data(dataset, tmp_path, 1)
    asked = job(settings.model_copy(update={"iterations": 3}), dataset)
    tracemalloc.start()
    run(asked, data, tmp_path, None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    estimated = memory(asked, data, 1).task
    assert 0.55 * estimated < peak < 1.1 * estimated


def test_memory_grows_with_the_square_of_the_places_and_a_limit_refuses_the_job():
    estimates = [
        memory(job(METHODS[1], RobustEmbeddingDataset(rows=rows)), None, 1)
        for rows in (1000, 2000, 40000)
    ]
    for small, large, ratio in zip(estimates, estimates[1:], (4, 400), strict=False):
        assert large.task == ratio * small.task
    assert within(estimates[1], 2**30) is not None
    assert within(estimates[2], 8 * 2**30) is None
    assert "fewer places" in too_large(estimates[2], 8 * 2**30)


@pytest.mark.realdata
@pytest.mark.parametrize(("doubling", "rho"), [("squared", 10.0), ("plain", 1.0)])
def test_the_map_of_us_cities_withstands_doubled_distances(data_root, tmp_path, doubling, rho):
    classical, robust = (
        measure(data_root, tmp_path / "run", settings, RobustEmbeddingDataset(), doubling=doubling)
        for settings in (METHODS[0], EmbeddingMadmmSettings(rho=rho))
    )
    assert classical[0].metrics["median_error"] > 50.0
    assert robust[0].metrics["median_error"] < 0.1


@pytest.mark.realdata
def test_madmm_needs_few_rounds_where_subgradients_need_many_steps(data_root, tmp_path):
    settings = EmbeddingSubgradientSettings(iterations=200)
    slow = measure(data_root, tmp_path / "run", settings, RobustEmbeddingDataset())[0]
    costs = measure(data_root, tmp_path / "run", METHODS[1], RobustEmbeddingDataset())[1]["costs"]
    rounds = int(np.argmax(costs <= slow.metrics["cost"]))
    assert 0 < rounds <= 20
