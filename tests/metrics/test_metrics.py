"""All metrics against napkinXC, against cases done by hand, and against their own laws."""

import gzip

import napkinxc.metrics as napkin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.errors import DataError
from xcbench.kernels.topk import top_k
from xcbench.metrics import evaluate
from xcbench.metrics.propensity import (
    attainable,
    earned,
    inverse_propensity,
    ps_ndcg_at_k,
    ps_precision_at_k,
)
from xcbench.metrics.ranking import hits, ndcg_at_k, precision_at_k

K = [1, 3, 5]


def labels(rows: list[list[int]], n_labels: int) -> sparse.csr_array:
    """Canonical 0/1 matrix with these labels in its rows."""
    Y = sparse.lil_array((len(rows), n_labels), dtype=np.float32)
    for i, row in enumerate(rows):
        Y[i, sorted(set(row))] = 1.0
    Y = Y.tocsr()
    Y.sort_indices()
    return Y


def ranked(rows: list[list[int]], width: int) -> TopK:
    """Lists of labels, best first, padded as TopK pads."""
    padded = np.array([(row + [-1] * width)[:width] for row in rows], dtype=np.int32)
    padded = padded.reshape(len(rows), width)
    scores = np.where(padded >= 0, -np.arange(width), -np.inf).astype(np.float32)
    return TopK(padded, scores)


@st.composite
def problems(draw):
    """True labels (some rows without), short and full predictions, training labels."""
    n_labels = draw(st.integers(1, 12))
    n = draw(st.integers(1, 8))
    row = st.lists(st.integers(0, n_labels - 1), max_size=7, unique=True)
    rows = st.lists(row, min_size=n, max_size=n)
    train = draw(st.lists(row, min_size=3, max_size=20))
    return draw(rows), draw(rows), train, n_labels


def values(truth, predicted, train, n_labels, variant="pyxclib") -> dict[str, float]:
    return evaluate(
        ranked(predicted, 5),
        labels(truth, n_labels),
        labels(train, n_labels),
        K,
        0.55,
        1.5,
        variant,
    )


def assert_equals_napkin(truth, predicted, train, n_labels) -> None:
    ours = values(truth, predicted, train, n_labels)
    lists = [row[:5] for row in predicted]
    # From a float32 matrix napkinXC makes float32 weights.
    Y_train = sparse.csr_matrix(labels(train, n_labels).astype(np.float64))
    weights = napkin.Jain_et_al_inverse_propensity(Y_train)
    with np.errstate(invalid="ignore"):
        theirs = {
            "P": napkin.precision_at_k(truth, lists, k=5),
            "nDCG": napkin.ndcg_at_k(truth, lists, k=5),
            "PSP": napkin.psprecision_at_k(truth, lists, weights, k=5),
            "PSnDCG": napkin.psndcg_at_k(truth, lists, weights, k=5),
        }
    for name, curve in theirs.items():
        for k in K:
            # A test set without a single label: napkinXC divides 0 by 0, we say 0.
            expected = 0.0 if np.isnan(curve[k - 1]) else 100.0 * curve[k - 1]
            assert ours[f"{name}@{k}"] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(deadline=None, max_examples=100)
@given(problems())
def test_equal_to_napkinxc(problem):
    assert_equals_napkin(*problem)


def test_equal_to_napkinxc_on_many_rows_with_short_lists_and_rows_without_labels():
    rng = np.random.default_rng(0)

    def rows(n: int, most: int) -> list[list[int]]:
        return [rng.permutation(40)[: rng.integers(0, most + 1)].tolist() for _ in range(n)]

    truth, predicted = rows(200, 8), rows(200, 9)
    assert sum(not row for row in truth) > 5
    assert sum(len(row) < 5 for row in predicted) > 20
    assert_equals_napkin(truth, predicted, rows(500, 6), 40)


def test_equal_to_napkinxc_on_tied_scores():
    """Ties are by the smaller label in our lists, and napkinXC reads lists as they come."""
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 3, (60, 12)).astype(np.float32)
    order, best = top_k(scores, 5)
    for row, score in zip(order, best, strict=True):
        pairs = list(zip(-score, row, strict=True))
        assert pairs == sorted(pairs)
    truth = [rng.permutation(12)[: rng.integers(0, 6)].tolist() for _ in range(60)]
    train = [rng.permutation(12)[:4].tolist() for _ in range(50)]
    assert_equals_napkin(truth, order.tolist(), train, 12)
    Y, Y_train = labels(truth, 12), labels(train, 12)
    assert evaluate(TopK(order, best), Y, Y_train, K, 0.55, 1.5) == values(
        truth, order.tolist(), train, 12
    )


