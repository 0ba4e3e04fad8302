"""What is counted in a queue, and the list behind each count: one condition for both.

A place is one of the ``overlap`` that a statement has; an assignment is one annotator's work on
one statement, gold ones among them. Statements whose case was replaced count in `superseded`
alone. An annotator's own buckets, `MINE`, say nothing of anyone else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from labeling.models import (
    Annotator,
    Assignment,
    Label,
    Queue,
    Remark,
    RemarkKind,
    Slot,
    SlotQuerySet,
)


class Unit(StrEnum):
    PLACES = "places"
    STATEMENTS = "statements"
    ASSIGNMENTS = "assignments"


@dataclass(frozen=True)
class Bucket:
    unit: Unit
    meaning: str


BUCKETS: Final[Mapping[str, Bucket]] = {
    "places": Bucket(Unit.PLACES, "all that the queue asks for"),
    "filled": Bucket(Unit.PLACES, "with a label"),
    "leased": Bucket(Unit.PLACES, "reserved for someone just now"),
    "free": Bucket(Unit.PLACES, "to be handed out"),
    "statements": Bucket(Unit.STATEMENTS, "all but the gold ones"),
    "fully_labelled": Bucket(Unit.STATEMENTS, "every place has its label"),
    "partly_labelled": Bucket(Unit.STATEMENTS, "some places have a label"),
    "untouched": Bucket(Unit.STATEMENTS, "no place has a label"),
    "superseded": Bucket(Unit.STATEMENTS, "of cases that were replaced; no longer handed out"),
    "labelled": Bucket(Unit.ASSIGNMENTS, "with a label"),
    "unlabelled": Bucket(Unit.ASSIGNMENTS, "handed out, without a label"),
    "unsure": Bucket(Unit.ASSIGNMENTS, "the annotator is unsure of the label"),
    "skipped": Bucket(Unit.ASSIGNMENTS, "passed over, with a reason"),
    "flagged": Bucket(Unit.ASSIGNMENTS, "something is wrong with the case itself"),
    "late": Bucket(Unit.ASSIGNMENTS, "labelled when no place was left: over the overlap"),
    "taken_back": Bucket(Unit.ASSIGNMENTS, "the label was undone and not given anew"),
}
MINE: Final = ("labelled", "unlabelled", "unsure", "skipped", "flagged", "taken_back")
ORDER: Final = ("statement__case__position", "statement__position", "pk")
_BY_ANNOTATOR: Final = {Unit.PLACES: "assignment__annotator", Unit.ASSIGNMENTS: "annotator"}


def rows(
    queue: Queue, bucket: str, annotator: Annotator | None = None, *, at: datetime | None = None
) -> QuerySet[Any]:
    """What ``bucket`` counts, in the set's order: slots, or assignments. A statement is there
    as the first of its places."""
    found = _all(queue, BUCKETS[bucket].unit).filter(_condition(bucket, at or timezone.now()))
    if annotator is not None:
        found = found.filter(_of(queue, annotator, BUCKETS[bucket].unit))
    return found.order_by(*ORDER)


def counts(
    queue: Queue, units: Iterable[Unit] = Unit, *, at: datetime | None = None
) -> dict[str, int]:
    """How long the list of every bucket of ``units`` is; one query for each unit."""
    at = at or timezone.now()
    counted: dict[str, int] = {}
    for unit in units:
        counted |= _all(queue, unit).aggregate(**_counters(unit, at))
    return counted


def counts_of(queue: Queue, annotator: Annotator) -> dict[str, int]:
    """`counts` of one annotator's assignments alone: the buckets of `MINE`."""
    counters = _counters(Unit.ASSIGNMENTS, timezone.now())
    theirs = _all(queue, Unit.ASSIGNMENTS).filter(annotator=annotator)
    return theirs.aggregate(**{name: counters[name] for name in MINE})


def counts_by_annotator(queue: Queue, *, at: datetime | None = None) -> dict[int, dict[str, int]]:
    """`counts` of everyone who was handed anything, by primary key; statements are no one's."""
    at = at or timezone.now()
    by_annotator: dict[int, dict[str, int]] = {}
    for unit, path in _BY_ANNOTATOR.items():
        found = _all(queue, unit).filter(**{f"{path}__isnull": False}).order_by()
        for row in found.values(path).annotate(**_counters(unit, at)):
            by_annotator.setdefault(row.pop(path), {}).update(row)
    nothing = dict.fromkeys((name for name, one in BUCKETS.items() if one.unit in _BY_ANNOTATOR), 0)
    return {pk: nothing | found for pk, found in by_annotator.items()}


def _all(queue: Queue, unit: Unit) -> QuerySet[Any]:
    if unit is Unit.ASSIGNMENTS:
        return Assignment.objects.filter(queue=queue)
    slots = Slot.objects.filter(queue=queue)
    return slots.filter(~Exists(_earlier())) if unit is Unit.STATEMENTS else slots


def _counters(unit: Unit, at: datetime) -> dict[str, Count]:
    return {
        name: Count("pk", filter=_condition(name, at))
        for name, bucket in BUCKETS.items()
        if bucket.unit is unit
    }


def _of(queue: Queue, annotator: Annotator, unit: Unit) -> Q:
    if unit is Unit.STATEMENTS:
        theirs = Assignment.objects.filter(
            queue=queue, annotator=annotator, statement=OuterRef("statement")
        )
        return Q(Exists(theirs))
    return Q(**{_BY_ANNOTATOR[unit]: annotator})


def _condition(bucket: str, at: datetime) -> Q:
    live = Q(statement__case__superseded_in__isnull=True)
    return ~live if bucket == "superseded" else live & _CONDITIONS[bucket](at)


# ---- Conditions


def _remarked(kind: RemarkKind) -> Q:
    said = Remark.objects.filter(
        assignment=OuterRef("pk"), kind=kind.value, withdrawn_at__isnull=True
    )
    return Q(Exists(said))


def _some_filled() -> Q:
    return Q(Exists(_siblings().filled()))


def _all_filled() -> Q:
    return ~Q(Exists(_siblings().exclude(SlotQuerySet.FILLED)))


def _siblings() -> SlotQuerySet:
    return Slot.objects.filter(queue=OuterRef("queue"), statement=OuterRef("statement"))


def _earlier() -> SlotQuerySet:
    return _siblings().filter(number__lt=OuterRef("number"))


def _taken_back() -> Q:
    undone = Label.objects.filter(
        queue=OuterRef("queue"), statement=OuterRef("statement"), annotator=OuterRef("annotator")
    )
    return Q(label__isnull=True) & Q(Exists(undone))


_CONDITIONS: Final[Mapping[str, Callable[[datetime], Q]]] = {
    "places": lambda at: Q(),
    "filled": lambda at: SlotQuerySet.FILLED,
    "leased": SlotQuerySet.leased_at,
    "free": SlotQuerySet.free_at,
    "statements": lambda at: Q(),
    "fully_labelled": lambda at: _all_filled(),
    "partly_labelled": lambda at: _some_filled() & ~_all_filled(),
    "untouched": lambda at: ~_some_filled(),
    "labelled": lambda at: Q(label__isnull=False),
    "unlabelled": lambda at: Q(label__isnull=True),
    "unsure": lambda at: _remarked(RemarkKind.UNSURE),
    "skipped": lambda at: _remarked(RemarkKind.SKIPPED),
    "flagged": lambda at: _remarked(RemarkKind.FLAGGED),
    "late": lambda at: Q(label__isnull=False, slot__isnull=True, gold=False),
    "taken_back": lambda at: _taken_back(),
}
