"""Figures of the report: from the rows of the result store to PNG and SVG.

matplotlib is imported only by what draws, so that reading a name here costs nothing.
"""

from xcbench.report.figures.cost import figure_cost, missing_cost, read_costs
from xcbench.report.figures.drawing import Drawing, png, svg
from xcbench.report.figures.figure1 import figure1, missing1
from xcbench.report.figures.figure2 import figure2, missing2
from xcbench.report.figures.rows import Missing
from xcbench.report.figures.training_time import figure_time, missing_time

__all__ = [
    "Drawing",
    "Missing",
    "figure1",
    "figure2",
    "figure_cost",
    "figure_time",
    "missing1",
    "missing2",
    "missing_cost",
    "missing_time",
    "png",
    "read_costs",
    "svg",
]
