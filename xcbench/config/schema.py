"""The typed config: what a file may say, and what one job is told.

Nothing here reads a file: ``config/loader.py`` does, and words the errors.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from xcbench.config.base import Count, NonNegative, Positive, Settings
from xcbench.config.methods import MethodSettings
from xcbench.config.problems import shown

_LONGEST_TITLE = 100  # file systems take names of 255 bytes, and titles get hashes added


_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([KMGT])(iB|B|)")
_TIME = re.compile(r"(?=[0-9])([0-9]{1,3}d)?([0-9]{1,4}h)?([0-9]{1,5}m)?")
_MINUTES = {"d": 1440, "h": 60, "m": 1}
_ADDRESS = re.compile(
    r"((tcp|tls|ws|wss|ucx)://)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>[0-9]{1,5})"
)
_LARGEST_PORT = 65535


def _distinct(values: tuple[int, ...]) -> tuple[int, ...]:
    if not values:
        raise ValueError("give at least one value")
    if len(set(values)) != len(values):
        raise ValueError("the same value is given twice")
    return values


def _process_count(value: int) -> int:
    if value != -1 and value < 1:
        raise ValueError(f"found {value}; expected -1 (one process a core) or at least 1")
    return value


def bytes_of(text: str) -> int:
    """The bytes of a size: 8G and 8GiB are 8 * 2**30, 8GB is 8 * 10**9; K, M and T likewise.

    Raises
    ------
    ValueError
        It is no size, or less than a byte.
    """
    found = _SIZE.fullmatch(text)
    size = 0
    if found:
        number, unit, form = found.groups()
        base = 1000 if form == "B" else 1024
        size = int(float(number) * base ** " KMGT".index(unit))
    if size < 1:
        raise ValueError(f"found {shown(text)}; expected a size such as 8G, 1.5G or 500M")
    return size


def _size(text: str) -> str:
    bytes_of(text)
    return text


def _time(text: str) -> str:
    if not _TIME.fullmatch(text) or not re.search("[1-9]", text):
        raise ValueError(f"found {shown(text)}; expected a time such as 90m, 6h or 1d12h")
    return text


def _address(text: str) -> str:
    found = _ADDRESS.fullmatch(text)
    if not found or not 0 < int(found["port"]) <= _LARGEST_PORT:
        raise ValueError(f"found {shown(text)}; expected an address such as tcp://host:8786")
    return text


def _slurm_memory(text: str) -> str:
    if not re.fullmatch(r"[1-9][0-9]{0,8}[MGT]", text):
        raise ValueError(f"found {shown(text)}; expected whole megabytes or more, such as 16G")
    return text


def _slurm_word(text: str) -> str:
    # It becomes a word of a script that a shell reads.
    if not re.fullmatch(r"[A-Za-z0-9._,+:@-]{1,200}", text) or text.startswith("-"):
        raise ValueError(f"found {shown(text)}; expected a name as Slurm has it")
    return text


def _without_controls(value: str) -> str:
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in value):
        raise ValueError(f"found {shown(value)}; expected text without control characters")
    return value


SlurmWord = Annotated[str, AfterValidator(_slurm_word)]
PathText = Annotated[str, Field(min_length=1), AfterValidator(_without_controls)]

Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
# Strictness would refuse a YAML list where the type says tuple; the numbers inside stay strict.
Seeds = Annotated[tuple[Seed, ...], Field(strict=False), AfterValidator(_distinct)]
Counts = Annotated[tuple[Count, ...], Field(strict=False), AfterValidator(_distinct)]


class PropensityConfig(Settings):
    """Propensity parameters A and B of Jain et al. (2016)."""

    a: Positive
    b: NonNegative


class DatasetConfig(Settings):
    """Which data, and how its rows are scaled.

    Attributes
    ----------
    name : str or None
        A catalogue name, or a folder under the data root that holds train and test files.
    train, test : str or None
        Paths of the two files, instead of ``name``.
    format, base : how those two files are written; libsvm files need the base of their indices.
    features : "unit" scales rows to length one; "tfidf" weights by the training idf first.
    propensity : None takes the catalogue's, else 0.55 and 1.5.
    """

    name: PathText | None = None
    train: PathText | None = None
    test: PathText | None = None
    format: Literal["xc", "libsvm"] = "xc"
    base: Literal[0, 1] | None = None
    features: Literal["unit", "tfidf", "raw"] = "unit"
    propensity: PropensityConfig | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        paths = [path for path in (self.train, self.test) if path is not None]
        if (self.name is None) == (not paths) or len(paths) == 1:
            raise ValueError("give either name, or both train and test")
        if self.name is not None and self.format != "xc":
            raise ValueError("format belongs to train and test paths, not to a name")
        if (self.format == "libsvm") != (self.base is not None):
            raise ValueError("base (0 or 1) goes with format libsvm, and only with it")
        return self

    @property
    def title(self) -> str:
        """What tables and folders call this data; safe as a folder name."""
        if self.name is not None:
            text = self.name
        else:
            path = PurePosixPath(self.train or "")
            text = path.parent.name or path.name.split(".")[0]
        return re.sub(r"[^A-Za-z0-9._+=-]+", "-", text)[:_LONGEST_TITLE].strip("-.") or "data"


def _in_data_root(dataset: DatasetConfig) -> DatasetConfig:
    """Refuse a name that leaves the data folder; data/sources.py guards other callers' names."""
    if dataset.name is not None and {"", ".", ".."}.intersection(dataset.name.split("/")):
        raise ValueError(
            f"found the name {shown(dataset.name)}; expected a folder below the data folder; "
            "for other places give train and test"
        )
    return dataset


