"""Where the numbers are listed that a corrected production score rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.readings.behind import address
from calibration.readings.comparisons import FAILS, GRADABLE, NOT_SUPPORTED
from grounding.contract import Verdict

Figures = Mapping[str, Any]
Filters = Mapping[str, str]

_GRADED: Final = {"judge_verdict": GRADABLE}
_SIDES: Final[Mapping[str, tuple[str, str]]] = {
    "sensitivity": (Verdict.SUPPORTED.value, Verdict.SUPPORTED.value),
    "specificity": (NOT_SUPPORTED, FAILS),
}
_COUNTS: Final[Mapping[str, Filters]] = {
    "n": _GRADED,
    "not_applicable_by_people": {"human_verdict": Verdict.NOT_APPLICABLE.value, **_GRADED},
    "left_out": {"judge_verdict": Verdict.NOT_APPLICABLE.value},
}


def linked(measured: Figures, statements: str) -> dict[str, Any]:
    """The figures of `calibration.production.measure` with the links of their counts;
    ``statements`` is the address of the report's list."""
    sides = {
        name: {**measured[name], "behind": _behind(statements, human, judge)}
        for name, (human, judge) in _SIDES.items()
    }
    to = {name: address(statements, filters) for name, filters in _COUNTS.items()}
    return {**measured, **sides, "labelled": {**measured["labelled"], "behind": to}}


def _behind(statements: str, human: str, judge: str) -> dict[str, str]:
    of = {"human_verdict": human}
    return {
        "count": address(statements, {**of, "judge_verdict": judge}),
        "n": address(statements, {**of, **_GRADED}),
    }
