"""The command as a whole: it starts light, shows examples, and turns mistakes into messages."""

import subprocess
import sys

import pytest

import xcbench as package
from xcbench.cli import run as run_module

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


def test_a_bug_keeps_its_traceback(xcbench, config, monkeypatch, tiny_data):
    def broken(*arguments):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(run_module, "load_all", broken)
    assert isinstance(xcbench("run", config("method: rxml")).exception, ZeroDivisionError)
