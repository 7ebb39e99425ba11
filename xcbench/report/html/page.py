"""The report: one HTML file that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from xcbench.report.document import Table
from xcbench.report.html.markup import Markup, element, joined
from xcbench.report.html.runs import Run, run_list
from xcbench.report.html.sources import Sources
from xcbench.report.html.summary import distinct, summary
from xcbench.report.html.tables import (
    dataset_anchor,
    of_dataset,
    table_markup,
    task_table_markup,
)
from xcbench.report.task_table import TaskTable


@dataclass(frozen=True)
class Picture:
    """A figure of the page: what it shows in words, for those who cannot see it too, and as SVG."""

    name: str
    title: str
    caption: str
    alt: str
    svg: str


def page(
    tables: Sequence[Table],
    pictures: Sequence[Picture],
    runs: Sequence[Run],
    missing: Sequence[str] = (),
    others: Sequence[TaskTable] = (),
) -> str:
    """The whole page; equal results give equal bytes.

    Parameters
    ----------
    tables : sequence of Table
    pictures : sequence of Picture
    runs : sequence of mapping
        ``Result.mapping()`` of every run, at least one, done or not.
    missing : sequence of str
        What was asked for and could not be shown, and why.
    others : sequence of TaskTable
        Of the other tasks.
    """
    sources = Sources(run["run_id"] for run in runs)
    sections = [
        _section("summary", "Summary", summary(runs, missing)),
        *(_table(table, sources) for table in tables),
        *([_section("tasks", "Other tasks", *_task_tables(others, sources))] if others else []),
        *([_section("figures", "Figures", *map(_figure, pictures))] if pictures else []),
        _section("datasets", "Datasets", *_datasets(tables, runs, sources)),
    ]
    sections.append(_section("sources", "Sources of the numbers", sources.listed()))
    newest = max(run["utc"] for run in runs)
    body = [
        element("a", "Skip to the tables", href="#main", class_="skip"),
        element(
            "header",
            element("h1", "xcbench report"),
            _contents(tables, bool(others), bool(pictures)),
        ),
        element("main", *sections, id="main"),
        _panel(),
        element("footer", element("p", f"Made by xcbench report of results up to {newest}.")),
    ]
    return _document(body)


def _document(body: Iterable[Markup]) -> str:
    style, script = (
        Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))
        for name in ("page.css", "page.js")
    )
    policy = (
        f"default-src 'none'; img-src data:; style-src {_digest(style)}; "
        f"script-src {_digest(script)}; base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", "xcbench report"),
        element("style", style),
    )
    whole = element("html", head, element("body", *body, element("script", script)), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def _digest(text: str) -> str:
    """A content security policy's name of a text: it alone may style the page, or run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _section(name: str, title: str, *content: object) -> Markup:
    heading = element("h2", title, id=f"{name}-title")
    return element("section", heading, *content, id=name, aria_labelledby=f"{name}-title")


def _contents(tables: Sequence[Table], has_others: bool, has_figures: bool) -> Markup:
    entries = [("summary", "Summary")]
    entries += [(f"table-{table.name}", f"Table {table.name}") for table in tables]
    entries += [("tasks", "Other tasks")] if has_others else []
    entries += [("figures", "Figures")] if has_figures else []
    entries += [("datasets", "Datasets"), ("sources", "Sources")]
    links = (element("li", element("a", shown, href=f"#{name}")) for name, shown in entries)
    return element("nav", element("ul", *links), aria_label="Contents")


def _table(table: Table, sources: Sources) -> Markup:
    content = table_markup(table, sources, f"t{table.name}")
    return _section(f"table-{table.name}", table.title, content)


def _task_tables(tables: Sequence[TaskTable], sources: Sources) -> Iterable[Markup]:
    """Means over the seeds, with the reach of their 95 % intervals."""
    for number, table in enumerate(tables, 1):
        content = task_table_markup(table, sources, f"task-{number}")
        yield joined([element("h3", table.title), content])


def _figure(picture: Picture) -> Markup:
    data = base64.b64encode(picture.svg.encode()).decode()
    image = element("img", src=f"data:image/svg+xml;base64,{data}", alt=picture.alt)
    caption = joined([element("b", picture.title, "."), " ", picture.caption])
    return element(
        "figure",
        element("div", image, tabindex=0, role="region", aria_label=picture.title),
        element("figcaption", caption),
        id=f"figure-{picture.name}",
    )


def _datasets(tables: Sequence[Table], runs: Sequence[Run], sources: Sources) -> Iterable[Markup]:
    for name in distinct(run["dataset"] for run in runs):
        own = [run for run in runs if run["dataset"] == name]
        identity = dataset_anchor(name)
        parts = [element("h3", name, id=f"{identity}-title")]
        for table in tables:
            part = of_dataset(table, name)
            if part is not None:
                content = table_markup(part, sources, f"{identity}-t{table.name}", tools=False)
                parts += [element("h4", table.title), content]
        parts += [element("h4", f"Runs ({len(own)})"), run_list(own)]
        yield element("section", *parts, id=identity, aria_labelledby=f"{identity}-title")


def _panel() -> Markup:
    """Where a number that was pressed says where it comes from; the script fills it."""
    close = element("button", "Close", type="button")
    head = element("div", element("h2", id="panel-title", tabindex=-1), close, class_="panel-head")
    content = element("div", class_="panel-content")
    return element("dialog", head, content, id="panel", aria_labelledby="panel-title")
