"""Which statements a queue is opened over, and which of them are gold.

A set may hold more statements than a database takes parameters in one query, so what is chosen
stays a sub-query, or is picked from the set's own list, never written out in a condition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.db.models import F, Value

from grounding.contract import CONTRACT
from grounding.errors import BadInput
from grounding.interchange.models import Selected
from labeling import references
from labeling.cases.caselists import HoldsTag
from labeling.models import CalibrationSet, Case, CaseQuerySet, Statement
from labeling.queues import order
from labeling.references import ADJUDICATED, AUTHOR, CONSENSUS, DISPUTED, NONE, Reference


class Kind(StrEnum):
    ALL = "all"
    TAG = "tag"
    PAIR_KIND = "pair_kind"
    WITHOUT_REFERENCE = "without_reference"
    DISPUTED = "disputed"
    STATEMENTS = "statements"
    PLANNED = "planned"


WORDS: Final = {
    Kind.ALL: "every statement of the set",
    Kind.TAG: "statements of cases tagged {value}",
    Kind.PAIR_KIND: "statements of pairs of the kind {value}",
    Kind.WITHOUT_REFERENCE: "statements without a human reference",
    Kind.DISPUTED: "statements where blind labels disagree",
    Kind.STATEMENTS: "statements among the {value}",
    Kind.PLANNED: "the statements that a plan asked to be labelled next ({value})",
}

TELLING: Final = frozenset({Kind.TAG, Kind.PAIR_KIND, Kind.DISPUTED, Kind.STATEMENTS})
"""Who knows that a queue was opened over one of these knows of its statements what no blind
annotator may."""

_WITH_VALUE: Final = {Kind.TAG: "tag", Kind.PAIR_KIND: "pair kind"}
_TIERS: Final = {
    Kind.DISPUTED: frozenset({DISPUTED}),
    # An author's hypothesis is no human answer.
    Kind.WITHOUT_REFERENCE: frozenset({NONE, AUTHOR}),
}
_AGREED: Final = frozenset({ADJUDICATED, CONSENSUS})
_KNOWN: Final = _AGREED | {AUTHOR}


@dataclass(frozen=True)
class Selection:
    """``value`` is the tag or the pair kind; where the choice was made elsewhere, in words, by
    what. ``statements`` are primary keys then; ``selected`` says that it depended on what
    judges did."""

    kind: Kind
    value: str = ""
    statements: Collection[int] = ()
    selected: Selected | None = None

    def as_json(self) -> dict[str, Any]:
        """What the queue remembers; the statements themselves are in its slots."""
        return {"kind": self.kind.value, "value": self.value}


def words(kept: Mapping[str, str]) -> str:
    """What a queue remembers of its selection, as people say it."""
    return WORDS[Kind(kept["kind"])].format(value=kept["value"])


def found(calibration_set: CalibrationSet, selection: Selection) -> list[int]:
    """The live statements that ``selection`` means, by primary key, in the set's order."""
    kind, value = selection.kind, selection.value
    if kind in _WITH_VALUE and not value:
        raise BadInput(f"say which {_WITH_VALUE[kind]}", field="value")
    cases = _live(calibration_set)
    if kind in _TIERS:
        answers, tiers = _answers(calibration_set), _TIERS[kind]
        chosen = {pk for pk, one in answers if references.tier_of(one) in tiers}
        return [pk for pk in _statements(cases) if pk in chosen]
    if kind in (Kind.STATEMENTS, Kind.PLANNED):
        chosen = set(selection.statements)
        return [pk for pk in _statements(cases) if pk in chosen]
    if kind is Kind.TAG:
        cases = _tagged(cases, value)
    if kind is Kind.PAIR_KIND:
        cases = cases.filter(pair_kind=value)
    return _statements(cases)


def with_answers(
    calibration_set: CalibrationSet, statements: Collection[int]
) -> dict[int, Reference]:
    """Of ``statements`` those whose answer is known well enough to hold people to it."""
    chosen = set(statements)
    return {
        pk: one
        for pk, one in _answers(calibration_set)
        if pk in chosen and isinstance(one, Reference) and one.tier in _KNOWN
    }


def drawn(calibration_set: CalibrationSet, count: int, *, seed: int) -> list[int]:
    """``count`` statements drawn from those whose answer is adjudicated or agreed on."""
    pool = [pk for pk, one in _answers(calibration_set) if references.tier_of(one) in _AGREED]
    if len(pool) < count:
        raise BadInput(
            f"only {len(pool)} have an answer that is adjudicated or agreed on",
            field="gold_count",
        )
    return sorted(pool, key=lambda pk: order.draw(seed, "gold statement", pk))[:count]


def tagged(calibration_set: CalibrationSet, tag: str) -> list[int]:
    """The statements of cases with that tag whose answer is known."""
    statements = _statements(_tagged(_live(calibration_set), tag))
    known = with_answers(calibration_set, statements)
    if not known:
        raise BadInput("no statement with that tag has a known answer", field="gold_tag")
    return list(known)


def tags_of(calibration_set: CalibrationSet) -> list[str]:
    lists = _live(calibration_set).order_by().values_list("tags", flat=True).distinct()
    return sorted({tag for tags in lists for tag in tags})


def _live(calibration_set: CalibrationSet) -> CaseQuerySet:
    return Case.objects.live().filter(set=calibration_set)


def _tagged(cases: CaseQuerySet, tag: str) -> CaseQuerySet:
    return cases.filter(HoldsTag(F("tags"), Value(tag)))


def _statements(cases: CaseQuerySet) -> list[int]:
    rows = Statement.objects.filter(case__in=cases.order_by().values("pk"))
    return list(rows.order_by("case__position", "position").values_list("pk", flat=True))


def _answers(calibration_set: CalibrationSet) -> Iterator[tuple[int, Reference | str]]:
    """Each statement with its reference, as labels stand now under the present contract."""
    for pk, _, _, one in references.each(calibration_set, CONTRACT.major):
        yield pk, one
