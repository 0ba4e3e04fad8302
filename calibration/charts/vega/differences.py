"""Differences around 0, a row for each."""

from __future__ import annotations

import math
from typing import Final

from calibration.charts.picture import Picture
from calibration.charts.vega.intervals import links, rows_of, sized
from calibration.charts.vega.theme import INK, Spec

_POINTS: Final = "datum.value ? format(datum.value * 100, '+.0f') : '0'"


def chart(picture: Picture) -> Spec:
    far = _farthest(picture)
    axis = {"title": "percentage points", "values": [-far, 0, far], "labelExpr": _POINTS}
    scale = {"domain": [-far, far], "nice": False}
    return sized([_zero(scale), *rows_of(picture, scale, axis), *links(picture)], picture)


def _zero(scale: Spec) -> Spec:
    place = {"x": {"datum": 0, "type": "quantitative", "scale": scale}}
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]},
        "encoding": place,
    }


def _farthest(picture: Picture) -> float:
    """The end of a scale with 0 in its middle that holds every interval, in whole tenths."""
    ends = [row[end] for row in picture.rows for end in ("low", "high")]
    farthest = max((abs(end) for end in ends if end is not None), default=0)
    return max(math.ceil(10 * farthest), 1) / 10
