"""Measuring in processes of their own."""

import csv
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from tests.bench.scaling.conftest import made
from xcbench.bench.scaling import child
from xcbench.bench.scaling import measure as module
from xcbench.bench.scaling import plan as planning
from xcbench.bench.scaling.measure import measure
from xcbench.bench.scaling.plan import AXES, OURS, PEERS, Point, plan
from xcbench.cli.main import app
from xcbench.data.catalogue import Propensity
from xcbench.data.synthesis.make import SynthesisShape
from xcbench.errors import DataError

A_B = Propensity(a=0.55, b=1.5)
RUN = subprocess.run
SHAPE = SynthesisShape(60, 20, 50, 12, features_per_point=8, labels_per_point=2)


def unheard(what):
    pass


def in_this_process(command, **options):
    """A task of child.py without the seconds that a new process takes to start."""
    if module._CHILD not in command or "prepare" in command:  # one does start
        return RUN(command, **options)
    patch = pytest.MonkeyPatch()
    patch.setattr(sys, "argv", command[2:])
    patch.setenv("XCBENCH_CACHE", options["env"]["XCBENCH_CACHE"])
    try:
        return subprocess.CompletedProcess(command, child.main(), "", "")
    finally:
        patch.undo()


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """The command on one tiny scale, one size along d and l; what it printed, and its folder."""
    folder = tmp_path_factory.mktemp("scaling")
    patch = pytest.MonkeyPatch()
    patch.setattr(planning, "FACTORS", ())
    patch.setattr(module.subprocess, "run", in_this_process)
    patch.setenv("XCBENCH_CACHE", str(folder / "unused"))
    options = ["--scales", "0.001", "--repeats", "1", "--jobs", "2", "--work", str(folder / "work")]
    result = CliRunner().invoke(
        app, ["bench", "--only", "scaling", *options, "--out", str(folder / "out" / "s.csv")]
    )
    patch.undo()
    assert result.exit_code == 0, result.output
    with (folder / "out" / "s.csv").open() as file:
        return result, list(csv.DictReader(file)), folder


def test_the_command_prints_its_tables_and_writes_them(smoke):
    result, _, folder = smoke
    for text in ("Time by n", "Processes", "Share of the machine's own rates", "Peers"):
        assert text in result.output
        assert text in (folder / "out" / "s.md").read_text()


def test_every_stage_has_its_time_and_memory(smoke):
    _, rows, _ = smoke
    for cores in ("1", "2"):
        found = {r["stage"]: r for r in rows if r["method"] == OURS and r["processes"] == cores}
        assert list(found) == [
            "prepare", "partition", "clusters", "predict", "neighbours", "completion",
            "regression", "vote", "train", "total",
        ]  # fmt: skip
        for name in set(found) - {"train", "total"}:
            assert float(found[name]["task_s"]) > 0
            assert float(found[name]["peak_bytes"]) > 1e7
        parts = ("neighbours", "completion", "regression", "vote")
        inner = sum(float(found[name]["task_s"]) for name in parts)
        assert inner <= float(found["clusters"]["task_s"])
        assert float(found["clusters"]["wall_s"]) <= float(found["train"]["wall_s"])
        assert float(found["total"]["wall_s"]) > float(found["train"]["wall_s"])


def test_a_prediction_does_not_depend_on_the_processes(smoke):
    _, rows, _ = smoke
    total = [r for r in rows if r["method"] == OURS and r["stage"] == "total"]
    assert len(total) == 2
    assert len({(r["P@1"], r["P@3"], r["P@5"], r["model_bytes"]) for r in total}) == 1


def test_peers_are_measured_on_the_same_file_or_say_what_they_lack(smoke):
    _, rows, _ = smoke
    for peer in PEERS:
        found = [row for row in rows if row["method"] == peer]
        assert found
        assert {row["points"] for row in found} == {"490"}
        if found[0]["error"]:
            assert "is not installed" in found[0]["error"]
        else:
            (total,) = [row for row in found if row["stage"] == "total"]
            assert float(total["P@1"]) > 5
            assert float(total["model_bytes"]) > 0


