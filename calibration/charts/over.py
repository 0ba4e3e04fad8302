"""What changes over versions, runs or time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from calibration.charts.figures import Cell, Figure, Linked, Series, Stack
from calibration.charts.picture import Links, Picture
from calibration.charts.words import between, of, percent, shown

_ROOM: Final = 50
"""Characters in a bar's whole length."""


def lines(title: str, caption: str, series: Sequence[Series]) -> Figure:
    """A line for each series of shares from 0% to 100%, its points with their intervals; a line
    breaks off where a point is undefined. Each series has a frame of its own, with its name."""
    links = Links()
    places = list(dict.fromkeys(point.x for each in series for point in each.points))
    drawn = [
        _point(at, places, each, point, links)
        for at, each in enumerate(series)
        for point in each.points
    ]
    whole = {
        "places": [shown(place, 16) for place in places],
        "names": [shown(each.name, 34) for each in series],
    }
    picture = Picture("lines", shown(title), shown(caption, 500), drawn, links.found, whole)
    headers = ["", "At", "n", "Value", "95% interval"]
    return Figure(title, caption, picture, headers, _line_rows(series))


def _point(at: int, places: list[str], each: Series, point: Any, links: Links) -> dict[str, Any]:
    said = f"{percent(point.value)}, n = {point.n:,}"
    return {
        "series": at,
        "place": places.index(point.x),
        "value": point.value,
        "low": point.low,
        "high": point.high,
        "link": links.place(
            point.href if point.value is not None else None,
            f"{shown(each.name)}, {shown(point.x)}: {said}",
        ),
    }


def _line_rows(series: Sequence[Series]) -> list[list[Cell]]:
    return [
        [
            each.name,
            point.x,
            Linked(f"{point.n:,}", point.href),
            percent(point.value),
            between(point.low, point.high),
        ]
        for each in series
        for point in each.points
    ]


def shares(title: str, caption: str, names: Sequence[str], points: Sequence[Stack]) -> Figure:
    """A bar for each place, divided by how many of each name there are; a place with none is
    empty. Each part has its name and share in it where there is room."""
    links = Links()
    drawn = [part for at, stack in enumerate(points) for part in _parts(at, names, stack, links)]
    whole = {
        "places": [shown(stack.x, 24) for stack in points],
        "names": [shown(name, 24) for name in names],
    }
    picture = Picture("shares", shown(title), shown(caption, 500), drawn, links.found, whole)
    return Figure(title, caption, picture, ["", *names, "All"], [_stack_cells(s) for s in points])


def _parts(at: int, names: Sequence[str], stack: Stack, links: Links) -> list[dict[str, Any]]:
    """The parts of one bar that are not empty, each where it begins and ends."""
    n = sum(stack.counts)
    hrefs = stack.hrefs or [None] * len(names)
    ends = list(accumulate(stack.counts))
    return [
        {
            "place": at,
            "low": (end - count) / n,
            "high": end / n,
            "middle": (end - count / 2) / n,
            "name": place,
            "said": _inside(shown(name, 24), count / n),
            "link": links.place(href, f"{shown(stack.x)}, {shown(name)}: {_share(count, n)}"),
        }
        for place, (name, count, end, href) in enumerate(
            zip(names, stack.counts, ends, hrefs, strict=True)
        )
        if count
    ]


def _share(count: int, n: int) -> str:
    return f"{of(count, n)}, {percent(count / n)}"


def _inside(name: str, share: float) -> str:
    """As much as there is room for in a part: name and share, the share alone, or nothing."""
    room = share * _ROOM
    both, alone = f"{name} {share:.0%}", f"{share:.0%}"
    return both if len(both) <= room else alone if len(alone) <= room else ""


def _stack_cells(stack: Stack) -> list[Cell]:
    hrefs = stack.hrefs or [None] * len(stack.counts)
    counts = [
        Linked(f"{count:,}", href if count else None)
        for count, href in zip(stack.counts, hrefs, strict=True)
    ]
    return [stack.x, *counts, f"{sum(stack.counts):,}"]
