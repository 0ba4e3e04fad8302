"""Points with their intervals, a row for each."""

from __future__ import annotations

from typing import Final

from calibration.charts.picture import Picture
from calibration.charts.vega.theme import (
    QUARTERS,
    SHARES,
    SOFT,
    Spec,
    along,
    bar_with_ends,
    layer,
    point,
    target,
    text,
)

WIDTH: Final = 340
"""Narrow enough that a phone shows it with words of 11 px."""

_ROW: Final = 46

_PLACE: Final = {"field": "at", "type": "ordinal", "axis": None}


def chart(picture: Picture) -> Spec:
    return sized([*rows_of(picture, SHARES, QUARTERS), *_floors(picture), *links(picture)], picture)


def sized(layers: list[Spec], picture: Picture) -> Spec:
    return {"width": WIDTH, "height": _ROW * max(len(picture.rows), 1), "layer": layers}


def rows_of(picture: Picture, scale: Spec, axis: Spec) -> list[Spec]:
    """Label and numbers in a line, bar and point below it."""
    label = {"align": "left", "dy": -16}
    said = {"align": "right", "dy": -16, "color": SOFT}
    return [
        *bar_with_ends({"x": along("low", scale, axis)}, {"y": _PLACE}),
        point({"x": along("value", scale), "y": _PLACE}),
        layer("text", label, {"x": {"value": 0}, "y": _PLACE, "text": text("label")}),
        layer("text", said, {"x": {"value": WIDTH}, "y": _PLACE, "text": text("said")}),
    ]


def links(picture: Picture) -> list[Spec]:
    """A row that leads somewhere does so at its whole width."""
    ends = {"x": {"value": -8}, "x2": {"value": WIDTH + 8}}
    return target("rect", picture, {**ends, "y": _PLACE})


def _floors(picture: Picture) -> list[Spec]:
    if all(row["floor"] is None for row in picture.rows):
        return []
    look = {"shape": "diamond", "color": SOFT, "size": 90, "strokeWidth": 2, "opacity": 1}
    places = {"x": along("floor"), "y": _PLACE}
    return [layer("point", look, places, where="isValid(datum.floor)")]
