"""How often a judge is right, by how sure it says it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calibration.charts.figures import Cell, Figure, Linked, ReliabilityBin
from calibration.charts.picture import Links, Picture
from calibration.charts.words import between, of, shown
from calibration.wording.numbers import percent


def reliability(title: str, caption: str, bins: Sequence[ReliabilityBin]) -> Figure:
    """Each bin as a point, the rate of being right over its mean confidence, with its interval;
    on the dashed diagonal a judge is as often right as it says."""
    links = Links()
    drawn = [_point(each, links) for each in bins if each.rate is not None]
    picture = Picture("reliability", shown(title), shown(caption, 500), drawn, links.found)
    headers = ["Mean confidence", "Right", "n", "Rate", "95% interval"]
    return Figure(title, caption, picture, headers, [_cells(each) for each in bins])


def _point(each: ReliabilityBin, links: Links) -> dict[str, Any]:
    name = f"Confidence {percent(each.confidence)}: right on {of(each.count, each.n)}"
    return {
        "confidence": each.confidence,
        "value": each.rate,
        "low": each.low,
        "high": each.high,
        "said": f"{each.n:,}",
        "link": links.place(each.href, f"{name}, {percent(each.rate)}"),
    }


def _cells(each: ReliabilityBin) -> list[Cell]:
    return [
        percent(each.confidence),
        f"{each.count:,}",
        Linked(f"{each.n:,}", each.href if each.n else None),
        percent(each.rate),
        between(each.low, each.high),
    ]
