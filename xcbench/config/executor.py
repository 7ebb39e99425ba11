"""Where a config's tasks run, and within which bounds."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from xcbench.config.base import Count, Settings
from xcbench.config.problems import shown

_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([KMGT])(iB|B|)")
_TIME = re.compile(r"(?=[0-9])([0-9]{1,3}d)?([0-9]{1,4}h)?([0-9]{1,5}m)?")
_MINUTES = {"d": 1440, "h": 60, "m": 1}
_ADDRESS = re.compile(
    r"((tcp|tls|ws|wss|ucx)://)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>[0-9]{1,5})"
)
_LARGEST_PORT = 65535


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


SlurmWord = Annotated[str, AfterValidator(_slurm_word)]

_SLURM_KEYS = ("cluster", "partition", "account", "qos", "time", "memory")
_KEYS_OF = {"scheduler": "dask"} | dict.fromkeys(_SLURM_KEYS, "slurm")


class ExecutorConfig(Settings):
    """Where tasks run; changes no result, so it is no part of a job's identity.

    Keys of one backend are refused with another; ``jobs`` is common to them all, but for dask,
    which takes all workers there are. ``cluster: local`` runs what would be Slurm jobs on this
    machine, to try things out.
    """

    backend: Literal["loky", "inline", "dask", "slurm"] = Field(
        default="loky",
        description="processes of this machine, this process, or other machines by way of "
        "dask or Slurm",
    )
    jobs: Annotated[int, AfterValidator(_process_count)] = Field(
        default=-1, description="processes (-1: one a core), or Slurm jobs at once"
    )
    threads: Count = Field(default=1, description="BLAS and numba threads of each")
    checkpoint: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="keep finished tasks of a job that has run for two minutes (auto), from "
        "the first on, or never",
    )
    max_memory: Annotated[str, AfterValidator(_size)] | None = Field(
        default=None,
        description="what all processes of a job may take together, such as 8G",
        examples=["8G"],
    )
    scheduler: Annotated[str, AfterValidator(_address)] | None = Field(
        default=None,
        description="address of the dask scheduler",
        examples=["tcp://host:8786"],
    )
    cluster: Literal["slurm", "local"] = Field(
        default="slurm",
        description="Slurm, or processes of this machine in its place, to try things out",
    )
    partition: SlurmWord | None = Field(
        default=None, description="Slurm partition, as sbatch has it", examples=["short"]
    )
    account: SlurmWord | None = Field(default=None, description="Slurm account", examples=["mine"])
    qos: SlurmWord | None = Field(
        default=None, description="Slurm quality of service", examples=["normal"]
    )
    time: Annotated[str, AfterValidator(_time)] = Field(
        default="4h", description="time of one Slurm job, such as 90m, 6h or 1d12h"
    )
    memory: Annotated[str, AfterValidator(_slurm_memory)] | None = Field(
        default=None, description="memory of one Slurm job, such as 16G", examples=["16G"]
    )

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
