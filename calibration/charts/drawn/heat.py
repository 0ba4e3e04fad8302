"""A confusion matrix: the darker the greater the share of its row, the count in the cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import altair as alt

from calibration.charts.drawn.theme import ACCENT, SOFT, Drawn, data_of, linked, quoted

_WIDTH: Final = 96
_HEIGHT: Final = 52
_DARKEST: Final = 0.4
"""Opacity of a cell that has all of its row: ink must stay legible on it."""


def chart(data: Mapping[str, Any]) -> Drawn:
    labels, cells = data["labels"], data["cells"]
    x = alt.X("column:O", axis=_axis(labels, "judge", orient="top"))
    y = alt.Y("row:O", axis=_axis(labels, "people", orient="left"))
    base = alt.Chart(data_of(cells)).encode(x=x, y=y)
    shade = base.mark_rect(color=ACCENT, opacity=1).encode(
        fillOpacity=alt.FillOpacity(
            "share:Q", scale=alt.Scale(domain=[0, 1], range=[0, _DARKEST]), legend=None
        )
    )
    frame = base.transform_filter("datum.agreed").mark_rect(
        color="transparent", stroke=ACCENT, strokeWidth=2, opacity=1
    )
    count = base.mark_text(dy=-7, fontWeight="bold").encode(text="count:N")
    said = base.mark_text(dy=10, color=SOFT, fontSize=12).encode(text="said:N")
    parts = [shade, frame, count, said]
    if any(cell["link"] is not None for cell in cells):
        area = alt.Chart(linked(cells)).mark_rect(color="transparent", opacity=1)
        parts.append(area.encode(x=x, y=y, href="href:N"))
    return alt.layer(*parts).properties(width=_WIDTH * len(labels), height=_HEIGHT * len(labels))


def _axis(labels: list[str], title: str, orient: Literal["top", "left"]) -> alt.Axis:
    return alt.Axis(
        labelExpr=quoted(labels),
        labelAngle=0,
        domain=False,
        ticks=False,
        title=title,
        orient=orient,
    )
