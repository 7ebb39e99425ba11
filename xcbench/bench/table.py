"""The rows of ``xcbench bench`` as a terminal table and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from xcbench.bench.machine import Machine
from xcbench.bench.timing import Row

WIDTH = 200  # of output that is no terminal


def print_rows(rows: Sequence[Row], machine: Machine) -> None:
    """Print every comparison, and the machine's own rates they are held against."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("stage", "work"):
        table.add_column(name)
    table.add_column("ours", justify="right")
    table.add_column("peer")
    for name in ("peer's", "ratio"):
        table.add_column(name, justify="right")
    table.add_column("rate")
    for row in rows:
        theirs = "" if row.theirs is None else _time(row.theirs)
        ratio = "" if row.ratio is None else f"{row.ratio:.1f}x"
        table.add_row(row.stage, row.work, _time(row.ours), row.peer, theirs, ratio, row.rate)
    console.print(table)
    console.print(
        f"one thread; this machine: float32 GEMM {machine.gemm / 1e9:.0f} Gflop/s, "
        f"copy {machine.memory / 1e9:.1f} GB/s read and written",
        highlight=False,
    )


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write the rows; seconds, and the ratio peer / ours."""
    frame = pd.DataFrame([vars(row) | {"ratio": row.ratio} for row in rows])
    frame.to_csv(path, index=False)


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
