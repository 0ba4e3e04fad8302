"""The figures of a report or a comparison as pictures: what each shows, and in which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from calibration.charts import (
    Figure,
    Interval,
    Point,
    ReliabilityBin,
    differences,
    heat_map,
    intervals,
    reliability,
)
from labeling.wording.vocabulary import words

Figures = Mapping[str, Any]
Hrefs = Sequence[Sequence[str | None]]

_RIGHT: Final = (
    "Of the statements with this reference, on how many the judge had class and verdict both "
    "right, with the 95% interval."
)
_VERDICT_RIGHT: Final = (
    "Of the statements with this reference, on how many the judge had the verdict right, with the "
    "95% interval."
)
_DIRECTIONS: Final = {"lenient": "Lenient", "class_escape": "Class escape", "strict": "Strict"}


def classes(report: Figures) -> Figure:
    """A rate that has ``behind`` (`calibration.readings.behind`) leads there."""
    floor = report["floor"]["always_majority_cell"]["rate"]
    each = report["by_class"].items()
    rows = [_interval("All statements", report["overall"], floor)]
    rows += [_interval(words(name).capitalize(), rate) for name, rate in each]
    return intervals("Right by class", _RIGHT, rows)


def cells(report: Figures) -> Figure:
    rows = [_interval(_cell(cell), cell) for cell in report["by_class_and_verdict"]]
    return intervals("Right by class and verdict", _RIGHT, rows)


def verdicts(report: Figures) -> Figure:
    """Of a report that has no classes to go by."""
    rows = [_interval("All statements", report["verdict"])]
    rows += [_interval(words(name).capitalize(), one) for name, one in report["by_verdict"].items()]
    return intervals("Right by verdict", _VERDICT_RIGHT, rows)


def directions(report: Figures) -> Figure:
    return intervals(
        "In which direction the judge errs",
        "Errors of each direction among the statements on which they could be made, with the "
        "95% interval.",
        [_interval(title, report[name]) for name, title in _DIRECTIONS.items()],
    )


def confusion(report: Figures, which: str, hrefs: Hrefs | None = None) -> Figure:
    labels = report["confusion"][which]["labels"]
    return heat_map(
        which.capitalize(),
        "Rows are the references, columns what the judge said. The percentage, and the darkness, "
        "is the share of the row; where both agree the cell is framed.",
        [words(label) for label in labels],
        report["confusion"][which]["rows_human_columns_judge"],
        hrefs or [[None] * len(labels)] * len(labels),
    )


def confidence(report: Figures) -> Figure | None:
    """None where the judge states no confidence, or the report is of before it was measured."""
    bins = report.get("confidence", {}).get("bins", ())
    if not bins:
        return None
    return reliability(
        "Confidence and verdicts right",
        "Statements in bins of about equal number, the least sure first. On the dashed line the "
        "judge is as often right as it says; below it, it is too sure.",
        [_bin(one) for one in bins],
    )


def _bin(one: Figures) -> ReliabilityBin:
    right = one["right"]
    low, high = right["interval"]
    href = right.get("behind", {}).get("n")
    return ReliabilityBin(
        one["confidence"], right["count"], right["n"], right["rate"], low, high, href
    )


def cell_differences(compared: Figures) -> Figure:
    return differences(
        "First minus second, cell by cell",
        "In percentage points, with the 95% interval: left of 0 the second was right more often.",
        [_point(cell) for cell in compared["cells"]],
    )


def _point(cell: Figures) -> Point:
    difference = cell["difference"]
    low, high = difference["interval"] or (None, None)
    href = cell.get("behind", {}).get("n") if cell["n"] else None
    return Point(_cell(cell), difference["value"], low, high, cell["n"], href)


def _cell(cell: Figures) -> str:
    claim_class = words(cell["claim_class"]) or "class not stated"
    return f"{claim_class}, {words(cell['verdict'])}".capitalize()


def _interval(label: str, rate: Figures, floor: float | None = None) -> Interval:
    low, high = rate["interval"] or (None, None)
    href = rate.get("behind", {}).get("count") if rate["count"] else None
    return Interval(label, rate["count"], rate["n"], rate["rate"], low, high, href, floor)
