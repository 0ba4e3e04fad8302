"""The rate of being right over the confidence that was stated."""

from __future__ import annotations

from typing import Final

from calibration.charts.picture import Picture
from calibration.charts.vega.theme import (
    ACCENT,
    QUARTERS,
    SOFT,
    Spec,
    along,
    bar_with_ends,
    layer,
    point,
    target,
)

_SIDE: Final = 300


def chart(picture: Picture) -> Spec:
    x = along("confidence", axis={**QUARTERS, "title": "confidence that the judge stated"})
    y = along("value", axis={**QUARTERS, "title": "share of these on which it is right"})
    places = {"x": x, "y": y}
    layers = [
        _diagonal(),
        layer("line", {"color": ACCENT, "strokeWidth": 2, "opacity": 1}, places),
        *bar_with_ends({"y": along("low")}, {"x": x}),
        point(places),
        *target("point", picture, places),
    ]
    return {"width": _SIDE, "height": _SIDE, "layer": layers}


def _diagonal() -> Spec:
    """Where a judge is as often right as it says."""
    return {
        "data": {"values": [{"confidence": at, "value": at} for at in (0, 1)]},
        "mark": {"type": "line", "color": SOFT, "strokeDash": [4, 3], "opacity": 1},
        "encoding": {"x": along("confidence"), "y": along("value")},
    }
