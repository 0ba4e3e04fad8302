"""What all pictures have in common: colours of the page, one size of type, no background."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import altair as alt

from calibration.charts.drawing import PLACEHOLDER

Drawn = alt.LayerChart | alt.FacetChart | alt.VConcatChart

INK: Final = "var(--ink, currentColor)"
SOFT: Final = "var(--ink-soft, currentColor)"
RULE: Final = "var(--rule, currentColor)"
ACCENT: Final = "var(--accent, currentColor)"
SURFACE: Final = "var(--surface, currentColor)"

FONT_SIZE: Final = 13
ROW: Final = 30
"""The height of a row of intervals."""

SHARE: Final = alt.Scale(domain=[0, 1], nice=False)


def dressed(chart: Any) -> Any:
    """The chart with what is the same for all, without the engine's words for screen readers."""
    # A little room on every side: the browser's type may be wider than the engine's.
    chart = chart.properties(
        background="none", padding={"left": 12, "right": 12, "top": 6, "bottom": 6}
    )
    return (
        chart.configure(aria=False, font="sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=SOFT,
            labelFontSize=FONT_SIZE - 1,
            labelLimit=0,
            titleColor=INK,
            titleFontSize=FONT_SIZE,
            titleFontWeight="normal",
            gridColor=RULE,
            domainColor=RULE,
            tickColor=RULE,
        )
        .configure_text(color=INK, fontSize=FONT_SIZE)
        .configure_header(labelColor=INK, labelFontSize=FONT_SIZE, titleColor=INK, labelLimit=0)
        .configure_legend(
            labelColor=INK,
            labelFontSize=FONT_SIZE,
            titleColor=INK,
            symbolStrokeColor=INK,
            labelLimit=0,
        )
    )


def values(rows: Iterable[Mapping[str, Any]]) -> alt.Data:
    return alt.Data(values=[*rows])  # type: ignore[no-untyped-call]


def data_of(rows: Iterable[Mapping[str, Any]]) -> alt.Data:
    """The rows, each with the placeholder of its link."""
    return values({**row, "href": _placeholder(row)} for row in rows)


def _placeholder(row: Mapping[str, Any]) -> str | None:
    return None if row.get("link") is None else f"{PLACEHOLDER}{row['link']}"


def linked(rows: Sequence[Mapping[str, Any]]) -> alt.Data:
    """Only the rows that lead somewhere."""
    return data_of(row for row in rows if row.get("link") is not None)


def quoted(texts: Sequence[str]) -> str:
    """A Vega expression that gives the text at the place ``datum.value``.

    Axes count places rather than carry names, since two names may be cut to the same one.
    """
    listed = ",".join(_string(text) for text in texts)
    return f"[{listed}][datum.value]"


def _string(text: str) -> str:
    """``text`` as a string of an expression, every character that is not plain escaped."""
    return "'" + "".join(c if c.isalnum() or c == " " else f"\\u{{{ord(c):x}}}" for c in text) + "'"
