"""The top of the page: what was measured, where and when, with what, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xcbench.report.html.markup import (
    Markup,
    anchor,
    definitions,
    element,
    joined,
    lines,
    with_code,
)
from xcbench.report.html.runs import Run, commit, machine
from xcbench.report.html.tables import dataset_anchor


def summary(runs: Sequence[Run], missing: Sequence[str]) -> Markup:
    """Counts, hosts, dates and versions of the runs, and what the page has to do without."""
    states = Counter(run["status"] for run in runs)
    counts = ", ".join(
        f"{states[status]} {status}"
        for status in ("done", "failed", "interrupted")
        if states[status]
    )
    days = sorted(run["utc"][:10] for run in runs)
    between = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    links = (
        element("a", name, href=f"#{dataset_anchor(name)}")
        for name in distinct(run["dataset"] for run in runs)
    )
    facts = definitions(
        [
            ("runs", counts),
            ("datasets", joined(links, ", ")),
            ("measured", between),
            ("machine", lines(distinct(machine(run) for run in runs))),
            ("xcbench", lines(distinct(_version(run) for run in runs))),
        ],
        class_="summary",
    )
    return joined([facts, _unfinished(runs), _missing(missing)])


def distinct(values: Iterable[str]) -> list[str]:
    """Values without repeats and without "", in the order of the alphabet."""
    return sorted({value for value in values if value})


def _version(run: Run) -> str:
    number, of = run["provenance"].get("xcbench", ""), commit(run)
    return f"{number}, commit {of}" if of else number


def _unfinished(runs: Sequence[Run]) -> Markup:
    items = [
        [element("a", run["run_id"], href=f"#{anchor(run['run_id'])}"), f" {run['status']}"]
        for run in runs
        if run["status"] != "done"
    ]
    return _list("Without a result", items, is_open=True)


def _missing(missing: Sequence[str]) -> Markup:
    return _list("Not on this page", [[with_code(what)] for what in missing], is_open=False)


def _list(title: str, items: Sequence[Sequence[object]], is_open: bool) -> Markup:
    if not items:
        return Markup()
    head = element("summary", f"{title} ({len(items)})")
    return element(
        "details",
        head,
        element("ul", *(element("li", *item) for item in items)),
        open=is_open,
        class_="missing",
    )
