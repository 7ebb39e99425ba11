"""Which sizes are measured: one thing at a time is varied around a base size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal, get_args

from xcbench.data.catalogue import CatalogueEntry
from xcbench.data.synthesis.make import SynthesisShape
from xcbench.errors import ConfigError

Axis = Literal["n", "d", "l", "processes"]
AXES: tuple[Axis, ...] = get_args(Axis)

OURS = "rxml"
PEERS = ("omikuji-parabel", "napkinxc-plt")  # the presets that are their libraries' defaults
FACTORS = (0.25, 4.0)  # of d and of l, beside the base's own
_LARGEST = 10.0
_NAMED = "--scales"


@dataclass(frozen=True)
class Point:
    """One measurement.

    Attributes
    ----------
    shape : SynthesisShape
    scale : float
        That of the base it was made from.
    method : str
        Name of a preset.
    jobs : int
        Processes of one thread; of a peer, threads.
    axes : tuple of Axis
        What it is a point of; none for a peer.
    """

    shape: SynthesisShape
    scale: float
    method: str
    jobs: int
    axes: tuple[Axis, ...] = ()

    def __str__(self) -> str:
        return f"{self.method}, {spoken(self.shape)}, {cores(self.jobs)}"


def plan(
    entry: CatalogueEntry, scales: Sequence[float], jobs: int, peers_up_to: float
) -> list[list[Point]]:
    """The points of one shape after another; the base is the lower middle one of the scales.

    Along n all three sizes grow as a larger collection of the same kind would: n and l with the
    scale, d with its root. Along d and l the others stay those of the base.

    Raises
    ------
    ConfigError
        A scale leaves fewer features or labels than a point has.
    """
    scales = sorted(scales)
    base = scales[(len(scales) - 1) // 2]
    groups = [_of_scale(entry, scale, scale == base, jobs, peers_up_to) for scale in scales]
    shape = SynthesisShape.like(entry, base, _NAMED)
    try:
        wider = [replace(shape, n_features=_times(shape.n_features, f)) for f in FACTORS]
        more = [replace(shape, n_labels=_times(shape.n_labels, f)) for f in FACTORS]
    except ConfigError as error:
        raise ConfigError(
            f"{_NAMED} {base:g}, the base, with {FACTORS[0]:g} to {FACTORS[-1]:g} times its "
            f"features or labels: {error}"
        ) from None
    groups += [[Point(other, base, OURS, jobs, ("d",))] for other in wider]
    groups += [[Point(other, base, OURS, jobs, ("l",))] for other in more]
    return groups


def _of_scale(
    entry: CatalogueEntry, scale: float, is_base: bool, jobs: int, peers_up_to: float
) -> list[Point]:
    shape = SynthesisShape.like(entry, scale, _NAMED)
    points = [Point(shape, scale, OURS, jobs, AXES if is_base else ("n",))]
    if is_base:
        points += [Point(shape, scale, OURS, fewer, ("processes",)) for fewer in _powers(jobs)]
    if scale <= peers_up_to:
        points += [Point(shape, scale, peer, jobs) for peer in PEERS]
    return points


def parse_scales(text: str) -> tuple[float, ...]:
    """``0.05,0.1`` as numbers, ascending.

    Raises
    ------
    ConfigError
        They are no numbers above 0 and at most 10, or one is given twice.
    """
    try:
        scales = sorted(float(part) for part in text.split(","))
    except ValueError:
        raise ConfigError(
            f"--scales {text}: expected numbers with commas between, as in 0.05,0.1"
        ) from None
    for scale in scales:
        if not (isfinite(scale) and 0 < scale <= _LARGEST):
            raise ConfigError(f"--scales {text}: found {scale:g}; expected above 0, at most 10")
    if len(set(scales)) < len(scales):
        raise ConfigError(f"--scales {text}: the same scale is given twice")
    return tuple(scales)


def _powers(jobs: int) -> list[int]:
    """1, 2, 4, ... below ``jobs``."""
    return [2**power for power in range(jobs.bit_length()) if 2**power < jobs]


def _times(size: int, factor: float) -> int:
    return max(1, round(size * factor))


def spoken(shape: SynthesisShape) -> str:
    """The three sizes."""
    return f"n {shape.n_train:,}, d {shape.n_features:,}, l {shape.n_labels:,}"


def cores(jobs: int) -> str:
    """So many of them, in words."""
    return "1 core" if jobs == 1 else f"{jobs} cores"
