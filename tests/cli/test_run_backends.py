"""``xcbench run`` on other machines, within a limit of memory, and with large results."""

import csv
import json
import re
import subprocess
import sys

import pytest

from tests.conftest import tiny_text
from tests.runner.clusters import DaskCluster, free_port
from xcbench.config.loader import load_config
from xcbench.models.memory.stages import MARGIN, PROCESS
from xcbench.runner.elsewhere import ClusterError
from xcbench.runner.executors import InProcessExecutor, dask, slurm
from xcbench.tasks import xc
from xcbench.tasks.xc import memory, open_data

BLEND = "{preset: rxml-blend, rank: 3, learners: 2, clusters: 2, neighbours: {count: 5}}"
METHODS = f"methods: [{{preset: global, rank: 4}}, {BLEND}]"


def row(tmp_path, results="results"):
    with open(tmp_path / results / "results.csv", newline="") as file:
        return list(csv.DictReader(file))[-1]


def predictions(tmp_path, results):
    found = (tmp_path / results / "runs").glob("*/*/result.json")
    return {path.parent.name: json.loads(path.read_text())["predictions_sha256"] for path in found}


def litter(tmp_path, results):
    names = {path.name for path in (tmp_path / results).rglob(".*")}
    return names - {".lock", ".results.csv.lock"}


@pytest.fixture
def expected(tiny_data, xcbench, config, tmp_path):
    """The predictions of a run in this process, by run."""
    assert xcbench("run", config(METHODS), "--results", "inline").exit_code == 0
    found = predictions(tmp_path, "inline")
    assert len(found) == 2
    assert all(found.values())
    return found


def ran(xcbench, config, tmp_path, *settings, methods=METHODS):
    """Run by other means; what it predicted."""
    options = [word for setting in settings for word in ("--set", f"executor.{setting}")]
    done = xcbench("run", config(methods), "--results", "other", *options)
    assert done.exit_code == 0, done.output
    assert litter(tmp_path, "other") == set()
    return predictions(tmp_path, "other")


def test_results_that_go_by_file_change_nothing_and_leave_nothing(
    expected, xcbench, config, tmp_path, monkeypatch
):
    monkeypatch.setattr("xcbench.runner.work.BY_FILE", 1)
    monkeypatch.setattr("xcbench.runner.task_files.MAPPED", 1)
    assert ran(xcbench, config, tmp_path) == expected
    assert ran(xcbench, config, tmp_path, "checkpoint=never") == expected


def test_dask_workers_predict_the_same(expected, xcbench, config, tmp_path):
    pytest.importorskip("distributed", reason="distributed is not installed (xcbench[cluster])")
    cluster = DaskCluster(2)
    try:
        cluster.await_workers()
        settings = ("backend=dask", f"scheduler={cluster.address}")
        assert ran(xcbench, config, tmp_path, *settings) == expected
    finally:
        cluster.stop()
    told = row(tmp_path, "other")
    assert (told["backend"], told["jobs"], told["threads_per_job"]) == ("dask", "2", "1")
    assert told["peak_rss_bytes"] == ""


def test_slurm_jobs_predict_the_same(expected, xcbench, config, tmp_path, monkeypatch):
    pytest.importorskip("submitit", reason="submitit is not installed (xcbench[cluster])")
    monkeypatch.setattr(slurm, "_LOOK_S", 0.1)
    monkeypatch.setattr(slurm, "SHARES_PER_JOB", 1)
    settings = ("backend=slurm", "cluster=local", "jobs=2", "time=10m")
    found = ran(xcbench, config, tmp_path, *settings, methods=f"method: {BLEND}")
    assert found
    assert found.items() <= expected.items()
    assert (row(tmp_path, "other")["backend"], row(tmp_path, "other")["jobs"]) == ("slurm", "2")


def test_a_method_without_tasks_says_that_it_runs_here(
    tiny_data, xcbench, config, tmp_path, monkeypatch
):
    monkeypatch.setattr("xcbench.tasks.xc.needs_workers", lambda job: False)
    settings = ("--set", "executor.backend=dask", "--set", "executor.scheduler=h:1")
    done = xcbench("run", config("method: {preset: global, rank: 4}"), *settings)
    assert done.exit_code == 0, done.output
    assert (
        done.stderr.count("global on tiny has no tasks to send away: it runs on this machine") == 1
    )
    assert int(row(tmp_path)["peak_rss_bytes"]) > 10**6


def test_a_cluster_that_is_gone_leaves_the_job_to_do(
    tiny_data, fake_model, xcbench, config, tmp_path, monkeypatch
):
    pytest.importorskip("distributed", reason="distributed is not installed (xcbench[cluster])")
    fake_model()
    monkeypatch.setattr(dask, "_CONNECT_S", 1)
    path = config("method: {preset: rxml, rank: 5}")
    address = f"tcp://127.0.0.1:{free_port()}"
    settings = ("--set", "executor.backend=dask", "--set", f"executor.scheduler={address}")
    done = xcbench("run", path, *settings)
    assert done.exit_code == 1
    assert f"error: no dask scheduler answers at {address}" in done.stderr
    assert "Traceback" not in done.output
    assert row(tmp_path)["status"] == "interrupted"
    assert "1 run" in xcbench("run", path).stdout
    assert row(tmp_path)["status"] == "done"


