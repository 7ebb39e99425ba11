"""Made-up measurements, whose costs are exact powers of the sizes."""

from dataclasses import replace

import pytest

from xcbench.bench import machine as rates
from xcbench.bench.machine import Machine
from xcbench.bench.scaling.measure import Measurement, Scaling
from xcbench.bench.scaling.plan import OURS, Point, plan
from xcbench.bench.scaling.rates import Work
from xcbench.bench.scaling.recorder import StageCost
from xcbench.data.catalogue import catalogue

BASE_BYTES = 200_000_000


@pytest.fixture(scope="session")
def entry():
    return catalogue()["amazon-670k"]


@pytest.fixture(scope="package", autouse=True)
def _small_machine():
    """The machine's rates take no time, and say nothing."""
    patch = pytest.MonkeyPatch()
    patch.setattr(rates, "GEMM_SIZE", 64)
    patch.setattr(rates, "COPY_BYTES", 1 << 16)
    yield
    patch.undo()


@pytest.fixture(scope="session")
def machine():
    return Machine(gemm=100e9, memory=10e9)


def made(point: Point) -> Measurement:
    """Time as n d^0.5 l^-0.5 a core with 80 % efficiency at two, memory as the root of n."""
    shape, cores = point.shape, {1: 1.0, 2: 1.6}[point.jobs]
    unit = shape.n_train * shape.n_features**0.5 * shape.n_labels**-0.5
    peak = BASE_BYTES + int(1e5 * shape.n_train**0.5)
    names = ("prepare", "partition", "clusters", "neighbours", "completion", "regression", "vote")
    own = point.method == OURS
    stages = {
        name: StageCost(1e-4 * unit / cores, 1e-4 * unit, peak)
        for name in (*names, "predict")
        if own or name == "prepare"
    }
    totals = {
        "base_bytes": BASE_BYTES, "prepare_base_bytes": BASE_BYTES, "peak_bytes": peak,
        "train_s": 3e-4 * unit / cores, "predict_s": 1e-4 * unit / cores, "model_bytes": 2_500_000,
        "feature_entries": 76 * shape.n_train, "label_entries": 5 * shape.n_train,
        "metrics": {"P@1": 41.25, "P@3": 35.5, "P@5": 30.0, "nDCG@1": 41.25},
    }  # fmt: skip
    return Measurement(point, stages=stages, totals=totals)


@pytest.fixture
def scaling(entry):
    """Of three scales on two cores."""
    groups = plan(entry, (0.01, 0.02, 0.04), jobs=2, peers_up_to=0.01)
    measured = tuple(made(point) for group in groups for point in group)
    work = {
        "prepare": Work("5.0 MB of text", 0.5, 0.0, 5e6),
        "partition": Work("one cluster", 0.1, 0.0, 0.0),
        "completion": Work("n 6,000, r 100", 2.0, 40e9, 8e9),
    }
    return Scaling(measured, work)


@pytest.fixture
def damaged(scaling):
    """One point failed, and one peer's library is missing."""

    def lacking(m: Measurement) -> Measurement:
        if m.point.axes == ("d",):
            return Measurement(m.point, "the process was killed")
        if m.point.method == "omikuji-parabel":
            return Measurement(m.point, "omikuji is not installed", is_left_out=True)
        return m

    return replace(scaling, measurements=tuple(lacking(m) for m in scaling.measurements))
