"""From configs to jobs: one a dataset, split and method, each with an identity of its own.

A job's identity is the hash of its resolved config (label included, execution settings left out),
of its data, and of its results version. Eight digits of it end the run's id, so a changed value,
file or algorithm makes a new run and an unchanged job finds its old one.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xcbench.config.changes import changed_settings
from xcbench.config.executor import ExecutorConfig
from xcbench.config.maxide import MaxideSettings
from xcbench.config.methods import GlobalSettings, LocalEmbeddingSettings
from xcbench.config.peers import OneVsRestSettings
from xcbench.config.schema import Config, JobConfig
from xcbench.data.catalogue import catalogue
from xcbench.errors import ConfigError, DataError
from xcbench.tasks import kind_of
from xcbench.tasks.base import Sizes, TaskData

logger = logging.getLogger(__name__)

# Raised when the same config on the same data would give other numbers than before.
RESULTS_VERSION = 2
# Of jobs whose numbers changed alone, after the others' did last: absolute errors, learned metrics,
# and linear models of data with labels that no training row has.
LATEST_VERSION = 3


def results_version(config: JobConfig, sizes: Sizes) -> int:
    """The results version of a job on data of these sizes."""
    settings = config.method.settings
    if isinstance(settings, LocalEmbeddingSettings):
        is_changed = settings.completion.kind == "madmm_l1" or settings.vote.kind == "itml"
    else:
        is_linear = isinstance(settings, (GlobalSettings, OneVsRestSettings, MaxideSettings))
        is_changed = is_linear and sizes.n_labels_unseen > 0
    return LATEST_VERSION if is_changed else RESULTS_VERSION


@dataclass(frozen=True)
class Job:
    """One run to do: its identity, what it is told, its data, and where it executes."""

    run_id: str
    config: JobConfig
    executor: ExecutorConfig
    data: TaskData
    config_sha256: str
    data_root: str

    @property
    def title(self) -> str:
        split = f", split {self.config.split}" if self.config.split != 1 else ""
        listed = (
            f", {name} {value[0]:g}"
            for name, value in self.config.task.model_dump().items()
            if isinstance(value, tuple)
        )
        return f"{self.config.method.label} on {self.config.dataset.title}{split}{''.join(listed)}"

    def mapping(self) -> dict[str, Any]:
        """The whole of it as a config file that gives this one job."""
        return {**self.config.mapping(), "executor": self.executor.model_dump()}


@dataclass(frozen=True)
class Plan:
    """The jobs of some configs, and what is wrong with the data of those that have none."""

    jobs: tuple[Job, ...]
    data_errors: tuple[DataError, ...]


def plan(configs: Iterable[Config], data_root: Path) -> Plan:
    """Open the data of every config and make its jobs; equal jobs are one.

    Data that is missing or malformed leaves its own jobs out and no others.

    Raises
    ------
    ConfigError
        Values that are impossible on this data, all at once.
    """
    opened: dict[tuple[str, str, int], TaskData | DataError] = {}
    jobs: dict[str, Job] = {}
    impossible: list[str] = []
    for config in configs:
        for job_config in config.jobs():
            data = _opened(job_config, data_root, opened)
            if isinstance(data, TaskData):
                if job_config.is_xc:
                    impossible.extend(impossible_values(job_config, data.sizes))
                job = make_job(job_config, config.executor, data, data_root)
                jobs.setdefault(job.run_id, job)
    if impossible:
        raise ConfigError("\n".join(dict.fromkeys(impossible)))
    errors = tuple(data for data in opened.values() if isinstance(data, DataError))
    return Plan(tuple(jobs.values()), errors)


def _opened(
    job: JobConfig, data_root: Path, opened: dict[tuple[str, str, int], TaskData | DataError]
) -> TaskData | DataError:
    key = (job.task.kind, job.dataset.model_dump_json(), job.split)
    if key not in opened:
        try:
            opened[key] = kind_of(job).open_data(job.dataset, data_root, job.split)
        except DataError as error:
            known = {str(before) for before in opened.values() if isinstance(before, DataError)}
            if str(error) not in known:  # The same data in another split, or scaled otherwise.
                logger.error("%s", error)
            opened[key] = error
    return opened[key]


def make_job(config: JobConfig, executor: ExecutorConfig, data: TaskData, data_root: Path) -> Job:
    """Give a job its identity."""
    text = json.dumps(config.mapping(), sort_keys=True)
    config_sha256 = hashlib.sha256(text.encode()).hexdigest()
    identity = f"{config_sha256} {data.sha256} {results_version(config, data.sizes)}"
    digits = hashlib.sha256(identity.encode()).hexdigest()[:8]
    run_id = f"{config.dataset.title}/{config.method.label}-{digits}"
    return Job(run_id, config, executor, data, config_sha256, str(data_root.absolute()))


def check_against_catalogue(config: Config) -> None:
    """Check a config's numbers against the published sizes of its datasets, where known.

    Raises
    ------
    ConfigError
        Every impossible value.
    """
    found = dict.fromkeys(line for job in config.jobs() for line in _against_catalogue(job))
    if found:
        raise ConfigError("\n".join(found))


def _against_catalogue(job: JobConfig) -> Iterator[str]:
    entry = catalogue().get(job.dataset.name or "") if job.is_xc else None
    if entry is None:
        return
    sizes = Sizes(entry.n_train, entry.n_test, entry.n_features, entry.n_labels)
    yield from impossible_values(job, sizes)
    if job.split > entry.n_splits:
        yield f"{entry.name}: splits: found {job.split}; {entry.name} has {entry.n_splits}"


def impossible_values(job: JobConfig, sizes: Sizes) -> Iterator[str]:
    """What the config asks for and the data cannot give.

    A preset's own values are left alone: a model fits them to small data by itself.
    """
    points = (sizes.n_train, "training points")
    limits = dict.fromkeys(["rank", "clusters", "neighbours.count", "vote.neighbours"], points)
    if job.method.settings.model == "global":
        limits["rank"] = min(
            points, (sizes.n_features, "features"), (sizes.n_labels, "labels"), key=lambda p: p[0]
        )
    place = f"{job.dataset.title}, {job.method.label}"
    for key, value in changed_settings(job.method).items():
        if key in limits and isinstance(value, int) and value > limits[key][0]:
            count, of = limits[key]
            yield f"{place}: {key}: found {value}; the dataset has {count} {of}"
    if max(job.metrics.k) > sizes.n_labels:
        have = f"the dataset has {sizes.n_labels} labels"
        yield f"{job.dataset.title}: metrics.k: found {max(job.metrics.k)}; {have}"
