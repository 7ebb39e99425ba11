"""The result store: nothing torn, nothing lost, whoever else writes."""

import csv
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from xcbench.runner.files import write_atomic
from xcbench.runner.result import COLUMNS, Result
from xcbench.runner.store import ResultStore


def result(run_id="tiny/rxml-00000000", status="done", **changes):
    made = Result(
        run_id=run_id,
        utc="2026-01-01T00:00:00+00:00",
        status=status,
        error="" if status == "done" else "ValueError: two\nlines",
        dataset="tiny",
        config={
            "method": {"label": "rxml", "preset": "rxml", "rank": 5, "learners": 1},
            "seed": 0,
            "splits": [2],
        },
        overrides={"method.rank": 5, "dataset.features": "tfidf"},
        config_sha256="c" * 64,
        data_sha256="d" * 64,
        metrics={"P@1": 61.234567} if status == "done" else {},
        seconds={"train": 1.5, "predict": 0.25, "vote": 3.0} if status == "done" else {},
        sizes={"n_train": 60, "n_test": 25, "peak_rss_bytes": 7},
        execution={"jobs": 2, "threads_per_job": 1, "backend": "loky"},
        provenance={"host": "h", "git_dirty": None},
    )
    return replace(made, **changes)


def committed(store, made):
    store.folder(made.run_id).mkdir(parents=True, exist_ok=True)
    partial = store.start(made.run_id)
    (partial / "model").mkdir()
    (partial / "model" / "a.npy").write_text("new")
    (partial / "predictions.npz").write_text("new")
    store.commit(made)
    return store.folder(made.run_id)


def rows(root):
    with open(root / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_a_result_is_found_again_equal(tmp_path):
    store = ResultStore(tmp_path)
    committed(store, result())
    assert store.find("tiny/rxml-00000000") == result()
    assert store.state("tiny/rxml-00000000") == "done"
    assert store.state("tiny/other-00000000") == "new"


def test_a_row_states_the_result_in_round_numbers(tmp_path):
    committed(ResultStore(tmp_path), result())
    (row,) = rows(tmp_path)
    assert list(row) == list(COLUMNS)
    assert (row["P@1"], row["train_s"], row["predict_ms_per_point"]) == ("61.2346", "1.5", "10.0")
    assert (row["split"], row["clusters"], row["rank"]) == ("2", "", "5")
    assert row["overrides"] == "method.rank=5 dataset.features=tfidf"


def test_an_error_is_one_line_in_the_table(tmp_path):
    committed(ResultStore(tmp_path), result(status="failed"))
    (row,) = rows(tmp_path)
    assert (row["status"], row["error"], row["P@1"]) == ("failed", "ValueError: two lines", "")


def test_committing_again_replaces_the_files_of_the_run(tmp_path):
    store = ResultStore(tmp_path)
    folder = committed(store, result())
    (folder / "model" / "old.npy").touch()
    committed(store, result(utc="2026-01-02T00:00:00+00:00"))
    assert [path.name for path in (folder / "model").iterdir()] == ["a.npy"]
    assert not (folder / ".partial").exists()
    assert len(rows(tmp_path)) == 1


def test_what_a_killed_run_left_is_cleared_and_does_not_count_as_done(tmp_path):
    store = ResultStore(tmp_path)
    folder = store.folder("tiny/rxml-00000000")
    folder.mkdir(parents=True)
    (store.start("tiny/rxml-00000000") / "junk").touch()
    assert store.state("tiny/rxml-00000000") == "new"
    assert list(store.start("tiny/rxml-00000000").iterdir()) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Invalid JSON"),
        ('{"run_id": ', "Invalid JSON"),
        ("[1, 2]", "object"),
        ("{}", "run_id: Field required"),
        (json.dumps(result().mapping() | {"metrics": {"P@1": "high"}}), "metrics.P@1: Input"),
        (json.dumps(result().mapping() | {"status": "dnoe"}), "status: Input should be 'done'"),
        (json.dumps(result().mapping() | {"config": {}}), "config: not that of one job"),
        ("\x00" * 40, "Invalid JSON"),
    ],
)
def test_a_damaged_result_is_named_once_set_aside_and_its_job_is_new(
    tmp_path, caplog, text, reason
):
    store = ResultStore(tmp_path)
    committed(store, result())
    broken = store.folder("tiny/broken-00000000")
    broken.mkdir()
    (broken / "result.json").write_text(text)
    store.write_table()
    store.write_table()
    assert len(rows(tmp_path)) == 1
    (said,) = (message for message in caplog.messages if "damaged" in message)
    assert "broken-00000000/result.json is damaged" in said
    assert reason in said
    assert store.state("tiny/broken-00000000") == "new"
    committed(store, result("tiny/broken-00000000"))
    assert (broken / "result.json.damaged").read_text() == text
    assert store.state("tiny/broken-00000000") == "done"


