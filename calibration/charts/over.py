"""What changes over versions, runs or time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calibration.charts.figures import Cell, Figure, Linked, Links, Picture, Series, Stack
from calibration.charts.words import between, percent, shown


def lines(title: str, caption: str, series: Sequence[Series]) -> Figure:
    """A line for each series of shares from 0% to 100%, its points with their intervals; a line
    breaks off where a point is undefined. Each series has a frame of its own, with its name."""
    links = Links()
    places = list(dict.fromkeys(point.x for each in series for point in each.points))
    data = {
        "places": [shown(place, 16) for place in places],
        "names": [shown(each.name, 34) for each in series],
        "points": [
            _point(at, places, each, point, links)
            for at, each in enumerate(series)
            for point in each.points
        ],
    }
    picture = Picture("lines", data, shown(title), shown(caption, 500), links.found)
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
    data = {
        "names": [shown(name, 24) for name in names],
        "places": [shown(stack.x, 24) for stack in points],
        "parts": [
            part for at, stack in enumerate(points) for part in _parts(at, names, stack, links)
        ],
    }
    picture = Picture("shares", data, shown(title), shown(caption, 500), links.found)
    return Figure(title, caption, picture, ["", *names, "All"], [_stack_cells(s) for s in points])


def _parts(at: int, names: Sequence[str], stack: Stack, links: Links) -> list[dict[str, Any]]:
    n, below, parts = sum(stack.counts), 0, []
    for place, (name, count) in enumerate(zip(names, stack.counts, strict=True)):
        if count:
            said = f"{shown(stack.x)}, {shown(name)}: {count:,} of {n:,}, {percent(count / n)}"
            href = stack.hrefs[place] if stack.hrefs else None
            low, high = below / n, (below + count) / n
            link = links.place(href, said)
            parts.append({"place": at, "name": place, "low": low, "high": high, "link": link})
        below += count
    return parts


def _stack_cells(stack: Stack) -> list[Cell]:
    hrefs = stack.hrefs or [None] * len(stack.counts)
    counts = [
        Linked(f"{count:,}", href if count else None)
        for count, href in zip(stack.counts, hrefs, strict=True)
    ]
    return [stack.x, *counts, f"{sum(stack.counts):,}"]
