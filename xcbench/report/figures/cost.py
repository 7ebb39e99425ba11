"""Cost on Omega against wall time, solver by solver, from measurements kept as CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xcbench.errors import DataError
from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Missing
from xcbench.report.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    VERMILLION,
    Look,
    lettered,
    panels,
    settle,
    styled,
)

# What a measurement states: what was solved and where, then each iterate.
COLUMNS = (
    "dataset", "split", "solver", "seed", "points", "rank", "pairs", "threads", "cpu",
    "iteration", "seconds", "squared_cost", "absolute_cost",
)  # fmt: skip
SOLVERS = {
    "rcg-spectral": ("RCG, spectral start (ours)", Look(BLUE, "s", "-")),
    "rcg-random": ("RCG, random start (paper)", Look(VERMILLION, "o", "--", filled=False)),
    "svp": ("SVP (SLEEC)", Look(GREEN, "^", "-.")),
    "madmm": ("MADMM, absolute errors", Look(BLACK, "D", ":", filled=False)),
}
_COSTS = {"squared_cost": "squared errors", "absolute_cost": "absolute errors"}
_MARKED = 9  # markers a line
_NUMBERS = ("seconds", "squared_cost", "absolute_cost")
_COUNTS = ("split", "seed", "points", "rank", "pairs")

Costs = Sequence[Mapping[str, Any]]


def read_costs(path: Path) -> list[dict[str, Any]]:
    """Rows of a measurement (``COLUMNS``); none where there is no such file.

    Raises
    ------
    DataError
        The file is not one that ``xcbench figure cost`` wrote.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [
                row | {key: float(row[key]) for key in _NUMBERS} for row in csv.DictReader(file)
            ]
        if not rows or not set(COLUMNS) <= rows[0].keys():
            raise ValueError(f"expected rows with the columns {', '.join(COLUMNS)}")
        for row in rows:
            if row["solver"] not in SOLVERS or any(int(row[key]) < 0 for key in _COUNTS):
                raise ValueError(f"found the row {', '.join(str(row[key]) for key in COLUMNS)}")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise DataError(f"{path}: no measurement of costs ({error})") from None
    return rows


def figure_cost(costs: Costs) -> Drawing | None:
    """Squared and absolute errors on Omega against seconds, by solver; None without rows.

    ``costs`` as ``read_costs`` gives them.
    """
    if not costs:
        return None
    solvers = {
        name: rows for name in SOLVERS if (rows := [r for r in costs if r["solver"] == name])
    }
    with styled():
        figure, axes = panels(1, len(_COSTS), height=2.9)
        for number, (axis, (key, title)) in enumerate(zip(axes, _COSTS.items(), strict=True)):
            for name, rows in solvers.items():
                text, look = SOLVERS[name]
                timed = [row for row in rows if row[key] > 0]
                axis.plot(
                    [row["seconds"] for row in timed], [row[key] for row in timed], label=text,
                    markevery=max(1, len(timed) // _MARKED), **look.line(),
                )  # fmt: skip
            axis.set_yscale("log")
            axis.set_xlim(left=0)
            axis.set_xlabel("wall time (s)")
            axis.set_ylabel(f"weighted sum of {title} on Ω")
            lettered(axis, number, title)
        handles, texts = axes[0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="outside upper center", ncols=4, columnspacing=1.2)
        settle(figure)
    title = "Cost on the known pairs against time"
    return Drawing("cost", title, _caption(costs[0]), _described(solvers), figure)


def missing_cost(costs: Costs, damage: str = "") -> list[Missing]:
    """What the figure lacks; ``damage`` is what is wrong with the measurement that is there."""
    command = "xcbench figure cost --config configs/bibtex.yaml"
    if damage:
        return [Missing(damage, f"{command} --force")]
    return [] if costs else [Missing("no measured costs of the solvers", command)]


def _caption(row: Mapping[str, Any]) -> str:
    threads = "one thread" if str(row["threads"]) == "1" else f"{row['threads']} threads"
    return (
        "Errors of the completed similarities on Omega against wall time, pair by pair weighted by "
        "how often it stands in Omega; each solver minimises the squared errors but MADMM, which "
        "minimises the absolute ones. Time includes the start and leaves out the evaluation of the "
        f"costs. {row['dataset']}, training rows of split {row['split']}: {row['points']} points, "
        f"{int(row['pairs']):,} pairs, rank {row['rank']}; one run a solver, seed {row['seed']}, "
        f"{threads} of {row['cpu']}. A lower cost is no higher precision: see Figure 1."
    )


def _described(solvers: Mapping[str, Costs]) -> str:
    parts = [
        f"{SOLVERS[name][0]}: squared errors {rows[-1]['squared_cost']:.3g}, absolute "
        f"{rows[-1]['absolute_cost']:.3g} after {rows[-1]['seconds']:.2f} s"
        for name, rows in solvers.items()
    ]
    return f"Cost against wall time on log scales. {'; '.join(parts)}."
