"""The memory estimate: its arithmetic, what makes it grow, and a comparison with real fits."""

import inspect
import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.methods import GlobalSettings, LocalEmbeddingSettings
from xcbench.config.presets import PRESETS
from xcbench.config.resolve import merge
from xcbench.data.dataset import Dataset
from xcbench.models import make_model
from xcbench.models.local_embedding.ensemble import VOTE_BYTES
from xcbench.models.local_embedding.partition import TABLE_LIMIT
from xcbench.models.memory import DataShape, MemoryEstimate, Stage, estimate, warning
from xcbench.models.memory.shape import BLOCK_ROWS
from xcbench.models.memory.stages import POOL, PROCESS, PROCESS_OWN, PROCESS_SHARED

ROOT = Path(__file__).parents[2]
GB = 10**9
SHAPE = DataShape(
    n_train=200_000, n_test=50_000, n_features=50_000, n_labels=30_000,
    nnz_features=8_000_000, nnz_labels=1_000_000, nnz_test_features=2_000_000,
)  # fmt: skip


def local(**changes: object) -> LocalEmbeddingSettings:
    return LocalEmbeddingSettings.model_validate(merge(PRESETS["rxml"], changes))


METHODS = {
    "rxml": local(),
    "balanced": local(partition="balanced", learners=3),
    "spherical": local(partition="spherical", learners=3, clusters=10),
    "svp": local(completion={"kind": "svp"}, vote="euclidean"),
    "released": local(
        completion="released", regression={"weight_sparsity": 0.1, "embedding_sparsity": 0.1}
    ),
    "absolute errors": local(completion="madmm_l1", vote="itml"),
    "start only, admm": local(completion="none", regression="admm_l1"),
    "blend": local(head="squared_hinge"),
    "blend by cluster": local(head={"kind": "squared_hinge", "scope": "cluster"}),
    "global": GlobalSettings(),
    "global, plain": GlobalSettings(preconditioner="none", start="random"),
    "global, closed form": GlobalSettings(solver="closed_form"),
}
every_method = pytest.mark.parametrize("settings", METHODS.values(), ids=METHODS)


@every_method
@pytest.mark.parametrize(
    "sizes",
    [("n_train", "nnz_features", "nnz_labels"), ("n_features",), ("n_labels",), ("nnz_features",)],
    ids=["more rows", "more features", "more labels", "longer rows"],
)
def test_more_data_takes_more_memory(settings, sizes):
    larger = replace(SHAPE, **{size: 2 * getattr(SHAPE, size) for size in sizes})
    for jobs in (1, 8):
        before, after = (estimate(settings, shape, jobs, k=5) for shape in (SHAPE, larger))
        assert after.total >= before.total
        assert after.needed >= before.needed


@every_method
def test_a_larger_rank_takes_more_memory(settings, request):
    ranks = [estimate(settings.model_copy(update={"rank": r}), SHAPE, 4, k=5) for r in (50, 100)]
    assert ranks[0].total <= ranks[1].total
    # The closed form's eigenproblems are of full rank, and what fits a head may take the most.
    if getattr(settings, "solver", "") != "closed_form" and "blend" not in request.node.callspec.id:
        assert ranks[0].total < ranks[1].total


@every_method
def test_more_processes_take_more_memory(settings):
    totals = [estimate(settings, SHAPE, jobs, k=5) for jobs in (1, 2, 3, 4, 8, 20)]
    assert all(a.total < b.total for a, b in pairwise(totals))
    assert all(a.needed < b.needed for a, b in pairwise(totals))
    assert all(e.needed <= e.total for e in totals)


@pytest.mark.parametrize("settings", [m for m in METHODS.values() if m.model != "global"])
def test_more_learners_take_more_memory(settings):
    few, many = (settings.model_copy(update={"learners": count}) for count in (3, 6))
    assert estimate(few, SHAPE, 2, k=5).total < estimate(many, SHAPE, 2, k=5).total


@every_method
def test_data_of_one_point_can_be_estimated(settings):
    tiny = DataShape(1, 0, 1, 1, 1, 1, 0)
    assert PROCESS <= estimate(settings, tiny, 1, k=1).total < 2 * PROCESS


def test_a_stage_adds_up_its_processes():
    stage = Stage("clusters", "", tasks=10, task=1000, mapped=300, result=20, held=7, freed=5)
    # in one process: nine results beside the last task
    assert stage.total(1) == PROCESS + 7 + 9 * 20 + 1000 + 300 + 5
    assert stage.repeated(1) == 0
    # four tasks at once: six results are in, one is on its way
    assert stage.parent(4) == PROCESS + 7 + 7 * 20
    assert stage.total(4) == stage.parent(4) + POOL + 4 * (PROCESS + 5 + 1000 + 300)
    assert stage.repeated(4) == 4 * PROCESS_SHARED + 3 * 300
    # more processes than tasks: the others wait
    assert stage.total(12) - stage.total(10) == 2 * (PROCESS + 5)


