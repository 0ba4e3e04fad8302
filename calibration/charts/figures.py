"""What a picture is made from, and a picture with its caption and the table behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.safestring import SafeString

from calibration.charts.drawing import draw
from calibration.charts.picture import Picture


class Linked(NamedTuple):
    """A cell of a table that leads to what it counts."""

    text: str
    href: str | None


Cell = str | Linked


@dataclass(frozen=True, slots=True)
class Interval:
    """A rate with its numerator, denominator and interval; shares from 0 to 1, None where
    undefined. ``href`` leads to what is counted, ``n_href`` to what it is counted of; ``floor`` is
    the rate that it has to beat, if there is one."""

    label: str
    count: int
    n: int
    rate: float | None
    low: float | None
    high: float | None
    href: str | None = None
    floor: float | None = None
    n_href: str | None = None


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Statements of like confidence: their mean confidence, and on how many the judge is right."""

    confidence: float
    count: int
    n: int
    rate: float | None
    low: float | None
    high: float | None
    href: str | None = None


class Point(NamedTuple):
    """A difference at a place such as a cell, None where undefined."""

    x: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    href: str | None = None


class Series(NamedTuple):
    """Rates in their order, each labelled by its place, such as a version; the places of several
    series are put together in order of meeting."""

    name: str
    points: Sequence[Interval]


class Stack(NamedTuple):
    """How many of each name there are at a place, in the order of the names."""

    x: str
    counts: Sequence[int]
    hrefs: Sequence[str | None] = ()


@dataclass(frozen=True)
class Figure:
    """A picture with its caption and the table behind it, the first cell of each row its header.

    ``drawn`` is the picture where somebody has kept it; else it is drawn when it is asked for.
    """

    title: str
    caption: str
    picture: Picture
    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    drawn: SafeString | None = field(default=None, compare=False)

    @property
    def svg(self) -> SafeString:
        """Inline SVG that is safe in a page."""
        return draw(self.picture) if self.drawn is None else self.drawn


@dataclass(frozen=True)
class Panels:
    """Several small pictures of one kind under one caption, which a page sets beside each other as
    it has room, and the table behind all of them."""

    title: str
    caption: str
    figures: Sequence[Figure]
    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @property
    def whole(self) -> bool:
        """Whether each has a picture, so that none is in the table alone."""
        return all(figure.svg for figure in self.figures)
