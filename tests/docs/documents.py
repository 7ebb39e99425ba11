"""The documents a user reads, and the commands they show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer.main

from xcbench.cli.main import app

ROOT = Path(__file__).parents[2]
TOPICS = sorted((ROOT / "xcbench" / "cli" / "topics").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "data" / "README.md", *TOPICS]

_OTHER_LANGUAGES = ("yaml", "python", "json", "text")
_PROGRAMS = ("xcbench", "make", "pip", "python", "python3")
# In the middle of a sentence a command may leave out what it works on.
_INLINE = re.compile(r"`(xcbench [^`]+)`")
_ASSIGNMENT = re.compile(r"[A-Z_]+=")


@dataclass(frozen=True)
class Block:
    """A fenced block of a document: its language, and the heading that it stands under."""

    document: str
    line: int
    language: str
    heading: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}: {self.language}"


@dataclass(frozen=True)
class Command:
    """A command of a document: the program and its arguments, as a shell would pass them."""

    document: str
    line: int
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return shlex.join(self.words)

    def __str__(self) -> str:
        return f"{self.document}:{self.line}: {self.text}"


def name_of(page: Path) -> str:
    """README, data/README or the topic."""
    return str(page.relative_to(ROOT).with_suffix("")).removeprefix("xcbench/cli/")


def commands_of(page: Path) -> list[Command]:
    """The commands in indented and fenced blocks of a page, in their order."""
    return [
        Command(name_of(page), number, words)
        for number, line in block_lines(page.read_text(encoding="utf-8"))
        for words in split_line(line)
    ]


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page that are not of commands."""
    found, heading, opened = list[Block](), "", 0
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.startswith("```") and not opened:
            opened = number
        elif line.startswith("```"):
            language, text = lines[opened - 1][3:].strip(), "\n".join(lines[opened : number - 1])
            if language:
                found.append(Block(name_of(page), opened, language, heading, f"{text}\n"))
            opened = 0
        elif line.startswith("#") and not opened:
            heading = line.strip("# ")
    return found


def block_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of Markdown's blocks of commands with their numbers; continued ones whole."""
    fence: str | None = None
    started, parts = 0, list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("```"):
            fence = line[3:].strip() if fence is None else None
            continue
        is_code = line.startswith("    ") if fence is None else fence not in _OTHER_LANGUAGES
        if not is_code:
            continue
        started = started if parts else number
        parts.append(line.strip().removesuffix("\\"))
        if not line.endswith("\\"):
            yield started, " ".join(parts)
            parts = []


def split_line(line: str) -> Iterator[tuple[str, ...]]:
    """The programs of interest that a shell line calls, without the folder they are in.

    Raises
    ------
    ValueError
        A line that names xcbench is none that a shell could read.
    """
    try:
        commands = _in_shell(line)
    except ValueError as error:
        if "xcbench" in line:
            raise ValueError(f"{line!r}: {error}") from None
        return  # an apostrophe: not a command
    for words in commands:
        while words and (words[0] in ("time", "$") or _ASSIGNMENT.match(words[0])):
            words = words[1:]
        if words and words[0].rpartition("bin/")[2] in _PROGRAMS:
            yield (words[0].rpartition("bin/")[2], *words[1:])


def _in_shell(line: str) -> list[list[str]]:
    """The words of each command of a line: parted by ``;``, ``|``, ``&&`` and the like."""
    lexer = shlex.shlex(line, posix=False, punctuation_chars=";|&")  # which keeps the quotes
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    for word in lexer:
        if set(word) <= set(";|&"):
            commands.append([])
        else:
            commands[-1] += shlex.split(word)
    return commands


def inline_commands_of(page: Path) -> list[Command]:
    """The commands within sentences; of those that leave something out what they do say."""
    text = page.read_text(encoding="utf-8")
    return [
        Command(name_of(page), text.count("\n", 0, found.start()) + 1, words)
        for found in _INLINE.finditer(text)
        for words in split_line(found[1].replace("...", " "))
    ]


def examples() -> list[Command]:
    """What the help of every command gives as an example."""
    found = []
    for path, command in walk():
        name = " ".join(("help of", *path))
        epilog = str(command.epilog or "").partition(": ")[2]
        for line in re.split(r";\s+(?=xcbench )", epilog):
            found += [Command(name, 1, words) for words in split_line(line)]
    return found


def walk(
    path: tuple[str, ...] = (), command: object = None
) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every command with the words that call it, groups before what is in them."""
    command = command or typer.main.get_command(app)
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk((*path, name), inner)
