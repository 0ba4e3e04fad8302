"""Bars divided into parts, one for each place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import altair as alt

from calibration.charts.drawn.theme import (
    ACCENT,
    ROW,
    SURFACE,
    Drawn,
    data_of,
    linked,
    quoted,
)

_WIDTH: Final = 380
_DARKEST: Final = 0.45


def chart(data: Mapping[str, Any]) -> Drawn:
    names = data["names"]
    parts = [_told(part, names) for part in data["parts"]]
    x = alt.X(
        "low:Q",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], title=None),
    )
    y = alt.Y(
        "place:O",
        scale=alt.Scale(domain=list(range(len(data["places"])))),
        axis=alt.Axis(labelExpr=quoted(data["places"]), title=None, domain=False, ticks=False),
    )
    base = alt.Chart(data_of(parts)).encode(y=y)
    bar = base.mark_bar(color=ACCENT, stroke=SURFACE, strokeWidth=2, opacity=1).encode(
        x=x, x2="high:Q", fillOpacity=alt.FillOpacity("shade:Q", scale=None, legend=None)
    )
    said = base.mark_text(fontSize=12).encode(x=alt.X("middle:Q"), text="said:N")
    layers = [bar, said]
    if any(part["link"] is not None for part in parts):
        area = alt.Chart(linked(parts)).mark_bar(color="transparent", opacity=1)
        layers.append(area.encode(y=y, x=x, x2="high:Q", href="href:N"))
    return alt.layer(*layers).properties(
        width=_WIDTH, height=(ROW + 6) * max(len(data["places"]), 1)
    )


def _told(part: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    share = part["high"] - part["low"]
    steps = max(len(names) - 1, 1)
    return {
        **part,
        "middle": (part["low"] + part["high"]) / 2,
        "shade": _DARKEST * (1 - part["name"] / steps) + 0.05,
        "said": _words(names[part["name"]], share),
    }


def _words(name: str, share: float) -> str:
    """As much as there is room for: name and share, the share alone, or nothing."""
    both, alone = f"{name} {share:.0%}", f"{share:.0%}"
    room = share * _WIDTH / 7.5
    return both if len(both) <= room else alone if len(alone) <= room else ""
