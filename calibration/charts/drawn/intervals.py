"""Points with their intervals, a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt

from calibration.charts.drawn.theme import (
    ACCENT,
    INK,
    ROW,
    SHARE,
    SOFT,
    Drawn,
    data_of,
    linked,
)

WIDTH: Final = 220
_LABELS: Final = 34
"""Characters of the longest label."""


def chart(data: Mapping[str, Any]) -> Drawn:
    axis = alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], title=None)
    rows = data["rows"]
    return alt.layer(*layers(rows, SHARE, axis)).properties(width=WIDTH, height=height(rows))


def height(rows: Sequence[Any]) -> int:
    return ROW * max(len(rows), 1)


def layers(rows: Sequence[Mapping[str, Any]], scale: alt.Scale, axis: alt.Axis) -> list[alt.Chart]:
    """Bar with ends, point, floor, label to the left, numbers to the right; links above all."""
    placed = [{**row, "at": at} for at, row in enumerate(rows)]
    base = alt.Chart(data_of(placed)).encode(y=alt.Y("at:O", axis=None))
    defined = base.transform_filter("isValid(datum.value)")
    bar = defined.mark_rule(color=INK, strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    ends = [
        defined.mark_tick(color=INK, thickness=2, size=10).encode(x=alt.X(f"{end}:Q"))
        for end in ("low", "high")
    ]
    point = defined.mark_point(color=ACCENT, fill=ACCENT, size=70, opacity=1).encode(x="value:Q")
    label = base.mark_text(align="right", dx=-10).encode(x=alt.value(0), text="label:N")
    said = base.mark_text(align="left", dx=10, color=SOFT).encode(x=alt.value(WIDTH), text="said:N")
    return [bar, *ends, point, *_floor(base, rows), label, said, *_target(placed)]


def _floor(base: alt.Chart, rows: Sequence[Mapping[str, Any]]) -> list[alt.Chart]:
    if all(row.get("floor") is None for row in rows):
        return []
    mark = base.transform_filter("isValid(datum.floor)").mark_point(
        shape="diamond", color=SOFT, size=90, strokeWidth=2, opacity=1
    )
    return [mark.encode(x=alt.X("floor:Q"))]


def _target(rows: Sequence[Mapping[str, Any]]) -> list[alt.Chart]:
    """A row that leads somewhere does so at its whole width."""
    if all(row.get("link") is None for row in rows):
        return []
    area = alt.Chart(linked(rows)).mark_rect(color="transparent", opacity=1, cursor="pointer")
    return [
        area.encode(
            y=alt.Y("at:O", axis=None), x=alt.value(-8), x2=alt.value(WIDTH + 8), href="href:N"
        )
    ]
