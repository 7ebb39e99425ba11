"""P@1 against the share of corrupted training rows, with squared and with absolute errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Arrays, Missing, gathered, seeds_of, spread
from xcbench.report.figures.style import (
    BLUE,
    VERMILLION,
    Look,
    lettered,
    panels,
    settle,
    styled,
)
from xcbench.report.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARE = "dataset.corrupted.rows"
_DAMAGE = "dataset.corrupted."
_L2, _L1 = Look(VERMILLION, "o", "--", filled=False), Look(BLUE, "s", "-")
# Label of the method and how it looks; panel by panel.
PANELS = {
    "inner products": {"inner-l2": _L2, "inner-l1": _L1},
    "cosines": {"cosine-l2": _L2, "cosine-l1": _L1},
}
LABELS = tuple(label for lines in PANELS.values() for label in lines)
_ERRORS = {
    "riemannian_cg": "squared errors by conjugate gradients",
    "madmm_l1": "absolute errors by MADMM",
}


@dataclass(frozen=True)
class _Line:
    """A method of one config on one dataset: its runs, and P@1 by share, ascending."""

    runs: tuple[Row, ...]
    points: dict[float, list[float]]

    @property
    def errors(self) -> str:
        """What its completion minimises, and by what."""
        kind = str(self.runs[0]["method.completion.kind"])
        return _ERRORS.get(kind, kind.replace("_", " "))


def figure_robustness(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """P@1 against the share of corrupted label rows; None without runs of configs/robust.yaml.

    One dataset, split and way of damage is drawn, that of the most runs, and one config of each
    method, that of the most shares; of equals the newest.
    """
    found = _lines(rows)
    if not found:
        return None
    with styled():
        figure, axes = panels(1, len(PANELS), height=2.6, sharey=True)
        for number, (axis, (title, looks)) in enumerate(zip(axes, PANELS.items(), strict=True)):
            for label in looks:
                if label in found:
                    _draw(axis, found[label], looks[label])
            axis.set_xlabel("corrupted training rows (%)")
            lettered(axis, number, f"similarities are {title}")
            if axis.lines:
                axis.legend(loc="lower left")
        axes[0].set_ylabel("P@1 (%)")
        settle(figure)
    title = "Precision with corrupted labels"
    return Drawing("robustness", title, _caption(found), _described(found), figure)


def missing_robustness(rows: Sequence[Row]) -> list[Missing]:
    """The command, where there are no runs with corrupted labels."""
    command = "xcbench run configs/robust.yaml"
    return [] if _lines(rows) else [Missing("no runs with corrupted labels", command)]


def _draw(axis: Axes, line: _Line, look: Look) -> None:
    x, values = list(line.points), list(line.points.values())
    axis.plot(x, [fmean(at) for at in values], label=line.errors.split(" by ")[0], **look.line())
    low, high = ([fmean(at) + sign * spread(at) for at in values] for sign in (-1, 1))
    axis.fill_between(x, low, high, color=look.colour, alpha=0.15, linewidth=0)


def _lines(rows: Sequence[Row]) -> dict[str, _Line]:
    """The line of each label, of runs that are of one experiment."""
    done = [row for row in rows if row["method"] in LABELS and row["status"] == "done"]
    damaged = _largest([row for row in done if SHARE in row], _experiment, _method_and_point)
    if not damaged:
        return {}
    of = damaged[0]
    clean = [row for row in done if SHARE not in row and _data(row) == _data(of)]
    lines = {}
    for label in LABELS:
        own = [row for row in (*clean, *damaged) if row["method"] == label]
        kept = _largest(own, _method, _share)
        newest = {_point(row): row for row in sorted(kept, key=_age)}
        if newest:
            runs = tuple(newest[point] for point in sorted(newest))
            lines[label] = _Line(runs, gathered(runs, _share, "P@1"))
    return lines


def _largest(
    rows: Sequence[Row], group: Callable[[Row], Any], point: Callable[[Row], Any]
) -> list[Row]:
    """Of rows in groups, the group that has the most points; of equals the newest."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(group(row), []).append(row)

    def rank(own: list[Row]) -> tuple[int, str]:
        return len(set(map(point, own))), max(map(_age, own))

    return max(groups.values(), key=rank, default=[])


def _data(row: Row) -> Any:
    """The split and the dataset's settings but for the damage."""
    return row["split"], _told(row, "dataset.", _DAMAGE)


def _experiment(row: Row) -> Any:
    return _data(row), _told(row, _DAMAGE, SHARE)


def _method(row: Row) -> Any:
    return _told(row, "method.")


def _told(row: Row, prefix: str, but: str = "\0") -> tuple[tuple[str, str], ...]:
    """Settings that begin with a prefix, without those that begin with another; comparable."""
    keys = sorted(key for key in row if key.startswith(prefix) and not key.startswith(but))
    return tuple((key, repr(row[key])) for key in keys)


def _share(row: Row) -> float:
    return float(row.get(SHARE, 0))


def _point(row: Row) -> tuple[float, int]:
    return _share(row), int(row["seed"])


def _method_and_point(row: Row) -> Any:
    return row["method"], _point(row)


def _age(row: Row) -> str:
    return str(row["utc"])


def _caption(found: dict[str, _Line]) -> str:
    runs = [run for line in found.values() for run in line.runs]
    damaged = next(run for run in runs if SHARE in run)
    name = damaged.get("dataset.name") or damaged["dataset"]
    methods = "; ".join(
        f"{label}: rank {line.runs[0]['method.rank']}, {line.errors}{_rho(line.runs[0])}, "
        f"{line.runs[0]['method.completion.iterations']} iterations"
        for label, line in found.items()
    )
    return (
        "P@1 on clean test rows when a share of the training rows has random labels instead of its "
        f"own ({damaged['dataset.corrupted.labels']} each, drawn from seed "
        f"{damaged['dataset.corrupted.seed']}, the same for all), for local embeddings whose "
        f"similarities are completed by {methods}. Lines are means, bands standard deviations over "
        f"seeds of the method. {name}, split {damaged['split']}, "
        f"{seeds_of(runs)}{_uneven(found)}, {len(runs)} runs."
    )


def _rho(run: Row) -> str:
    is_split = run["method.completion.kind"] == "madmm_l1"
    return f" with rho {run['method.completion.rho']:g}" if is_split else ""


def _uneven(found: dict[str, _Line]) -> str:
    """How many seeds a point has, where not all have as many."""
    counts = {len(values) for line in found.values() for values in line.points.values()}
    return "" if len(counts) == 1 else f" ({min(counts)} to {max(counts)} a point)"


def _described(found: dict[str, _Line]) -> str:
    parts = [
        f"{label}: "
        + ", ".join(f"{fmean(values):.1f} at {share:g} %" for share, values in line.points.items())
        for label, line in found.items()
    ]
    return f"P@1 against the share of corrupted training rows. {'; '.join(parts)}."