class MetricsConfig(Settings):
    """The cut-offs k of P@k, nDCG@k, PSP@k and PSnDCG@k.

    ``psndcg``: divide as pyxclib and napkinXC do, or as the XC repository's MATLAB script.
    """

    k: Counts = (1, 3, 5)
    psndcg: Literal["pyxclib", "matlab"] = "pyxclib"


_SLURM_KEYS = ("cluster", "partition", "account", "qos", "time", "memory")
_KEYS_OF = {"scheduler": "dask"} | dict.fromkeys(_SLURM_KEYS, "slurm")


class ExecutorConfig(Settings):
    """Where tasks run; changes no result, so it is no part of a job's identity.

    Keys of one backend are refused with another; ``jobs`` is common to them all.

    Attributes
    ----------
    backend : processes of this machine, this process, or other machines by way of dask or Slurm.
    jobs : processes (-1: one a core), or Slurm jobs at once; dask takes all workers there are.
    threads : BLAS and numba threads of each.
    checkpoint : keep finished tasks, so that a killed job goes on from there, once it has run for
        two minutes (auto), from the first on, or never.
    max_memory : what all processes of a job may take together ("8G"); None is no limit.
    scheduler : address of the dask scheduler, "tcp://host:8786" or "host:8786".
    cluster : "local" runs what would be Slurm jobs on this machine, to try things out.
    partition, account, qos, memory : as sbatch has them, of one job.
    time : of one job, such as 90m, 6h or 1d12h.
    """

    backend: Literal["loky", "inline", "dask", "slurm"] = "loky"
    jobs: Annotated[int, AfterValidator(_process_count)] = -1
    threads: Count = 1
    checkpoint: Literal["auto", "always", "never"] = "auto"
    max_memory: Annotated[str, AfterValidator(_size)] | None = None
    scheduler: Annotated[str, AfterValidator(_address)] | None = None
    cluster: Literal["slurm", "local"] = "slurm"
    partition: SlurmWord | None = None
    account: SlurmWord | None = None
    qos: SlurmWord | None = None
    time: Annotated[str, AfterValidator(_time)] = "4h"
    memory: Annotated[str, AfterValidator(_slurm_memory)] | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.backend == "dask" and self.scheduler is None:
            raise ValueError("backend dask needs scheduler, as in scheduler: tcp://host:8786")
        for name, backend in _KEYS_OF.items():
            if (
                backend != self.backend
                and getattr(self, name) != type(self).model_fields[name].default
            ):
                raise ValueError(
                    f"{name} is a key of backend {backend}, and this is {self.backend}"
                )
        if self.backend == "slurm" and self.jobs < 1:
            raise ValueError("backend slurm needs jobs, how many Slurm jobs run at once")
        return self

    @property
    def max_memory_bytes(self) -> int | None:
        return None if self.max_memory is None else bytes_of(self.max_memory)

    @property
    def minutes(self) -> int:
        """The time of one Slurm job."""
        return sum(int(n) * _MINUTES[unit] for n, unit in re.findall(r"(\d+)([dhm])", self.time))


class ConfigBody(Settings):
    """Everything of a config file but its methods and sweep.

    ``seeds`` instead of ``seed`` runs every job once for each.
    """

    dataset: Annotated[DatasetConfig, AfterValidator(_in_data_root)]
    seed: Seed = 0
    seeds: Seeds | None = None
    splits: Counts = (1,)
    metrics: MetricsConfig = MetricsConfig()
    executor: ExecutorConfig = ExecutorConfig()


@dataclass(frozen=True)
class MethodConfig:
    """One method, resolved: preset and overrides merged, grid values filled in."""

    label: str
    preset: str | None
    settings: MethodSettings

    def mapping(self) -> dict[str, Any]:
        """All of it, as a ``method:`` that reads back equal."""
        head = {"label": self.label} | ({"preset": self.preset} if self.preset else {})
        return head | self.settings.model_dump()


@dataclass(frozen=True)
class JobConfig:
    """What one job is told: one dataset, one split, one method."""

    dataset: DatasetConfig
    method: MethodConfig
    seed: int
    split: int
    metrics: MetricsConfig

    def mapping(self) -> dict[str, Any]:
        """All of it, as a config file that reads back to this one job."""
        return {
            "dataset": self.dataset.model_dump(exclude_none=True),
            "method": self.method.mapping(),
            "seed": self.seed,
            "splits": [self.split],
            "metrics": self.metrics.model_dump(mode="json"),
        }


@dataclass(frozen=True)
class Config:
    """A config file, resolved: every method in full, the sweep expanded."""

    body: ConfigBody
    methods: tuple[MethodConfig, ...]

    @property
    def executor(self) -> ExecutorConfig:
        return self.body.executor

    def jobs(self) -> list[JobConfig]:
        """Every method on every split from every seed: split by split, then seed by seed."""
        body = self.body
        return [
            JobConfig(body.dataset, method, seed, split, body.metrics)
            for split in body.splits
            for seed in body.seeds or (body.seed,)
            for method in self.methods
        ]

    def mapping(self) -> dict[str, Any]:
        """All of it, as a config file that reads back equal."""
        body = self.body
        return {
            "dataset": body.dataset.model_dump(exclude_none=True),
            "methods": [method.mapping() for method in self.methods],
            **({"seeds": list(body.seeds)} if body.seeds else {"seed": body.seed}),
            "splits": list(body.splits),
            "metrics": body.metrics.model_dump(mode="json"),
            "executor": body.executor.model_dump(),
        }
