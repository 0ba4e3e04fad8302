"""The pictures of a report's page, which lead to what they count and are drawn only once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibration.charts import Figure
from calibration.charts.drawing import draw_ahead
from calibration.readings import behind, behind_sureness, pictures
from calibration.readings.behind import Lists, address
from calibration.rendering.pictures import (
    cells,
    classes,
    confidence,
    confusion,
    directions,
    verdicts,
)
from calibration.rendering.sentences import classless

Figures = Mapping[str, Any]


def of_report(figures: Figures, statements: str) -> dict[str, Figure]:
    """Each picture by its name; ``figures`` are linked (`behind`), and ``statements`` is the
    address of the list that confusions lead to."""
    made = _made(figures, statements)
    return dict(zip(made, pictures.kept(list(made.values())), strict=True))


def begin(figures: Figures) -> None:
    """Begin to draw the pictures of a report of which these are the first figures, while the rest
    are computed."""
    nowhere = Lists(statements="/", judgments="/", pairs="/")
    linked = {**behind.linked(figures, nowhere), **behind_sureness.linked(figures, nowhere)}
    made = _made(linked, nowhere.statements)
    draw_ahead(figure.picture for figure in made.values())


def _made(figures: Figures, statements: str) -> dict[str, Figure]:
    made = {
        **_by_class(figures, statements),
        "directions": directions(figures),
        "verdict": _confusion(figures, "verdict", statements),
    }
    curve = confidence(figures)
    return made if curve is None else {**made, "curve": curve}


def _by_class(figures: Figures, statements: str) -> dict[str, Figure]:
    """Where there are no classes, how often the verdict is right in their place."""
    if classless(figures):
        return {"verdicts": verdicts(figures)}
    return {
        "classes": classes(figures),
        "cells": cells(figures),
        "class": _confusion(figures, "class", statements),
    }


def _confusion(figures: Figures, which: str, statements: str) -> Figure:
    labels = figures["confusion"][which]["labels"]

    def to(human: str, judge: str) -> str:
        return address(statements, {f"human_{which}": human, f"judge_{which}": judge})

    return confusion(figures, which, [[to(one, other) for other in labels] for one in labels])
