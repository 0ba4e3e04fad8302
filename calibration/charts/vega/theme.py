"""What all pictures have in common: colours of the page, one size of type, no background; and
the parts that specifications are put together from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from calibration.charts.picture import Picture

Spec = dict[str, Any]

# Of base.css. A reader of the picture elsewhere, without these, gets the colour of the text.
INK: Final = "var(--ink, currentColor)"
SOFT: Final = "var(--ink-soft, currentColor)"
RULE: Final = "var(--rule, currentColor)"
ACCENT: Final = "var(--accent, currentColor)"
_NOTHING: Final = "transparent"

SIZE: Final = 13
SMALL: Final = 12
ROW: Final = 30
"""The height of a row of words."""

SHARES: Final = {"domain": [0, 1], "nice": False}
"""A scale from 0% to 100%, whatever the data."""

QUARTERS: Final[Spec] = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1], "title": None}

THEME: Final[Spec] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "background": _NOTHING,
    # The browser's type may be wider than the engine's.
    "padding": {"left": 16, "right": 16, "top": 6, "bottom": 6},
    "config": {
        "aria": False,
        "font": "sans-serif",
        "view": {"stroke": None},
        "text": {"color": INK, "fontSize": SIZE},
        "axis": {
            "labelColor": SOFT,
            "labelFontSize": SMALL,
            "labelLimit": 0,
            "titleColor": SOFT,
            "titleFontSize": SMALL,
            "titleFontWeight": "normal",
            "gridColor": RULE,
            "domainColor": RULE,
            "tickColor": RULE,
        },
    },
}


def layer(
    mark: str, look: Mapping[str, Any], places: Mapping[str, Any], *, where: str | None = None
) -> Spec:
    """A mark for every row for which ``where`` holds."""
    drawn: Spec = {"mark": {"type": mark, **look}, "encoding": dict(places)}
    return drawn if where is None else {**drawn, "transform": [{"filter": where}]}


def along(field: str, scale: Mapping[str, Any] = SHARES, axis: Spec | None = None) -> Spec:
    """A place on a scale of numbers, which may have its axis said or left to another layer."""
    placed: Spec = {"field": field, "type": "quantitative", "scale": scale}
    return placed if axis is None else {**placed, "axis": axis}


def text(field: str) -> Spec:
    return {"field": field, "type": "nominal"}


def bar_with_ends(ends: Mapping[str, Spec], other: Mapping[str, Spec]) -> list[Spec]:
    """An interval as a bar with a stroke at each end, ``ends`` being the channel it lies along.

    Where an interval is no wider than its point, the strokes show it all the same.
    """
    (channel, low), *_ = ends.items()
    defined = "isValid(datum.value)"
    bar = {**other, channel: low, f"{channel}2": {"field": "high"}}
    across = "vertical" if channel == "x" else "horizontal"
    stroke = {"color": INK, "thickness": 2, "size": 10, "orient": across, "opacity": 1}
    strokes = [
        layer("tick", stroke, {**other, channel: {**low, "field": end}}, where=defined)
        for end in ("low", "high")
    ]
    return [layer("rule", {"color": INK, "strokeWidth": 2}, bar, where=defined), *strokes]


def point(places: Mapping[str, Any]) -> Spec:
    look = {"color": ACCENT, "fill": ACCENT, "size": 70, "opacity": 1}
    return layer("point", look, places, where="isValid(datum.value)")


def target(mark: str, picture: Picture, places: Mapping[str, Any]) -> list[Spec]:
    """What can be hit of the rows that lead somewhere: seen only when it has the focus."""
    if not picture.links:
        return []
    look: Spec = {"color": _NOTHING, "fill": _NOTHING, "opacity": 1}
    if mark == "point":
        look["size"] = 500
    href = {"field": "href", "type": "nominal"}
    return [layer(mark, look, {**places, "href": href}, where="isValid(datum.href)")]


def counted(field: str, texts: Sequence[str | Sequence[str]], **axis: Any) -> Spec:
    """One of the places that ``texts`` name, some in several lines, which ``field`` gives by
    number: two names may have been cut to the same one."""
    words = {"labelExpr": f"{_listed(texts)}[datum.value]", "labelAngle": 0, "title": None}
    scale = {"domain": [*range(len(texts))]}
    return {"field": field, "type": "ordinal", "scale": scale, "axis": {**words, **axis}}


def _listed(texts: Sequence[str | Sequence[str]]) -> str:
    said = (_string(text) if isinstance(text, str) else _listed(text) for text in texts)
    return f"[{','.join(said)}]"


def _string(text: str) -> str:
    """``text`` as a string of a Vega expression, every character that is not plain escaped."""
    plain = (c if c.isalnum() or c == " " else f"\\u{{{ord(c):x}}}" for c in text)
    return f"'{''.join(plain)}'"
