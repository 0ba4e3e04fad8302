"""A queue as its lead oversees it: every count, who works in it, the lists behind. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, F, Max, Prefetch
from django.utils import timezone

from labeling.models import (
    Annotator,
    Assignment,
    Label,
    Queue,
    Remark,
    Slot,
    SlotQuerySet,
    Statement,
)
from labeling.queues import buckets, progress, times
from labeling.queues.buckets import BUCKETS, Unit
from labeling.queues.times import Spread


@dataclass(frozen=True)
class Line:
    """One annotator's work in a queue."""

    annotator: Annotator
    counts: Mapping[str, int]
    time: Spread
    last: datetime


COLUMNS: Final = (
    "labelled",
    "unlabelled",
    "unsure",
    "skipped",
    "flagged",
    "late",
    "taken_back",
    "leased",
)
"""The buckets that are counted for each annotator."""


@dataclass(frozen=True)
class Oversight:
    """``counts`` by bucket; ``gold`` is how many gold statements everyone meets."""

    counts: Mapping[str, int]
    gold: int
    time: Spread
    lines: Sequence[Line]


def of(queue: Queue) -> Oversight:
    """As many queries for a long queue as for a short one."""
    at = timezone.now()
    taken = times.of(Label.objects.filter(queue=queue))
    counted = buckets.counts_by_annotator(queue, at=at)
    last = _last(queue)
    everyone = annotators_in(queue)
    return Oversight(
        counts=_whole(queue, counted, at),
        gold=progress.gold(queue),
        time=taken.whole,
        lines=[
            Line(
                annotator=one,
                counts=counted[one.pk],
                time=taken.by_annotator.get(one.pk, times.spread([])),
                last=last[one.pk],
            )
            for one in everyone
        ],
    )


@dataclass(frozen=True)
class UnitTable:
    """The buckets of one unit: name, meaning, count."""

    name: str
    rows: Sequence[tuple[str, str, int]]


def tables(seen: Oversight) -> list[UnitTable]:
    return [
        UnitTable(
            unit,
            [
                (name, bucket.meaning, seen.counts[name])
                for name, bucket in BUCKETS.items()
                if bucket.unit is unit
            ],
        )
        for unit in Unit
    ]


def _whole(
    queue: Queue, by_annotator: Mapping[int, Mapping[str, int]], at: datetime
) -> dict[str, int]:
    """`buckets.counts`. Every assignment is someone's: theirs are added up, not counted again."""
    whole = buckets.counts(queue, [Unit.PLACES, Unit.STATEMENTS], at=at)
    for name, bucket in BUCKETS.items():
        if bucket.unit is Unit.ASSIGNMENTS:
            whole[name] = sum(theirs[name] for theirs in by_annotator.values())
    return whole


def annotators_in(queue: Queue) -> list[Annotator]:
    """Everyone to whom the queue handed out anything, by code."""
    theirs = Assignment.objects.filter(queue=queue).values("annotator")
    return sorted(
        Annotator.objects.filter(pk__in=theirs).select_related("user"), key=lambda one: one.code
    )


def _last(queue: Queue) -> dict[int, datetime]:
    """When each annotator was last seen at work in the queue."""
    rows = (
        Assignment.objects.filter(queue=queue)
        .order_by()
        .values_list("annotator")
        .annotate(Max("started_at"), Max("draft_at"), Max("label__recorded_at"))
    )
    return {pk: max(one for one in moments if one is not None) for pk, *moments in rows}


# ---- Lists


@dataclass(frozen=True)
class Shown:
    """One line of a list: a place, a statement or an assignment.

    ``filled`` counts the labels on a statement's ``places``; ``until`` is when a lease ends.
    """

    statement: Statement
    assignment: Assignment | None = None
    until: datetime | None = None
    filled: int = 0
    places: int = 0
    remarks: Sequence[Remark] = ()


class BucketList:
    """The rows of a bucket, as a paginator wants them."""

    def __init__(self, queue: Queue, bucket: str, annotator: Annotator | None = None) -> None:
        self.queue = queue
        self.unit = BUCKETS[bucket].unit
        self.rows = buckets.rows(queue, bucket, annotator)

    def count(self) -> int:
        return self.rows.count()

    def __getitem__(self, part: slice) -> Sequence[Shown]:
        rows = self._narrowed(part)
        if self.unit is Unit.ASSIGNMENTS:
            return [_assignment(one) for one in _assignments(rows)]
        if self.unit is Unit.STATEMENTS:
            return self._statements(rows)
        return [_place(one) for one in _places(rows)]

    def _narrowed(self, part: slice) -> Any:
        """``part`` of the rows. The whole list is put in order by keys alone: whole rows take
        several times as long."""
        shown = list(self.rows.values_list("pk", flat=True)[part])
        return self.rows.model._default_manager.filter(pk__in=shown).order_by(*buckets.ORDER)

    def _statements(self, rows: Any) -> list[Shown]:
        shown = [slot.statement for slot in _without_texts(rows)]
        siblings = Slot.objects.filter(queue=self.queue, statement__in=shown).order_by()
        counters = {"filled": Count("pk", filter=SlotQuerySet.FILLED), "places": Count("pk")}
        counted = {pk: rest for pk, *rest in siblings.values_list("statement").annotate(**counters)}
        return [Shown(one, filled=counted[one.pk][0], places=counted[one.pk][1]) for one in shown]


def _place(slot: Slot) -> Shown:
    return Shown(slot.statement, assignment=slot.assignment, until=slot.until)


def _assignment(assignment: Any) -> Shown:
    remarks = list(assignment.remarks.all())
    return Shown(assignment.statement, assignment, until=assignment.until, remarks=remarks)


def _places(rows: Any) -> Any:
    return _without_texts(rows).select_related("assignment__annotator__user", "assignment__label")


def _assignments(rows: Any) -> Any:
    live = Prefetch("remarks", Remark.objects.filter(withdrawn_at__isnull=True).order_by("kind"))
    people = _without_texts(rows).select_related("annotator__user", "label")
    return people.prefetch_related(live).annotate(until=F("slot__until"))


def _without_texts(rows: Any) -> Any:
    texts = ("context", "retrieved", "answer")
    return rows.select_related("statement__case").defer(*(f"statement__case__{t}" for t in texts))