def test_of_the_work_only_the_texts_are_kept(smoke):
    _, _, folder = smoke
    (texts,) = (folder / "work").iterdir()
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["s.csv", "s.md"]
    assert {path.name for path in texts.iterdir()} >= {"train.txt", "test.txt"}
    assert not (folder / "unused").exists()


def test_made_texts_are_found_again_and_removed_unless_kept(tmp_path, monkeypatch):
    made = []

    def synthesize(folder, shape, seed):
        folder.mkdir()
        made.append(folder)

    monkeypatch.setattr(module, "synthesize", synthesize)
    monkeypatch.setattr(module._Bench, "measurements", lambda self, points, say: [])
    groups = [[Point(SHAPE, 1.0, OURS, 1, ("n",))]]
    for _ in range(2):
        measure(groups, A_B, tmp_path, unheard, unheard)
    assert len(made) == 1
    assert list(tmp_path.iterdir()) == made
    measure(groups, A_B, None, unheard, unheard)
    assert len(made) == 2
    assert not made[1].exists()


@pytest.mark.parametrize(
    ("name", "value", "count"), [("__version__", "9", 1), ("GENERATOR", 99, 2)]
)
def test_texts_are_made_anew_for_another_generator_alone(name, value, count, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "synthesize", lambda folder, shape, seed: folder.mkdir())
    monkeypatch.setattr(module._Bench, "measurements", lambda self, points, say: [])
    groups = [[Point(SHAPE, 1.0, OURS, 1, ("n",))]]
    measure(groups, A_B, tmp_path, unheard, unheard)
    monkeypatch.setattr(module, name, value, raising=False)
    measure(groups, A_B, tmp_path, unheard, unheard)
    assert len(list(tmp_path.iterdir())) == count


def test_data_too_large_for_this_machine_fails_its_points_before_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: 1000)
    monkeypatch.setattr(module, "synthesize", lambda *arguments: pytest.fail("made"))
    found = measure([[Point(SHAPE, 1.0, OURS, 1)]], A_B, tmp_path, unheard, unheard)
    assert "of memory to draw from" in found.measurements[0].error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [(KeyboardInterrupt(), 130, "interrupted"), (SystemExit(143), 143, "ended by a signal")],
)
@pytest.mark.parametrize("has_out", [True, False])
def test_an_interruption_keeps_what_was_measured_and_the_results_of_before(
    error, code, said, has_out, tmp_path, monkeypatch
):
    def interrupted(self, points, say):
        yield made(points[0])
        raise error

    monkeypatch.setattr(module, "synthesize", lambda folder, shape, seed: folder.mkdir())
    monkeypatch.setattr(module._Bench, "measurements", interrupted)
    monkeypatch.setattr(module._Bench, "work", lambda self, measurement: {})
    before = tmp_path / "s.csv"
    before.write_text("of before")
    options = ["--scales", "0.01", "--repeats", "1", "--jobs", "1", "--peers-up-to", "0"]
    options += ["--out", str(before)] if has_out else []
    result = CliRunner().invoke(app, ["bench", "--only", "scaling", *options])
    assert result.exit_code == code
    kept = tmp_path / "s.part.csv"
    where = f"they are kept in {kept}" if has_out else "nothing is kept"
    assert f"{said}; 1 of 5 measurements are done; {where}\n" in result.output
    assert before.read_text() == "of before"
    assert kept.exists() == has_out
    if has_out:
        with kept.open() as file:
            rows = list(csv.DictReader(file))
        assert {row["points"] for row in rows} == {"4904"}
        assert rows[-1]["P@1"] == "41.25"


def test_data_that_cannot_be_read_fails_its_points_in_one_line(tmp_path, monkeypatch):
    def synthesize(folder, shape, seed):
        folder.mkdir()
        for name in ("train.txt", "test.txt"):
            (folder / name).write_text("no numbers\n")

    monkeypatch.setattr(module, "synthesize", synthesize)
    points = [Point(SHAPE, 1.0, name, 1, AXES) for name in (OURS, PEERS[0])]
    found = measure([points], A_B, tmp_path, unheard, unheard)
    assert [m.point for m in found.measurements] == points
    for m in found.measurements:
        assert "train.txt, line 1" in m.error
        assert "\n" not in m.error
    assert found.work == {}


