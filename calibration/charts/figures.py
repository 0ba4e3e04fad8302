"""What a picture is made from, and what is made of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from django.utils.encoding import iri_to_uri
from django.utils.safestring import SafeString

IMPLEMENTATION: Final = 1
"""Raised whenever the same data would be drawn otherwise."""


class Linked(NamedTuple):
    """A cell of a table that leads to what it counts."""

    text: str
    href: str | None


Cell = str | Linked


@dataclass(frozen=True, slots=True)
class Interval:
    """A rate with its numerator, denominator and interval; shares from 0 to 1, None where
    undefined. ``floor`` is the rate that it has to beat, if there is one."""

    label: str
    count: int
    n: int
    rate: float | None
    low: float | None
    high: float | None
    href: str | None = None
    floor: float | None = None


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
    """A value at a place such as a version or a date, None where undefined."""

    x: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    href: str | None = None


class Series(NamedTuple):
    """Points in their order; the places of several series are put together in order of meeting."""

    name: str
    points: Sequence[Point]


class Stack(NamedTuple):
    """How many of each name there are at a place, in the order of the names."""

    x: str
    counts: Sequence[int]
    hrefs: Sequence[str | None] = ()


class Link(NamedTuple):
    """Where a part of a picture leads, and what a screen reader calls it."""

    href: str
    name: str


@dataclass(frozen=True)
class Picture:
    """What is drawn: a kind of chart, the rows that it draws, and what holds for the whole, all of
    which JSON can hold. A row that leads somewhere has the place of its link in ``links``."""

    kind: str
    title: str
    description: str
    rows: Sequence[Mapping[str, Any]]
    links: Sequence[Link] = ()
    whole: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Of all that decides what is drawn, the way of drawing included."""
        named = (self.kind, self.title, self.description)
        parts = [IMPLEMENTATION, *named, self.rows, self.links, self.whole]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


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
        from calibration.charts.drawing import draw

        return draw(self.picture) if self.drawn is None else self.drawn


class Links:
    """Gathers the links of a picture while its data are put together."""

    def __init__(self) -> None:
        self.found: list[Link] = []

    def place(self, href: str | None, name: str) -> int | None:
        """The place of a link in the list, or None where there is none."""
        if href is None:
            return None
        self.found.append(Link(iri_to_uri(href), name))
        return len(self.found) - 1
