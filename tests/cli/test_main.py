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


def test_a_bug_keeps_its_traceback(xcbench, config, monkeypatch, tiny_data):
    def broken(*arguments):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(run_module, "load_all", broken)
    assert isinstance(xcbench("run", config("method: rxml")).exception, ZeroDivisionError)
