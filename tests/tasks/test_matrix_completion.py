"""Incomplete multi-label learning: what is seen, what is judged, and what is found."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import label_ranking_average_precision_score

from tests.models.test_contract import planted
from tests.optim.test_proximal_gradient import observed
from xcbench.config.matrix_completion import MatrixCompletionTask
from xcbench.config.maxide import PRESETS, BinaryRelevanceSettings, MaxideSettings, SVTSettings
from xcbench.data.dataset import Dataset
from xcbench.data.features import unit
from xcbench.data.matrix import take_rows
from xcbench.data.xc_text import read_xc
from xcbench.errors import DataError
from xcbench.models.label_completion import Completion, MeanCompletion, make_completer
from xcbench.models.memory import DataShape, MemoryEstimate, completion, within
from xcbench.tasks import matrix_completion
from xcbench.tasks.base import Sizes, TaskData
from xcbench.tasks.matrix_completion import (
    chosen_places,
    held_out_precision,
    judged,
    memory,
    observed_labels,
    run,
)

METHODS = {
    "maxide": MaxideSettings(ranks=(4, 8), penalties=(0.3, 0.1, 0.03)),
    "maxide, correlation": MaxideSettings(
        ranks=(8,), penalties=(0.1, 0.03), labels="correlation", label_rank=24
    ),
    "maxide, averaged": MaxideSettings(
        ranks=(4, 8), penalties=(0.1, 0.03), weighting="singular_values", over_ranks="mean"
    ),
    "svt": SVTSettings(penalties=(0.5, 0.1)),
    "ridge": BinaryRelevanceSettings(loss="squared", penalties=(1.0, 0.1)),
    "svm": BinaryRelevanceSettings(penalties=(1.0, 0.1)),
}


def data() -> TaskData:
    train, test = planted(120, seed=1), planted(60, seed=2)
    sizes = Sizes(120, 60, train.n_features, train.n_labels)
    return TaskData("", sizes, (), SimpleNamespace(train=train, test=test))


def job(settings, percent=30.0, seed=0):
    task = MatrixCompletionTask(observed=(percent,), folds=3)
    return SimpleNamespace(task=task, method=SimpleNamespace(settings=settings), seed=seed)


def test_a_task_of_three_shares_is_three_tasks():
    assert [task.observed for task in MatrixCompletionTask().each()] == [(10.0,), (20.0,), (40.0,)]


def test_of_each_label_the_same_number_of_points_is_observed_and_more_includes_less():
    Y = planted(50, seed=3).Y
    few, many = (observed_labels(Y, share, np.random.default_rng(4)) for share in (0.2, 0.6))
    dense = {}
    for name, known, count in (("few", few, 10), ("many", many, 30)):
        filled = known.holding(known.values).toarray()
        assert (np.count_nonzero(filled, axis=0) == count).all()
        signs = 2 * Y.toarray() - 1
        assert (filled[filled != 0] == signs[filled != 0]).all()
        dense[name] = filled != 0
    assert (dense["few"] <= dense["many"]).all()


def test_judged_are_the_entries_that_are_not_known():
    rng = np.random.default_rng(0)
    Y = sparse.csr_array((rng.random((30, 7)) < 0.3).astype(np.float32))
    known = observed_labels(Y, 0.4, rng)
    left, right = rng.standard_normal((33, 2)), rng.standard_normal((2, 7))
    rows, values = judged(Completion(left, right), Y, 3, known)
    hidden = known.holding(known.values).toarray() == 0
    dense, scores = Y.toarray() > 0, left[3:] @ right
    expected = {
        i: label_ranking_average_precision_score(
            dense[[i]][:, hidden[i]], scores[[i]][:, hidden[i]]
        )
        for i in range(30)
        if (dense[i] & hidden[i]).any()
    }
    assert rows.tolist() == list(expected)
    np.testing.assert_allclose(values, list(expected.values()))


@pytest.mark.parametrize("settings", METHODS.values(), ids=METHODS.keys())
def test_hidden_labels_of_points_with_telling_features_are_found(settings, tmp_path):
    outcome = run(job(settings), data(), tmp_path, None)
    knows_test_points = not isinstance(settings, SVTSettings)
    assert ("AP_test" in outcome.metrics) == knows_test_points
    if knows_test_points:
        assert min(outcome.metrics.values()) > 80
    assert set(outcome.seconds) == {"train", "predict"}
    assert outcome.sizes["model_bytes"] > 0
    arrays = np.load(tmp_path / "predictions.npz")
    assert 100 * arrays["hidden_precision"].mean() == pytest.approx(outcome.metrics["AP_hidden"])
    held_out = arrays["held_out"]
    best = [held_out.max()] if len(arrays["chosen"]) == 1 else held_out.max(axis=1)
    np.testing.assert_array_equal(held_out[tuple(arrays["chosen"].T)], best)


def test_hidden_labels_alone_are_in_the_score_of_hidden_labels(tmp_path):
    """By a mask drawn anew, with the completion of what it leaves, over all hidden entries."""
    settings = MaxideSettings(ranks=(4,), penalties=(0.3,))
    metrics = run(job(settings), data(), tmp_path, None).metrics
    train, test = data().content.train, data().content.test
    Y, rng = train.Y.toarray() > 0, np.random.default_rng([0, 0])
    seen = np.zeros(Y.shape, bool)
    for label in range(Y.shape[1]):
        seen[rng.permutation(120)[:36], label] = True
    X = sparse.csr_array(sparse.vstack([train.X, test.X]))
    completer = make_completer(settings, X, 120, 0)
    scores = completer.path(observed(2.0 * Y - 1, seen), 0)[0].rows(np.arange(120))

    def precision(asked):
        values = [
            label_ranking_average_precision_score(Y[[i]][:, asked[i]], scores[[i]][:, asked[i]])
            for i in range(120)
            if (Y[i] & asked[i]).any()
        ]
        return 100 * np.mean(values)

    assert metrics["AP_hidden"] == pytest.approx(precision(~seen), abs=1e-9)
    assert abs(precision(~seen) - precision(np.ones(Y.shape, bool))) > 0.1


class Perfect:
    """A completer that knows all labels."""

    variants, averaged, penalties = 1, False, (1.0,)

    def __init__(self, Y):
        self.n_rows, self._Y = len(Y), Y

    def path(self, known, variant, count=None):
        return [Completion(self._Y, np.eye(self._Y.shape[1]))]


@pytest.mark.parametrize("labels", [1, 2, 30])
def test_a_perfect_completer_gets_all_whatever_parts_hold_out_no_label(labels):
    Y = np.zeros((40, 3))
    Y.flat[:labels] = 1.0
    known = observed(2.0 * Y - 1, np.ones(Y.shape, bool))
    assert held_out_precision(Perfect(Y), known, 5, 0) == pytest.approx(100)
    # Without a label observed there is nothing to choose by.
    nothing = observed(2.0 * Y - 1, Y == 0)
    assert held_out_precision(Perfect(Y), nothing, 5, 0) == 0


@pytest.mark.filterwarnings("error")
def test_without_a_hidden_label_there_is_one_clear_error(tmp_path):
    with pytest.raises(DataError, match=r"with 99.999 % of 120 training points .* none of their"):
        run(job(METHODS["maxide"], percent=99.999), data(), tmp_path, None)


@pytest.mark.filterwarnings("error")
def test_test_points_without_labels_have_no_score(tmp_path):
    unlabelled = data()
    test = unlabelled.content.test
    unlabelled.content.test = Dataset(test.X, sparse.csr_array(test.Y.shape, dtype=np.float32))
    assert set(run(job(METHODS["maxide"]), unlabelled, tmp_path, None).metrics) == {"AP_hidden"}
    assert np.load(tmp_path / "predictions.npz")["test_precision"].size == 0


def test_scores_are_formed_of_the_rows_that_are_judged_alone(monkeypatch):
    """And in blocks of them."""
    monkeypatch.setattr(matrix_completion, "_SCORES", 2 * 7)
    Y = np.zeros((30, 7), np.float32)
    Y[[3, 4, 11, 20, 29], [0, 6, 2, 1, 5]] = 1.0
    seen = np.zeros(Y.shape, bool)
    seen[4, 6] = seen[11, 3] = True  # a label, which is not judged, and no label
    asked = []

    class Watched(Completion):
        def rows(self, which):
            asked.append(which.tolist())
            return super().rows(which)

    scores = np.random.default_rng(0).standard_normal((35, 7))
    found = judged(Watched(scores, np.eye(7)), sparse.csr_array(Y), 5, observed(2.0 * Y - 1, seen))
    assert asked == [[8, 16], [25, 34]]
    assert found[0].tolist() == [3, 11, 20, 29]
    places = [
        1 + sum(scores[5 + i, j] > scores[5 + i, Y[i].argmax()] for j in range(7) if not seen[i, j])
        for i in found[0]
    ]
    np.testing.assert_allclose(found[1], 1 / np.array(places))


def test_observing_holds_what_is_observed_alone():
    """A twentieth of 4 million entries, not their permutations, 32 MB."""
    Y = sparse.csr_array((20_000, 200), dtype=np.float32)
    tracemalloc.start()
    try:
        known = observed_labels(Y, 0.05, np.random.default_rng(0))
        assert known.values.size == 200_000
        assert tracemalloc.get_traced_memory()[1] < 80 * 200_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("settings", METHODS.values(), ids=METHODS.keys())
def test_the_estimate_of_memory_covers_what_is_held(settings, tmp_path):
    train, test = planted(1500, seed=1), planted(500, seed=2)
    sizes = Sizes(1500, 500, train.n_features, train.n_labels)
    larger = TaskData("", sizes, (), SimpleNamespace(train=train, test=test))
    estimated = memory(job(settings), larger, 4)
    (stage,) = estimated.stages
    assert estimated.jobs == 1  # its work is not spread
    tracemalloc.start()
    try:
        run(job(settings), larger, tmp_path, None)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert held < stage.task < 6 * held


@pytest.mark.parametrize("settings", METHODS.values(), ids=METHODS.keys())
def test_a_dataset_of_200_000_labels_is_no_small_job(settings):
    """4 billion entries are observed of Delicious-200K at 10 %: 12 bytes each are 48 GB."""
    shape = DataShape(196_606, 100_095, 782_585, 205_443, 59_000_000, 14_800_000, 25_000_000)
    stages = completion.stages(settings, shape, 0.1)
    assert stages[0].task > 48e9
    assert within(MemoryEstimate(stages, 1, completion.ADVICE), 48 * 10**9) is None


def test_one_variant_is_chosen_or_of_each_the_best_penalty():
    held_out = np.array([[1.0, 5.0, 2.0], [7.0, 3.0, 7.0]])
    assert chosen_places(held_out, averaged=False).tolist() == [[1, 0]]
    assert chosen_places(held_out, averaged=True).tolist() == [[0, 1], [1, 0]]


def test_what_is_judged_of_an_average_are_the_mean_scores_of_all_ranks(tmp_path):
    """Of one penalty, so that there is nothing to choose."""
    settings = MaxideSettings(ranks=(3, 8), penalties=(0.1,), over_ranks="mean")
    run(job(settings), data(), tmp_path, None)
    train, test = data().content.train, data().content.test
    X = sparse.csr_array(sparse.vstack([train.X, test.X]))
    known = observed_labels(train.Y, 0.3, np.random.default_rng([0, 0]))
    alone = [
        make_completer(MaxideSettings(ranks=(rank,), penalties=(0.1,)), X, 120, 0)
        .path(known, 0)[0]
        .rows(np.arange(120, 180))
        for rank in (3, 8)
    ]
    # The singular vectors of different ranks are of different random starts.
    expected = label_ranking_average_precision_score(test.Y.toarray() > 0, sum(alone))
    arrays = np.load(tmp_path / "predictions.npz")
    assert arrays["test_precision"].mean() == pytest.approx(expected, abs=1e-3)
    one = label_ranking_average_precision_score(test.Y.toarray() > 0, alone[0])
    assert abs(one - expected) > 1e-2


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path):
    settings = METHODS["maxide"]
    found = [
        run(job(settings, seed=seed), data(), tmp_path, None).predictions_sha256
        for seed in (5, 5, 6)
    ]
    assert found[0] == found[1] != found[2]


def test_choosing_never_sees_a_hidden_label(tmp_path):
    """With the hidden labels taken away all is chosen as before."""
    before, after = data(), data()
    run(job(METHODS["maxide"]), before, tmp_path, None)
    arrays = dict(np.load(tmp_path / "predictions.npz"))
    train = after.content.train
    known = observed_labels(train.Y, 0.3, np.random.default_rng([0, 0]))
    seen = sparse.csr_array((known.holding(known.values) > 0).astype(np.float32))
    completer = make_completer(
        METHODS["maxide"], sparse.csr_array(sparse.vstack([train.X, after.content.test.X])), 120, 0
    )
    again = observed_labels(seen, 0.3, np.random.default_rng([0, 0]))
    found = held_out_precision(completer, again, 3, 0)
    np.testing.assert_allclose(found, arrays["held_out"])


@pytest.mark.parametrize("name", ["maxide", "svt", "ridge"])
def test_labels_of_which_almost_none_is_observed_are_no_error(name, tmp_path):
    metrics = run(job(METHODS[name], percent=0.1), data(), tmp_path, None).metrics
    assert all(0 <= value <= 100 for value in metrics.values())


@pytest.mark.realdata
def test_averaged_maxide_is_above_binary_relevance_on_bibtex(data_root):
    """Of 2,000 points of its 30 most frequent labels: 70.6 % and 69.2 % when written."""
    train = read_xc(data_root / "bibtex" / "train.txt.gz")
    frequent = np.argsort(-train.Y.sum(axis=0), kind="stable")[:30]
    Y = sparse.csr_array(sparse.csc_array(train.Y)[:, frequent])
    labelled = np.flatnonzero(Y.sum(axis=1))[:2000]
    X, Y = unit(take_rows(train.X, labelled)), take_rows(Y, labelled)
    known = observed_labels(Y, 0.1, np.random.default_rng(0))
    found = {}
    for preset, changes in (("maxide-averaged", {}), ("binary-relevance", {"loss": "squared"})):
        kind = MaxideSettings if preset.startswith("maxide") else BinaryRelevanceSettings
        completer = make_completer(kind(**(PRESETS[preset] | changes)), X, 2000, 0)
        places = chosen_places(held_out_precision(completer, known, 5, 0), completer.averaged)
        mean = MeanCompletion([completer.path(known, v)[place] for v, place in places.tolist()])
        found[preset] = 100 * judged(mean, Y, 0, known)[1].mean()
    assert found["maxide-averaged"] > found["binary-relevance"] + 0.5
