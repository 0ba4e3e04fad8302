"""The rate of being right over the confidence that was stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import altair as alt

from calibration.charts.drawn.theme import ACCENT, INK, SHARE, SOFT, Drawn, data_of, linked, values

_SIDE: Final = 300


def chart(data: Mapping[str, Any]) -> Drawn:
    bins = data["bins"]
    x = alt.X("confidence:Q", scale=SHARE, axis=_axis("confidence that the judge stated"))
    y = alt.Y("value:Q", scale=SHARE, axis=_axis("share of these on which it is right"))
    base = alt.Chart(data_of(bins)).encode(x=x)
    parts = [
        _diagonal(),
        base.mark_line(color=ACCENT, strokeWidth=2, opacity=1).encode(y=y),
        base.mark_rule(color=INK, strokeWidth=2).encode(y=alt.Y("low:Q", scale=SHARE), y2="high:Q"),
        base.mark_point(color=ACCENT, fill=ACCENT, size=70, opacity=1).encode(y=y),
    ]
    if any(each["link"] is not None for each in bins):
        area = alt.Chart(linked(bins)).mark_point(
            color="transparent", fill="transparent", size=500, opacity=1
        )
        parts.append(area.encode(x=x, y=y, href="href:N"))
    return alt.layer(*parts).properties(width=_SIDE, height=_SIDE)


def _axis(title: str) -> alt.Axis:
    return alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], title=title)


def _diagonal() -> alt.Chart:
    ends = values([{"confidence": at, "value": at} for at in (0, 1)])
    line = alt.Chart(ends).encode(x=alt.X("confidence:Q"), y=alt.Y("value:Q"))
    return line.mark_line(color=SOFT, strokeDash=[4, 3], strokeWidth=1.5, opacity=1)
