"""Lines over versions, a frame for each series, so that none hides another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt

from calibration.charts.drawn.theme import (
    ACCENT,
    INK,
    SHARE,
    Drawn,
    data_of,
    linked,
    quoted,
)

_HEIGHT: Final = 110
_STEP: Final = 62
_COLUMNS: Final = 2


def chart(data: Mapping[str, Any]) -> Drawn:
    frames = [_frame(at, name, data) for at, name in enumerate(data["names"])]
    columns = _COLUMNS if len(data["places"]) <= 4 else 1
    rows = [frames[at : at + columns] for at in range(0, len(frames), columns)]
    return alt.vconcat(*(alt.hconcat(*row, spacing=24) for row in rows), spacing=18)


def _frame(at: int, name: str, data: Mapping[str, Any]) -> Drawn:
    points = [point for point in data["points"] if point["series"] == at]
    places = data["places"]
    x = alt.X(
        "place:O",
        scale=alt.Scale(domain=list(range(len(places)))),
        axis=alt.Axis(labelExpr=quoted(places), labelAngle=0, title=None),
    )
    title = alt.TitleParams(
        name, color=INK, fontSize=13, fontWeight="bold", anchor="start", offset=6, limit=0
    )
    return alt.layer(*_parts(points, x)).properties(
        width=_STEP * max(len(places), 1), height=_HEIGHT, title=title
    )


def _parts(points: Sequence[Mapping[str, Any]], x: alt.X) -> list[alt.Chart]:
    axis = alt.Axis(format=".0%", values=[0, 0.5, 1], title=None)
    y = alt.Y("value:Q", scale=SHARE, axis=axis)
    base = alt.Chart(data_of(points)).encode(x=x)
    defined = base.transform_filter("isValid(datum.value)")
    parts = [
        base.mark_line(color=ACCENT, strokeWidth=2, opacity=1).encode(y=y),
        defined.mark_rule(color=INK, strokeWidth=2).encode(
            y=alt.Y("low:Q", scale=SHARE, axis=axis), y2="high:Q"
        ),
        defined.mark_point(color=ACCENT, fill=ACCENT, size=60, opacity=1).encode(y=y),
    ]
    if any(point["link"] is not None for point in points):
        area = alt.Chart(linked(points)).mark_point(
            color="transparent", fill="transparent", size=500, opacity=1
        )
        parts.append(area.encode(x=x, y=y, href="href:N"))
    return parts
