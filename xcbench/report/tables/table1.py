"""Table 1: the datasets, counted in their files beside what is published."""

from __future__ import annotations

from collections.abc import Mapping

from xcbench.data.catalogue import catalogue
from xcbench.data.statistics import Statistics
from xcbench.report.document import Block, Cell, Column, Line, Table
from xcbench.report.published import Published, one_source, published_statistics

_COLUMNS = (
    Column("n_train", "n train"),
    Column("n_test", "n test"),
    Column("n_features", "d"),
    Column("n_labels", "L"),
    Column("points_per_label", "points/label"),
    Column("points_per_label_train", "in training"),
    Column("labels_per_point", "labels/point"),
    Column("features_per_point", "features/point"),
)
_PUBLISHED = {
    "n_train": "n_train",
    "n_test": "n_test",
    "d": "n_features",
    "L": "n_labels",
    "avg_points_per_label": "points_per_label",
    "avg_labels_per_point": "labels_per_point",
    "avg_nonzero_features": "features_per_point",
}
_NOTES = (
    "Counted in the files of split 1; published numbers name their source, and datasets without "
    "a published line are not of the benchmark's Table 1.",
    "points/label: over training and test rows, as the XC repository counts for the small sets and "
    "EURLex-4K; for the larger ones it counts training rows. features/point: stored features of a "
    "training row.",
)


def table1(found: Mapping[str, Statistics]) -> Table:
    """Statistics of the datasets.

    Parameters
    ----------
    found : mapping of str to Statistics
        By name of the dataset, as in a config.
    """
    published: dict[str, list[Published]] = {}
    for number in published_statistics():
        if number.metric in _PUBLISHED:
            published.setdefault(number.dataset, []).append(number)
    lines: list[Line] = []
    for name, counted in found.items():
        lines.append(_counted_line(name, counted))
        entry = catalogue().get(name)
        if entry and entry.title in published:
            lines.append(_published_line(name, entry.title, published[entry.title]))
    block = Block("", tuple(lines))
    return Table("1", "Table 1: datasets", _COLUMNS, (block,), _NOTES)


def _counted_line(name: str, counted: Statistics) -> Line:
    values = {column.key: getattr(counted, column.key) for column in _COLUMNS}
    cells = {
        key: Cell(f"{value:.2f}" if isinstance(value, float) else str(value), float(value))
        for key, value in values.items()
    }
    return Line(name, "data", "counted in its files", cells, name)


def _published_line(name: str, title: str, numbers: list[Published]) -> Line:
    cells = {
        _PUBLISHED[number.metric]: Cell(number.text, number.value, source=number.source)
        for number in numbers
    }
    return Line(f"{title}, published", "published", one_source(numbers), cells, name)
