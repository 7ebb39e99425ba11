"""Several runs at once in one results folder: no row is lost, nobody reads half a table."""

import csv
import io
import time

from tests.crash import runs
from tests.crash.checks import finish, litter, rows, wait_for

ONE_METHOD = """
dataset: {{name: tiny}}
method: {{preset: global, label: writer-{writer}, rank: 3}}
sweep: {{rank: [2, 3, 4, 5, 6, 7]}}
executor: {{backend: inline}}
"""


def test_four_runs_at_once_lose_no_row_and_the_table_parses_at_every_moment(project):
    for writer in range(4):
        (project / f"{writer}.yaml").write_text(ONE_METHOD.format(writer=writer))
    writers = [runs.start(runs.run, project, f"{writer}.yaml", "--quiet") for writer in range(4)]
    table, seen = project / "results" / "results.csv", [0]
    while any(writer.is_alive() for writer in writers):
        if table.exists():
            text = table.read_text()
            header, *body = csv.reader(io.StringIO(text))
            assert text.endswith("\n")
            assert {len(row) for row in body} <= {len(header)}
            seen.append(len(body))
        time.sleep(0.002)
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert seen == sorted(seen)
    assert len(set(seen)) > 4
    assert len({row["run_id"] for row in rows(project)}) == len(rows(project)) == 24
    assert {row["status"] for row in rows(project)} == {"done"}
    assert litter(project) == []


def test_the_same_sweep_started_twice_runs_every_job_once(project):
    twice = [runs.start(runs.run, project, "sweep.yaml", "--quiet") for _ in range(2)]
    for process in twice:
        process.join(120)
    # The one that finds all done but the last, and that held by the other, says so.
    assert sorted(process.exitcode for process in twice) in ([0, 0], [0, 4])
    logs = (project / "results" / "runs").glob("*/*/log.txt")
    assert [path.read_text().count(" done in ") for path in logs] == [1] * 21
    assert len(rows(project)) == 21


def test_a_job_at_work_elsewhere_is_named_and_passed_over(project):
    holder = runs.start(runs.run_slow_tasks, 60.0, project, "one.yaml", "--jobs", "1")
    wait_for((project / "task-1").exists)
    assert finish(project, "one.yaml") == 4
    assert f"is locked by process {holder.pid} on " in (project / "output.txt").read_text()
    assert finish(project, "one.yaml", "sweep.yaml") == 0
    assert len(rows(project)) == 21
    holder.kill()
    holder.join()
    assert finish(project, "one.yaml") == 0
    assert len(rows(project)) == 22
