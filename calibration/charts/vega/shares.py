"""Bars divided into parts, one for each place, and what the shades mean below them."""

from __future__ import annotations

from typing import Any, Final

from calibration.charts.picture import Picture
from calibration.charts.vega.theme import (
    ACCENT,
    QUARTERS,
    ROW,
    SMALL,
    Spec,
    along,
    counted,
    layer,
    target,
    text,
)

DARKEST: Final = 0.45
"""Opacity of the first name's part; words stand on it, and each further one is lighter."""

_WIDTH: Final = 380
_KEYS: Final = 2
"""Keys beside each other."""


def chart(picture: Picture) -> Spec:
    return {"vconcat": [_bars(picture), _keys(picture.whole["names"])], "spacing": 14}


def _bars(picture: Picture) -> Spec:
    places = picture.whole["places"]
    down = {"y": counted("place", places, domain=False, ticks=False)}
    part = {"x": along("low", axis={**QUARTERS, "grid": False}), "x2": {"field": "high"}, **down}
    said = {"x": along("middle"), **down, "text": text("said")}
    layers = [
        layer("bar", _LOOK, {**part, "fillOpacity": _shade(len(picture.whole["names"]))}),
        layer("text", {"fontSize": SMALL}, said),
        *target("bar", picture, part),
    ]
    return {"width": _WIDTH, "height": (ROW + 6) * max(len(places), 1), "layer": layers}


_LOOK: Final = {"color": ACCENT, "stroke": ACCENT, "strokeWidth": 1, "opacity": 1}


def _shade(names: int) -> Spec:
    ends = [DARKEST, DARKEST / max(names, 1)]
    scale = {"domain": [*range(names)], "range": ends}
    return {"field": "name", "type": "ordinal", "scale": scale, "legend": None}


def _keys(names: list[str]) -> Spec:
    rows = [
        {"name": at, "said": name, "column": at % _KEYS, "row": at // _KEYS}
        for at, name in enumerate(names)
    ]
    places: dict[str, Any] = {
        "x": {"field": "column", "type": "ordinal", "axis": None},
        "y": {"field": "row", "type": "ordinal", "axis": None},
    }
    symbol = {**_LOOK, "fill": ACCENT, "shape": "square", "size": 120, "xOffset": -70}
    words = {"align": "left", "xOffset": -56, "fontSize": SMALL}
    height = 20 * max(-(-len(names) // _KEYS), 1)
    return {
        "data": {"values": rows},
        "width": _WIDTH,
        "height": height,
        "layer": [
            layer("point", symbol, {**places, "fillOpacity": _shade(len(names))}),
            layer("text", words, {**places, "text": text("said")}),
        ],
    }
