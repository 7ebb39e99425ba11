"""The measurements as tables of the report, which has the formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from xcbench.bench.machine import Machine
from xcbench.bench.scaling.child import CLUSTER_STAGES
from xcbench.bench.scaling.fit import fit_power
from xcbench.bench.scaling.measure import Measurement, Scaling
from xcbench.bench.scaling.plan import OURS, PEERS, Axis, cores, spoken
from xcbench.bench.scaling.rates import FORMULAS
from xcbench.bench.scaling.rows import (
    STAGES,
    along,
    beyond_base,
    seconds,
    size,
    task_seconds,
)
from xcbench.report.document import Block, Cell, Column, Line, Table

_MAPPED = ("prepare", "partition", "clusters", "predict")  # stages with a peak of their own
_TITLES: Mapping[Axis, str] = {
    "n": "n; l in step with it, d as its root",
    "d": "d alone",
    "l": "l alone",
}
_K = (1, 3, 5)
_SECONDS, _MEGABYTES = ("train_s", "predict_s"), ("peak_mb", "model_mb")

COLUMNS = (
    Column("prepare", "prepare"),
    Column("partition", "partition"),
    *(Column(name, name) for name in CLUSTER_STAGES),
    Column("clusters", "clusters"),
    Column("predict", "predict"),
    Column("train", "train"),
    Column("total_s", "total s"),
    Column("total", "total"),
    Column("memory", "memory"),
    Column("train_s", "train s"),
    Column("speedup", "speed-up"),
    Column("efficiency", "efficiency"),
    Column("predict_s", "predict s"),
    Column("peak_mb", "peak MB"),
    Column("beyond_mb", "of it data MB"),
    Column("model_mb", "model MB"),
    *(Column(f"P@{k}", f"P@{k}") for k in _K),
    Column("seconds", "s"),
    Column("gflops", "Gflop/s"),
    Column("gemm", "% of GEMM"),
    Column("gbytes", "GB/s"),
    Column("copy", "% of copy"),
    Column("work", "work"),
    Column("error", "not measured"),
)


def scaling_table(scaling: Scaling, machine: Machine, like: str, where: str) -> Table:
    """All of it: cost by size, exponents, processes, the machine's share, and the peers.

    Parameters
    ----------
    scaling : Scaling
    machine : Machine
        Measured rates of one thread.
    like : str
        The dataset whose shape was scaled.
    where : str
        The machine's name.
    """
    measured = scaling.measurements
    sizes = list(chain.from_iterable(_size_blocks(measured, axis) for axis in _TITLES))
    blocks = [
        *sizes,
        _exponents(measured),
        _processes(measured),
        _shares(scaling, machine),
        *_peers(measured),
    ]
    notes = (
        "Time: ms a training point (predict: a test point). Stages are summed over tasks, but the "
        "one task of partition takes all threads; vote is what it stores. train: by the clock, "
        "without prepare; total s: train and predict, likewise.",
        "Memory: resident memory of all processes, a page that several map counted for each. "
        "clusters is neighbours to vote, of as many clusters at once as there are processes; data "
        "is what the processes did not hold before.",
        f"Made-up data in the shape of {like}; {OURS} with one learner; every point once, in a "
        f"process of its own, on {where}. Each process has one thread.",
        f"This machine, one thread: float32 GEMM {machine.gemm / 1e9:.0f} Gflop/s, copy "
        f"{machine.memory / 1e9:.1f} GB/s read and written.",
        *(f"Not measured: {m.point}: {m.error}" for m in measured if m.error and m.point.axes),
    )
    filled = tuple(block for block in blocks if block.lines)
    return Table("scaling", "Time and memory against size", COLUMNS, filled, notes)


def _size_blocks(measured: tuple[Measurement, ...], axis: Axis) -> list[Block]:
    found = along(measured, axis)
    return [
        Block(
            f"Time by {_TITLES[axis]}",
            tuple(_line(m, spoken(m.point.shape), _times(m)) for m in found),
        ),
        Block(
            f"Peak memory in MB by {_TITLES[axis]}",
            tuple(_line(m, spoken(m.point.shape), _memories(m)) for m in found),
        ),
    ]


def _times(m: Measurement) -> dict[str, Cell]:
    shape, totals = m.point.shape, m.totals
    cells = {
        name: _number(1e3 * spent / (shape.n_test if name == "predict" else shape.n_train))
        for name, spent in task_seconds(m).items()
    }
    return cells | {
        "train": _number(1e3 * totals["train_s"] / shape.n_train),
        "total_s": _number(seconds(m)),
        "P@1": _number(totals["metrics"]["P@1"]),
    }


def _memories(m: Measurement) -> dict[str, Cell]:
    cells = {name: _megabytes(m.stages[name].peak_bytes) for name in _MAPPED if name in m.stages}
    return cells | {
        "peak_mb": _megabytes(m.totals["peak_bytes"]),
        "beyond_mb": _megabytes(beyond_base(m)),
        "model_mb": _megabytes(m.totals["model_bytes"]),
    }


def _exponents(measured: tuple[Measurement, ...]) -> Block:
    costs: dict[str, Callable[[Measurement], float | None]] = {
        name: lambda m, name=name: task_seconds(m).get(name)  # type: ignore[misc]
        for name in STAGES
    }
    costs |= {"total": seconds, "memory": beyond_base}
    lines = []
    for axis, title in _TITLES.items():
        found = along(measured, axis)
        sizes = [size(m, axis) for m in found]
        cells = {}
        for name, cost in costs.items():
            power = fit_power(sizes, [cost(m) for m in found])
            if power is not None:
                cells[name] = Cell(str(power), power.exponent, power.error)
        if cells:
            lines.append(Line(title, "ours", "", cells))
    note = (
        "Exponent b of cost = a size^b, least squares on the logarithms, ± its standard error: 1 "
        "is linear. Stages: seconds summed over tasks; total: train and predict by the clock; "
        "memory: peak without what the processes hold before. Along n, l and d grow too: it "
        "is what a larger collection of the same kind costs, not what n alone does."
    )
    return Block("Fitted exponents", tuple(lines), (note,))


def _processes(measured: tuple[Measurement, ...]) -> Block:
    found = along(measured, "processes")
    lines = []
    for m in found:
        cells = {
            "train_s": _number(m.totals["train_s"]),
            "predict_s": _number(m.totals["predict_s"]),
            "total_s": _number(seconds(m)),
            "peak_mb": _megabytes(m.totals["peak_bytes"]),
        }
        if found[0].point.jobs == 1:
            speedup = seconds(found[0]) / seconds(m)
            cells["speedup"] = _number(speedup)
            cells["efficiency"] = _number(speedup / m.point.jobs)
        lines.append(_line(m, cores(m.point.jobs), cells))
    shape = f", {spoken(found[0].point.shape)}" if found else ""
    note = "Speed-up of total s, train and predict; efficiency is the speed-up a process."
    return Block(f"Processes{shape}", tuple(lines), (note,))


def _shares(scaling: Scaling, machine: Machine) -> Block:
    lines = []
    for name in STAGES:
        work = scaling.work.get(name)
        if work is None or not work.seconds or not (work.flops or work.moved):
            continue
        cells = {"seconds": _number(work.seconds), "work": Cell(work.size)}
        if work.flops:
            rate = work.flops / work.seconds
            cells |= {
                "gflops": _number(rate / 1e9),
                "gemm": _number(100 * rate / machine.gemm),
            }
        if work.moved:
            rate = work.moved / work.seconds
            cells |= {
                "gbytes": _number(rate / 1e9),
                "copy": _number(100 * rate / machine.memory),
            }
        lines.append(Line(name, "ours", "", cells))
    notes = (
        "One process at the base size; neighbours, completion and regression of the cluster of "
        "median size. Counted by:",
        *(f"{name}: {formula}" for name, formula in FORMULAS.items()),
    )
    return Block("Share of the machine's own rates, one thread", tuple(lines), notes)


def _peers(measured: tuple[Measurement, ...]) -> list[Block]:
    compared: dict[str, list[Measurement]] = {}
    with_peers = {m.point.shape for m in measured if m.point.method in PEERS}
    for m in measured:
        if m.point.shape in with_peers and (m.point.method != OURS or "n" in m.point.axes):
            compared.setdefault(spoken(m.point.shape), []).append(m)
    notes = (
        "All on the same file with as many cores; peers with their libraries' defaults. Times are "
        "without reading and writing files, but napkinXC writes its model while it trains. Data is "
        "what the processes did not hold before. Which is the more accurate on made-up data says "
        "nothing about real data.",
    )
    return [
        Block(f"Peers, {name}, {cores(found[0].point.jobs)}", _peer_lines(found), notes)
        for name, found in compared.items()
    ]


def _peer_lines(found: Sequence[Measurement]) -> tuple[Line, ...]:
    return tuple(
        _line(m, m.point.method, {"error": Cell(m.error)} if m.error else _summary(m))
        for m in found
    )


def _summary(m: Measurement) -> dict[str, Cell]:
    totals = m.totals
    cells = {name: _number(totals[name]) for name in _SECONDS}
    for name, key in zip(_MEGABYTES, ("peak_bytes", "model_bytes"), strict=True):
        cells[name] = _megabytes(totals[key])
    cells["beyond_mb"] = _megabytes(beyond_base(m))
    return cells | {f"P@{k}": _number(totals["metrics"][f"P@{k}"]) for k in _K}


def _line(m: Measurement, label: str, cells: Mapping[str, Cell]) -> Line:
    return Line(label, "ours" if m.point.method == OURS else "peer", "", cells)


def _number(value: float) -> Cell:
    """Three digits, or more before the point."""
    text = f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"
    return Cell(text, value)


def _megabytes(size: float) -> Cell:
    return _number(size / 1e6)
