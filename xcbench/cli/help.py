"""``xcbench help``: pages on what one command's ``--help`` is too small for."""

from __future__ import annotations

import re
from importlib import resources
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import Markdown

_WIDTH = 100
_UNBROKEN = 26  # names in the first column of a table up to this length stay on one line


def help_(
    context: typer.Context,
    topic: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOPIC]",
            help="A topic, or a command such as data check.",
            autocompletion=lambda incomplete: [p for p in _pages() if p.startswith(incomplete)],
        ),
    ] = None,
) -> None:
    """Print a page of help, or list the pages.

    The name of a command, where it is no topic, prints that command's own help. Exit codes: 0, or 2
    for what is neither.
    """
    pages = _pages()
    if not topic:
        _list(pages)
        return
    name = " ".join(topic)
    root: Any = context.find_root()
    if name in pages:
        _print_page(_with_keys(pages[name].read_text(encoding="utf-8")))
        if _help_of_command(root, topic):
            typer.echo(f"\nThe options of the command: xcbench {name} --help")
    elif text := _help_of_command(root, topic):
        typer.echo(text)
    else:
        from xcbench.config.problems import suggestion

        hint = suggestion(name, [*pages, *root.command.commands])
        raise ConfigError(
            f"help {name}: no such topic or command{hint}; `xcbench help` lists the topics"
        )


def _pages() -> dict[str, Traversable]:
    folder = resources.files("xcbench.cli") / "topics"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return {file.name.removesuffix(".md"): file for file in files if file.name.endswith(".md")}


def _list(pages: dict[str, Traversable]) -> None:
    """Each topic with the title of its page, the first line."""
    typer.echo("Topics (xcbench help TOPIC):\n")
    for name, page in pages.items():
        title = page.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")
        typer.echo(f"  {name:<12}  {title}")
    typer.echo("\nA command's options and an example: xcbench help run, or xcbench run --help")


def _with_keys(text: str) -> str:
    """A page with the tables that are made from the schema of configs in their places."""
    if "<!-- keys" not in text:
        return text
    from xcbench.cli.keys import config_keys, task_keys

    tables = {"<!-- keys of configs -->": config_keys, "<!-- keys of other tasks -->": task_keys}
    for place, make in tables.items():
        text = text.replace(place, make()) if place in text else text
    return text


def _help_of_command(root: Any, words: list[str]) -> str | None:
    """The help of a command named by its words; None where there is none."""
    context = root
    for word in words:
        command = getattr(context.command, "commands", {}).get(word)
        if command is None:
            return None
        context = command.make_context(word, [], parent=context, resilient_parsing=True)
    return str(context.get_help())


def _print_page(text: str) -> None:
    """Print Markdown: prose and tables in the terminal's width, at most 100 columns."""
    from rich.console import Console

    console = Console(highlight=False)
    # A pipe has no width of its own.
    console.width = min(console.width, _WIDTH) if console.is_terminal else _WIDTH
    with console.capture() as capture:
        console.print(_page(text, is_plain=console.color_system is None), crop=False)
    lines = "\n".join(line.rstrip() for line in capture.get().splitlines())
    typer.echo(re.sub("\n{3,}", "\n\n", lines).strip("\n"))


def _page(text: str, is_plain: bool) -> Markdown:
    """Markdown with headings at the left, code as it is, and nothing cut off in tables.

    ``is_plain``: no colour tells code from prose, so its quotes stay.
    """
    from rich.markdown import CodeBlock, Heading, Markdown, TableElement
    from rich.table import Table
    from rich.text import Text

    class PlainHeading(Heading):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            self.text.stylize("bold")
            yield self.text

    class PlainCode(CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            code = indent(str(self.text).rstrip(), " " * 4)
            yield Text(code, no_wrap=True, overflow="ignore")

    class WholeTable(TableElement):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for table in super().__rich_console__(console, options):
                if isinstance(table, Table):
                    names = table.columns[0]
                    longest = max(len(str(cell)) for cell in (names.header, *names.cells))
                    names.no_wrap = longest <= _UNBROKEN
                    for column in table.columns:
                        column.overflow = "fold"
                yield table

    class Page(Markdown):
        elements = Markdown.elements | {
            "heading_open": PlainHeading,
            "fence": PlainCode,
            "code_block": PlainCode,
            "table_open": WholeTable,
        }

    page = Page(text)
    if is_plain:
        in_table = False  # whose columns are narrow, and whose names speak for themselves
        for token in page.parsed:
            in_table = in_table if "table" not in token.type else token.type == "table_open"
            for child in [] if in_table else token.children or []:
                if child.type == "code_inline":
                    child.content = f"`{child.content}`"
    return page
