"""Each kind of picture as a Vega-Lite specification: plain data, which the tests hold against
the schema."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from calibration.charts.picture import Picture
from calibration.charts.vega import differences, heat, intervals, line, reliability, shares
from calibration.charts.vega.theme import THEME, Spec

_KINDS: Final[Mapping[str, Callable[[Picture], Spec]]] = {
    "differences": differences.chart,
    "heat": heat.chart,
    "intervals": intervals.chart,
    "line": line.chart,
    "reliability": reliability.chart,
    "shares": shares.chart,
}


def specification(picture: Picture, rows: list[dict[str, Any]]) -> Spec:
    """``picture`` over ``rows``, which have the address of what leads somewhere in ``href``."""
    return {**THEME, **_KINDS[picture.kind](picture), "data": {"values": rows}}