def test_a_cluster_that_is_lost_keeps_what_is_finished(
    tiny_data, fake_model, xcbench, config, tmp_path, monkeypatch
):
    def lose(executor, *arguments):
        yield from ()
        executor._checkpoints.keep_now()
        raise ClusterError("the scheduler no longer answers")

    path = config("method: {preset: rxml, rank: 5}")
    fake_model()
    with monkeypatch.context() as patch:
        stages = []

        def outcomes(executor, function, tasks, order, stage):
            stages.append(stage)
            kind = lose if stage == "predict" else original
            yield from kind(executor, function, tasks, order, stage)

        original = InProcessExecutor._outcomes
        patch.setattr(InProcessExecutor, "_outcomes", outcomes)
        done = xcbench("run", path)
    assert done.exit_code == 1
    assert "error: the scheduler no longer answers" in done.stderr
    assert row(tmp_path)["error"].startswith("the scheduler no longer answers after")
    assert stages == ["completion", "predict"]
    again = xcbench("run", path)
    assert again.exit_code == 0
    assert (row(tmp_path)["status"], row(tmp_path)["resumed_tasks"]) == ("done", "2")


@pytest.mark.parametrize(
    ("backend", "library"), [("dask", "distributed"), ("slurm", "submitit")], ids=["dask", "slurm"]
)
def test_a_library_that_is_missing_is_one_line(
    tiny_data, fake_model, xcbench, config, tmp_path, monkeypatch, backend, library
):
    fake_model()
    monkeypatch.setattr("xcbench.runner.executors.make.find_spec", lambda name: None)
    more = ("--set", "executor.scheduler=h:1" if backend == "dask" else "executor.jobs=1")
    done = xcbench("run", config("method: rxml"), "--set", f"executor.backend={backend}", *more)
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == (
        f"error: executor.backend: {backend} needs {library}, which is not installed: "
        "pip install 'xcbench[cluster]'"
    )


class TestMaxMemory:
    def test_a_job_that_needs_more_is_left_out_and_the_others_run(
        self, tiny_data, fake_model, xcbench, config, tmp_path, monkeypatch
    ):
        fake_model()
        large = "methods: [{preset: rxml, rank: 5}, {preset: sleec, rank: 60, label: large}]"
        real = {}

        def counted(job, data, jobs):
            estimated = memory(job, data, jobs)
            real[job.method.label] = estimated.needed
            return estimated

        monkeypatch.setattr(xc, "memory", counted)
        xcbench("run", config(large), "--max-memory", "1K")
        between = (real["rxml"] + real["large"]) // 2
        assert real["rxml"] < real["large"]
        between *= MARGIN
        done = xcbench("run", config(large), "--max-memory", f"{between / 1024:.3f}K")
        assert done.exit_code == 1
        told = "large on tiny is left out: it may need 2.. MB even with one task at a time, and exe"
        assert re.search(told, done.stderr)
        assert "executor.max_memory is 2" in done.stderr
        assert "1 run, 1 left out (--max-memory)" in done.stdout
        assert row(tmp_path)["method"] == "rxml"
        listed = xcbench("run", config(large), "--max-memory", "1K", "--dry-run")
        assert listed.stdout.count("left out") == 1
        assert "large on tiny may need" in listed.stderr
        assert "1 run, 1 done before" in xcbench("run", config(large)).stdout

    def test_a_limit_runs_fewer_at_once(self, tiny_data, xcbench, config, tmp_path):
        settings = ("--set", "executor.backend=loky", "--jobs", "4")
        assert xcbench("run", config(METHODS), *settings, "--max-memory", "350M").exit_code == 0
        assert row(tmp_path)["jobs"] == "1"

    @pytest.mark.parametrize(
        "method",
        ["{preset: global, rank: 60}", "{preset: rxml, rank: 60, learners: 1, clusters: 1}"],
    )
    def test_a_job_that_just_fits_keeps_to_its_limit(self, tiny_data, config, tmp_path, method):
        """By the peak of a process of its own: this one's memory has a history."""
        for part, n in (("train", 6000), ("test", 1000)):
            (tiny_data / "tiny" / f"{part}.txt").write_text(tiny_text(n, 0, d=3000, groups=750))
        path = config(f"method: {method}")
        job = load_config(path).jobs()[0]
        needed = memory(job, open_data(job.dataset, tiny_data, 1), 1).needed
        assert needed > 1.15 * PROCESS  # else the limit would be none
        limit = int(needed * MARGIN) // 1024 + 1
        code = "from xcbench.cli.main import main; main()"
        command = [sys.executable, "-c", code, "run", path, f"--max-memory={limit}K"]
        subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
        assert PROCESS / 2 < int(row(tmp_path)["peak_rss_bytes"]) <= limit * 1024

    @pytest.mark.parametrize("size", ["8", "G", "-1G", "8Q", "1.G", "0G", "8 G", "eight"])
    def test_what_is_no_size_is_a_usage_error(self, tiny_data, xcbench, config, size):
        done = xcbench("run", config("method: rxml"), f"--max-memory={size}")
        assert done.exit_code == 2
        assert "expected a size such as 8G, 1.5G or 500M" in done.stderr
