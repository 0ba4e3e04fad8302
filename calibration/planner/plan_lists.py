"""The statements behind each number of a plan. A number and its list are one condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.urls import reverse

from calibration import planner
from calibration.planner import STATES, Cell, Known
from calibration.readings.behind import address
from grounding.contract import ClaimClass, Verdict
from labeling.models import CalibrationSet, Statement
from labeling.references import DISPUTED

Figures = Mapping[str, Any]

UNKNOWN, KNOWN, NOT_STATED = "unknown", "known", "none"
"""Of a class: that the cell is not known; that it is, whichever; that it is, in a set that states
no class."""

FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "state": STATES,
    "class": [*(word.value for word in ClaimClass), UNKNOWN, KNOWN, NOT_STATED],
    "verdict": [word.value for word in Verdict],
}


@dataclass(frozen=True)
class Shown:
    """A statement as a list shows it, with what is known of it."""

    statement: Statement
    known: Known


class PlanList:
    """The live statements of a set that pass the filters, as a paginator wants them."""

    def __init__(self, calibration_set: CalibrationSet, filters: Mapping[str, str]) -> None:
        self.set, self.filters = calibration_set, filters

    @classmethod
    def of(cls, calibration_set: CalibrationSet, some: Sequence[Known]) -> list[Shown]:
        """``some``, in their order."""
        held = Statement.objects.filter(pk__in=[one.pk for one in some])
        full = held.select_related("case", "expectation").defer(
            "case__context", "case__retrieved", "case__answer"
        )
        by_key = {statement.pk: statement for statement in full}
        return [Shown(by_key[one.pk], one) for one in some]

    def count(self) -> int:
        return len(self._found)

    def __getitem__(self, part: slice) -> Sequence[Shown]:
        return self.of(self.set, self._found[part])

    @cached_property
    def _found(self) -> list[Known]:
        return [one for one in planner.survey(self.set) if self._passes(one)]

    def _passes(self, one: Known) -> bool:
        asked = self.filters
        return (
            ("state" not in asked or one.among(asked["state"]))
            and ("class" not in asked or _is_class(asked["class"], one.cell))
            and ("verdict" not in asked or (one.cell or _NOWHERE)[1] == asked["verdict"])
        )


_NOWHERE: Final = (None, None)


def _is_class(asked: str, cell: Cell | None) -> bool:
    if cell is None or asked in (UNKNOWN, KNOWN):
        return asked == (UNKNOWN if cell is None else KNOWN)
    return (cell[0] or NOT_STATED) == asked


def linked(document: Figures, slug: str) -> dict[str, Any]:
    """The dict of `calibration.planner.document`; ``behind`` beside what is counted has the links
    of the lists."""
    url = reverse("plan-statements", args=[slug])
    unknown, known = {"class": UNKNOWN}, {"class": KNOWN}
    return {
        **document,
        "cells": [{**cell, "behind": _behind(url, _of(cell))} for cell in document["cells"]],
        "unknown": {**document["unknown"], "behind": _behind(url, unknown)},
        "behind": _behind(url, known) | {DISPUTED: address(url, {"state": DISPUTED})},
    }


def _of(cell: Figures) -> dict[str, str]:
    return {"class": cell["claim_class"] or NOT_STATED, "verdict": cell["verdict"]}


def _behind(url: str, of: Mapping[str, str]) -> dict[str, str]:
    return {state: address(url, {"state": state, **of}) for state in STATES}
