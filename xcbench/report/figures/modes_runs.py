"""The runs of compressed modes that figures draw, in groups that compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xcbench.report.figures.rows import Arrays
from xcbench.report.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    Look,
)
from xcbench.report.rows import Row

KIND = "compressed_modes"
MADMM = "modes_madmm"
PRECONDITIONED = "modes_madmm preconditioned"
METHODS = {
    PRECONDITIONED: ("preconditioned MADMM", Look(BLUE, "o", "-")),
    MADMM: ("MADMM", Look(ORANGE, "D", ":")),
    "modes_soc": ("SOC (Lai and Osher)", Look(VERMILLION, "s", "--")),
    "modes_neumann": ("Neumann et al.", Look(GREEN, "^", "-.")),
}
COLOURS = (BLUE, ORANGE, GREEN, VERMILLION, SKY, PURPLE, BLACK)
_PROBLEM = ("task.modes", "task.mu", "dataset.measure")


@dataclass(frozen=True)
class Run:
    """A finished run and what it left."""

    row: Row
    arrays: Mapping[str, np.ndarray]

    @property
    def dataset(self) -> str:
        return str(self.row["dataset"])

    @property
    def is_line(self) -> bool:
        return is_line(self.row)

    @property
    def cost(self) -> float:
        return float(self.row["cost"])

    @property
    def seed(self) -> int:
        return int(self.row["seed"])

    @property
    def model(self) -> str:
        return str(self.row["method.model"])

    @property
    def method(self) -> str:
        """Key of METHODS."""
        return PRECONDITIONED if self.steps[0].startswith("preconditioned") else self.model

    @property
    def name(self) -> str:
        """Of its method, for a reader."""
        return METHODS[self.method][0]

    @property
    def steps(self) -> tuple[str, int]:
        """Solver and iterations of MADMM's X-step; of other methods nothing."""
        return steps_of(self.row) if self.model == MADMM else ("", 0)

    @property
    def problem(self) -> tuple[float, ...]:
        """Modes, mu and measure; with the dataset this is what was minimised."""
        return tuple(float(self.row[key]) for key in _PROBLEM)


def finished(rows: Sequence[Row]) -> list[Row]:
    """Finished runs of the task."""
    return [row for row in rows if row.get("task.kind") == KIND and row["status"] == "done"]


def runs_of(rows: Sequence[Row], arrays: Arrays) -> list[Run]:
    """Finished runs whose arrays are there, in order; of equal ones the newest."""
    newest: dict[tuple[str, ...], Row] = {}
    for row in sorted(finished(rows), key=lambda row: str(row["utc"])):
        keys = ("dataset", "method", *_PROBLEM)
        newest[(*(str(row[key]) for key in keys), f"{int(row['seed']):09d}")] = row
    return [
        Run(newest[key], left)
        for key in sorted(newest)
        if (left := arrays(str(newest[key]["run_id"]))) is not None
    ]


def same_cost(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs in groups that minimise one cost: the same dataset and problem."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.dataset, run.problem), []).append(run)
    return list(groups.values())


def same_method(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs in groups of one method's label."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(str(run.row["method"]), []).append(run)
    return list(groups.values())


def best_of(runs: Sequence[Run]) -> Run:
    """The run of lowest cost."""
    return min(runs, key=lambda run: run.cost)


def is_line(row: Row) -> bool:
    """Whether a run is on a line, not on a mesh."""
    return row.get("dataset.line") not in (None, "")


def steps_of(row: Row) -> tuple[str, int]:
    """Solver and iterations of the X-step of a run of MADMM."""
    return str(row["method.solver"]), int(row["method.inner_iterations"])


def worded(run: Run) -> str:
    """What a run came to, in a sentence's part."""
    row = run.row
    return (
        f"{row['task.modes']} modes on {run.dataset}, mu {row['task.mu']:g}, {run.name} from seed "
        f"{run.seed}: cost {run.cost:.4g}, {float(row['sparsity']):.1f} % of the entries zero"
    )
