"""Rates, or differences of rates, one below the other with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calibration.charts.figures import Cell, Figure, Interval, Linked, Links, Picture, Point
from calibration.charts.words import UNDEFINED, between, of, percent, shown


def intervals(title: str, caption: str, rows: Sequence[Interval]) -> Figure:
    """Each rate as a point on a scale from 0% to 100%, its interval as a bar, its floor as a
    diamond; an undefined one stands there with its n alone."""
    links = Links()
    data = {"rows": [_row(row, links) for row in rows]}
    picture = Picture("intervals", data, shown(title), shown(caption, 500), links.found)
    floors = any(row.floor is not None for row in rows)
    headers = ["", "Count", "n", "Rate", "95% interval", *(["Floor"] if floors else [])]
    return Figure(title, caption, picture, headers, [_cells(row, floors) for row in rows])


def _row(row: Interval, links: Links) -> dict[str, Any]:
    name = f"{shown(row.label)}: {of(row.count, row.n)}, {percent(row.rate)}"
    said = of(row.count, row.n) if row.rate is not None else f"{UNDEFINED} n = {row.n:,}"
    return {
        "label": shown(row.label, 34),
        "said": f"{said}, {percent(row.rate)}" if row.rate is not None else said,
        "value": row.rate,
        "low": row.low,
        "high": row.high,
        "floor": row.floor,
        "link": links.place(row.href, name),
    }


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
    data = {"rows": [_difference(row, links) for row in rows]}
    picture = Picture("differences", data, shown(title), shown(caption, 500), links.found)
    headers = ["", "n", "Difference", "95% interval"]
    return Figure(title, caption, picture, headers, [_difference_cells(row) for row in rows])


def _difference(row: Point, links: Links) -> dict[str, Any]:
    said = f"{_signed(row.value)}, n = {row.n:,}"
    return {
        "label": shown(row.x, 34),
        "said": said,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "link": links.place(row.href, f"{shown(row.x)}: {said}"),
    }


def _difference_cells(row: Point) -> list[Cell]:
    within = UNDEFINED
    if row.low is not None and row.high is not None:
        within = f"{_signed(row.low)} to {_signed(row.high)}"
    return [row.x, Linked(f"{row.n:,}", row.href), _signed(row.value), within]


def _signed(share: float | None) -> str:
    """A difference in percentage points, its sign always said."""
    if share is None:
        return UNDEFINED
    return f"{100 * share:+.1f}".replace("-", "−")
