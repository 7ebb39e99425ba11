"""What a process on another machine must find there before it works for a job."""

from __future__ import annotations

import os
import platform
import socket
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from xcbench.errors import XCBenchError
from xcbench.runner.provenance import blas_name, code_sha256, installed
from xcbench.runner.task_folder import SOFTWARE


class ClusterError(XCBenchError):
    """Other machines cannot be reached or cannot work; the job is still to do."""


def software() -> dict[str, str]:
    """What must be the same on all machines for their results to be.

    The processor is not asked for: BLAS has kernels for each type, which round differently.
    """
    names = ("numpy", "scipy", "numba")
    return {
        "the code of xcbench": code_sha256(),
        "python": platform.python_version(),
        **{name: installed(name) for name in names},
        "BLAS": _blas(),
    }


@cache
def _blas() -> str:
    """The BLAS libraries of numpy and scipy, which are found once they are loaded."""
    import_module("scipy.linalg")
    return blas_name(("internal_api", "version"))


@dataclass(frozen=True)
class Conditions:
    """What is so on the machine of the runner.

    Attributes
    ----------
    software : dict of str to str
    tasks, data : Path
        Absolute: the job's task folder, and that of its prepared data.
    """

    software: dict[str, str]
    tasks: Path
    data: Path

    @classmethod
    def here(cls, tasks: Path, data: Path) -> Conditions:
        """Those of this machine."""
        return cls(software(), tasks.absolute(), data.absolute())

    def require(self) -> None:
        """Look whether they are met where this is called.

        Raises
        ------
        ClusterError
            Says which machine lacks what, and what to do.
        """
        host = socket.gethostname()
        own = software()
        for name, wanted in self.software.items():
            if own[name] != wanted:
                what = "" if len(wanted) == 64 else f": {own[name]} there, {wanted} here"
                raise ClusterError(f"{name} on {host} is not that of this machine{what}")
        if not (self.tasks / SOFTWARE).is_file():
            raise ClusterError(
                f"{host} does not see {self.tasks}: the results folder must be on a disk that all "
                "machines have at the same path"
            )
        if not os.access(self.tasks, os.W_OK):
            raise ClusterError(f"{host} may not write to {self.tasks}")
        if not (self.data / "meta.json").is_file():
            raise ClusterError(
                f"{host} does not see {self.data}: set XCBENCH_CACHE to a folder on a disk that "
                "all machines have at the same path"
            )
