"""What changes over versions, runs or time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from textwrap import wrap
from typing import Any, Final

from calibration.charts.figures import Cell, Figure, Interval, Linked, Panels, Series, Stack
from calibration.charts.picture import Links, Picture
from calibration.charts.words import between, of, shown
from calibration.wording.numbers import percent

_ROOM: Final = 50
"""Characters in a bar's whole length."""
_ACROSS: Final = 9
"""Characters in a line below a place of a line."""
_LINES: Final = 3


def lines(title: str, caption: str, series: Sequence[Series]) -> Panels:
    """A picture for each series of shares from 0% to 100%, a line whose points have their
    intervals, all over the same places; a line breaks off where a point is undefined."""
    places = list(dict.fromkeys(point.label for each in series for point in each.points))
    panels = [_line(f"{title}: {each.name}", caption, each, places) for each in series]
    rows = [row for panel in panels for row in panel.rows]
    return Panels(title, caption, panels, _HEADERS, rows)


_HEADERS: Final = ("", "At", "Count", "n", "Rate", "95% interval")


def _line(title: str, caption: str, each: Series, places: list[str]) -> Figure:
    links = Links()
    drawn = [_point(places, each, point, links) for point in each.points]
    whole = {"places": [_in_lines(place) for place in places]}
    picture = Picture("line", shown(title), shown(caption, 500), drawn, links.found, whole)
    return Figure(each.name, "", picture, _HEADERS, [_line_cells(each, p) for p in each.points])


def _in_lines(place: str) -> list[str]:
    """What stands below a place, no wider than the place."""
    return wrap(shown(place), _ACROSS, max_lines=_LINES, placeholder="…")


def _point(places: list[str], each: Series, point: Interval, links: Links) -> dict[str, Any]:
    said = f"{of(point.count, point.n)}, {percent(point.rate)}"
    return {
        "place": places.index(point.label),
        "value": point.rate,
        "low": point.low,
        "high": point.high,
        "link": links.place(
            point.href if point.rate is not None else None,
            f"{shown(each.name)}, {shown(point.label)}: {said}",
        ),
    }


def _line_cells(each: Series, point: Interval) -> list[Cell]:
    return [
        each.name,
        point.label,
        Linked(f"{point.count:,}", point.href if point.count else None),
        Linked(f"{point.n:,}", point.n_href if point.n else None),
        percent(point.rate),
        between(point.low, point.high),
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
