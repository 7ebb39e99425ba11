"""The formats of a table, by name."""

from collections.abc import Callable, Mapping

from xcbench.report.document import Table
from xcbench.report.formats.latex import as_latex
from xcbench.report.formats.long_csv import as_csv
from xcbench.report.formats.markdown import as_markdown
from xcbench.report.formats.plain_html import as_html
from xcbench.report.formats.terminal import as_text

FORMATS: Mapping[str, Callable[[Table], str]] = {
    "terminal": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "html": as_html,
}

SUFFIXES: Mapping[str, str] = {
    ".txt": "terminal",
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".html": "html",
}
