"""One figure of each kind, over numbers worked out by hand."""

from __future__ import annotations

from calibration import charts
from calibration.charts import Figure, Interval, Point, ReliabilityBin, Series, Stack

VERDICTS = ("supported", "unsupported", "contradictory", "not applicable")
CONFUSION = [[120, 10, 0, 3], [20, 60, 8, 0], [4, 0, 51, 0], [0, 0, 0, 0]]
HREFS = [[f"/list/?human={a}&judge={b}" for b in range(4)] for a in range(4)]


def one_of_each(name: str = "A name") -> dict[str, Figure]:
    """``name`` stands wherever a text from outside can."""
    return {
        "intervals": charts.intervals(name, name, rates(name)),
        "differences": charts.differences(name, name, differences(name)),
        "heat": charts.heat_map(name, name, [name, *VERDICTS[1:]], CONFUSION, HREFS),
        "reliability": charts.reliability(name, name, BINS),
        "line": charts.lines(name, name, series(name)).figures[0],
        "shares": charts.shares(name, name, [name, "other"], stacks(name)),
    }


def rates(name: str) -> list[Interval]:
    return [
        Interval(name, 77, 100, 0.77, 0.678, 0.842, "/list/?a=1&b=2", floor=0.6),
        Interval("Nothing", 0, 0, None, None, None),
        Interval("No error", 0, 50, 0.0, 0.0, 0.071),
    ]


def differences(name: str) -> list[Point]:
    return [
        Point(name, 0.05, -0.02, 0.11, 200, "/list/?d=1"),
        Point("Worse", -0.31, -0.42, -0.2, 40),
        Point("Nothing", None, None, None, 0),
    ]


BINS = [
    ReliabilityBin(0.25, 5, 50, 0.1, 0.043, 0.214, "/list/?bin=0"),
    ReliabilityBin(0.5, 0, 0, None, None, None),
    ReliabilityBin(0.75, 45, 50, 0.9, 0.786, 0.957),
]


def series(name: str) -> list[Series]:
    return [
        Series(
            name,
            [
                Interval("1.0.0", 10, 100, 0.1, 0.05, 0.2, "/list/?v=1", n_href="/list/?of=1"),
                Interval("1.1.0", 0, 0, None, None, None, "/list/?v=2", n_href="/list/?of=2"),
                Interval("1.2.0", 30, 100, 0.3, 0.2, 0.4),
            ],
        ),
        Series(
            "Another",
            [
                Interval("1.2.0", 50, 100, 0.5, 0.4, 0.6),
                Interval(name, 60, 100, 0.6, 0.5, 0.7),
            ],
        ),
    ]


def stacks(name: str) -> list[Stack]:
    return [Stack(name, [30, 10], ["/list/?s=1", None]), Stack("Nothing", [0, 0])]
