"""How figures look: sizes, colours and fonts for print, the same for all of them.

Colours are those of Okabe and Ito ("Color universal design", 2008), which the colour-blind can tell
apart; marker and line style differ too, so that a grey print still says which line is which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLACK, GREY, LIGHT_GREY = "#000000", "#595959", "#d9d9d9"
ORANGE, SKY, GREEN = "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
PALETTE = (BLACK, GREY, LIGHT_GREY, ORANGE, SKY, GREEN, BLUE, VERMILLION, PURPLE, "#ffffff")

SINGLE_COLUMN, DOUBLE_COLUMN = 3.3, 6.9  # inches
FONT, SMALL_FONT = 8.0, 7.0  # points
PNG_DPI = 300

_SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same everywhere
    "font.size": FONT,
    "axes.titlesize": FONT,
    "axes.labelsize": FONT,
    "xtick.labelsize": SMALL_FONT,
    "ytick.labelsize": SMALL_FONT,
    "legend.fontsize": SMALL_FONT,
    "axes.linewidth": 0.6,
    "axes.edgecolor": BLACK,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": LIGHT_GREY,
    "grid.linewidth": 0.4,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class Look:
    """What tells a line or a group of points from the others."""

    colour: str
    marker: str
    dash: str = "-"
    filled: bool = True

    def line(self) -> dict[str, Any]:
        """Arguments of ``Axes.plot``."""
        return {"color": self.colour, "marker": self.marker, "linestyle": self.dash} | self._face()

    def point(self) -> dict[str, Any]:
        """Arguments of ``Axes.plot`` for points without a line."""
        return self.line() | {"linestyle": "none"}

    def _face(self) -> dict[str, Any]:
        face = self.colour if self.filled else "#ffffff"
        return {"markerfacecolor": face, "markeredgecolor": self.colour}


def in_turn(models: Mapping[str, str], looks: Mapping[str, Sequence[Look]]) -> dict[str, Look]:
    """A look for each label; labels of one model have its looks one after another.

    Parameters
    ----------
    models : mapping of str to str
        The model of each label; earlier labels of a model have earlier looks.
    looks : mapping of str to sequence of Look
        By model.
    """
    counts = dict.fromkeys(looks, 0)
    chosen = {}
    for label, model in models.items():
        chosen[label] = looks[model][counts[model] % len(looks[model])]
        counts[model] += 1
    return chosen


@contextmanager
def styled(salt: str = "") -> Iterator[None]:
    """Settings that hold while a figure is made or written; ``salt`` fixes the ids of its SVG."""
    import matplotlib

    settings: Any = _SETTINGS | {"svg.hashsalt": salt or "xcbench"}
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever a user's matplotlibrc says
        matplotlib.rcParams.update(settings)
        yield


def panels(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure of ``rows`` x ``columns`` panels, row by row: as wide as a column of print for one
    column, else as wide as two; ``height`` in inches."""
    from matplotlib.figure import Figure

    width = DOUBLE_COLUMN if columns > 1 else SINGLE_COLUMN
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, list(axes.flat)


def settle(figure: Figure) -> None:
    """Lay the panels out once for all, or every rendering would move them by a hair."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def lettered(axis: Axes, number: int, title: str) -> None:
    """Title a panel ``(a) title``."""
    axis.set_title(f"({chr(ord('a') + number)}) {title}", loc="left")


def log_axes(axis: Axes, x: str, y: str) -> None:
    """Two logarithmic axes and what they are of."""
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel(x)
    axis.set_ylabel(y)
