"""Rates, or differences of rates, one below the other with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from calibration.charts.figures import Cell, Figure, Interval, Linked, Point
from calibration.charts.picture import Links, Picture
from calibration.charts.words import between, of, shown, signed
from calibration.wording.numbers import UNDEFINED, percent

_LINE: Final = 48
"""Characters in the line above an interval, label and numbers together."""


def intervals(title: str, caption: str, rows: Sequence[Interval]) -> Figure:
    """Each rate as a point on a scale from 0% to 100%, its interval as a bar, its floor as a
    diamond; an undefined one stands there with its n alone."""
    links = Links()
    say = _counts if all(map(_has_room, rows)) else _share_of_n
    drawn = [_row(at, row, say, links) for at, row in enumerate(rows)]
    floors = any(row.floor is not None for row in rows)
    caption = f"{caption} ◇ is the floor to beat." if floors else caption
    picture = Picture("intervals", shown(title), shown(caption, 500), drawn, links.found)
    headers = ["", "Count", "n", "Rate", "95% interval", *(["Floor"] if floors else [])]
    return Figure(title, caption, picture, headers, [_cells(row, floors) for row in rows])


def _row(at: int, row: Interval, say: Callable[[Interval], str], links: Links) -> dict[str, Any]:
    name = f"{shown(row.label)}: {_counts(row)}"
    said = f"{UNDEFINED} n = {row.n:,}" if row.rate is None else say(row)
    return {
        "at": at,
        "label": shown(row.label, _LINE - len(said)),
        "said": said,
        "value": row.rate,
        "low": row.low,
        "high": row.high,
        "floor": row.floor,
        "link": links.place(row.href, name),
    }


def _has_room(row: Interval) -> bool:
    """Whether label, counts and percentage stand in one line."""
    return row.rate is None or len(row.label) + len(_counts(row)) < _LINE


def _counts(row: Interval) -> str:
    return f"{of(row.count, row.n)}, {percent(row.rate)}"


def _share_of_n(row: Interval) -> str:
    """Shorter, and still a rate with its n."""
    return f"{percent(row.rate)} of {row.n:,}"


def _cells(row: Interval, floors: bool) -> list[Cell]:
    return [
        row.label,
        Linked(f"{row.count:,}", row.href if row.count else None),
        f"{row.n:,}",
        percent(row.rate),
        between(row.low, row.high),
        *([percent(row.floor)] if floors else []),
    ]


def differences(title: str, caption: str, rows: Sequence[Point]) -> Figure:
    """Each difference of two rates (−1 to 1) around 0, its place in ``x``."""
    links = Links()
    drawn = [_difference(at, row, links) for at, row in enumerate(rows)]
    picture = Picture("differences", shown(title), shown(caption, 500), drawn, links.found)
    headers = ["", "n", "Difference", "95% interval"]
    return Figure(title, caption, picture, headers, [_difference_cells(row) for row in rows])


def _difference(at: int, row: Point, links: Links) -> dict[str, Any]:
    said = f"{signed(row.value)}, n = {row.n:,}"
    return {
        "at": at,
        "label": shown(row.x, _LINE - len(said)),
        "said": said,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "link": links.place(row.href, f"{shown(row.x)}: {said}"),
    }


def _difference_cells(row: Point) -> list[Cell]:
    within = UNDEFINED
    if row.low is not None and row.high is not None:
        within = f"{signed(row.low)} to {signed(row.high)}"
    return [row.x, Linked(f"{row.n:,}", row.href), signed(row.value), within]
