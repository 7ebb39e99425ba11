"""Where the numbers of the page come from: each distinct source once, for numbers to point at."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xcbench.report.html.markup import Markup, anchor, element, escaped, joined, linked


class Sources:
    """The sources met so far, in their order; run ids in them are links to the runs.

    Parameters
    ----------
    run_ids : iterable of str
        The runs that the page describes.
    """

    def __init__(self, run_ids: Iterable[str]) -> None:
        longest_first = sorted(run_ids, key=len, reverse=True)
        self._runs = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        self._numbers: dict[str, int] = {}

    def link(self, source: str, shown: object) -> Markup:
        """What is shown, as a link to where it comes from; unlinked when nobody says where."""
        if not source:
            return escaped(shown)
        number = self._numbers.setdefault(source, len(self._numbers) + 1)
        return element("a", shown, href=f"#source-{number}", class_="n")

    def listed(self) -> Markup:
        """Every source that was linked to."""
        items = (
            element("li", self._entry(source), id=f"source-{number}")
            for source, number in self._numbers.items()
        )
        return element("ol", *items, class_="sources")

    def _entry(self, source: str) -> Markup:
        count = len(self._runs.findall(source))
        if not count:
            return linked(source)
        parts: list[object] = []
        end = 0
        for found in self._runs.finditer(source):
            link = element("a", found[0], href=f"#{anchor(found[0])}", class_="run-link")
            parts += [linked(source[end : found.start()]), link]
            end = found.end()
        runs = "Measured in one run: " if count == 1 else f"Measured in {count} runs: "
        return joined([runs, *parts, linked(source[end:])])
