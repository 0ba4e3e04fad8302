"""A confusion matrix: the darker the greater the share of its row, the count in the cell."""

from __future__ import annotations

from typing import Any, Final

from calibration.charts.picture import Picture
from calibration.charts.vega.theme import ACCENT, SMALL, Spec, counted, layer, target, text

_WIDTH: Final = 92
_HEIGHT: Final = 48
DARKEST: Final = 0.4
"""Opacity of a cell that has all of its row: ink must stay legible on it."""


def chart(picture: Picture) -> Spec:
    labels = picture.whole["labels"]
    places = _places(labels)
    frame = {"color": "transparent", "stroke": ACCENT, "strokeWidth": 2, "opacity": 1}
    said = {"dy": 9, "fontSize": SMALL}
    layers = [
        layer("rect", {"color": ACCENT, "opacity": 1}, {**places, "fillOpacity": _shade()}),
        layer("rect", frame, places, where="datum.agreed"),
        layer("text", {"dy": -8, "fontWeight": "bold"}, {**places, "text": text("count")}),
        layer("text", said, {**places, "text": text("said")}),
        *target("rect", picture, places),
    ]
    return {"width": _WIDTH * len(labels), "height": _HEIGHT * len(labels), "layer": layers}


def _places(labels: list[str]) -> Spec:
    bare: dict[str, Any] = {"domain": False, "ticks": False, "labelPadding": 8}
    to = {"title": "judge →", "titleAnchor": "start", "titlePadding": 8}
    down = {
        "title": "reference ↓",
        "titleAngle": 0,
        "titleAlign": "right",
        "titleX": -8,
        "titleY": -14,
    }
    down |= {"titleX": -8, "titleY": -14}
    return {
        "x": counted("column", labels, **bare, **to, orient="top"),
        "y": counted("row", labels, **bare, **down, orient="left"),
    }


def _shade() -> Spec:
    scale = {"domain": [0, 1], "range": [0, DARKEST]}
    return {"field": "share", "type": "quantitative", "scale": scale, "legend": None}
