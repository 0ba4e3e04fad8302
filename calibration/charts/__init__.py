"""Figures of a report as pictures: plain data in, a picture and the table behind it out.

A builder only says what is to be drawn; `Figure.svg` draws it, in a process of its own. What is
drawn is inline SVG that a strict policy lets through: no style, no script, nothing from
elsewhere, colours from the page's own custom properties.
"""

from calibration.charts.engine import ENGINE, NotDrawn
from calibration.charts.figures import (
    Cell,
    Figure,
    Interval,
    Linked,
    Panels,
    Point,
    ReliabilityBin,
    Series,
    Stack,
)
from calibration.charts.heat import heat_map
from calibration.charts.intervals import differences, intervals
from calibration.charts.over import lines, shares
from calibration.charts.reliable import reliability

warm = ENGINE.warm
"""Start the process that draws, so that it is ready when something is to be drawn."""

__all__ = [
    "Cell",
    "Figure",
    "Interval",
    "Linked",
    "NotDrawn",
    "Panels",
    "Point",
    "ReliabilityBin",
    "Series",
    "Stack",
    "differences",
    "heat_map",
    "intervals",
    "lines",
    "reliability",
    "shares",
    "warm",
]
