"""How much memory a job may take, read from made-up /proc and /sys."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from xcbench.runner.available_memory import available_memory

MACHINE = 10_000_000


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with MACHINE bytes available."""
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=MACHINE))


def write(root: Path, files: dict[str, object]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{content}\n")
    return root


def v2(root: Path, group: str, limit: object, usage: int, stat: str = "anon 5") -> Path:
    folder = f"sys/fs/cgroup{group}"
    return write(
        root,
        {
            f"{folder}/memory.max": limit,
            f"{folder}/memory.current": usage,
            f"{folder}/memory.stat": stat,
        },
    )


def v1(root: Path, group: str, limit: object, usage: int, stat: str = "total_rss 5") -> Path:
    folder = f"sys/fs/cgroup/memory{group}"
    return write(
        root,
        {
            f"{folder}/memory.limit_in_bytes": limit,
            f"{folder}/memory.usage_in_bytes": usage,
            f"{folder}/memory.stat": stat,
        },
    )


def test_without_cgroups_it_is_what_the_machine_has(tmp_path):
    assert available_memory(tmp_path) == MACHINE


def test_a_version_2_limit_counts_less_what_is_used(tmp_path):
    write(tmp_path, {"proc/self/cgroup": "0::/job"})
    v2(tmp_path, "/job", limit=5_000_000, usage=2_000_000)
    assert available_memory(tmp_path) == 3_000_000


def test_a_version_1_limit_counts_less_what_is_used(tmp_path):
    write(tmp_path, {"proc/self/cgroup": "7:cpu,cpuacct:/other\n4:memory:/job\n0::/"})
    v1(tmp_path, "/job", limit=5_000_000, usage=2_000_000)
    v1(tmp_path, "/other", limit=1_000_000, usage=0)
    assert available_memory(tmp_path) == 3_000_000


@pytest.mark.parametrize("limit", ["max", 9223372036854771712, "", "garbage"])
def test_no_limit_leaves_what_the_machine_has(tmp_path, limit):
    write(tmp_path, {"proc/self/cgroup": "4:memory:/job\n0::/job"})
    v2(tmp_path, "/job", limit=limit, usage=2_000_000)
    v1(tmp_path, "/job", limit=limit, usage=2_000_000)
    assert available_memory(tmp_path) == MACHINE


def test_the_limit_of_a_cgroup_above_holds_too(tmp_path):
    write(tmp_path, {"proc/self/cgroup": "0::/slurm/job_7/step_0"})
    v2(tmp_path, "/slurm/job_7/step_0", limit="max", usage=1_000_000)
    v2(tmp_path, "/slurm/job_7", limit=6_000_000, usage=2_500_000)
    v2(tmp_path, "/slurm", limit=9_000_000, usage=4_000_000)
    assert available_memory(tmp_path) == 3_500_000


@pytest.mark.parametrize("path", ["/docker/3f2a", "/../session.scope"])
def test_in_a_container_the_mount_is_the_containers_own_cgroup(tmp_path, path):
    write(tmp_path, {"proc/self/cgroup": f"4:memory:{path}\n0::{path}"})
    v1(tmp_path, "", limit=4_000_000, usage=1_000_000)
    assert available_memory(tmp_path) == 3_000_000


def test_files_in_the_page_cache_count_as_available(tmp_path):
    write(tmp_path, {"proc/self/cgroup": "4:memory:/job\n0::/job"})
    v2(tmp_path, "/job", 5_000_000, 4_000_000, "inactive_file 1500000\nactive_file 500000\nfile 9")
    assert available_memory(tmp_path) == 3_000_000
    v1(tmp_path, "/job", 4_500_000, 4_000_000, "total_inactive_file 1500000\ninactive_file 9")
    assert available_memory(tmp_path) == 2_000_000


def test_a_cgroup_beyond_its_limit_leaves_nothing(tmp_path):
    write(tmp_path, {"proc/self/cgroup": "0::/job"})
    v2(tmp_path, "/job", limit=1_000_000, usage=2_000_000)
    assert available_memory(tmp_path) == 0


def test_this_machine_can_be_asked(monkeypatch):
    monkeypatch.undo()
    assert available_memory() > 0
