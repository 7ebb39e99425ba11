"""The measurements as one row a stage, from which tables and figure can be traced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xcbench.bench.scaling.child import CLUSTER_STAGES
from xcbench.bench.scaling.measure import Measurement
from xcbench.bench.scaling.plan import OURS, Axis

STAGES = ("prepare", "partition", *CLUSTER_STAGES, "predict")  # in the order in which they run
TOTAL = "total"
COLUMNS = (
    "axes", "method", "scale", "points", "test_points", "features", "labels", "feature_entries",
    "label_entries", "processes", "stage", "wall_s", "task_s", "peak_bytes", "base_bytes",
    "model_bytes", "P@1", "P@3", "P@5", "cpu", "error",
)  # fmt: skip


def rows_of(measurement: Measurement, cpu: str) -> Iterator[dict[str, Any]]:
    """One row a stage (``COLUMNS``), and one for the whole: training and prediction."""
    point, totals = measurement.point, measurement.totals
    shape = point.shape
    about = {
        "axes": " ".join(point.axes), "method": point.method, "scale": point.scale,
        "points": shape.n_train, "test_points": shape.n_test, "features": shape.n_features,
        "labels": shape.n_labels, "processes": point.jobs, "cpu": cpu, "error": measurement.error,
        "feature_entries": totals.get("feature_entries"),
        "label_entries": totals.get("label_entries"),
    }  # fmt: skip
    if measurement.error:
        yield about
        return
    for name, cost in measurement.stages.items():
        base = totals["prepare_base_bytes" if name == "prepare" else "base_bytes"]
        yield about | {"stage": name, "base_bytes": base} | vars(cost)
    for name in ("train", "predict") if point.method != OURS else ("train",):
        yield about | {"stage": name, "wall_s": totals[f"{name}_s"]}
    yield (
        about
        | {
            "stage": TOTAL,
            "wall_s": seconds(measurement),
            "peak_bytes": totals["peak_bytes"],
            "base_bytes": totals["base_bytes"],
            "model_bytes": totals["model_bytes"],
        }
        | {name: value for name, value in totals["metrics"].items() if name in COLUMNS}
    )


def seconds(measurement: Measurement) -> float:
    """Training and prediction, wall time."""
    return float(measurement.totals["train_s"] + measurement.totals["predict_s"])


def beyond_base(measurement: Measurement) -> int:
    """Peak memory of training and prediction without what the processes held before."""
    return int(measurement.totals["peak_bytes"] - measurement.totals["base_bytes"])


def task_seconds(measurement: Measurement) -> dict[str, float]:
    """Seconds of every stage, summed over its tasks."""
    return {name: measurement.stages[name].task_s for name in STAGES if name in measurement.stages}


def along(measurements: tuple[Measurement, ...], axis: Axis) -> list[Measurement]:
    """The points of an axis that were measured, by their size."""
    found = [m for m in measurements if axis in m.point.axes and not m.error]
    return sorted(found, key=lambda measurement: size(measurement, axis))


def size(measurement: Measurement, axis: Axis) -> int:
    """What an axis counts."""
    shape = measurement.point.shape
    sizes: Mapping[Axis, int] = {
        "n": shape.n_train,
        "d": shape.n_features,
        "l": shape.n_labels,
        "processes": measurement.point.jobs,
    }
    return sizes[axis]
