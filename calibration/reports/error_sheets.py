"""A report's disagreements as it froze them: written once in columns, read in parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from django.db.models import QuerySet

from calibration import agreement
from calibration.agreement import DIRECTIONS
from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS, Codes, Flags
from calibration.loading import Loaded
from calibration.models import DisagreementSheet, Judgment, Report
from grounding.contract import FAILING, ClaimClass, Verdict
from grounding.errors import BadInput
from labeling import references
from labeling.columns.arrays import Packed, pack
from labeling.columns.numbers import listed
from labeling.models import Statement

_TIERS: Final = (*references.TIERS, references.DISPUTED, references.NONE)
_WORDS: Final[Mapping[str, Sequence[str]]] = {
    "direction": DIRECTIONS,
    "human_class": CLASSES,
    "human_verdict": VERDICTS,
    "judge_class": CLASSES,
    "judge_verdict": VERDICTS,
    "tier": _TIERS,
}


@dataclass(frozen=True)
class Disagreement:
    """One statement on which judge and reference differ. The judgment is as it stands: what was
    graded is never judged again."""

    statement: Statement
    judgment: Judgment
    direction: str
    human_class: str | None
    human_verdict: str | None
    tier: str

    @property
    def judgment_id(self) -> int:
        return self.judgment.pk


def packed(loaded: Loaded) -> bytes:
    """The disagreements of ``loaded`` in the order in which they are listed."""
    found = agreement.disagreements(loaded.columns)
    rows = loaded.columns.where(found.rows)
    tiers = np.array([_TIERS.index(one.tier) for one in loaded.answers], dtype=np.int64)
    columns = {
        "statement": loaded.statements[found.rows],
        "judgment": loaded.judgments[found.rows],
        "direction": found.directions,
        "human_class": rows.reference_class,
        "human_verdict": rows.reference_verdict,
        "judge_class": rows.judge_class,
        "judge_verdict": rows.judge_verdict,
        "tier": tiers[loaded.which[found.rows]],
    }
    return pack(columns, _WORDS)


class ErrorSheet:
    """The disagreements of a report. Asked for a direction, it has every one that the rate of
    that direction counts, though each stands under its most harmful."""

    def __init__(self, report: Report) -> None:
        kept = DisagreementSheet.objects.filter(report=report).values_list("columns", flat=True)
        self._sheet = Packed(kept.get())
        self._found: dict[str, Codes] = {}

    def statements(self, direction: str | None = None) -> list[int]:
        """Primary keys, in their order."""
        pks: list[int] = self._sheet.codes("statement")[self.places(direction)].tolist()
        return pks

    def counts(self) -> dict[str, int]:
        """How many there are by each direction, and in ``all``, which is less than their sum."""
        found = {name: len(self.places(name)) for name in DIRECTIONS}
        return {**found, "all": len(self.places())}

    def places(self, direction: str | None = None) -> Codes:
        """Raises BadInput for what is no direction."""
        if direction is None:
            return np.arange(self._sheet.codes("direction").size)
        if direction not in _COUNTED:
            raise BadInput(f"a direction is one of {', '.join(DIRECTIONS)}", field="direction")
        if direction not in self._found:
            self._found[direction] = np.flatnonzero(_COUNTED[direction](self._sheet))
        return self._found[direction]

    def rows(self, places: Codes, judgments: QuerySet[Judgment]) -> list[Disagreement]:
        """Those at ``places``; ``judgments`` says what else of each is wanted. One query."""
        pks = self._sheet.codes("judgment")[places].tolist()
        held = {one.pk: one for one in judgments.filter(listed(pks))} if pks else {}
        return [self._row(place, held[pk]) for place, pk in zip(places.tolist(), pks, strict=True)]

    def _row(self, place: int, judgment: Judgment) -> Disagreement:
        return Disagreement(
            statement=judgment.statement,
            judgment=judgment,
            direction=str(self._sheet.word("direction", place)),
            human_class=self._sheet.word("human_class", place),
            human_verdict=self._sheet.word("human_verdict", place),
            tier=str(self._sheet.word("tier", place)),
        )


def _is(sheet: Packed, name: str, *words: str) -> Flags:
    codes = sheet.codes(name)
    flags: Flags = np.logical_or.reduce([codes == sheet.code(name, word) for word in words])
    return flags


def _lenient(sheet: Packed) -> Flags:
    return _is(sheet, "direction", "lenient")


def _class_escape(sheet: Packed) -> Flags:
    subject = ClaimClass.SUBJECT_SPECIFIC
    unclassed: Flags = sheet.codes("judge_class") == NOTHING
    other = ~_is(sheet, "judge_class", subject) & ~unclassed
    also = _lenient(sheet) & _is(sheet, "human_class", subject) & other
    return _is(sheet, "direction", "class_escape") | also


def _strict(sheet: Packed) -> Flags:
    supported = _is(sheet, "human_verdict", Verdict.SUPPORTED)
    refused = _is(sheet, "judge_verdict", *FAILING)
    also = _is(sheet, "direction", "class_escape") & supported & refused
    return _is(sheet, "direction", "strict") | also


def _other(sheet: Packed) -> Flags:
    return _is(sheet, "direction", "other")


_COUNTED: Final[Mapping[str, Callable[[Packed], Flags]]] = {
    "lenient": _lenient,
    "class_escape": _class_escape,
    "strict": _strict,
    "other": _other,
}
