"""Differences around 0, a row for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import altair as alt

from calibration.charts.drawn.intervals import WIDTH, height, layers
from calibration.charts.drawn.theme import INK, Drawn, values


def chart(data: Mapping[str, Any]) -> Drawn:
    far = _farthest(data)
    axis = alt.Axis(title="percentage points", values=[-far, 0, far], labelExpr=_POINTS)
    scale = alt.Scale(domain=[-far, far], nice=False)
    zero = alt.Chart(values([{"value": 0}])).mark_rule(color=INK, strokeDash=[4, 3])
    parts = layers(data["rows"], scale, axis)
    return alt.layer(zero.encode(x=alt.X("value:Q", scale=scale)), *parts).properties(
        width=WIDTH, height=height(data["rows"])
    )


_POINTS = "format(datum.value * 100, '+.0f')"


def _farthest(data: Mapping[str, Any]) -> float:
    """The end of a scale with 0 in its middle that holds every interval, in whole tenths."""
    ends = [
        abs(row[end]) for row in data["rows"] for end in ("low", "high") if row[end] is not None
    ]
    return max(math.ceil(10 * max(ends, default=0)), 1) / 10
