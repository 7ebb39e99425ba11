"""Where a result came from: machine, versions, and the state of the checkout."""

from __future__ import annotations

import hashlib
import platform
import socket
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import joblib
import psutil
from threadpoolctl import threadpool_info

import xcbench


def collect() -> dict[str, Any]:
    """Everything a result row says about its machine and software.

    Returns
    -------
    dict
        host, cpu, cores (usable ones), ram_bytes, python, numpy, scipy, numba, blas, xcbench,
        git_commit and git_dirty ("" and None outside a checkout).
    """
    commit, dirty = git_state(Path(xcbench.__file__).parent)
    return {
        "host": socket.gethostname(),
        "cpu": cpu_name(),
        "cores": joblib.cpu_count(),
        "ram_bytes": psutil.virtual_memory().total,
        "python": platform.python_version(),
        **{name: installed(name) for name in ("numpy", "scipy", "numba")},
        "blas": blas_name(),
        "xcbench": xcbench.__version__,
        "git_commit": commit,
        "git_dirty": dirty,
    }


@cache
def code_sha256() -> str:
    """The SHA-256 of the package's modules as they are, committed or not."""
    digest = hashlib.sha256()
    for path in sorted(Path(xcbench.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def installed(name: str) -> str:
    """The version of an installed distribution, or ""."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def cpu_name() -> str:
    """The processor's name as the kernel states it, else as Python does."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def blas_name(
    keys: Sequence[str] = ("internal_api", "version", "architecture", "threading_layer"),
) -> str:
    """The BLAS libraries loaded in this process: name, version, kernel set, threading."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    names = (" ".join(str(pool[key]) for key in keys if pool.get(key)) for pool in pools)
    return ", ".join(sorted(set(names)))


def git_state(package: Path) -> tuple[str, bool | None]:
    """The commit of the checkout that holds the package, and whether the package differs from it.

    Returns
    -------
    (str, bool or None)
        ("", None) when the package is installed elsewhere or git cannot tell.
    """
    if not (package.parent / ".git").exists():
        return "", None
    try:
        commit = _git(package, "rev-parse", "HEAD")
        dirty = bool(_git(package, "status", "--porcelain", "--", "."))
    except (OSError, subprocess.SubprocessError):
        return "", None
    return commit, dirty


def _git(folder: Path, *arguments: str) -> str:
    # Otherwise status rewrites the index under a lock, which would stay when a run is killed then.
    done = subprocess.run(
        ["git", "--no-optional-locks", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        timeout=20,
    )
    return done.stdout.strip()
