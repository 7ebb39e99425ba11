"""``xcbench results`` and ``xcbench results gc``: what is printed, and what is removed."""

import csv
import io
import json
import os
import subprocess
import sys
import time

import pytest

from xcbench.data.store import open_prepared
from xcbench.runner import cleanup
from xcbench.runner.locks import hold
from xcbench.runner.result import Result
from xcbench.runner.store import ResultStore

COLUMNS = ("--columns", "method")
MODEL_BYTES = 1000


def stored(store, label, rank, error="", digits="00000000", data="d"):
    """Put a result into the store as a run does, and give its folder."""
    result = Result(
        run_id=f"tiny/{label}-{digits}",
        utc=f"2026-01-01T00:00:{rank:02d}+00:00",
        status="failed" if error else "done",
        error=error,
        dataset="tiny",
        config={
            "dataset": {"name": "tiny", "features": "unit"},
            "method": {"label": label, "preset": "rxml", "rank": rank},
            "seed": 0,
            "splits": [1],
        },
        overrides={},
        config_sha256="c",
        data_sha256=data,
        metrics={} if error else {"P@1": 50.0 + rank},
        seconds={},
        sizes={},
        execution={},
        provenance={},
    )
    folder = store.folder(result.run_id)
    folder.mkdir(parents=True)
    partial = store.start(result.run_id)
    (partial / "model").mkdir()
    (partial / "model" / "weights.npy").write_bytes(b"x" * MODEL_BYTES)
    (partial / "predictions.npz").touch()
    store.commit(result)
    return folder


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Three results, the last of them failed: the folders of their runs."""
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    store = ResultStore(tmp_path / "results")
    return {
        "rxml": stored(store, "rxml", 5),
        "rxml-r6": stored(store, "rxml-r6", 6),
        "sleec": stored(store, "sleec", 13, error="ValueError: =1+1|<b>"),
    }


def labels(done):
    """The one column of a listing."""
    assert done.exit_code == 0, done.output
    return [line.strip() for line in done.stdout.splitlines()[2:]]


class TestListing:
    def test_without_arguments_all_results_are_grouped_and_failures_stand_below(
        self, runs, xcbench
    ):
        shown = xcbench("results").stdout
        assert "tiny, split 1" in shown
        assert "rxml-r6" in shown
        assert shown.rstrip().splitlines()[-1].startswith("failed: tiny, sleec: ")

    def test_rows_of_one_label_on_different_data_are_told_apart(self, runs, xcbench, tmp_path):
        store = ResultStore(tmp_path / "results")
        stored(store, "rxml", 7, digits="11111111")  # of another setting, on the same data
        assert xcbench("results").stderr == ""
        stored(store, "rxml-r6", 8, digits="22222222", data="e" * 64)
        for arguments in ((), ("--format", "markdown"), ("--sort", "utc")):
            assert xcbench("results", *arguments).stderr == (
                "note: tiny, split 1: 2 rows of rxml-r6, seed 0, differ in their data; in the "
                "order above: tiny/rxml-r6-00000000 (data d, 2026-01-01T00:00:06), "
                "tiny/rxml-r6-22222222 (data eeeeeeee, 2026-01-01T00:00:08)\n"
            )
        assert xcbench("results", "--format", "csv").stderr == ""
        assert xcbench("results", "--where", "data_sha256=d").stderr == ""

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ((), ["rxml", "rxml-r6", "sleec"]),
            (("--method", "rxml"), ["rxml"]),
            (("--method", "rxml*", "--method", "sleec"), ["rxml", "rxml-r6", "sleec"]),
            (("--dataset", "other"), []),
            (("--dataset", "other", "--dataset", "tiny", "--status", "failed"), ["sleec"]),
            (("--where", "method.rank=6"), ["rxml-r6"]),
            (("--where", "rank>=6", "--where", "status=done"), ["rxml-r6"]),
            (("--where", "dataset.features=unit", "--where", "seed=1"), []),
            (("--last", "2"), ["rxml-r6", "sleec"]),
            (("--sort", "rank", "--last", "2"), ["rxml-r6", "sleec"]),
        ],
    )
    def test_filters_let_through_what_meets_all_of_them(self, runs, xcbench, arguments, expected):
        assert sorted(labels(xcbench("results", *arguments, *COLUMNS))) == expected

    def test_a_lost_or_stale_table_loses_nothing(self, runs, xcbench, tmp_path):
        (tmp_path / "results" / "results.csv").unlink()
        assert len(labels(xcbench("results", *COLUMNS))) == 3

    def test_csv_has_the_columns_of_the_table_and_quotes_formulas(self, runs, xcbench, tmp_path):
        text = xcbench("results", "--format", "csv").stdout
        assert text == (tmp_path / "results" / "results.csv").read_text()
        text = xcbench("results", "--format", "csv", "--columns", "method,method.rank").stdout
        assert list(csv.reader(io.StringIO(text)))[1] == ["rxml", "5"]

    def test_json_is_the_rows(self, runs, xcbench):
        rows = json.loads(xcbench("results", "--format", "json", "--sort", "rank").stdout)
        assert [row["rank"] for row in rows] == [5, 6, 13]
        assert rows[0]["P@1"] > 0
        assert "method.rank" not in rows[0]

    def test_markdown_is_a_table_without_markup(self, runs, xcbench):
        shown = xcbench("results", "--format", "markdown", "--columns", "method,error").stdout
        assert shown.splitlines()[:2] == ["| method | error |", "| --- | --- |"]
        assert r"=1+1\|&lt;b&gt;" in shown
        assert "| dataset | split | method |" in xcbench("results", "--format", "markdown").stdout

    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("--columns", "rank,method.rnak"),
            ("--sort", "method.rnak"),
            ("--where", "method.rnak=5"),
        ],
    )
    def test_2_for_an_unknown_key_with_the_nearest(self, runs, xcbench, option, value):
        done = xcbench("results", option, value)
        assert done.exit_code == 2
        assert f"{option}: unknown column 'method.rnak'; did you mean 'method.rank'?" in done.stderr

    def test_nothing_found_is_said_on_stderr_and_is_no_failure(self, xcbench, tmp_path):
        (tmp_path / "results").mkdir()
        done = xcbench("results", "--format", "json", "--where", "method.rank=1")
        assert (done.exit_code, done.stdout) == (0, "[]\n")
        assert done.stderr == "no results in results\n"
        assert xcbench("results", "--results", "elsewhere").exit_code == 2

    @pytest.mark.parametrize("format_", ["csv", "table"])
    def test_a_reader_that_leaves_early_meets_no_traceback(self, runs, tmp_path, format_):
        code = "from xcbench.cli.main import main; main()"
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [sys.executable, "-c", code, "results", "--format", format_],
            stdout=writer, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip
        os.close(writer)
        assert done.stderr == ""


class TestRemoving:
    def test_without_a_name_it_says_what_there_is_and_removes_nothing(
        self, runs, xcbench, tmp_path
    ):
        before = sorted(tmp_path.rglob("*"))
        lines = [line.split() for line in xcbench("results", "gc").stdout.splitlines()]
        assert [line[:2] for line in lines[1:]] == [
            ["--models", "2"], ["--interrupted", "0"], ["--logs", "0"], ["--cache", "0"],
        ]  # fmt: skip
        assert sorted(tmp_path.rglob("*")) == before

    def test_a_dry_run_says_what_would_go(self, runs, xcbench):
        would = xcbench("results", "gc", "--models", "--dry-run").stdout
        assert f"would remove 2 in all: {2 * MODEL_BYTES} bytes (2.0 kB)" in would
        assert (runs["rxml"] / "model").exists()

    def test_a_run_without_its_model_still_counts_as_done(
        self, tiny_data, fake_model, xcbench, config, tmp_path
    ):
        fake_model()
        path = config("methods: [{preset: rxml, rank: 5}, {preset: sleec, rank: 5}]")
        xcbench("run", path)
        assert "removed 2 in all" in xcbench("results", "gc", "--models").stdout
        assert not list(tmp_path.glob("results/runs/tiny/*/model"))
        assert "nothing to do: 2 done before" in xcbench("run", path).stdout

    def test_only_what_is_old_enough_is_removed(self, runs, xcbench):
        model = runs["rxml"] / "model"
        for path in (model, *model.iterdir()):
            os.utime(path, (0, time.time() - 3 * 86400))
        assert (
            "removed 1 in all" in xcbench("results", "gc", "--models", "--older-than", "2d").stdout
        )
        assert not model.exists()
        assert (runs["rxml-r6"] / "model").exists()

    def test_a_held_run_is_skipped_and_named(self, runs, xcbench):
        with hold(runs["rxml"]):
            done = xcbench("results", "gc", "--models")
        assert done.exit_code == 0
        assert f"skipped: {runs['rxml'].name} is locked by process {os.getpid()}" in done.stdout
        assert "removed 1 in all" in done.stdout
        assert (runs["rxml"] / "model").exists()

    def test_1_for_what_the_system_does_not_let_go_and_the_rest_is_removed(
        self, runs, xcbench, monkeypatch
    ):
        def remove(path):
            if "rxml-r6" in str(path):
                raise PermissionError("not yours")
            real(path)

        real = cleanup.remove
        monkeypatch.setattr(cleanup, "remove", remove)
        done = xcbench("results", "gc", "--models")
        assert done.exit_code == 1
        assert "models cannot be removed (not yours)" in done.stderr
        assert not (runs["rxml"] / "model").exists()

    def test_the_cache_is_cleared_but_for_what_is_in_use(
        self, tiny_data, xcbench, config, tmp_path
    ):
        xcbench("data", "prepare", "tiny")
        (prepared,) = (tmp_path / "cache" / "prepared").glob("tiny-*")
        opened = open_prepared(prepared)
        assert f"skipped: {prepared} is in use" in xcbench("results", "gc", "--cache").stdout
        assert prepared.exists()
        del opened
        assert (
            f"would remove cache        {prepared}"
            in xcbench("results", "gc", "--cache", "--dry-run").stdout
        )
        assert f"removed cache        {prepared}" in xcbench("results", "gc", "--cache").stdout
        assert not prepared.exists()

    def test_the_cache_has_no_age(self, xcbench):
        assert xcbench("results", "gc", "--cache", "--older-than", "1d").exit_code == 2

    def test_options_before_gc_are_refused_instead_of_forgotten(self, runs, xcbench):
        done = xcbench("results", "--results", "other", "gc", "--models")
        assert done.exit_code == 2
        assert "--results stands before gc" in done.stderr
        assert (runs["rxml"] / "model").exists()