def test_a_single_task_runs_in_the_parent():
    stage = Stage("regression", "", tasks=1, task=1000, mapped=300)
    assert stage.parent(8) == PROCESS + 1000 + 300
    assert stage.total(8) == stage.parent(8) + POOL + 8 * PROCESS


def test_one_cluster_by_hand():
    shape = DataShape(10_000, 2000, 500, 500, 200_000, 20_000, 50_000)
    settings = local(clusters=1, neighbours={"count": 100}, completion="released", learners=2)
    clusters = estimate(settings, shape, 2, k=5).stages[1]
    pairs, features = 10_000 * 100, shape.features_among(200_000)
    lists, labels, order = 8 * pairs, 8 * 20_000 + 4 * 10_000, 12 * 10_000
    descent = 40 * pairs + 4 * (4 * 10_000 * 100)  # known, places, mirrored ...; U, V, two more
    assert clusters.task == lists + labels + order + descent
    assert clusters.tasks == 2
    assert clusters.result == 4 * (10_000 + features + 10_000 * 100 + features * 100)
    assert clusters.held == 2 * 4 * (10_000 + 500)  # rows, centroids
    assert clusters.mapped == 8 * (200_000 + 20_000 + 10_000)


def test_the_centroids_of_many_clusters_are_no_larger_than_what_occurs_in_them():
    wide = replace(SHAPE, n_features=1_000_000)
    entries = 8 * wide.nnz_features  # as many as the data, were no feature twice in a cluster
    partition, clusters, _, predict = estimate(local(clusters=300), wide, 20, k=5).stages
    assert clusters.held < entries + 4 * (wide.n_features + wide.n_train)
    table = 4 * TABLE_LIMIT
    assert partition.task < 2 * clusters.held + 50 * (wide.n_features + wide.n_train) + table
    assert predict.task + predict.mapped < 0.2 * GB + table


def test_many_clusters_are_predicted_one_at_a_time():
    few, many = (estimate(local(clusters=c, rank=300), SHAPE, 2, k=5) for c in (5, 50))
    assert many.stages[1].tasks * many.stages[1].result > 1.5 * GB
    assert many.stages[3].mapped < 0.2 * GB
    assert many.stages[3].mapped < 0.6 * few.stages[3].mapped
    assert many.stages[2].parent(2) < PROCESS + 0.3 * GB


def test_votes_of_several_learners_are_held_for_larger_blocks():
    one, many = (estimate(local(clusters=80, learners=n), SHAPE, 2, k=5).stages[3] for n in (1, 20))
    assert one.tasks == ceil(SHAPE.n_test / BLOCK_ROWS)
    assert many.tasks < one.tasks / 3
    assert 0 < many.task - one.task < 4 * VOTE_BYTES


def test_heads_of_clusters_take_the_size_of_a_cluster():
    wide = replace(SHAPE, n_labels=600_000)
    of_all, by_cluster = (
        estimate(local(head={"kind": "squared_hinge", "scope": scope}), wide, 2, k=5).stages
        for scope in ("all", "cluster")
    )
    clusters = wide.n_train // 6000
    assert by_cluster[1].tasks == 2 * clusters
    assert by_cluster[1].task < 0.6 * of_all[1].task
    assert by_cluster[2].parent(2) < of_all[2].parent(2) - 0.3 * GB
    assert by_cluster[3].mapped < of_all[3].mapped - 0.3 * GB


@pytest.mark.parametrize("entries", [1, 500, 20_000, 2_000_000])
def test_features_are_counted_as_zipf_has_it(entries):
    shape = replace(SHAPE, n_features=5000)
    frequency = 1 / np.arange(1, 5001)
    drawn = -np.expm1(-entries * frequency / frequency.sum())
    assert shape.features_among(entries) == pytest.approx(drawn.sum(), rel=0.02, abs=1.0)
    assert shape.features_among(0) == 0