def test_by_hand():
    """Row 0: labels 0, 2; list 2, 1, 0. Row 1: label 1; list 0. Row 2: none; list 3, 1."""
    truth, predicted = [[0, 2], [1], []], [[2, 1, 0], [0], [3, 1]]
    found = hits(ranked(predicted, 3), labels(truth, 4), 3)
    assert found.tolist() == [[True, False, True], [False] * 3, [False] * 3]
    assert precision_at_k(found, [1, 3]).tolist() == pytest.approx([100 / 3, 200 / 9])
    n_relevant = np.array([2, 1, 0])
    at_three = (1 + 1 / 2) / (1 + 1 / np.log2(3)) / 3
    assert ndcg_at_k(found, n_relevant, [1, 3]).tolist() == pytest.approx([100 / 3, 100 * at_three])
    weights = np.array([1.0, 5.0, 2.0, 9.0])
    gains = earned(ranked(predicted, 3), found, weights)
    assert gains.tolist() == [[2.0, 0.0, 1.0], [0.0] * 3, [0.0] * 3]
    best = attainable(labels(truth, 4), weights, 3)
    assert best.tolist() == [[2.0, 1.0, 0.0], [5.0, 0.0, 0.0], [0.0] * 3]
    assert ps_precision_at_k(gains, best, [1, 3]).tolist() == pytest.approx([200 / 7, 300 / 8])
    ideal = 1 + 1 / np.log2(3)
    reached, attained = (2 + 1 / 2) / ideal, (2 + 1 / np.log2(3)) / ideal + 5
    assert ps_ndcg_at_k(gains, best, n_relevant, [3]).tolist() == pytest.approx(
        [100 * reached / attained]
    )


def test_the_matlab_variant_divides_every_row_by_all_k_discounts():
    rng = np.random.default_rng(2)
    truth = [rng.permutation(9)[: rng.integers(0, 5)].tolist() for _ in range(30)]
    predicted = [rng.permutation(9)[:5].tolist() for _ in range(30)]
    train = [rng.permutation(9)[:3].tolist() for _ in range(40)]
    weights = inverse_propensity(labels(train, 9), 0.55, 1.5)
    discount = 1.0 / np.log2(np.arange(2, 7))
    for k in K:
        norm = discount[:k].sum()
        reached = attained = 0.0
        for row, guess in zip(truth, predicted, strict=True):
            right = np.array([weights[j] if j in row else 0.0 for j in guess[:k]])
            best = np.sort(weights[row])[::-1][:k]
            reached += (right * discount[:k]).sum() / norm
            attained += (best * discount[: len(best)]).sum() / norm
        ours = values(truth, predicted, train, 9, "matlab")
        assert ours[f"PSnDCG@{k}"] == pytest.approx(100 * reached / attained, rel=1e-12)
    plain = values(truth, predicted, train, 9)
    assert plain["PSnDCG@5"] != pytest.approx(ours["PSnDCG@5"])
    assert plain["PSP@5"] == ours["PSP@5"]


@settings(deadline=None, max_examples=60)
@given(problems())
def test_every_metric_is_a_percentage(problem):
    for variant in ("pyxclib", "matlab"):
        for name, value in values(*problem, variant).items():
            assert -1e-9 <= value <= 100 + 1e-9, name


@settings(deadline=None, max_examples=60)
@given(problems())
def test_the_best_prediction_earns_everything(problem):
    truth, _, train, n_labels = problem
    truth = [row or [0] for row in truth]
    weights = inverse_propensity(labels(train, n_labels), 0.55, 1.5)
    best = [sorted(row, key=lambda j: (-weights[j], j)) for row in truth]
    for variant in ("pyxclib", "matlab"):
        for name, value in values(truth, best, train, n_labels, variant).items():
            if not name.startswith("P@"):
                assert value == pytest.approx(100), name
    assert values(truth, best, train, n_labels)["P@1"] == pytest.approx(100)


