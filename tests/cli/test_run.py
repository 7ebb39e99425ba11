"""``xcbench run``: what is run, skipped, kept and reported, and the exit codes."""

import csv
import json
import os
import shutil
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from xcbench.runner.files import storage_reason
from xcbench.runner.locks import hold
from xcbench.runner.result import COLUMNS

TWO = "methods: [{preset: rxml, rank: 5}, {preset: sleec, rank: 5}]"
ONE_BAD = "methods: [{preset: rxml, rank: 13}, {preset: sleec, rank: 5}]"


def table(tmp_path):
    with open(tmp_path / "results" / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def fails_in_learner_1(learner):
    if learner == 1:
        raise ValueError("the cluster is cursed")


def test_a_run_prints_its_table_and_writes_rows_and_files(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    done = xcbench("run", config(TWO))
    assert done.exit_code == 0, done.output
    assert "tiny, split 1" in done.stdout
    assert "sleec" in done.stdout
    rows = table(tmp_path)
    assert [row["method"] for row in rows] == ["rxml", "sleec"]
    assert all(0 < float(row["P@1"]) <= 100 for row in rows)
    for row in rows:
        folder = tmp_path / "results" / "runs" / row["run_id"]
        assert {path.name for path in folder.iterdir() if not path.name.startswith(".")} == {
            "config.yaml", "result.json", "predictions.npz", "model", "log.txt",
        }  # fmt: skip
        with np.load(folder / "predictions.npz", allow_pickle=False) as predictions:
            assert predictions["labels"].shape == predictions["scores"].shape == (25, 5)


def test_the_table_has_the_promised_columns_in_order(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    xcbench("run", config("method: {preset: sleec, rank: 5}"))
    text = (tmp_path / "results" / "results.csv").read_text()
    assert text.splitlines()[0] == (
        "run_id,utc,status,error,dataset,method,preset,seed,split,learners,clusters,rank,"
        "P@1,P@3,P@5,nDCG@1,nDCG@3,nDCG@5,PSP@1,PSP@3,PSP@5,PSnDCG@1,PSnDCG@3,PSnDCG@5,"
        "train_s,partition_s,neighbours_s,completion_s,regression_s,predict_s,"
        "predict_ms_per_point,model_bytes,peak_rss_bytes,n_train,n_test,"
        "test_rows_without_labels,jobs,threads_per_job,backend,host,cpu,cores,ram_bytes,python,"
        "numpy,scipy,numba,blas,xcbench,git_commit,git_dirty,config_sha256,data_sha256,overrides,"
        "estimated_bytes,resumed_tasks,predictions_sha256,results_version,head_s,"
        "task,error_rate,AP_hidden,AP_test,recovery_error,recovered,cost,sparsity,orthogonality,"
        "iterations,ms_per_iteration,correspondence_error,within_5,median_error"
    )
    (row,) = table(tmp_path)
    assert (row["n_train"], row["n_test"], row["model_bytes"]) == ("60", "25", str(8 * 4))
    assert float(row["completion_s"]) == 0.25
    assert float(row["train_s"]) > 0
    assert int(row["peak_rss_bytes"]) > 10**6
    assert row["overrides"] == "method.rank=5"
    assert (row["jobs"], row["threads_per_job"], row["backend"]) == ("1", "1", "inline")


def test_other_cut_offs_become_columns_at_the_end(tiny_data, fake_model, xcbench, config, tmp_path):
    fake_model()
    xcbench("run", config("method: rxml\nmetrics: {k: [2]}"))
    (row,) = table(tmp_path)
    assert list(row)[: len(COLUMNS)] == list(COLUMNS)
    assert list(row)[len(COLUMNS) :] == ["P@2", "PSP@2", "PSnDCG@2", "nDCG@2"]
    assert row["P@1"] == ""


def test_what_is_done_is_skipped_and_that_is_success(tiny_data, fake_model, xcbench, config):
    fake_model()
    xcbench("run", config(TWO))
    again = xcbench("run", config(TWO))
    assert again.exit_code == 0
    assert "nothing to do: 2 done before" in again.stdout
    assert "sleec" in again.stdout


def test_a_changed_value_is_a_new_run_and_execution_settings_are_not(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    path = config("method: {preset: rxml, rank: 5}")
    xcbench("run", path)
    assert "nothing to do" in xcbench("run", path, "--set", "executor.threads=2").stdout
    assert "1 run" in xcbench("run", path, "--set", "method.rank=6").stdout
    assert "1 run" in xcbench("run", path, "--set", "seed=1").stdout
    data = tiny_data / "tiny" / "test.txt"
    data.write_text(data.read_text().replace(":0.5", ":0.6").replace(":1.", ":1.1"))
    assert "1 run" in xcbench("run", path).stdout
    assert len(table(tmp_path)) == 4


def test_force_repeats_what_is_done(tiny_data, fake_model, xcbench, config, tmp_path):
    fake_model()
    xcbench("run", config(TWO))
    assert "2 run" in xcbench("run", config(TWO), "--force").stdout
    assert len(table(tmp_path)) == 2


def test_an_error_in_one_task_names_learner_and_cluster_and_the_other_jobs_finish(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model(fails_in_learner_1)
    done = xcbench("run", config(ONE_BAD))
    assert done.exit_code == 1
    assert "learner 1, cluster 0: ValueError: the cluster is cursed" in done.stderr
    assert "Traceback" not in done.output
    bad, good = table(tmp_path)
    assert (bad["status"], good["status"]) == ("failed", "done")
    assert "learner 1, cluster 0: ValueError: the cluster is cursed" in bad["error"]
    assert bad["P@1"] == ""
    log = (tmp_path / "results" / "runs" / bad["run_id"] / "log.txt").read_text()
    assert "Traceback (most recent call last)" in log
    assert "fails_in_learner_1" in log


def test_a_failed_job_is_kept_and_retried_only_on_request(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model(fails_in_learner_1)
    xcbench("run", config(ONE_BAD))
    fake_model()
    again = xcbench("run", config(ONE_BAD))
    assert again.exit_code == 0
    assert "1 failed before" in again.stdout
    assert "the cluster is cursed" in again.stdout
    retried = xcbench("run", config(ONE_BAD), "--retry-failed")
    assert retried.exit_code == 0
    assert "1 run, 1 done before" in retried.stdout
    assert {row["status"] for row in table(tmp_path)} == {"done"}


def test_a_finished_result_outlives_a_repeat_that_fails(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    path = config("method: {preset: rxml, rank: 13}")
    xcbench("run", path)
    (before,) = table(tmp_path)
    folder = tmp_path / "results" / "runs" / before["run_id"]
    stored = {p: p.read_bytes() for p in folder.iterdir() if p.suffix in (".npz", ".yaml", ".json")}
    fake_model(fails_in_learner_1)
    always = ("--set", "executor.checkpoint=always")
    assert xcbench("run", path, "--force", *always).exit_code == 1
    assert table(tmp_path) == [before]
    assert all(p.read_bytes() == content for p, content in stored.items())
    assert (folder / "model").is_dir()
    assert {p.name for p in folder.iterdir() if p.name.startswith(".")} <= {".lock"}


def test_a_run_folder_that_cannot_be_used_is_named_and_the_other_jobs_run(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    xcbench("run", config(TWO))
    folder = tmp_path / "results" / "runs" / table(tmp_path)[0]["run_id"]
    shutil.rmtree(folder)
    folder.write_text("a file where a folder goes")
    done = xcbench("run", config(TWO), "--force")
    assert done.exit_code == 1
    assert "rxml on tiny cannot be run in its folder ([Errno 17] File exists" in done.stderr
    assert "1 run, 1 failed" in done.stdout
    assert "Traceback" not in done.output


def test_a_table_that_cannot_be_written_is_one_message(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    (tmp_path / "results" / "results.csv").mkdir(parents=True)
    done = xcbench("run", config("method: rxml"))
    assert done.exit_code == 1
    assert "the results folder results cannot be used: [Errno 21] Is a directory" in done.stderr


def test_a_disk_that_numpy_finds_full_is_called_full():
    error = OSError("26850 requested and 7136 written")
    assert storage_reason(error) == "No space left on device: 26850 requested and 7136 written"


def test_a_locked_job_and_others_not_started_are_no_failure(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    xcbench("run", config("method: {preset: rxml, rank: 5}"))
    (row,) = table(tmp_path)
    with hold(tmp_path / "results" / "runs" / row["run_id"]):
        done = xcbench("run", config(TWO), "--force", "--max-time", "0s")
    assert done.exit_code == 0


def test_a_dry_run_lists_the_jobs_and_writes_nothing(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    listed = xcbench("run", config(TWO + "\nsweep: {learners: [1, 2]}"), "--dry-run")
    assert listed.exit_code == 0
    assert listed.stdout.count("would run") == 4
    assert "rxml-learners2" in listed.stdout
    assert not (tmp_path / "results").exists()


def test_quiet_says_nothing_when_all_is_well(tiny_data, fake_model, xcbench, config):
    fake_model()
    assert xcbench("run", config(TWO), "--quiet").output == ""


def test_without_a_terminal_progress_is_dated_lines(tiny_data, fake_model, xcbench, config):
    fake_model()
    lines = xcbench("run", config(TWO)).stderr.splitlines()
    assert all(line[:4].isdigit() and line[4] == "-" for line in lines)
    assert any("job 1 of 2: rxml on tiny" in line for line in lines)
    assert any("completion: 2 tasks in" in line for line in lines)


def test_the_log_of_a_run_holds_its_lines(tiny_data, fake_model, xcbench, config, tmp_path):
    fake_model()
    xcbench("run", config("method: rxml"), "--quiet")
    (row,) = table(tmp_path)
    log = (tmp_path / "results" / "runs" / row["run_id"] / "log.txt").read_text()
    assert "trained in" in log
    assert "rxml on tiny done" in log


def test_each_call_has_a_log_of_its_own(tiny_data, fake_model, xcbench, config, tmp_path):
    fake_model(fails_in_learner_1)
    xcbench("run", config(ONE_BAD), "--quiet")
    (log,) = (tmp_path / "results" / "logs").iterdir()
    said = log.read_text()
    assert "rxml on tiny failed" in said
    assert "sleec on tiny done" in said
    assert "2 run, 1 failed" in said
    assert said.splitlines()[0].endswith(" ".join(sys.argv))  # from before the folder was there
    assert all(line[:4].isdigit() for line in said.splitlines() if " INFO " in line)


@pytest.mark.parametrize(
    ("time", "run"), [("0s", 0), ("0", 0), ("1h30m", 2), ("2d", 2), ("90m", 2), ("1.5h", 2)]
)
def test_no_job_starts_after_the_time_is_up_and_that_is_success(
    tiny_data, fake_model, xcbench, config, time, run
):
    fake_model()
    done = xcbench("run", config(TWO), "--max-time", time)
    assert done.exit_code == 0
    assert ("2 not started (--max-time)" in done.stdout) == (run == 0)
    assert "2 run" in xcbench("run", config(TWO)).stdout or run == 2


@pytest.mark.parametrize("time", ["", "h", "6x", "-1h", "1h 30m", "six hours"])
def test_a_time_that_is_none_is_a_usage_error(tiny_data, fake_model, xcbench, config, time):
    fake_model()
    done = xcbench("run", config(TWO), "--max-time", time)
    assert done.exit_code == 2
    assert "expected a time such as 6h, 90m or 1h30m" in done.stderr


def test_an_interrupted_repeat_leaves_the_finished_result(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    path = config("method: {preset: rxml, rank: 13}")
    xcbench("run", path)
    before = table(tmp_path)
    fake_model(lambda learner: os.kill(os.getpid(), signal.SIGTERM))
    assert xcbench("run", path, "--force").exit_code == 143
    assert table(tmp_path) == before
    assert "nothing to do: 1 done before" in xcbench("run", path).stdout


def test_a_job_that_will_not_fit_in_memory_is_warned_of_and_run(
    tiny_data, fake_model, xcbench, config, tmp_path, monkeypatch
):
    fake_model()
    monkeypatch.setattr("xcbench.runner.execute.available_memory", lambda: 10**6)
    done = xcbench("run", config("method: {preset: rxml, rank: 5}"))
    assert done.exit_code == 0
    assert "rxml on tiny: this job may not fit in memory: it needs about 210 MB" in done.stderr
    (row,) = table(tmp_path)
    assert 10**8 < int(row["estimated_bytes"]) < 10**9


def test_results_of_another_version_are_kept_and_told_of(
    tiny_data, fake_model, xcbench, config, tmp_path, monkeypatch
):
    fake_model()
    xcbench("run", config(TWO))
    for module in ("plan", "run"):
        monkeypatch.setattr(f"xcbench.runner.{module}.RESULTS_VERSION", 99)
    done = xcbench("run", config(TWO))
    assert "2 results in results are of another results version than 99: they are" in done.stderr
    assert "2 run" in done.stdout
    assert sorted(row["results_version"] for row in table(tmp_path)) == ["2", "2", "99", "99"]


def test_a_failing_disk_stops_the_run_and_the_job_is_due_again(
    tiny_data, fake_model, xcbench, config, tmp_path, monkeypatch
):
    fake_model()

    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("xcbench.tasks.xc.np.savez", full)
        done = xcbench("run", config(TWO))
    assert done.exit_code == 1
    assert "can no longer be written ([Errno 28] No space left on device)" in done.stderr
    assert "Traceback" not in done.output
    assert [row["status"] for row in table(tmp_path)] == ["interrupted"]
    assert "2 run" in xcbench("run", config(TWO)).stdout


def test_several_configs_run_together_and_share_equal_jobs(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    done = xcbench("run", config(TWO), config("method: {preset: rxml, rank: 5}", "d.yaml"))
    assert "2 run" in done.stdout


def test_a_stored_config_repeats_its_job(tiny_data, fake_model, xcbench, config, tmp_path):
    fake_model()
    xcbench("run", config(TWO))
    stored = tmp_path / "results" / "runs" / table(tmp_path)[1]["run_id"] / "config.yaml"
    again = xcbench("run", stored)
    assert "nothing to do: 1 done before" in again.stdout


@pytest.fixture
def answering_sigint():
    """Ctrl-C as at a terminal: where the tests run in a shell's background it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class TestExitCodes:
    def test_2_for_a_wrong_config_and_nothing_runs(self, tiny_data, xcbench, config, tmp_path):
        wrong = config("method: {preset: rxml, rnak: 5}", "wrong.yaml")
        done = xcbench("run", config(TWO), wrong)
        assert done.exit_code == 2
        assert "unknown key 'rnak'; did you mean 'rank'?" in done.stderr
        assert not (tmp_path / "results").exists()

    def test_2_for_the_defects_of_all_configs_at_once(self, tiny_data, xcbench, config):
        done = xcbench("run", config("method: rxlm", "a.yaml"), config("method: slec", "b.yaml"))
        assert done.exit_code == 2
        assert "a.yaml:3: method.preset: found 'rxlm'" in done.stderr
        assert "b.yaml:3: method.preset: found 'slec'" in done.stderr

    def test_2_for_values_impossible_on_this_data(self, tiny_data, xcbench, config):
        done = xcbench("run", config("methods: [{preset: rxml, rank: 61}, sleec]"))
        assert done.exit_code == 2
        expected = "tiny, rxml: rank: found 61; the dataset has 60 training points"
        assert expected in done.stderr

    def test_2_for_unknown_options_and_missing_configs(self, xcbench):
        assert xcbench("run", "nowhere.yaml").exit_code == 2
        assert xcbench("run", "--frce", "c.yaml").exit_code == 2
        assert xcbench("run").exit_code == 2

    def test_2_for_a_results_folder_that_is_a_file(self, tiny_data, xcbench, config, tmp_path):
        (tmp_path / "results").write_text("")
        done = xcbench("run", config(TWO))
        assert done.exit_code == 2
        assert "the results folder results cannot be written" in done.stderr

    def test_3_for_missing_data_and_the_other_configs_still_run(
        self, tiny_data, fake_model, xcbench, config, tmp_path
    ):
        fake_model()
        missing = tmp_path / "m.yaml"
        missing.write_text("dataset: {name: atlantis}\nmethod: rxml")
        done = xcbench("run", missing, config(TWO))
        assert done.exit_code == 3
        assert "atlantis" in done.stderr
        assert "Traceback" not in done.output
        assert len(table(tmp_path)) == 2

    def test_3_without_any_job_makes_nothing_and_says_where_data_was_looked_for(
        self, xcbench, config, tmp_path, monkeypatch
    ):
        monkeypatch.delenv("XCBENCH_DATA", raising=False)
        path = config("method: rxml")
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        done = xcbench("run", path)
        assert done.exit_code == 3
        assert (
            f"data ({elsewhere / 'data'}, which does not exist; --data starts from the working "
            "folder)" in done.stderr
        )
        assert done.stdout == "no jobs\n"
        assert list(elsewhere.iterdir()) == []

    def test_3_for_malformed_data(self, tiny_data, xcbench, config):
        (tiny_data / "tiny" / "train.txt").write_text("1 20 8\n99 0:1\n")
        done = xcbench("run", config(TWO))
        assert done.exit_code == 3
        assert "train.txt" in done.stderr

    def test_4_when_all_that_is_left_is_locked_naming_the_holder(
        self, tiny_data, fake_model, xcbench, config, tmp_path
    ):
        fake_model()
        path = config("method: {preset: rxml, rank: 5}")
        xcbench("run", path)
        (row,) = table(tmp_path)
        with hold(tmp_path / "results" / "runs" / row["run_id"]):
            done = xcbench("run", path, "--force")
        assert done.exit_code == 4
        assert f"is locked by process {os.getpid()} on " in done.stderr
        assert Path(sys.argv[0]).name in done.stderr

    def test_0_when_a_locked_job_is_passed_over_and_others_run(
        self, tiny_data, fake_model, xcbench, config, tmp_path
    ):
        fake_model()
        xcbench("run", config("method: {preset: rxml, rank: 5}"))
        (row,) = table(tmp_path)
        with hold(tmp_path / "results" / "runs" / row["run_id"]):
            done = xcbench("run", config(TWO), "--force")
        assert done.exit_code == 0
        assert "1 run, 1 locked by another run" in done.stdout

    @pytest.mark.parametrize(
        ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["INT", "TERM"]
    )
    def test_130_and_143_when_interrupted_and_the_job_is_due_again(
        self, tiny_data, fake_model, xcbench, config, tmp_path, number, code, answering_sigint
    ):
        fake_model(lambda learner: os.kill(os.getpid(), number))
        done = xcbench("run", config(ONE_BAD))
        assert done.exit_code == code
        assert "Traceback" not in done.output
        (row,) = table(tmp_path)
        assert row["status"] == "interrupted"
        assert row["error"].startswith(f"{signal.Signals(number).name} after 0.")
        (log,) = tmp_path.glob("results/runs/tiny/rxml-*/log.txt")
        assert "WARNING interrupted" in log.read_text()
        fake_model()
        assert "2 run" in xcbench("run", config(ONE_BAD)).stdout
        assert [row["status"] for row in table(tmp_path)] == ["done", "done"]


def test_a_result_states_machine_versions_and_hashes(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    xcbench("run", config("method: rxml"))
    (row,) = table(tmp_path)
    for column in ("host", "cpu", "cores", "ram_bytes", "python", "numpy", "scipy", "blas"):
        assert row[column], column
    assert len(row["config_sha256"]) == len(row["data_sha256"]) == 64
    result = tmp_path / "results" / "runs" / row["run_id"] / "result.json"
    assert json.loads(result.read_text())["config"]["method"]["label"] == "rxml"


class TestRealModels:
    """The methods themselves, through the whole of the runner."""

    METHODS = (
        "methods: [{preset: global, rank: 4},"
        " {preset: rxml, rank: 3, learners: 2, clusters: 2, neighbours: {count: 5}},"
        " {preset: sleec, rank: 3, learners: 2, clusters: 2, neighbours: {count: 5},"
        " vote: {neighbours: 10}}]"
    )

    def predictions(self, tmp_path, results):
        folder = tmp_path / results / "runs" / "tiny"
        return {path.parent.name: path.read_bytes() for path in folder.glob("*/predictions.npz")}

    def test_predictions_are_the_same_bytes_for_any_number_of_processes_and_any_time(
        self, tiny_data, xcbench, config, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("xcbench.models.base.BLOCK_ROWS", 10)
        monkeypatch.setattr("xcbench.models.local_embedding.ensemble.BLOCK_ROWS", 10)
        path = config(self.METHODS)
        backend = ("--set", "executor.backend=loky", "--results")
        for jobs in (1, 2, 3):
            done = xcbench("run", path, "--jobs", jobs, *backend, f"results{jobs}")
            assert done.exit_code == 0, done.output
        first = self.predictions(tmp_path, "results1")
        assert len(first) == 3
        assert self.predictions(tmp_path, "results2") == first
        assert self.predictions(tmp_path, "results3") == first
        xcbench("run", path, "--jobs", 1, "--force", *backend, "results1")
        assert self.predictions(tmp_path, "results1") == first

    def test_easy_data_is_learned(self, tiny_data, xcbench, config, tmp_path):
        xcbench("run", config(self.METHODS))
        assert all(float(row["P@1"]) > 90 for row in table(tmp_path))
        local = table(tmp_path)[1]
        for stage in ("partition_s", "neighbours_s", "completion_s", "regression_s"):
            assert float(local[stage]) >= 0, stage
        assert int(local["model_bytes"]) > 0
