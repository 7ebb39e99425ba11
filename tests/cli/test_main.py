"""The command as a whole: it starts light, shows examples, and turns mistakes into messages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import xcbench as package
from xcbench.cli import run as run_module

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "scipy", "numba", "pandas", "pydantic", "joblib", "matplotlib", "yaml")


def test_starting_up_imports_nothing_heavy():
    code = f"import sys, xcbench.cli.main; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_version(xcbench):
    assert xcbench("--version").stdout == f"xcbench {package.__version__}\n"


@pytest.mark.parametrize(
    "command",
    [
        (), ("run",), ("status",), ("results",), ("results", "gc"), ("rerun",), ("validate",),
        ("config", "show"), ("env",), ("bench",), ("data", "list"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_has_help_with_an_example(xcbench, command):
    shown = xcbench(*command, "--help")
    assert shown.exit_code == 0
    assert f"Example: {' '.join(('xcbench', *command))}" in " ".join(shown.stdout.split())


def test_help_states_the_exit_codes(xcbench):
    text = " ".join(xcbench("run", "--help").stdout.split())
    for meaning in ("0 done or nothing to do", "3 data missing", "4 locked", "129, 130 or 143"):
        assert meaning in text


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_run_with_closed_streams_runs_all_the_same(tiny_data, config, tmp_path, closed):
    path = config("method: {preset: global, rank: 3}")
    code = "from xcbench.cli.main import main; main()"
    shell = f"exec {sys.executable} -c '{code}' run {path} --set executor.backend=loky --jobs 2"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["sh", "-c", f"{shell} {closed}"], cwd=tmp_path, env=environment, capture_output=True
    )
    assert done.returncode == 0
    assert len((tmp_path / "results" / "results.csv").read_text().splitlines()) == 2


def test_output_to_a_full_device_is_one_message(tmp_path):
    code = "from xcbench.cli.main import main; main()"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, "env"],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words", [("--help",), ("env", "--json"), ("evaluate", "p.txt", "t.txt", "--k", "1")]
)
def test_output_that_nobody_reads_ends_the_command_quietly(tmp_path, words):
    (tmp_path / "p.txt").write_text("0\n1\n")
    (tmp_path / "t.txt").write_text("2 2\n0:1\n1:1\n")
    code = "from xcbench.cli.main import main; main()"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=write,
        stderr=subprocess.PIPE,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_only_what_keeps_something_says_so_when_it_is_interrupted(xcbench, config, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "load_all", interrupted)
    monkeypatch.setattr("xcbench.data.splits.write.read_points", interrupted)
    done = xcbench("run", config("method: rxml"))
    assert (done.exit_code, done.stderr) == (130, "interrupted; what is finished is kept\n")
    done = xcbench("data", "split", "all.txt", "--out", "d")
    assert (done.exit_code, done.stderr) == (130, "interrupted\n")


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("convert", "Did you mean `xcbench data convert`?"),
        ("init", "Did you mean `xcbench config init`?"),
        ("check", "Did you mean `xcbench data check`?"),
        ("gc", "Did you mean `xcbench results gc`?"),
        ("evalute", "Did you mean 'evaluate'"),
        ("zzz", "No such command 'zzz'."),
    ],
)
def test_a_command_of_a_group_is_found_without_its_group(xcbench, word, hint):
    done = xcbench(word, "--out", "x")
    assert done.exit_code == 2
    assert hint in " ".join(done.stderr.replace("│", " ").split())


def test_a_bug_keeps_its_traceback(xcbench, config, monkeypatch, tiny_data):
    def broken(*arguments):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(run_module, "load_all", broken)
    assert isinstance(xcbench("run", config("method: rxml")).exception, ZeroDivisionError)
