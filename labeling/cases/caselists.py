"""The cases of a set as a lead reads them: pairs first, side by side, then the cases that
stand alone. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db.models import BooleanField, Count, F, Func, Min, Q, QuerySet, Value, When
from django.db.models import Case as Conditional

from grounding.contract import ClaimClass, Verdict
from grounding.errors import NotFound
from labeling.models import CalibrationSet, Case, Expectation, Label, Statement
from labeling.web.parameters import ANY

FILTERS: Mapping[str, Sequence[str] | None] = {
    "paired": ["yes", "no"],
    "kind": ANY,
    "tag": ANY,
    "class": [word.value for word in ClaimClass],
    "verdict": [word.value for word in Verdict],
}


class HoldsTag(Func):
    """Whether a JSON list of tags holds one, on either database."""

    output_field: ClassVar = BooleanField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return super().as_sql(
            compiler,
            connection,
            template="EXISTS (SELECT 1 FROM json_each(%(expressions)s)",
            arg_joiner=") WHERE value = ",
            **context,
        )

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return super().as_sql(compiler, connection, function="jsonb_exists", **context)


@dataclass(frozen=True)
class Side:
    """One live case of a row: how often each class and verdict is expected in it."""

    case: Case
    expected: Sequence[tuple[str | None, str | None, int]]
    labels: int


@dataclass(frozen=True)
class Row:
    """A pair with its sides, or one case alone (``pair_id`` null)."""

    pair_id: str | None
    pair_kind: str | None
    sides: Sequence[Side]


def rows_of(calibration_set: CalibrationSet, filters: Mapping[str, str]) -> QuerySet[Any, Any]:
    """Keys of the rows in which a case passes every filter: a pair by its id, a case that
    stands alone by its primary key. A pair comes whole if one of its sides passes."""
    passing = Case.objects.live().filter(set=calibration_set).filter(_passes(filters))
    alone = Conditional(When(pair_id__isnull=True, then=F("pk")))
    unpaired = Conditional(When(pair_id__isnull=True, then=Value(1)), default=Value(0))
    return (
        passing.order_by()
        .annotate(alone=alone, unpaired=unpaired)
        .values("pair_id", "alone", "unpaired")
        .annotate(first=Min("position"))
        .order_by("unpaired", "first", "pair_id", "alone")
    )


def _passes(filters: Mapping[str, str]) -> Q:
    condition = Q()
    if "paired" in filters:
        condition &= Q(pair_id__isnull=filters["paired"] == "no")
    if "kind" in filters:
        condition &= Q(pair_kind=filters["kind"])
    if "tag" in filters:
        condition &= Q(HoldsTag(F("tags"), Value(filters["tag"])))
    if "class" in filters or "verdict" in filters:
        condition &= Q(pk__in=_expecting(filters))
    return condition


def _expecting(filters: Mapping[str, str]) -> QuerySet[Any, Any]:
    """Cases with a statement of which this class and this verdict are expected together."""
    found = Expectation.objects.all()
    if "class" in filters:
        found = found.filter(claim_class=filters["class"])
    if "verdict" in filters:
        found = found.filter(verdict=filters["verdict"])
    return found.values("statement__case_id")


def statements_of(calibration_set: CalibrationSet) -> QuerySet[Statement]:
    """The live statements in the set's order, with their case and expectation."""
    live = Case.objects.live().filter(set=calibration_set)
    found = Statement.objects.filter(case__in=live).select_related("case", "expectation")
    return found.defer("case__context", "case__retrieved", "case__answer").order_by(
        "case__position", "position"
    )


def kinds_of(calibration_set: CalibrationSet) -> list[str]:
    cases = Case.objects.live().filter(set=calibration_set, pair_kind__isnull=False)
    kinds = cases.order_by("pair_kind").values_list("pair_kind", flat=True).distinct()
    return [kind for kind in kinds if kind is not None]


def fill(calibration_set: CalibrationSet, keys: Sequence[Mapping[str, Any]]) -> list[Row]:
    """The rows that ``keys`` (some of `rows_of`) stand for, in their order."""
    pair_ids = [key["pair_id"] for key in keys if key["pair_id"] is not None]
    alone = [key["alone"] for key in keys if key["pair_id"] is None]
    cases = list(
        Case.objects.live()
        .filter(Q(pair_id__in=pair_ids) | Q(pk__in=alone), set=calibration_set)
        .defer("context", "retrieved", "question")
        .order_by("position")
    )
    sides = _sides(cases)
    by_key: dict[str | int, list[Case]] = {}
    for case in cases:
        by_key.setdefault(case.pair_id if case.pair_id is not None else case.pk, []).append(case)
    return [_row(by_key[key["pair_id"] or key["alone"]], sides) for key in keys]


def _row(cases: Sequence[Case], sides: Mapping[int, Side]) -> Row:
    kind = next((case.pair_kind for case in cases if case.pair_kind), None)
    return Row(cases[0].pair_id, kind, [sides[case.pk] for case in cases])


def _sides(cases: Sequence[Case]) -> dict[int, Side]:
    expected: dict[int, Counter[tuple[str | None, str | None]]] = {}
    found = Expectation.objects.filter(statement__case__in=cases).order_by("statement__position")
    for case_pk, claim_class, verdict in found.values_list(
        "statement__case_id", "claim_class", "verdict"
    ):
        expected.setdefault(case_pk, Counter())[claim_class, verdict] += 1
    counted = Label.objects.live().filter(statement__case__in=cases).order_by()
    labels = dict(counted.values_list("statement__case_id").annotate(Count("pk")))
    return {
        case.pk: Side(
            case,
            [(*cell, count) for cell, count in expected.get(case.pk, Counter()).items()],
            labels.get(case.pk, 0),
        )
        for case in cases
    }


def pair_of(calibration_set: CalibrationSet, pair_id: str) -> tuple[Case, ...]:
    """The live sides of a pair in order; NotFound where there are none."""
    found = Case.objects.live().filter(set=calibration_set, pair_id=pair_id)
    sides = tuple(found.order_by("position"))
    if not sides:
        raise NotFound("there is no such pair in this set")
    return sides


def require_pair(calibration_set: CalibrationSet, pair_id: str) -> None:
    """NotFound unless some revision of a case of the set belonged to that pair."""
    if not Case.objects.filter(set=calibration_set, pair_id=pair_id).exists():
        raise NotFound("there is no such pair in this set")


def live_of(calibration_set: CalibrationSet, case_id: str) -> Case:
    """The live revision of a case; NotFound where there is none."""
    found = Case.objects.live().filter(set=calibration_set, case_id=case_id).first()
    if found is None:
        raise NotFound("there is no such case in this set")
    return found
