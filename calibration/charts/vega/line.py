"""A line over versions. Each series has a picture of its own, so that none hides another."""

from __future__ import annotations

from typing import Final

from calibration.charts.picture import Picture
from calibration.charts.vega.theme import (
    ACCENT,
    Spec,
    along,
    bar_with_ends,
    counted,
    layer,
    point,
    target,
)

_HEIGHT: Final = 110
_STEP: Final = 56
_NARROWEST: Final = 200
_HALVES: Final[Spec] = {"format": ".0%", "values": [0, 0.5, 1], "title": None}


def chart(picture: Picture) -> Spec:
    places = picture.whole["places"]
    size = {"width": max(_STEP * len(places), _NARROWEST), "height": _HEIGHT}
    return {**size, "layer": _layers(picture, places)}


def _layers(picture: Picture, places: list[list[str]]) -> list[Spec]:
    x = counted("place", places)
    at = {"x": x, "y": along("value", axis=_HALVES)}
    return [
        layer("line", {"color": ACCENT, "strokeWidth": 2, "opacity": 1}, at),
        *bar_with_ends({"y": along("low", axis=_HALVES)}, {"x": x}),
        point(at),
        *target("point", picture, at),
    ]
