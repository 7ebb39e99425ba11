"""What a job came to: the record kept as ``result.json``, and its row in ``results.csv``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

MEASURES = ("P", "nDCG", "PSP", "PSnDCG")

# The order is a promise to every script that reads the file: new columns go at the end.
COLUMNS = (
    "run_id", "utc", "status", "error", "dataset", "method", "preset", "seed", "split",
    "learners", "clusters", "rank",
    *(f"{measure}@{k}" for measure in MEASURES for k in (1, 3, 5)),
    "train_s", "partition_s", "neighbours_s", "completion_s", "regression_s", "predict_s",
    "predict_ms_per_point", "model_bytes", "peak_rss_bytes", "n_train", "n_test",
    "test_rows_without_labels", "jobs", "threads_per_job", "backend", "host", "cpu", "cores",
    "ram_bytes", "python", "numpy", "scipy", "numba", "blas", "xcbench", "git_commit",
    "git_dirty", "config_sha256", "data_sha256", "overrides",
)  # fmt: skip


@dataclass(frozen=True)
class Result:
    """One job's outcome; everything in it is plain JSON.

    Attributes
    ----------
    run_id : str
        ``<dataset>/<label>-<hash8>``, also the folder under ``results/runs``.
    status, error : "done" with "", or "failed" with what went wrong.
    config : dict
        The resolved config of the job; ``overrides`` is what differs from its preset.
    metrics : dict of str to float
        "P@1" and so on, percent.
    seconds : dict of str to float
        Wall seconds of "train" and "predict"; seconds of each stage summed over its tasks.
    sizes : dict of str to int
        n_train, n_test, test_rows_without_labels, model_bytes, peak_rss_bytes.
    execution, provenance : how and where it ran.
    """

    run_id: str
    utc: str
    status: Literal["done", "failed"]
    error: str
    dataset: str
    config: dict[str, Any]
    overrides: dict[str, Any]
    config_sha256: str
    data_sha256: str
    metrics: dict[str, float]
    seconds: dict[str, float]
    sizes: dict[str, int]
    execution: dict[str, Any]
    provenance: dict[str, Any]

    def mapping(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_mapping(cls, mapping: dict[str, Any]) -> Self:
        """Read what ``mapping`` wrote; KeyError names a missing field."""
        return cls(**{field.name: mapping[field.name] for field in fields(cls)})

    def row(self) -> dict[str, Any]:
        """The row of ``results.csv``: percentages to 4 decimals, times to the microsecond."""
        method, config = self.config["method"], self.config
        seconds = {f"{name}_s": round(value, 6) for name, value in self.seconds.items()}
        row: dict[str, Any] = {
            "run_id": self.run_id,
            "utc": self.utc,
            "status": self.status,
            "error": " ".join(self.error.split()),
            "dataset": self.dataset,
            "method": method["label"],
            "preset": method.get("preset", ""),
            "seed": config["seed"],
            "split": config["splits"][0],
            **{key: method.get(key, "") for key in ("learners", "clusters", "rank")},
            **{name: round(value, 4) for name, value in self.metrics.items()},
            **{name: value for name, value in seconds.items() if name in COLUMNS},
            **self.sizes,
            **self.execution,
            **self.provenance,
            "config_sha256": self.config_sha256,
            "data_sha256": self.data_sha256,
            "overrides": " ".join(f"{key}={value}" for key, value in self.overrides.items()),
        }
        if "predict" in self.seconds and self.sizes.get("n_test"):
            milliseconds = 1000 * self.seconds["predict"] / self.sizes["n_test"]
            row["predict_ms_per_point"] = round(milliseconds, 6)
        return row
