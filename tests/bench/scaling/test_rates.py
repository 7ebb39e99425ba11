"""What stages compute and move, counted."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.bench.scaling.rates import FORMULAS, CountingOperator, cluster_rates
from xcbench.bench.scaling.rows import STAGES
from xcbench.bench.synthetic import bibtex_like
from xcbench.config.methods import LocalEmbeddingSettings
from xcbench.data.dataset import Dataset
from xcbench.models.local_embedding import LocalEmbedding
from xcbench.optim import ridge
from xcbench.optim.ridge import RidgeSolver, SparseOperator


@pytest.fixture(scope="module")
def data():
    whole = bibtex_like()
    return Dataset(whole.X[:600], whole.Y[:600]), Dataset(whole.X[600:700], whole.Y[600:700])


def _matrix(n, d):
    return sparse.random_array(
        (n, d), density=0.2, format="csr", dtype=np.float32, rng=np.random.default_rng(0)
    )


@pytest.mark.parametrize("limit", [ridge.DIRECT_LIMIT, 0])
@pytest.mark.parametrize("shape", [(30, 12), (12, 30)])
def test_a_counted_solution_is_the_same_one(shape, limit, monkeypatch):
    monkeypatch.setattr(ridge, "DIRECT_LIMIT", limit)
    A, B = _matrix(*shape), np.ones((shape[0], 3), np.float32)
    expected = RidgeSolver(SparseOperator(A), 1.0).solve(B)
    np.testing.assert_array_equal(RidgeSolver(CountingOperator(A), 1.0).solve(B), expected)


def test_a_product_takes_two_flops_an_entry_and_column():
    A = _matrix(20, 15)
    operator = CountingOperator(A)
    operator.multiply(np.ones((15, 4), np.float32))
    operator.transpose_multiply(np.ones((20, 3), np.float32))
    assert (operator.columns, operator.flops) == (7, 2 * A.nnz * 7)


@pytest.mark.parametrize("shape", [(30, 12), (12, 30)])
def test_a_step_of_conjugate_gradients_takes_two_products(shape, monkeypatch):
    monkeypatch.setattr(ridge, "DIRECT_LIMIT", 0)
    operators = [CountingOperator(_matrix(*shape)) for _ in range(2)]
    for steps, operator in zip((1, 4), operators, strict=True):
        monkeypatch.setattr(ridge, "CG_LIMIT", steps)
        RidgeSolver(operator, 1e-3).solve(np.eye(shape[0], 5, dtype=np.float32))
    assert operators[1].columns - operators[0].columns == 3 * 2 * 5


def test_every_operation_is_counted():
    """One that is new to the solver would make it look slow."""
    cheap = {"gram_diagonal", "outer_gram_diagonal"}
    public = {name for name in vars(SparseOperator) if not name.startswith("_")}
    assert public - cheap <= set(vars(CountingOperator))


@pytest.mark.parametrize("outer", [False, True])
def test_a_gram_matrix_takes_the_pairs_of_entries_that_meet(outer):
    A = _matrix(20, 15)
    operator = CountingOperator(A)
    gram = operator.outer_gram() if outer else operator.gram()
    lines = (A.toarray() != 0).astype(int)
    met = lines @ lines.T if outer else lines.T @ lines
    pairs, order = np.tril(met).sum(), len(gram)
    assert operator.order == order
    assert operator.flops == pytest.approx(2 * pairs + order**3 / 3)


def test_every_stage_that_is_counted_has_its_formula(data):
    train, test = data
    model = LocalEmbedding(LocalEmbeddingSettings(rank=8, clusters=3), 0).fit(train)
    work = cluster_rates(model, train, test)
    assert {"prepare", *work} == set(FORMULAS) <= set(STAGES)
    for name in ("neighbours", "completion", "regression"):
        assert work[name]["seconds"] > 0
        assert work[name]["moved"] > 0


def test_assignment_and_vote_are_counted_one_by_one(data):
    train, test = data
    model = LocalEmbedding(LocalEmbeddingSettings(rank=8, clusters=3), 0).fit(train)
    (learner,) = model.learners
    centroids = learner.centroids.toarray()
    flops = 0
    for row in range(test.n_points):
        entries = test.X[[row]]
        near = np.argmax(entries @ centroids)
        flops += 2 * 8 * (learner.clusters[near].rows.size + entries.nnz)
        flops += 2 * np.count_nonzero(centroids[entries.indices])
    work = cluster_rates(model, train, test)
    assert work["predict"]["flops"] == flops
    met = sum(np.count_nonzero(centroids[feature]) for feature in train.X.indices)
    assert work["partition"]["flops"] == 2 * model.settings.partition.iterations * met


def test_one_cluster_has_no_partition_to_count(data):
    train, test = data
    model = LocalEmbedding(LocalEmbeddingSettings(rank=8, clusters=1), 0).fit(train)
    assert cluster_rates(model, train, test)["partition"]["flops"] == 0
