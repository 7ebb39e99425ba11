"""Shell completion, the examples of every command's help, and the nearest of what is mistyped."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from xcbench.cli import complete
from xcbench.cli.main import app
from xcbench.cli.stores import near


def commands(group=None, path=()):
    """Every command with its path, groups included."""
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        yield (*path, name), command
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize("path", [path for path, _ in commands()], ids=" ".join)
def test_the_help_of_every_command_has_an_example_that_it_could_run(path):
    command = dict(commands())[path]
    if hasattr(command, "commands") and not command.invoke_without_command:
        return  # its commands have theirs
    words = f"xcbench {' '.join(path)}"
    assert command.epilog is not None
    assert command.epilog.startswith(("Example: ", "Examples: "))
    assert words in command.epilog


def test_every_option_has_a_text():
    for path, command in commands():
        for parameter in command.params:
            assert getattr(parameter, "help", None) or parameter.name in ("help", "split"), path


@pytest.mark.parametrize("command", ["tune", "fit"])
def test_the_shell_gets_names_that_begin_as_what_was_typed(command):
    environment = os.environ | {
        "COMP_WORDS": f"xcbench {command} c.yaml --method rx", "COMP_CWORD": "4",
        "_XCBENCH_COMPLETE": "complete_bash",
    }  # fmt: skip
    code = "import sys; sys.argv[0] = 'xcbench'; from xcbench.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["rxml", "rxml-blend", "rxml-paper"]


def test_datasets_are_those_of_the_catalogue_and_the_data_folder(tiny_data, monkeypatch):
    monkeypatch.setenv("XCBENCH_DATA", str(tiny_data))
    assert complete.dataset_names("ti") == ["tiny"]
    assert "bibtex" in complete.dataset_names("bi")
    monkeypatch.setenv("XCBENCH_DATA", str(tiny_data / "nowhere"))
    assert complete.dataset_names("ti") == []


def test_run_ids_are_the_folders_of_the_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert complete.run_ids("") == []
    (tmp_path / "results" / "runs" / "tiny" / "knn-12345678").mkdir(parents=True)
    assert complete.run_ids("tiny/k") == ["tiny/knn-12345678"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rnu c.yaml", "Did you mean 'run'?"),
        ("data infoo bibtex", "Did you mean 'info'?"),
        ("run c.yaml --dry-rn", "--dry-run"),
        ("bench --only raeder", "did you mean 'reader'?"),
        ("data info bibtx", "did you mean 'bibtex'?"),
    ],
)
def test_what_is_mistyped_gets_the_nearest_word(words, said):
    done = CliRunner().invoke(app, words.split())
    assert (done.exit_code in (2, 3), said in done.output) == (True, True), done.output


def test_data_of_other_tasks_is_named_as_such(tiny_data, xcbench):
    (tiny_data / "uci").mkdir()
    (tiny_data / "uci" / "iris.csv").write_text("a,class\n")
    (tiny_data / "meshes").mkdir()
    (tiny_data / "meshes" / "spot.obj.gz").write_text("")
    for name, said in (
        ("iris", "'uci/iris' is a table of classes, data of task metric_learning"),
        ("spot", "'meshes/spot' is a mesh, data of tasks compressed_modes"),
        ("uci", "It holds tables (*.csv), which are data of other tasks"),
    ):
        done = xcbench("data", "info", name, "--data", tiny_data)
        assert (done.exit_code, said in done.output) == (3, True), done.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("task: metric_learning\ndataset: {name: uci/irsi}\nmethod: euclidean", "'uci/iris'"),
        (
            "task: compressed_modes\ndataset: {mesh: meshes/spto}\nmethod: modes-soc",
            "'meshes/spot'",
        ),
        ("task: robust_embedding\ndataset: {name: plcaes}\nmethod: embedding-madmm", "'places'"),
    ],
)
def test_other_tasks_name_the_nearest_of_their_data_too(tmp_path, xcbench, text, said):
    for name in ("uci/iris.csv", "meshes/spot.obj", "places/x.csv"):
        (tmp_path / "data" / name).parent.mkdir(parents=True)
        (tmp_path / "data" / name).write_text("")
    (tmp_path / "c.yaml").write_text(text)
    done = xcbench("run", "c.yaml", "--dry-run")
    assert (done.exit_code, f"did you mean {said}?" in done.output) == (3, True), done.output


def test_names_that_no_run_has_get_the_nearest_of_those_that_are_there():
    rows = [{"dataset": "bibtex", "method": "rxml"}, {"dataset": "bibtex", "method": "sleec"}]
    assert near(rows, ["bibtx"], ["rxlm"]) == "; did you mean 'bibtex' and 'rxml'?"
    assert near(rows, ["bibtex"], ["zzz"]) == ""
    assert near([], ["bibtex"], []) == ""