def data(n: int, d: int, n_labels: int, features: int, labels: int) -> Dataset:
    """n random points of so many features and labels each."""
    rng = np.random.default_rng(0)

    def matrix(columns: int, each: int) -> sparse.csr_array:
        ids = rng.integers(0, columns // each, (n, each), np.int32)
        ids += np.arange(each, dtype=np.int32) * (columns // each)
        rows = np.arange(0, n * each + 1, each, dtype=np.int32)
        return sparse.csr_array((np.ones(n * each, np.float32), ids.ravel(), rows), (n, columns))

    return Dataset(matrix(d, features), matrix(n_labels, labels))


@pytest.mark.parametrize(
    ("vote", "weights", "embeddings", "dtype"),
    [
        ("cosine", 0.0, 0.0, "float32"),
        ("cosine", 0.8, 0.0, "float32"),
        ("euclidean", 0.5, 0.6, "float32"),
        ("cosine", 0.8, 0.6, "float16"),
        ("itml", 0.8, 0.6, "float16"),
    ],
)
def test_the_models_size_is_that_of_a_fitted_one(vote, weights, embeddings, dtype):
    train = data(600, 300, 40, features=20, labels=3)
    settings = local(
        rank=20, learners=2, clusters=1, vote=vote,
        regression={"weight_sparsity": weights, "embedding_sparsity": embeddings},
        storage={"weights": dtype, "embeddings": dtype},
    )  # fmt: skip
    fitted = make_model(settings, seed=0).fit(train)
    arrays = sum(
        a.nbytes for learner in fitted.learners for c in learner.clusters for a in c.arrays
    )
    clusters = estimate(settings, DataShape.of(train, train), 1, k=5).stages[1]
    assert clusters.tasks * clusters.result == pytest.approx(arrays, rel=0.1)


def test_a_shape_is_read_from_the_datasets():
    train, test = (data(n, 300, 40, features=20, labels=3) for n in (600, 100))
    assert DataShape.of(train, test) == DataShape(600, 100, 300, 40, 12_000, 1800, 2000)


# What runs in a process of its own, started fresh: fit a method and say what it took.
MEASURE = f"""
import json, sys
import numpy as np
from pydantic import TypeAdapter
from scipy import sparse
from xcbench.config.methods import MethodSettings
from xcbench.data.dataset import Dataset
from xcbench.models import make_model
from xcbench.models.local_embedding.ensemble import VOTE_BYTES
from xcbench.models.local_embedding.partition import TABLE_LIMIT
from xcbench.models.memory import DataShape, estimate
from xcbench.runner.executors import limited_threads
from xcbench.runner.memory import PeakMemory

{inspect.getsource(data)}
settings = TypeAdapter(MethodSettings).validate_json(sys.argv[1])
train = data(*json.loads(sys.argv[2]))
with PeakMemory() as before:
    pass
with PeakMemory(every=0.005) as peak, limited_threads(1):
    make_model(settings, seed=0).fit(train)
expected = estimate(settings, DataShape.of(train, train), 1, 5)
print(json.dumps([before.bytes, peak.bytes, expected.task, expected.parent]))
"""


def dense(**completion: object) -> LocalEmbeddingSettings:
    return local(
        clusters=1, rank=60, neighbours={"count": 300}, completion={"iterations": 2} | completion
    )


FITS = {
    "riemannian_cg": dense(start="random"),
    "global": GlobalSettings(iterations=2, rank=100),
}


@pytest.mark.parametrize("settings", FITS.values(), ids=FITS)
def test_a_real_fit_takes_what_was_estimated_within_a_third(settings):
    size = [6000, 1000, 60, 15, 3] if settings.model != "global" else [8000, 2000, 300, 15, 3]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, settings.model_dump_json(), json.dumps(size)],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    before, peak, task, parent = json.loads(done.stdout)
    assert task > 80e6  # so that the formula matters beside the interpreter
    assert task / 1.33 < peak - before < 1.33 * task
    assert parent / 1.33 < peak < 1.33 * parent


def an_estimate(jobs: int, task: int = GB) -> MemoryEstimate:
    """Ten tasks of a gigabyte each."""
    stage = Stage("clusters", "more clusters", tasks=10, task=task)
    return MemoryEstimate((stage,), jobs, "a smaller rank")


def test_a_job_that_fits_gives_no_warning():
    assert warning(an_estimate(4), an_estimate(4).needed) is None


def test_the_warning_states_need_part_and_the_processes_that_would_fit():
    text = warning(an_estimate(10), 5 * GB)
    assert text is not None
    need = an_estimate(10).needed / 1e9
    assert f"about {need:.1f} GB" in text
    assert "5.0 GB are available" in text
    assert "10 tasks at once of stage clusters (10.0 GB)" in text
    fits = max(j for j in range(1, 10) if an_estimate(j).needed <= 5 * GB)
    assert 3 <= fits <= 4
    assert f"executor.jobs of at most {fits} would fit; else use more clusters" in text
    assert "\n" not in text


def test_the_warning_says_when_no_number_of_processes_helps():
    small = an_estimate(10)
    text = warning(
        replace(small, stages=(*small.stages, Stage("save", "", 0, held=20 * GB))), 5 * GB
    )
    assert text is not None
    assert "the model in the parent process" in text
    assert "not even executor.jobs: 1 would fit; use a smaller rank" in text


def test_the_warning_of_one_process_does_not_ask_for_fewer():
    text = warning(an_estimate(1, task=6 * GB), 5 * GB)
    assert text is not None
    assert "one task of stage clusters (6.0 GB); use more clusters" in text
    assert "executor.jobs" not in text


def test_pages_that_processes_share_are_needed_once():
    stage = Stage("predict", "", tasks=20, mapped=10 * GB)
    estimated = MemoryEstimate((stage,), 20, "")
    assert estimated.total > 200 * GB
    assert estimated.needed < 10 * GB + 21 * (PROCESS_OWN + PROCESS_SHARED) + POOL
