"""Made-up result rows for figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Row = dict[str, Any]


def made_row(method: str, value: float, dataset: str = "bibtex", **changes: Any) -> Row:
    """A finished run as ``flat(result.config) | result.row()`` states it, in part."""
    row = {
        "run_id": f"{dataset}/{method}", "utc": "2026-01-01T00:00:00+00:00", "status": "done",
        "method": method, "method.label": method, "preset": "rxml", "dataset": dataset,
        "dataset.name": dataset, "seed": 0, "split": 1, "P@1": value, "train_s": 1.0,
        "n_test": 2500, "data_sha256": "d", "cpu": "a processor", "cores": 2, "jobs": 2,
        "threads_per_job": 1,
    }  # fmt: skip
    return row | changes


def made_costs() -> list[Row]:
    """A measurement of all solvers, as ``read_costs`` gives it."""
    return [
        {
            "dataset": "bibtex", "split": "1", "solver": solver, "seed": "0", "points": "10",
            "rank": "2", "pairs": "40", "threads": "1", "cpu": "a processor", "iteration": str(i),
            "seconds": 0.1 * i, "squared_cost": 10.0 ** -i, "absolute_cost": 2.0 ** -i,
        }
        for solver in ("rcg-spectral", "rcg-random", "svp", "madmm")
        for i in range(12)
    ]  # fmt: skip


@pytest.fixture(scope="session")
def sweep() -> Callable[..., list[Row]]:
    """Runs of a sweep: ``{value of the key: [P@1 from seed 0, from seed 1, ...]}``."""

    def rows(label: str, key: str, values: dict[int, list[float]], **changes: Any) -> list[Row]:
        return [
            made_row(f"{label}-{key}{x}", value, **{f"method.{key}": x, "seed": seed}, **changes)
            for x, found in values.items()
            for seed, value in enumerate(found)
        ]

    return rows
