"""Lines over versions, a frame for each series, so that none hides another."""

from __future__ import annotations

from typing import Final

from calibration.charts.picture import Picture
from calibration.charts.vega.theme import (
    ACCENT,
    Spec,
    along,
    bar_with_ends,
    counted,
    header,
    layer,
    point,
    target,
)

_HEIGHT: Final = 110
_STEP: Final = 56
_NARROWEST: Final = 200
_FEW: Final = 4
"""Up to so many places, two frames stand beside each other."""
_HALVES: Final[Spec] = {"format": ".0%", "values": [0, 0.5, 1], "title": None}


def chart(picture: Picture) -> Spec:
    places = picture.whole["places"]
    size = {"width": max(_STEP * len(places), _NARROWEST), "height": _HEIGHT}
    return {
        "facet": header("series", picture.whole["names"]),
        "columns": 2 if len(places) <= _FEW else 1,
        "spec": {**size, "layer": _layers(picture, places)},
        # Each frame says its own versions: in a narrow window the others are out of sight.
        "resolve": {"axis": {"x": "independent", "y": "independent"}},
    }


def _layers(picture: Picture, places: list[str]) -> list[Spec]:
    x = counted("place", places)
    at = {"x": x, "y": along("value", axis=_HALVES)}
    return [
        layer("line", {"color": ACCENT, "strokeWidth": 2, "opacity": 1}, at),
        *bar_with_ends({"y": along("low", axis=_HALVES)}, {"x": x}),
        point(at),
        *target("point", picture, at),
    ]
