import json
import shutil
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from xcbench.cli.data import data_app
from xcbench.errors import ConfigError, DataError

SIZES = ("--points", 200, "--test-points", 50, "--features", 90, "--labels", 40,
         "--features-per-point", 8, "--labels-per-point", 2.5)  # fmt: skip


@pytest.fixture(autouse=True)
def no_data_root(tmp_path, monkeypatch):
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("XCBENCH_DATA", raising=False)


def run(*words):
    return CliRunner().invoke(data_app, [str(word) for word in words])


def cells(output):
    return [[word.strip() for word in line.split("│")[1:-1]] for line in output.splitlines()]


def test_made_up_data_is_used_by_its_name(tmp_path):
    result = run("synth", "made", *SIZES, "--data", tmp_path)
    assert result.exit_code == 0
    assert result.stdout == f"made: 200 + 50 rows, 90 features, 40 labels\n{tmp_path / 'made'}\n"
    assert "200 + 50 rows" in run("prepare", "made", "--data", tmp_path).output
    again = run("synth", "made", *SIZES, "--data", tmp_path)
    assert isinstance(again.exception, ConfigError)
    assert run("synth", "made", *SIZES, "--data", tmp_path, "--force").exit_code == 0


def test_info_puts_made_up_data_beside_what_it_was_scaled_from(tmp_path):
    run("synth", "made", "--like", "eurlex", "--scale", 0.01, "--data", tmp_path)
    result = run("info", "made", "--data", tmp_path)
    assert result.exit_code == 0
    lines = {line[0]: line[1:] for line in cells(result.output) if line}
    assert lines["n train"] == ["155", "15539", "155", "+0.0 %"]
    assert lines["n features"] == ["500", "5000", "500", "+0.0 %"]
    files, published, wanted, off = lines["labels per point"]
    assert published == wanted
    assert float(off.removesuffix(" %")) == pytest.approx(
        100 * (float(files) / float(wanted) - 1), abs=0.3
    )
    assert "made up by xcbench" in result.output
    assert "from seed 0; not real data" in result.output


def test_info_of_explicit_sizes_says_what_was_asked_for(tmp_path):
    run("synth", "made", *SIZES, "--data", tmp_path)
    lines = {
        line[0]: line[1:] for line in cells(run("info", "made", "--data", tmp_path).output) if line
    }
    assert lines["n labels"] == ["40", "40", "+0.0 %"]
    assert float(lines["label exponent"][0]) > 0
    assert int(lines["heaviest label"][0]) >= 2.5 * 200 / 40


@pytest.mark.parametrize(
    "name", ["", "..", "a/../b", "/made", ".made", "a\nb", "amazon-670k", "Wiki10"]
)
def test_a_name_no_config_can_say_or_that_is_taken_is_refused(name, tmp_path):
    result = run("synth", "--data", tmp_path, *SIZES, "--", name)
    assert isinstance(result.exception, ConfigError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "give --like NAME, or all sizes; --points, --test-points, "),
        (SIZES[2:], "give --like NAME, or all sizes; --points missing"),
        ((*SIZES, "--scale", 0.5), "--scale goes with --like"),
        (("--like", "eurlex", *SIZES), "--points goes without --like"),
        (("--like", "eurlx"), "--like 'eurlx': not in the catalogue; did you mean 'eurlex'?"),
        *(
            (("--like", "eurlex", "--scale", scale), f"--scale {scale:g}: expected about ")
            for scale in (0, -1, 1e-9, 1e308, float("inf"), float("nan"))
        ),
    ],
)
def test_a_wrong_choice_of_sizes_is_one_clear_error(words, reason, tmp_path):
    result = run("synth", "made", *words, "--data", tmp_path)
    assert isinstance(result.exception, ConfigError)
    assert str(result.exception).startswith(reason)


def text_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("note", [None, "{}", "of other data"])
def test_force_never_replaces_data_that_synth_did_not_make(note, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("train.txt", "test.txt"):
        (folder / name).write_text("1 2 2\n0 0:1\n")
    if note == "of other data":  # its sizes are not those of the texts
        run("synth", "made", *SIZES, "--data", tmp_path)
        note = (tmp_path / "made" / "synth.json").read_text()
        assert json.loads(note)["n_train"] == 200
    if note is not None:
        (folder / "synth.json").write_text(note)
    before = text_of(folder)
    result = run("synth", "mine", *SIZES, "--data", tmp_path, "--force")
    assert isinstance(result.exception, ConfigError)
    assert "is not, or not only, made-up data" in str(result.exception)
    assert result.exception.exit_code == 2
    assert text_of(folder) == before


@pytest.mark.parametrize(
    ("option", "value"), [("--labels", 2_000_000_000), ("--features", 2_000_000_000)]
)
def test_tables_larger_than_the_memory_are_refused_beforehand(option, value, tmp_path, monkeypatch):
    monkeypatch.setattr("xcbench.runner.available_memory.available_memory", lambda: 16 * 10**9)
    sizes = dict(zip(SIZES[::2], SIZES[1::2], strict=True)) | {option: value}
    words = [word for pair in sizes.items() for word in pair]
    result = run("synth", "made", *words, "--data", tmp_path)
    assert isinstance(result.exception, ConfigError)
    assert "of memory to draw from; 16.0 GB are available" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_text_larger_than_the_disk_is_refused_beforehand(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=10_000))
    result = run("synth", "made", *SIZES, "--data", tmp_path / "new" / "root")
    assert isinstance(result.exception, DataError)
    assert "200 + 50 points take about 0.0 MB of text; 0.0 MB of the disk" in str(result.exception)
    assert list(tmp_path.iterdir()) == []
