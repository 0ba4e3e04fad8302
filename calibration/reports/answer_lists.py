"""The answers of a report, as its sheet froze them: exactly those that a number of it counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from calibration.agreement.answering import BEHAVIOURS, DECISIONS, UNDECIDED
from calibration.agreement.columns import NOTHING, Codes, Flags
from calibration.agreement.stages import BASES, STAGES
from calibration.models import AnswerSheet, Report
from grounding.answers import Decision
from grounding.tracing import TRACED
from labeling.columns.arrays import Packed
from labeling.models import Case

STATED, NOT_STATED, READ, UNREAD, TRACED_AT_ALL = "stated", "not_stated", "read", "unread", "traced"
_YES_NO: Final = ["yes", "no"]
_DECISIONS: Final = [word.value for word in DECISIONS]
_BEHAVIOURS: Final = [*(word.value for word in BEHAVIOURS), READ, UNREAD]
_FACTS: Final = [*_YES_NO, STATED, NOT_STATED]

FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "decided": _YES_NO,
    "undecided": UNDECIDED,
    "human": _DECISIONS,
    "judge": _DECISIONS,
    "alike": _YES_NO,
    "stage": [*(word.value for word in STAGES), TRACED_AT_ALL],
    "basis": [word.value for word in BASES],
    "answerable": _FACTS,
    "from_retrieved": _FACTS,
    "captured": _YES_NO,
    "human_behaviour": _BEHAVIOURS,
    "judge_behaviour": _BEHAVIOURS,
}
FILTER_LABELS: Final[Mapping[str, str]] = {
    "decided": "Decided on both sides",
    "undecided": "Not decided, because",
    "human": "By its references",
    "judge": "By the judge",
    "alike": "Decided alike",
    "stage": "Where it failed",
    "basis": "As it is traced",
    "answerable": "Context answers",
    "from_retrieved": "Pool answers",
    "captured": "Pool captured",
    "human_behaviour": "It does, by its references",
    "judge_behaviour": "It does, by the judge",
}


@dataclass(frozen=True)
class Claims:
    """How many of an answer's graded claims a side supports."""

    supported: int
    graded: int


@dataclass(frozen=True)
class Row:
    """One answer: its case, and what the sheet says of it, None where it says nothing."""

    case: Case
    words: Mapping[str, str | None]
    human: Claims
    judge: Claims

    @property
    def direction(self) -> str | None:
        """Lenient or strict, where both sides decide and differ."""
        sides = self.words["human"], self.words["judge"]
        if self.words["undecided"] is not None or sides[0] == sides[1]:
            return None
        return _direction(str(sides[0]))


class Sheet(Packed):
    """The columns of a report's answers."""

    def case_at(self, place: int) -> int:
        return int(self.codes("case")[place])

    def place_of(self, case_pk: int) -> int | None:
        """Where the answer of that case stands; None where the run had no such case."""
        found = np.flatnonzero(self.codes("case") == case_pk).tolist()
        return found[0] if found else None

    def row(self, place: int, case: Case) -> Row:
        return Row(
            case,
            {name: self.word(name, place) for name in self.words},
            *(
                Claims(
                    int(self.codes(f"{side}_supported")[place]),
                    int(self.codes(f"{side}_graded")[place]),
                )
                for side in ("human", "judge")
            ),
        )


def sheet_of(report: Report) -> Sheet | None:
    """None for a report that was made before answers were measured."""
    found = AnswerSheet.objects.filter(report=report).values_list("columns", flat=True).first()
    return None if found is None else Sheet(found)


def differing(sheet: Sheet, case_ids: Mapping[int, str]) -> list[dict[str, Any]]:
    """The answers that both sides decide, and decide differently, those let through first."""
    places = _alike(sheet, "alike", "no").nonzero()[0].tolist()
    rows = [
        {
            "case_id": case_ids[sheet.case_at(place)],
            "human": sheet.word("human", place),
            "judge": sheet.word("judge", place),
            "direction": _direction(str(sheet.word("human", place))),
        }
        for place in places
    ]
    return sorted(rows, key=lambda row: str(row["direction"]))


def ungrounded(sheet: Sheet, case_ids: Mapping[int, str]) -> list[dict[str, Any]]:
    """Every answer that its references do not ground, with the stage that lost its fact."""
    places = (sheet.codes("stage") != NOTHING).nonzero()[0].tolist()
    return [
        {
            "case_id": case_ids[sheet.case_at(place)],
            "stage": sheet.word("stage", place),
            "basis": sheet.word("basis", place),
        }
        for place in places
    ]


def _direction(human: str) -> str:
    """Of two that differ."""
    return "strict" if human == Decision.GROUNDED else "lenient"


class AnswerList:
    """The answers that pass ``filters``, in the set's order, as a paginator wants them."""

    def __init__(self, sheet: Sheet, filters: Mapping[str, str]) -> None:
        self.sheet = sheet
        self.filters = filters

    def count(self) -> int:
        return len(self._places)

    def __getitem__(self, part: slice) -> Sequence[Row]:
        places = self._places[part].tolist()
        pks = self.sheet.codes("case")[places].tolist() if places else []
        cases = Case.objects.only("case_id", "answer").in_bulk(pks)
        return [self.sheet.row(place, cases[pk]) for place, pk in zip(places, pks, strict=True)]

    def claims(self) -> tuple[Claims, Claims]:
        """Over all of these answers: the references', the judge's."""
        human, judge = (
            Claims(
                *(
                    int(self.sheet.codes(f"{side}_{what}")[self._places].sum())
                    for what in ("supported", "graded")
                )
            )
            for side in ("human", "judge")
        )
        return human, judge

    @cached_property
    def _places(self) -> Codes:
        kept = np.ones(self.sheet.codes("case").size, dtype=np.bool_)
        for name, value in self.filters.items():
            kept &= _PASSES.get(name, _is_word)(self.sheet, name, value)
        return np.flatnonzero(kept)


def _is_word(sheet: Sheet, name: str, value: str) -> Flags:
    flags: Flags = sheet.codes(name) == sheet.code(name, value)
    return flags


def _decided(sheet: Sheet, name: str, value: str) -> Flags:
    decided: Flags = (sheet.codes("undecided") == NOTHING) == (value == "yes")
    return decided


def _alike(sheet: Sheet, name: str, value: str) -> Flags:
    alike: Flags = (sheet.codes("human") == sheet.codes("judge")) == (value == "yes")
    return _decided(sheet, name, "yes") & alike


def _at_stage(sheet: Sheet, name: str, value: str) -> Flags:
    if value != TRACED_AT_ALL:
        return _is_word(sheet, name, value)
    traced: Flags = np.isin(sheet.codes(name), [sheet.code(name, stage.value) for stage in TRACED])
    return traced


def _doing(sheet: Sheet, name: str, value: str) -> Flags:
    if value not in (READ, UNREAD):
        return _is_word(sheet, name, value)
    flags: Flags = (sheet.codes(name) == NOTHING) == (value == UNREAD)
    return flags


def _fact(sheet: Sheet, name: str, value: str) -> Flags:
    codes = sheet.codes(name)
    if value in (STATED, NOT_STATED):
        flags: Flags = (codes == NOTHING) == (value == NOT_STATED)
    else:
        flags = codes == int(value == "yes")
    return flags


_PASSES: Final[Mapping[str, Callable[[Sheet, str, str], Flags]]] = {
    "decided": _decided,
    "alike": _alike,
    "stage": _at_stage,
    "answerable": _fact,
    "from_retrieved": _fact,
    "captured": _fact,
    "human_behaviour": _doing,
    "judge_behaviour": _doing,
}