@settings(deadline=None, max_examples=60)
@given(problems(), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_names_of_labels_matter(problem, random):
    truth, predicted, train, n_labels = problem
    rows = random.sample(range(len(truth)), len(truth))
    renamed = random.sample(range(n_labels), n_labels)

    def named(lists: list[list[int]]) -> list[list[int]]:
        return [[renamed[j] for j in row] for row in lists]

    shuffled = values(
        named([truth[i] for i in rows]), named([predicted[i] for i in rows]), named(train), n_labels
    )
    assert shuffled == pytest.approx(values(truth, predicted, train, n_labels), abs=1e-9)


def test_k_beyond_the_prediction_counts_as_misses():
    Y = labels([[0, 1], [1]], 3)
    short = evaluate(ranked([[0, 1], [2]], 2), Y, Y, [1, 2, 7], 0.55, 1.5)
    assert short["P@7"] == pytest.approx(100 * 2 / 14)
    assert set(short) == {f"{m}@{k}" for m in ("P", "nDCG", "PSP", "PSnDCG") for k in (1, 2, 7)}


def test_no_test_row_with_labels_scores_zero():
    Y = labels([[], []], 3)
    assert set(evaluate(ranked([[0], [1]], 1), Y, Y, [1], 0.55, 1.5).values()) == {0.0}


@pytest.mark.parametrize(
    ("predicted", "truth", "message"),
    [
        ([], [], "no test rows"),
        ([[0]], [[0], [1]], "1 rows and the test labels have 2"),
        ([[5]], [[0]], "label 5; the test labels end at 2"),
    ],
)
def test_what_cannot_be_scored_is_refused(predicted, truth, message):
    with pytest.raises(DataError, match=message):
        hits(ranked(predicted, 1), labels(truth, 3), 1)


@pytest.mark.parametrize("k", [[], [0], [3, -1]])
def test_an_impossible_k_is_refused(k):
    Y = labels([[0]], 3)
    with pytest.raises(ValueError, match="expected one or more numbers of at least 1"):
        evaluate(ranked([[0]], 1), Y, Y, k, 0.55, 1.5)


def test_index_pointers_of_64_bits_and_read_only_arrays_are_read():
    Y = labels([[0, 1], [1], []], 3)
    expected = evaluate(ranked([[0], [1], [2]], 1), Y, Y, [1], 0.55, 1.5)
    wide = Y.copy()
    wide.indptr = wide.indptr.astype(np.int64)
    for part in (wide.indptr, wide.indices, wide.data):
        part.flags.writeable = False
    assert evaluate(ranked([[0], [1], [2]], 1), wide, wide, [1], 0.55, 1.5) == expected


def test_propensity_weights_by_hand():
    """Two of four points have label 0, none label 1: C = (ln 4 - 1) 2.5^0.5."""
    weights = inverse_propensity(labels([[0], [0], [], []], 2), 0.5, 1.5)
    C = (np.log(4) - 1) * 2.5**0.5
    assert weights.tolist() == pytest.approx([1 + C / 3.5**0.5, 1 + C / 1.5**0.5])


def test_propensity_weights_of_very_few_points_are_never_below_one():
    assert inverse_propensity(labels([[0]], 3), 0.55, 1.5).tolist() == [1.0, 1.0, 1.0]


def test_propensity_needs_a_positive_b():
    with pytest.raises(ValueError, match="propensity b is 0"):
        inverse_propensity(labels([[0]], 1), 0.55, 0)


@pytest.mark.realdata
def test_propensity_weights_reproduce_the_file_of_eurlex(data_root):
    """The file has four or five digits."""
    folder = data_root / "eurlex-4k-labels"
    with gzip.open(folder / "train_labels.txt.gz", "rt") as file:
        n, n_labels = map(int, next(file).split())
        rows = [[int(j) for j in line.split(",")] if line.strip() else [] for line in file]
    assert len(rows) == n
    with gzip.open(folder / "inv_prop.txt.gz", "rt") as file:
        expected = np.array([float(line) for line in file])
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.concatenate(rows).astype(np.int32)
    Y = sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(n, n_labels))
    weights = inverse_propensity(Y, 0.55, 1.5)
    np.testing.assert_allclose(weights, expected, rtol=5e-5)
    np.testing.assert_allclose(weights, expected, atol=5.1e-4, rtol=0)


def test_memory_is_that_of_the_lists_however_large_k_is():
    """Lists end before k, and P@k still divides by k."""
    Y, top = labels([[0, 2, 3], [1], []], 4), ranked([[0, 1], [3, 1], [2]], 2)
    found = evaluate(top, Y, Y, [4, 10**9])
    assert found["P@4"] == pytest.approx(100 * 2 / 12)
    assert found["P@1000000000"] == pytest.approx(found["P@4"] * 4e-9)
    for name in ("nDCG", "PSP", "PSnDCG"):
        assert found[f"{name}@1000000000"] == found[f"{name}@4"] > 0
