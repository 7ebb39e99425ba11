"""A search: which job it varies, over what, and what makes two searches the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from xcbench.config.dataset import HeldOutConfig
from xcbench.config.executor import ExecutorConfig
from xcbench.config.problems import unknown
from xcbench.config.schema import Config, JobConfig
from xcbench.config.tuning import Space
from xcbench.data.matrix import column_counts
from xcbench.errors import ConfigError
from xcbench.tasks.base import Sizes
from xcbench.tasks.xc import XCData
from xcbench.tuning.samplers import SamplerName
from xcbench.tuning.space import Point, at_point, fitting, point_of, space_of
from xcbench.tuning.trial_lines import Lines

MEASURES = ("P", "nDCG", "PSP", "PSnDCG")


@dataclass(frozen=True)
class Search:
    """What is searched.

    Attributes
    ----------
    job : JobConfig
        The config as it is, on held-out training rows.
    space : Space
    sampler : {"random", "optuna"}
    objective : str
        The metric that is maximised, "P@1".
    executor : ExecutorConfig
    is_usual : bool
        Whether the space is the method's usual one, not the config's.
    """

    job: JobConfig
    space: Space
    sampler: SamplerName
    objective: str
    executor: ExecutorConfig
    is_usual: bool

    @property
    def start(self) -> Point:
        """The point of trial 0: the config as it is."""
        return point_of(self.job.method.settings, self.space)

    def at(self, point: Point) -> JobConfig:
        """The job of a point.

        Raises
        ------
        ConfigError
            Its values do not go together.
        """
        return replace(self.job, method=at_point(self.job.method, point))

    def on(self, data: XCData) -> Search:
        """The search on some data: a usual space is cut down to what its training rows allow."""
        if not self.is_usual:
            return self
        fitted = fitting(self.space, self.job.method.settings, _training_sizes(data))
        return replace(self, space=fitted)

    def lines(self, n_held: int) -> Lines:
        """What the lines of its trials on so many held-out rows hold."""
        return Lines(self.space, self.start, measured(self.job), self.objective, n_held)

    def identity(self, data_sha256: str) -> dict[str, Any]:
        """What a later call must have in common to go on with this search."""
        return {
            "config": self.job.mapping(),
            "tune": {key: span.mapping() for key, span in self.space.items()},
            "sampler": self.sampler,
            "objective": self.objective,
            "data_sha256": data_sha256,
        }


def make_search(
    config: Config,
    label: str | None,
    sampler: SamplerName,
    objective: str,
    held_out: float | None,
) -> Search:
    """The search that a config asks for.

    Parameters
    ----------
    config : Config
    label : str or None
        Of the method; None where the config has one.
    sampler, objective
        See Search.
    held_out : float or None
        The share of the training rows to hold out; None takes the config's, else a tenth.

    Raises
    ------
    ConfigError
        The config is of another task, has no such method or several jobs of it, or the metric is
        not measured.
    """
    job = _one_job(config, label)
    if not job.is_xc:
        raise ConfigError(f"tune: task {job.task.kind} cannot be tuned; expected task xc")
    names = measured(job)
    if objective not in names:
        raise ConfigError(f"--objective: {unknown(objective, names)}")
    how = job.dataset.held_out or HeldOutConfig()
    if held_out is not None:
        how = HeldOutConfig(share=held_out, seed=how.seed)
    dataset = job.dataset.model_copy(update={"held_out": how})
    return Search(
        replace(job, dataset=dataset),
        space_of(job.method, dict(config.tune)),
        sampler,
        objective,
        config.executor,
        is_usual=not config.tune,
    )


def measured(job: JobConfig) -> list[str]:
    """The metrics of a job, by the names of their columns."""
    return [f"{measure}@{k}" for measure in MEASURES for k in job.metrics.k]


def _training_sizes(data: XCData) -> Sizes:
    """The features and labels that occur in the training rows: a header counts the test's too."""
    train = data.prepared.train
    n_features, n_labels = (column_counts(part)[0].size for part in (train.X, train.Y))
    return replace(data.sizes, n_features=n_features, n_labels=n_labels)


def _one_job(config: Config, label: str | None) -> JobConfig:
    labels = [method.label for method in config.methods]
    if label is not None and label not in labels:
        raise ConfigError(f"--method: {unknown(label, labels)}")
    if label is None and len(labels) > 1:
        raise ConfigError(
            f"the config has {len(labels)} methods; choose one with --method: {', '.join(labels)}"
        )
    jobs = [job for job in config.jobs() if job.method.label == (label or labels[0])]
    if len(jobs) > 1:
        several = _several(jobs)
        raise ConfigError(
            f"the config has several {several}; a search is of one: change it with --set"
        )
    return jobs[0]


def _several(jobs: Sequence[JobConfig]) -> str:
    varying = {
        "datasets": [job.dataset for job in jobs],
        "splits": [job.split for job in jobs],
        "seeds": [job.seed for job in jobs],
    }
    found = [name for name, values in varying.items() if any(v != values[0] for v in values)]
    return " and ".join(found) or "values of its task"
