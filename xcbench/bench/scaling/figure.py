"""Time and memory against the number of points, with the fitted power laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from xcbench.bench.scaling.fit import Power, fit_power
from xcbench.bench.scaling.measure import Measurement, Scaling
from xcbench.bench.scaling.plan import OURS, cores
from xcbench.bench.scaling.rows import STAGES, along, beyond_base, seconds, size, task_seconds
from xcbench.report.figures import Drawing
from xcbench.report.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    Look,
    lettered,
    panels,
    settle,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS: Mapping[str, Look] = {
    "total, wall time": Look(BLACK, "o", "-"),
    "prepare": Look(GREY, "x", ":"),
    "partition": Look(ORANGE, "v", "--", filled=False),
    "neighbours": Look(SKY, "^", "-."),
    "completion": Look(BLUE, "s", "-"),
    "regression": Look(VERMILLION, "D", "--"),
    "vote": Look(PURPLE, "<", ":", filled=False),
    "predict": Look(GREEN, "P", "-."),
    "peak without the libraries": Look(PURPLE, "o", "-"),
}
_TOTAL, _MEMORY = "total, wall time", "peak without the libraries"

Cost = Callable[[Measurement], float]


def figure_scaling(scaling: Scaling, like: str, where: str) -> Drawing | None:
    """Seconds of each stage and of all, and peak memory, log-log; None with fewer than two sizes.

    ``like`` and ``where`` as for ``scaling_table``.
    """
    found = along(scaling.measurements, "n")
    if len(found) < 2:
        return None
    with styled():
        figure, (time, memory) = panels(1, 2, height=3.6)
        powers = {_TOTAL: _draw(time, found, _TOTAL, seconds)}
        for name in STAGES:
            if all(name in m.stages for m in found):
                powers[name] = _draw(time, found, name, _stage(name))
        powers[_MEMORY] = _draw(memory, found, _MEMORY, lambda m: beyond_base(m) / 1e6)
        for number, (axis, title, unit) in enumerate(
            ((time, "time", "seconds"), (memory, "memory", "peak memory (MB)"))
        ):
            _on_logs(axis, [size(m, "n") for m in found])
            axis.set_ylabel(unit)
            axis.legend(loc="upper left", bbox_to_anchor=(0, -0.2), ncols=2, columnspacing=1)
            lettered(axis, number, title)
        settle(figure)
    title = "Time and memory against the number of points"
    return Drawing("scaling", title, _caption(found, like, where), _described(powers), figure)


def _on_logs(axis: Axes, sizes: list[int]) -> None:
    """Both scales logarithmic: the sizes as ticks below, at least a decade upwards."""
    from matplotlib.ticker import FuncFormatter

    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axis.xaxis.set_minor_formatter("")
    axis.set_xlabel("training points n")
    low, high = axis.get_ylim()
    if high < 10 * low:
        axis.set_ylim(low / 3, high * 3)
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter("")


def _stage(name: str) -> Cost:
    return lambda m: task_seconds(m)[name]


def _draw(axis: Axes, found: list[Measurement], name: str, cost: Cost) -> Power | None:
    """Points, and the fitted line through them with its exponent in the legend."""
    sizes, costs = [size(m, "n") for m in found], [cost(m) for m in found]
    power = fit_power(sizes, costs)
    look = LOOKS[name]
    text = name if power is None else f"{name}: {power.exponent:.2f}"
    axis.plot(sizes, costs, label=text, **look.point())
    if power is not None:
        ends = [sizes[0], sizes[-1]]
        axis.plot(ends, [power(n) for n in ends], color=look.colour, linestyle=look.dash)
    return power


def _caption(found: list[Measurement], like: str, where: str) -> str:
    return (
        f"Seconds of {OURS} (one learner) by stage, summed over tasks, and of training and "
        "prediction by the clock; peak resident memory of all processes without what they hold "
        f"before. Made-up data in the shape of {like}: l grows in step with n, d as its root. "
        "Lines are power laws fitted by least squares on the logarithms; the legend states their "
        f"exponents, which are of n with l and d in step, not of n alone. Every point "
        f"once, {cores(found[0].point.jobs)}, on {where}."
    )


def _described(powers: Mapping[str, Power | None]) -> str:
    parts = [f"{name} as n to the {power}" for name, power in powers.items() if power is not None]
    return f"Costs against the number of points on log scales grow: {'; '.join(parts)}."
