"""Which statements a queue is opened over."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.db.models import QuerySet

from grounding.contract import CONTRACT
from grounding.errors import BadInput
from grounding.interchange.models import Selected
from labeling import references
from labeling.models import CalibrationSet, Statement
from labeling.references import ADJUDICATED, AUTHOR, CONSENSUS, DISPUTED, NONE, Reference


class Kind(StrEnum):
    ALL = "all"
    TAG = "tag"
    PAIR_KIND = "pair_kind"
    WITHOUT_REFERENCE = "without_reference"
    DISPUTED = "disputed"
    STATEMENTS = "statements"


_WITH_VALUE: Final = {Kind.TAG, Kind.PAIR_KIND}


@dataclass(frozen=True)
class Selection:
    """``value`` is the tag or the pair kind. ``statements`` are primary keys, where the choice
    was made elsewhere; ``selected`` says that it depended on what judges did."""

    kind: Kind
    value: str = ""
    statements: Collection[int] = ()
    selected: Selected | None = None

    def as_json(self) -> dict[str, Any]:
        """What the queue remembers; the statements themselves are in its slots."""
        return {"kind": self.kind.value, "value": self.value}


def found(calibration_set: CalibrationSet, selection: Selection) -> list[int]:
    """The live statements that ``selection`` means, by primary key, in the set's order."""
    if selection.kind in _WITH_VALUE and not selection.value:
        raise BadInput(f"say which {selection.kind.replace('_', ' ')}", field="value")
    live = _live(calibration_set)
    if selection.kind is Kind.STATEMENTS:
        return list(live.filter(pk__in=selection.statements).values_list("pk", flat=True))
    if selection.kind is Kind.PAIR_KIND:
        live = live.filter(case__pair_kind=selection.value)
    if selection.kind is Kind.TAG:
        # SQLite has no JSON containment, and a set is small enough to look through.
        rows = live.values_list("pk", "case__tags")
        return [pk for pk, tags in rows if selection.value in tags]
    if selection.kind is Kind.DISPUTED:
        return _of_tier(live, {DISPUTED})
    if selection.kind is Kind.WITHOUT_REFERENCE:
        return _of_tier(live, {NONE, AUTHOR})
    return list(live.values_list("pk", flat=True))


def with_answers(
    calibration_set: CalibrationSet, statements: Collection[int]
) -> dict[int, Reference]:
    """Of ``statements`` those whose answer is known well enough to hold people to it."""
    known = {ADJUDICATED, CONSENSUS, AUTHOR}
    chosen = list(_live(calibration_set).filter(pk__in=statements).select_related("expectation"))
    resolved = references.of_statements(chosen, CONTRACT.major)
    return {
        pk: one for pk, one in resolved.items() if isinstance(one, Reference) and one.tier in known
    }


def _live(calibration_set: CalibrationSet) -> QuerySet[Statement]:
    return Statement.objects.filter(
        case__set=calibration_set, case__superseded_in__isnull=True
    ).order_by("case__position", "position")


def _of_tier(live: QuerySet[Statement], tiers: Collection[str]) -> list[int]:
    """Those whose reference, as labels stand now, is of one of ``tiers``. An author's hypothesis
    is no human answer: who asks for what has no reference wants it labelled."""
    statements: Sequence[Statement] = list(live.select_related("expectation"))
    resolved = references.of_statements(statements, CONTRACT.major)
    return [
        pk
        for pk, one in resolved.items()
        if (one.tier if isinstance(one, Reference) else one) in tiers
    ]
