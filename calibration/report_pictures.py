"""A report's figures as pictures: rates with their intervals, confusions, directions of error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration import charts, pictures
from calibration.behind import address
from calibration.charts import Figure, Interval
from labeling.vocabulary import words

Figures = Mapping[str, Any]

_RIGHT: Final = (
    "Of the statements with this reference, on how many the judge had class and verdict both "
    "right, with the 95% interval."
)
_DIRECTIONS: Final = {"lenient": "Lenient", "class_escape": "Class escape", "strict": "Strict"}


def of_report(figures: Figures, statements: str) -> dict[str, Figure]:
    """Each picture by its name, drawn or as it was kept; ``figures`` may be linked (`behind`), and
    ``statements`` is the address of the list that confusions lead to."""
    made = {
        "classes": _classes(figures),
        "cells": _cells(figures),
        "directions": _directions(figures),
        **{which: _confusion(figures, which, statements) for which in ("verdict", "class")},
    }
    return dict(zip(made, pictures.kept(list(made.values())), strict=True))


def _classes(figures: Figures) -> Figure:
    floor = figures["floor"]["always_majority_cell"]["rate"]
    by_class = figures["by_class"].items()
    return charts.intervals(
        "Right by class",
        _RIGHT,
        [
            _interval("All statements", figures["overall"], floor),
            *(_interval(words(name).capitalize(), rate) for name, rate in by_class),
        ],
    )


def _cells(figures: Figures) -> Figure:
    cells = figures["by_class_and_verdict"]
    names = [f"{words(cell['claim_class'])}, {words(cell['verdict'])}" for cell in cells]
    rows = [_interval(name.capitalize(), cell) for name, cell in zip(names, cells, strict=True)]
    return charts.intervals("Right by class and verdict", _RIGHT, rows)


def _directions(figures: Figures) -> Figure:
    return charts.intervals(
        "In which direction the judge errs",
        "Errors of each direction among the statements on which they could be made, with the "
        "95% interval.",
        [_interval(title, figures[name]) for name, title in _DIRECTIONS.items()],
    )


def _interval(label: str, rate: Figures, floor: float | None = None) -> Interval:
    low, high = rate["interval"] or (None, None)
    href = rate.get("behind", {}).get("count") if rate["count"] else None
    return Interval(label, rate["count"], rate["n"], rate["rate"], low, high, href, floor)


def _confusion(figures: Figures, which: str, statements: str) -> Figure:
    labels, table = (figures["confusion"][which][key] for key in _MATRIX)
    hrefs = [
        [
            address(statements, {f"human_{which}": human, f"judge_{which}": judge})
            for judge in labels
        ]
        for human in labels
    ]
    return charts.heat_map(
        which.capitalize(),
        "Each number opens its statements. The percentage, and the darkness, is the share of the "
        "row; where both agree the cell is framed.",
        [words(label) for label in labels],
        table,
        hrefs,
    )


_MATRIX: Final = ("labels", "rows_human_columns_judge")
