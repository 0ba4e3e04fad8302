"""How far a queue has come: one annotator's share of it, and the whole. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet

from labeling import claims
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
)


@dataclass(frozen=True)
class Progress:
    """``mine`` counts statements that this annotator has labelled, of ``statements`` in all;
    ``filled`` counts labels that everyone has given, of the ``places`` there are."""

    mine: int
    statements: int
    filled: int
    places: int


def of(queue: Queue, user: User) -> Progress:
    return of_all([queue], user)[queue.pk]


def of_all(queues: Iterable[Queue], user: User) -> Mapping[int, Progress]:
    """By the queue's primary key; as many queries for all as for one."""
    pks = [queue.pk for queue in queues]
    mine = _by_queue(
        Assignment.objects.filter(queue__in=pks, annotator__user=user, label__isnull=False)
    )
    slots = Slot.objects.filter(queue__in=pks, statement__case__superseded_in__isnull=True)
    counted = (
        slots.order_by()
        .values_list("queue")
        .annotate(
            statements=Count("pk", filter=Q(number=0)),
            filled=Count("pk", filter=Q(assignment__isnull=False, until__isnull=True)),
            places=Count("pk"),
        )
    )
    places = {pk: rest for pk, *rest in counted}
    gold = _by_queue(
        GoldStatement.objects.filter(queue__in=pks, statement__case__superseded_in__isnull=True)
    )
    return {
        pk: Progress(
            mine=mine.get(pk, 0),
            statements=places.get(pk, (0, 0, 0))[0] + gold.get(pk, 0),
            filled=places.get(pk, (0, 0, 0))[1],
            places=places.get(pk, (0, 0, 0))[2],
        )
        for pk in pks
    }


@dataclass(frozen=True)
class Line:
    """A queue as an annotator sees it in a list."""

    queue: Queue
    progress: Progress


def lines(sets: Collection[CalibrationSet], user: User) -> list[Line]:
    """What annotators of ``sets`` can work on, the oldest first; paused ones are among them."""
    queues = Queue.objects.filter(set__in=sets).exclude(state=QueueState.CLOSED).order_by("pk")
    listed = list(queues.select_related("set"))
    counted = of_all(listed, user)
    return [Line(queue, counted[queue.pk]) for queue in listed]


def beyond(queue: Queue) -> QuerySet[Assignment]:
    """Those whose label is one more than was asked for: the lease had run out, and the place
    was filled by someone else."""
    labelled = Assignment.objects.filter(queue=queue, label__isnull=False, gold=False)
    return labelled.filter(slot__isnull=True)


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


def _by_queue(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.order_by().values_list("queue").annotate(Count("pk")))
