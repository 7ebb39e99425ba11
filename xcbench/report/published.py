"""The published numbers, each with where it was read: ``results/published/*.csv``."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from xcbench.data.catalogue import catalogue
from xcbench.errors import XCBenchError

# Later versions of the page lost methods and changed rows, so the old one is followed, and the
# current one for the methods it does not have.
REPOSITORY = "XC repository page, git be5ad35 (2020-07-20)"
REPOSITORY_NOW = "XC repository page, git 42ba4db (2024-08-24, current)"
SLEEC_PAPER = "SLEEC paper (pubs/bhatia15.pdf)"

COSTS = ("train_time_h", "test_time_ms_per_point", "model_size_GB")

# A wheel has the files inside the package, a checkout beside it.
_PLACES = (
    Path(__file__).parent.parent / "published",
    Path(__file__).parent.parent.parent / "results" / "published",
)
_TABLE = re.compile(r"^(.*), Table (\d+.*)$")
_HARDWARE = "; "  # after the table in a source that names it


@dataclass(frozen=True)
class Published:
    """One number as it is printed.

    Attributes
    ----------
    dataset, method, metric : str
        The dataset's title in the catalogue. Of a statistic of a dataset, the method is "".
    text : str
        The digits of the file.
    source : str
    """

    dataset: str
    method: str
    metric: str
    text: str
    source: str

    @property
    def value(self) -> float:
        return float(self.text)

    @property
    def hardware(self) -> str:
        """What costs were measured on, where the source names it; else ""."""
        return self.source.partition(_HARDWARE)[2]


# Methods, each with its numbers by metric.
Numbers = dict[str, dict[str, Published]]


@cache
def published_results() -> tuple[Published, ...]:
    """Every row of ``results.csv``.

    Raises
    ------
    XCBenchError
        The file is missing, or a row has no number or no source.
    """
    return tuple(_read("results.csv", "metric"))


@cache
def published_statistics() -> tuple[Published, ...]:
    """Every row of ``datasets.csv``; see ``published_results``."""
    return tuple(_read("datasets.csv", "statistic"))


def repository_numbers(title: str) -> Numbers:
    """What the XC repository's page lists for a dataset (its title)."""
    rows = [number for number in published_results() if number.dataset == title]
    old = _by_method(number for number in rows if number.source.startswith(REPOSITORY))
    now = _by_method(number for number in rows if number.source == REPOSITORY_NOW)
    return old | {method: numbers for method, numbers in now.items() if method not in old}


def published_sleec(metric: str) -> dict[str, float]:
    """A metric of SLEEC on the XC repository's page, by the catalogue's names."""
    numbers = {
        name: repository_numbers(entry.title).get("SLEEC", {})
        for name, entry in catalogue().items()
    }
    return {name: found[metric].value for name, found in numbers.items() if metric in found}


def ten_split_numbers(title: str) -> Numbers:
    """Means over ten random splits in SLEEC's paper, "P@1_std" the standard deviation of "P@1".

    Its nDCG is in another table, for the same datasets.
    """
    rows = [n for n in published_results() if n.dataset == title]
    means = [n for n in rows if n.source.startswith(f"{SLEEC_PAPER}, Table 3 ")]
    if not means:
        return {}
    return _by_method([*means, *(n for n in rows if n.source == f"{SLEEC_PAPER}, Table 6")])


def published_costs(title: str) -> dict[tuple[str, str], dict[str, Published]]:
    """Times and sizes of a dataset's methods: by method and source, then by metric."""
    found: dict[tuple[str, str], dict[str, Published]] = {}
    for number in published_results():
        if number.dataset == title and number.metric in COSTS:
            found.setdefault((number.method, number.source), {})[number.metric] = number
    return found


def one_source(numbers: Iterable[Published]) -> str:
    """The sources of some numbers as one text; the tables of one publication are gathered."""
    tables: dict[str, list[str]] = {}
    for source in dict.fromkeys(number.source for number in numbers):
        found = _TABLE.match(source)
        publication, table = (found[1], found[2]) if found else (source, "")
        tables.setdefault(publication, []).append(table)
    return "; ".join(_cited(name, [t for t in found if t]) for name, found in tables.items())


def _cited(publication: str, tables: list[str]) -> str:
    if not tables:
        return publication
    word = "Table" if len(tables) == 1 else "Tables"
    return f"{publication}, {word} {', '.join(sorted(tables))}"


def _by_method(numbers: Iterable[Published]) -> Numbers:
    found: Numbers = {}
    for number in numbers:
        found.setdefault(number.method, {})[number.metric] = number
    return found


def _read(name: str, key: str) -> Iterator[Published]:
    path = next((place / name for place in _PLACES if (place / name).is_file()), None)
    if path is None:
        raise XCBenchError(f"the published numbers are missing: looked for {name} in {_PLACES[1]}")
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            number = Published(
                row["dataset"], row.get("method", ""), row[key], row["value"], row["source"]
            )
            if not number.source.strip() or not re.fullmatch(r"-?\d+(\.\d+)?", number.text):
                raise XCBenchError(f"{path}: a row without a number or a source: {row}")
            yield number
