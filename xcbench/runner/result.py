"""What a job came to: the record kept as ``result.json``, and its row in ``results.csv``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

Status = Literal["done", "failed", "interrupted"]

MEASURES = ("P", "nDCG", "PSP", "PSnDCG")

# The order is a promise to every script that reads the file: new columns go at the end.
# Of the backends dask and slurm, train_s and predict_s hold the time in their queues, and
# peak_rss_bytes is blank: nobody measures other machines.
COLUMNS = (
    "run_id", "utc", "status", "error", "dataset", "method", "preset", "seed", "split",
    "learners", "clusters", "rank",
    *(f"{measure}@{k}" for measure in MEASURES for k in (1, 3, 5)),
    "train_s", "partition_s", "neighbours_s", "completion_s", "regression_s", "predict_s",
    "predict_ms_per_point", "model_bytes", "peak_rss_bytes", "n_train", "n_test",
    "test_rows_without_labels", "jobs", "threads_per_job", "backend", "host", "cpu", "cores",
    "ram_bytes", "python", "numpy", "scipy", "numba", "blas", "xcbench", "git_commit",
    "git_dirty", "config_sha256", "data_sha256", "overrides", "estimated_bytes", "resumed_tasks",
    "predictions_sha256", "results_version", "head_s",
    # Of other tasks than extreme classification.
    "task", "error_rate", "AP_hidden", "AP_test", "recovery_error", "recovered", "cost", "sparsity",
    "orthogonality", "iterations", "ms_per_iteration", "correspondence_error", "within_5",
    "median_error",
)  # fmt: skip


@dataclass(frozen=True)
class Result:
    """One job's outcome; everything in it is plain JSON.

    Attributes
    ----------
    run_id : str
        ``<dataset>/<label>-<hash8>``, also the folder under ``results/runs``.
    status, error : "done" with "", or "failed" or "interrupted" with what went wrong.
    config : dict
        The resolved config of the job; ``overrides`` is what differs from its preset.
    metrics : dict of str to float
        "P@1" and so on, percent.
    seconds : dict of str to float
        Wall seconds of "train" and "predict", with the waiting for other machines; seconds of each
        stage summed over its tasks.
    sizes : dict of str to int
        n_train, n_test, test_rows_without_labels, model_bytes, estimated_bytes; peak_rss_bytes
        where this machine did the work.
    execution, provenance : how and where it ran.
    sources : list of dict
        The data's files: path, bytes and sha256.
    data_root : str
        Where the datasets lay.
    predictions_sha256 : str
        Of the predicted labels and scores; "" when there are none.
    results_version : int
        See plan.RESULTS_VERSION. Results of before it was written are version 1.
    """

    run_id: str
    utc: str
    status: Status
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
    sources: list[dict[str, Any]] = field(default_factory=list)
    data_root: str = ""
    predictions_sha256: str = ""
    results_version: int = 1

    def mapping(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(text: str) -> Result:
        """Read what ``mapping`` came to; what an older xcbench did not write gets its default.

        Raises
        ------
        ValueError
            One line that says what is wrong.
        """
        try:
            result = _adapter().validate_json(text)
            result.row()
        except ValidationError as error:
            raise ValueError(_first_defect(error)) from None
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"config: not that of one job ({error})") from None
        return result

    def row(self) -> dict[str, Any]:
        """The row of ``results.csv``: metrics rounded, times to the microsecond."""
        method, config = self.config["method"], self.config
        seconds = {f"{name}_s": round(value, 6) for name, value in self.seconds.items()}
        row: dict[str, Any] = {
            "run_id": self.run_id,
            "utc": self.utc,
            "status": self.status,
            "error": one_line(self.error),
            "dataset": self.dataset,
            "method": method["label"],
            "preset": method.get("preset", ""),
            "seed": config["seed"],
            "split": split_of(config),
            "task": kind_of_task(config),
            **{key: method.get(key, "") for key in ("learners", "clusters", "rank")},
            **{name: _rounded(name, value) for name, value in self.metrics.items()},
            **{name: value for name, value in seconds.items() if name in COLUMNS},
            **self.sizes,
            **self.execution,
            **self.provenance,
            "config_sha256": self.config_sha256,
            "data_sha256": self.data_sha256,
            "overrides": " ".join(f"{key}={value}" for key, value in self.overrides.items()),
            "predictions_sha256": self.predictions_sha256,
            "results_version": self.results_version,
        }
        if "predict" in self.seconds and self.sizes.get("n_test"):
            milliseconds = 1000 * self.seconds["predict"] / self.sizes["n_test"]
            row["predict_ms_per_point"] = round(milliseconds, 6)
        return row


def _rounded(name: str, value: float) -> float:
    """Percentages of ranked labels to 4 decimals, anything else to 6 digits: it may be tiny."""
    return round(value, 4) if "@" in name else float(f"{value:.6g}")


def kind_of_task(config: Mapping[str, Any]) -> str:
    """The kind of task of a job's config."""
    return str(config["task"]["kind"]) if "task" in config else "xc"


def split_of(config: Mapping[str, Any]) -> int:
    """The split of a job's config; 1 of a task that has none."""
    return int(config.get("splits", [1])[0])


@cache
def _adapter() -> TypeAdapter[Result]:
    """Made once: that takes milliseconds, and the reading of a result microseconds."""
    return TypeAdapter(Result)


def one_line(text: str) -> str:
    """A text fit for a cell or a terminal: one line, no control characters."""
    words = " ".join(text.split())
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words)


def _first_defect(error: ValidationError) -> str:
    defect = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, defect["loc"]))
    return f"{place}: {defect['msg']}" if place else defect["msg"]