def test_data_that_finds_no_room_fails_its_points_and_no_others(tmp_path, monkeypatch):
    larger = replace(SHAPE, n_train=100)

    def synthesize(folder, shape, seed):
        if shape == larger:
            raise DataError("no room")
        folder.mkdir()

    def measured(self, points, say):
        return [module.Measurement(point) for point in points]

    monkeypatch.setattr(module, "synthesize", synthesize)
    monkeypatch.setattr(module._Bench, "measurements", measured)
    groups = [[Point(shape, 1.0, OURS, 2, ("n",))] for shape in (larger, SHAPE)]
    found = measure(groups, A_B, tmp_path, unheard, unheard)
    assert [m.error for m in found.measurements] == ["no room", ""]


def test_work_that_cannot_be_counted_is_a_failure_beside_what_was_measured(tmp_path, monkeypatch):
    def work(self, measurement):
        raise DataError("it is gone")

    monkeypatch.setattr(module, "synthesize", lambda folder, shape, seed: folder.mkdir())
    monkeypatch.setattr(
        module._Bench, "measurements", lambda self, points, say: map(module.Measurement, points)
    )
    monkeypatch.setattr(module._Bench, "work", work)
    found = measure([[Point(SHAPE, 1.0, OURS, 1, AXES)]], A_B, tmp_path, unheard, unheard)
    assert [m.error for m in found.measurements] == ["", "its work: it is gone"]


@pytest.mark.parametrize(
    ("status", "stderr", "expected"),
    [
        (-signal.SIGKILL, "", "the process was killed (out of memory is the usual cause)"),
        (1, "Traceback\n  x\nValueError: bad\n", "ValueError: bad"),
        (7, "", "the process ended with status 7"),
    ],
)
def test_a_process_that_fails_says_why(tmp_path, monkeypatch, status, stderr, expected):
    monkeypatch.setattr(module, "synthesize", lambda folder, shape, seed: folder.mkdir())
    monkeypatch.setattr(
        module.subprocess, "run",
        lambda command, **options: subprocess.CompletedProcess(command, status, "", stderr),
    )  # fmt: skip
    (measured,) = measure(
        [[Point(SHAPE, 1.0, OURS, 1)]], A_B, tmp_path, unheard, unheard
    ).measurements
    assert (measured.error, measured.is_left_out) == (expected, False)


def test_a_failed_measurement_is_exit_code_1_after_the_tables(entry, tmp_path, monkeypatch):
    def failing(self, points, say):
        for point in points:
            yield module.Measurement(point, "the process was killed")

    monkeypatch.setattr(module, "synthesize", lambda folder, shape, seed: folder.mkdir())
    monkeypatch.setattr(module._Bench, "measurements", failing)
    options = ["--scales", "0.01", "--repeats", "1", "--peers-up-to", "0", "--jobs", "1"]
    result = CliRunner().invoke(app, ["bench", "--only", "scaling", *options])
    assert result.exit_code == 1
    assert "Not measured: rxml, n 4,904" in result.output
    n = sum(map(len, plan(entry, (0.01,), 1, 0.0)))
    assert f"error: {n} of {n} measurements failed; the first: rxml, n 4,904" in result.output


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--only", "scaling", "--scales", "0.1,x"], "--scales 0.1,x: expected numbers"),
        (["--only", "scaling", "--scales", ""], "--scales : expected numbers"),
        (["--only", "scaling", "--like", "nowhere"], "--like nowhere"),
        (["--only", "scaling", "--jobs", "0"], "'--jobs': found 0"),
        (["--only", "scaling", "--out", "x.md"], "ends in .csv"),
        (["--only", "scaling", "--only", "reader"], "runs alone"),
        (["--only", "scaling", "some.yaml"], "runs alone"),
        (["--only", "reader", "--scales", "0.1"], "--scales belongs to --only scaling"),
        (["--jobs", "2"], "--jobs belongs to --only scaling"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_measured(options, text, monkeypatch):
    monkeypatch.setattr(module, "measure", lambda *arguments: pytest.fail("measured"))
    result = CliRunner().invoke(app, ["bench", *options])
    assert result.exit_code == 2, result.output
    assert text in result.output


def test_negative_scales_of_peers_are_refused():
    result = CliRunner().invoke(app, ["bench", "--only", "scaling", "--peers-up-to", "-1"])
    assert result.exit_code == 2