def test_a_result_of_an_older_xcbench_is_read_and_named_by_its_version(tmp_path):
    store = ResultStore(tmp_path)
    folder = committed(store, result())
    old = result().mapping()
    for name in ("sources", "data_root", "predictions_sha256", "results_version"):
        del old[name]
    (folder / "result.json").write_text(json.dumps(old))
    store.write_table()
    assert store.state("tiny/rxml-00000000") == "done"
    assert rows(tmp_path)[0]["results_version"] == "1"


def test_a_result_of_a_newer_xcbench_is_read_as_far_as_it_is_known(tmp_path):
    store = ResultStore(tmp_path)
    folder = committed(store, result())
    (folder / "result.json").write_text(json.dumps(result().mapping() | {"colour": "blue"}))
    assert store.find("tiny/rxml-00000000") == result()


def test_a_copy_of_a_run_is_named_and_no_second_row(tmp_path, caplog):
    store = ResultStore(tmp_path)
    folder = committed(store, result())
    shutil.copytree(folder, folder.with_name("rxml-00000000.bak"))
    store.write_table()
    assert len(rows(tmp_path)) == 1
    assert "rxml-00000000.bak is a copy of tiny/rxml-00000000 and is left out" in caplog.text


def test_a_done_run_without_its_predictions_is_to_do_again(tmp_path, caplog):
    store = ResultStore(tmp_path)
    folder = committed(store, result())
    (folder / "predictions.npz").unlink()
    assert store.state("tiny/rxml-00000000") == "new"
    assert "predictions.npz is missing; the job is to do again" in caplog.text


def test_a_done_run_without_its_model_is_done(tmp_path):
    store = ResultStore(tmp_path)
    shutil.rmtree(committed(store, result()) / "model")
    assert store.state("tiny/rxml-00000000") == "done"


def test_texts_that_a_spreadsheet_would_compute_are_quoted_and_control_characters_replaced(
    tmp_path,
):
    store = ResultStore(tmp_path)
    error = "=cmd|' /C calc'!A0\n\x1b[31mred\x00"
    committed(store, result(status="failed", error=error, dataset="@tiny"))
    (row,) = rows(tmp_path)
    assert row["error"] == "'=cmd|' /C calc'!A0 \ufffd[31mred\ufffd"
    assert row["dataset"] == "'@tiny"
    assert store.find("tiny/rxml-00000000").error == error


def test_negative_numbers_are_not_quoted(tmp_path):
    committed(ResultStore(tmp_path), result(metrics={"P@1": -1.5}))
    assert rows(tmp_path)[0]["P@1"] == "-1.5"


def test_an_interrupted_attempt_leaves_finished_tasks_and_no_half_model(tmp_path):
    store = ResultStore(tmp_path)
    interrupted = result(status="interrupted", error="SIGTERM after 3 h")
    folder = store.folder(interrupted.run_id)
    folder.mkdir(parents=True)
    (store.start(interrupted.run_id) / "model").mkdir()
    store.checkpoint(interrupted.run_id).mkdir()
    store.commit(interrupted)
    assert store.state(interrupted.run_id) == "interrupted"
    assert not (folder / "model").exists()
    assert store.checkpoint(interrupted.run_id).is_dir()
    assert rows(tmp_path)[0]["status"] == "interrupted"
    committed(store, result())
    assert not store.checkpoint(interrupted.run_id).exists()


def test_the_table_is_in_the_order_of_time(tmp_path):
    store = ResultStore(tmp_path)
    committed(store, result("tiny/b-1", utc="2026-01-03T00:00:00+00:00"))
    committed(store, result("tiny/a-1", utc="2026-01-04T00:00:00+00:00"))
    committed(store, result("tiny/c-1", utc="2026-01-02T00:00:00+00:00"))
    assert [row["run_id"] for row in rows(tmp_path)] == ["tiny/c-1", "tiny/b-1", "tiny/a-1"]


def test_writers_at_the_same_time_lose_no_row(tmp_path):
    def commit_many(writer):
        for i in range(5):
            committed(ResultStore(tmp_path), result(f"tiny/w{writer}-{i}"))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(commit_many, range(3)))
    assert len(rows(tmp_path)) == 15


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(tmp_path):
    path = tmp_path / "x.json"
    write_atomic(path, json.dumps(1))
    with pytest.raises(UnicodeEncodeError):
        write_atomic(path, "\ud800")
    assert path.read_text() == "1"
    assert list(tmp_path.iterdir()) == [path]
