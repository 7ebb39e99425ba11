"""The tables of ``xcbench data info``: statistics beside what they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from xcbench.data.catalogue import CatalogueEntry
    from xcbench.data.synthesis.shape import SynthesisNote, SynthesisShape


def comparison_table(title: str, computed: dict[str, Any], entry: CatalogueEntry | None) -> Table:
    """What was counted in the files beside what is published.

    Parameters
    ----------
    computed : dict
        ``Statistics`` by name; empty if the files are not in place.
    """
    published = entry.model_dump() if entry else {}
    table = _table(title, "files", "published")
    for name in _names():
        ours, theirs = computed.get(name), published.get(name)
        if ours is not None or theirs is not None:
            table.add_row(name.replace("_", " "), _number(ours), _number(theirs))
    return table


def made_up_table(title: str, computed: dict[str, Any], note: SynthesisNote) -> Table:
    """What was counted in made-up files, what was asked for, and how far off it is."""
    from xcbench.data.catalogue import catalogue

    shape = note.shape
    entry = catalogue().get(shape.modelled_on) if shape.modelled_on else None
    published = _by_training(entry.model_dump(), entry.points_per_label) if entry else {}
    wanted = _expected(shape)
    of = [f"{shape.modelled_on}", f"x {shape.scale:g}"] if entry else ["asked for"]
    table = _table(title, "files", *of, "off by")
    for name in _names():
        beside = [_number(published.get(name))] if entry else []
        ours, theirs = computed[name], wanted.get(name)
        off = f"{100 * (ours / theirs - 1):+.1f} %" if theirs else ""
        table.add_row(name.replace("_", " "), _number(ours), *beside, _number(theirs), off)
    return table


def _expected(shape: SynthesisShape) -> dict[str, Any]:
    pairs = shape.n_train * shape.labels_per_point
    return {
        "n_train": shape.n_train,
        "n_test": shape.n_test,
        "n_features": shape.n_features,
        "n_labels": shape.n_labels,
        "features_per_point": shape.features_per_point,
        "labels_per_point": shape.labels_per_point,
        "points_per_label_train": pairs / shape.n_labels,
        "labels_without_training_rows": 0,
    }


def _by_training(published: dict[str, Any], points_per_label: float | None) -> dict[str, Any]:
    """Published figures; the larger datasets' points a label are those of the training rows."""
    counted = published["n_train"] * (published["labels_per_point"] or 0) / published["n_labels"]
    of_training = points_per_label is not None and abs(points_per_label / counted - 1) < 0.02
    moved = {"points_per_label": None, "points_per_label_train": points_per_label}
    return published | moved if of_training else published


def _names() -> list[str]:
    from dataclasses import fields

    from xcbench.data.statistics import Statistics

    return [field.name for field in fields(Statistics)]


def _table(title: str, *columns: str) -> Table:
    from rich.table import Table

    table = Table("statistic", title=title, title_justify="left")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
