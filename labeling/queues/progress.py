"""How far a queue has come: one annotator's share of it, and the whole. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet

from grounding.contract import CONTRACT
from labeling.models import (
    Annotator,
    Assignment,
    CalibrationSet,
    GoldStatement,
    Queue,
    QueueState,
    Remark,
    RemarkKind,
    Slot,
    SlotQuerySet,
    Statement,
)
from labeling.queues import buckets, claims


@dataclass(frozen=True)
class Progress:
    """``mine`` counts statements that this annotator has labelled, of ``statements`` in all;
    ``filled`` counts labels that everyone has given, of the ``places`` there are."""

    mine: int
    statements: int
    filled: int
    places: int


@dataclass(frozen=True)
class Share:
    """``mine`` counts statements that this annotator has labelled, of ``statements`` in all."""

    mine: int
    statements: int


def share_of(queue: Queue, annotator: Annotator) -> Share:
    """What the desk says at every statement: it counts each statement's first place, since going
    through all places and their cases costs more than all else that a desk shows."""
    labelled = Assignment.objects.filter(
        queue=queue,
        annotator=annotator,
        label__isnull=False,
        statement__case__superseded_in__isnull=True,
    )
    gone = Statement.objects.filter(case__set=queue.set_id, case__superseded_in__isnull=False)
    first = Slot.objects.filter(queue=queue, number=0).exclude(statement__in=gone)
    return Share(labelled.count(), first.count() + gold(queue))


def of_all(queues: Iterable[Queue], user: User) -> Mapping[int, Progress]:
    """By the queue's primary key; as many queries for all as for one."""
    pks = [queue.pk for queue in queues]
    mine = _by_queue(
        Assignment.objects.filter(
            queue__in=pks,
            annotator__user=user,
            label__isnull=False,
            statement__case__superseded_in__isnull=True,
        )
    )
    slots = Slot.objects.filter(queue__in=pks, statement__case__superseded_in__isnull=True)
    counted = (
        slots.order_by()
        .values_list("queue")
        .annotate(
            statements=Count("statement", distinct=True),
            filled=Count("pk", filter=SlotQuerySet.FILLED),
            places=Count("pk"),
        )
    )
    places = {pk: rest for pk, *rest in counted}
    known = _by_queue(_gold(pks))
    return {
        pk: Progress(
            mine=mine.get(pk, 0),
            statements=places.get(pk, (0, 0, 0))[0] + known.get(pk, 0),
            filled=places.get(pk, (0, 0, 0))[1],
            places=places.get(pk, (0, 0, 0))[2],
        )
        for pk in pks
    }


def own(queue: Queue, user: User) -> dict[str, int]:
    """How many assignments of the annotator's own stand in each of `buckets.MINE`."""
    annotator = _annotator(queue, user)
    if annotator is None:
        return dict.fromkeys(buckets.MINE, 0)
    return buckets.counts_of(queue, annotator)


@dataclass(frozen=True)
class Line:
    """A queue as an annotator sees it in a list."""

    queue: Queue
    progress: Progress

    @property
    def outdated(self) -> bool:
        """Whether it asks under a contract that the product has left behind."""
        return self.queue.contract_major != CONTRACT.major

    @property
    def all_mine(self) -> bool:
        return self.progress.mine >= self.progress.statements

    @property
    def full(self) -> bool:
        return self.progress.filled >= self.progress.places


def lines(sets: Collection[CalibrationSet], user: User) -> list[Line]:
    """What annotators of ``sets`` can work on, the oldest first; paused ones are among them."""
    queues = Queue.objects.filter(set__in=sets).exclude(state=QueueState.CLOSED).order_by("pk")
    return _lines(queues, user)


def closed_lines(calibration_set: CalibrationSet, user: User) -> list[Line]:
    """The closed queues of a set, the latest first."""
    closed = Queue.objects.filter(set=calibration_set, state=QueueState.CLOSED)
    return _lines(closed.order_by("-pk"), user)


def gold(queue: Queue) -> int:
    """How many gold statements everyone meets."""
    return _gold([queue.pk]).count()


def _lines(queues: QuerySet[Queue], user: User) -> list[Line]:
    listed = list(queues.select_related("set"))
    counted = of_all(listed, user)
    return [Line(queue, counted[queue.pk]) for queue in listed]


def _annotator(queue: Queue, user: User) -> Annotator | None:
    """None for who has not labelled in the set yet."""
    return Annotator.objects.filter(set=queue.set_id, user=user).first()


def why_nothing(queue: Queue, annotator: Annotator) -> str:
    """Why `claims.next_for` has nothing for an annotator, in words for them."""
    if queue.state == QueueState.PAUSED:
        return "A lead has paused this queue: nothing is handed out for now."
    if queue.state == QueueState.CLOSED:
        return "This queue is closed."
    if claims.partner_waits(queue, annotator):
        return "The last statements come after a pause, so that you meet them fresh."
    skipped = Remark.objects.filter(
        assignment__queue=queue,
        assignment__annotator=annotator,
        kind=RemarkKind.SKIPPED,
        withdrawn_at__isnull=True,
    )
    if skipped.exists():
        return "Nothing is left for you here but what you skipped; you can take that back."
    return "Nothing is left for you here: every statement has its labels, or is being labelled."


def _gold(queues: Collection[int]) -> QuerySet[GoldStatement]:
    return GoldStatement.objects.filter(
        queue__in=queues, statement__case__superseded_in__isnull=True
    )


def _by_queue(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.order_by().values_list("queue").annotate(Count("pk")))
