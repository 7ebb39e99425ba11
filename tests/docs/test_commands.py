"""Every command that a document shows works: it runs on tiny data, or at least it parses."""

from __future__ import annotations

import glob
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from tests.docs import sandbox
from tests.docs.documents import (
    PAGES,
    ROOT,
    Command,
    commands_of,
    examples,
    inline_commands_of,
    split_line,
)
from xcbench.cli.main import app

# What is not run here and why; the beginning of a command covers all that goes on with it.
NOT_RUN = {
    "xcbench data fetch": "downloads",
    "xcbench bench": "times kernels and libraries for minutes",
    "xcbench data synth amz01 --like amazon-670k --scale 0.1": "writes 66 MB",
    "xcbench data synth million": "writes 280 MB",
    "xcbench config init --dataset million": "needs that data",
    "xcbench fit million.yaml": "takes a minute",
    "xcbench predict million-model": "takes minutes",
    "xcbench evaluate million.tsv": "needs what takes minutes",
    "xcbench run configs/itml.yaml": "takes minutes",
    "xcbench figure metric-learning": "needs the results of a run that takes minutes",
    "xcbench run configs/recovery.yaml": "takes half a minute",
    "xcbench run wiki.yaml": "needs a dask scheduler",
    "xcbench data prepare wikilshtc": "names a disk of other machines",
    "xcbench evaluate predictions.tsv tst_X_Y.txt": "no document makes these truths",
    "xcbench figure 1 2": "needs the results of runs that take minutes",
}

COMMANDS = [command for page in PAGES for command in commands_of(page)] + examples()
XCBENCH = [command for command in COMMANDS if command.words[0] == "xcbench"]
INLINE = [command for page in PAGES for command in inline_commands_of(page)]
SHOWN: dict[str, Command] = {}  # each where it stands first
for each in XCBENCH:
    SHOWN.setdefault(each.text, each)


def reason(command: Command) -> str | None:
    return next((NOT_RUN[start] for start in NOT_RUN if command.text.startswith(start)), None)


RUN = {text: command for text, command in SHOWN.items() if reason(command) is None}

_RUN_ID = re.compile(r"[a-z0-9-]+/\S+-[0-9a-f]{8}")


@dataclass(frozen=True)
class Outcome:
    exit_code: int
    output: str
    made: bool  # what --out says, if it does


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the commands run, in this process."""
    folder = tmp_path_factory.mktemp("docs") / "sandbox"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("HOME", str(folder / "home"))
        patch.setenv("XCBENCH_CACHE", str(folder / "cache"))
        patch.delenv("XCBENCH_DATA", raising=False)
        # Whatever a config asks for: workers take seconds to start.
        patch.setattr("xcbench.runner.executors.make.processes", lambda config: 1)
        sandbox.build(folder)
        yield folder


@pytest.fixture(scope="module")
def outcomes(folder: Path) -> dict[str, Outcome]:
    """Each command run once, all in one folder, in the order of the documents."""
    return {text: _run(command) for text, command in RUN.items()}


def _run(command: Command) -> Outcome:
    words = [arg for word in command.words[1:] for arg in _expanded(word)]
    if "--trials" in words:
        words[words.index("--trials") + 1] = "3"
    sandbox.before(words)
    before = _stamps(words)
    done = CliRunner().invoke(app, words)
    trouble = "" if isinstance(done.exception, SystemExit | None) else repr(done.exception)
    after = _stamps(words)
    made = "--out" not in words or any(after[path] != before.get(path) for path in after)
    return Outcome(done.exit_code, f"{done.output}{trouble}", made)


def _stamps(words: list[str]) -> dict[Path, int]:
    """When each file that --out names, or that is in its folder, was written; none for empty."""
    out = Path(words[words.index("--out") + 1]) if "--out" in words else Path("no such place")
    paths = [out, *out.rglob("*")] if out.is_dir() else [out]
    states = {path: path.stat() for path in paths if path.is_file()}
    return {path: state.st_mtime_ns for path, state in states.items() if state.st_size}


def _expanded(word: str) -> list[str]:
    """What a shell makes of a word; and a run's id with the hash that it has here."""
    if _RUN_ID.fullmatch(word):
        start = word[: -len("3d8cc2cd")]
        runs = (str(path.relative_to("results/runs")) for path in Path("results/runs").glob("*/*"))
        return [next((run for run in runs if _RUN_ID.fullmatch(run) and run[:-8] == start), word)]
    word = os.path.expanduser(word)
    return sorted(glob.glob(word)) if "*" in word and glob.glob(word) else [word]


@pytest.mark.parametrize("command", RUN.values(), ids=str)
def test_a_command_runs(command, outcomes):
    outcome = outcomes[command.text]
    assert outcome.exit_code == 0, outcome.output
    assert outcome.made, f"nothing was written: {outcome.output}"


def test_the_python_of_the_readme_runs(folder, capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == block.count("print(")


@pytest.mark.parametrize(
    "command", [each for each in SHOWN.values() if reason(each) is not None], ids=str
)
def test_a_command_that_is_not_run_parses(command):
    parsed(command.words[1:])


@pytest.mark.parametrize("command", {each.text: each for each in INLINE}.values(), ids=str)
def test_a_command_in_a_sentence_exists(command):
    parsed(command.words[1:], may_be_short=True)


def parsed(words, may_be_short=False):
    """Check that a command and its options exist; ``may_be_short``: arguments may be missing."""
    context = typer.main.get_command(app).make_context(
        "xcbench", list(words), resilient_parsing=True
    )
    rest = words
    while hasattr(context.command, "commands") and rest:
        name, *rest = rest
        if name.startswith("-"):
            return
        command = context.command.commands.get(name)
        assert command is not None, f"there is no command {name!r}"
        is_group = hasattr(command, "commands")
        is_lenient = is_group or (may_be_short and not rest)
        context = command.make_context(
            name, list(rest), parent=context, resilient_parsing=is_lenient
        )


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("xcbench env; time env/bin/pip install x", ["xcbench env", "pip install x"]),
        ("xcbench convert a --sep ';' | head -1  # it's", ["xcbench convert a --sep ';'"]),
        ("cd x && XCBENCH_DATA=d xcbench env", ["xcbench env"]),
        ("it's no command", []),
    ],
)
def test_the_commands_of_a_line_are_those_a_shell_would_call(line, commands):
    assert [shlex.join(words) for words in split_line(line)] == commands


def test_a_line_with_a_command_that_no_shell_can_read_is_a_mistake():
    with pytest.raises(ValueError, match="No closing quotation"):
        list(split_line("xcbench data convert --sep '"))


def test_the_table_of_commands_that_are_not_run_has_no_stale_entry():
    stale = [start for start in NOT_RUN if not any(text.startswith(start) for text in SHOWN)]
    assert stale == []


def test_targets_of_make_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {
        name for line in re.findall(r"^([a-z0-9 -]+):", makefile, re.M) for name in line.split()
    }
    asked = {
        word
        for command in COMMANDS
        if command.words[0] == "make"
        for word in command.words[1:]
        if "=" not in word
    }
    assert asked
    assert asked <= targets


def test_extras_of_pip_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    asked = {
        extra
        for text in texts
        for names in re.findall(r"pip install '(?:xcbench|\.)\[([a-z,-]+)\]'", text)
        for extra in names.split(",")
    }
    assert asked
    assert asked <= set(project["optional-dependencies"])
