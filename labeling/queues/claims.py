"""Who labels what next: places in a queue, claimed, renewed and given back.

A place is claimed by a conditional update, so that it is never two people's; where the database
can, rows that another claim holds are skipped rather than waited for. Nothing here asks what
judges or other annotators said, only how many places are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from grounding.interchange.models import LabelRole
from labeling.models import (
    Annotator,
    Assignment,
    GoldStatement,
    Label,
    LabelQuerySet,
    Queue,
    QueueOrder,
    QueueState,
    Remark,
    RemarkKind,
    Slot,
    SlotQuerySet,
)
from labeling.queues import order

APART: Final = timedelta(minutes=10)
"""How long the partner of what an annotator did last waits where nothing else is left."""


def next_for(queue: Queue, annotator: Annotator, *, after: int | None = None) -> Assignment | None:
    """What the annotator should label next, reserved for them; None where nothing is free.

    What they have begun comes first, but for the assignment ``after``, which is still on their
    screen. Within one annotator's reach nothing is claimed twice: their claims come one after
    another.
    """
    with transaction.atomic():
        Annotator.objects.select_for_update().get(pk=annotator.pk)
        return _begun(queue, annotator, after) or _new(queue, annotator)


def renew(assignment: Assignment) -> bool:
    """Extend the lease; False where the place went to someone else meanwhile.

    A lease that ran out and was not taken is the holder's to renew.
    """
    held = Slot.objects.filter(assignment=assignment, until__isnull=False)
    return bool(held.update(until=_until(assignment.queue))) or assignment.gold


def release(assignment: Assignment) -> bool:
    """Give the place back, unless it is filled; False where there was none to give."""
    leased = Slot.objects.filter(assignment=assignment, until__isnull=False)
    return bool(leased.update(assignment=None, until=None))


def release_all(annotators: list[int]) -> int:
    """Give back every leased place of these annotators, by primary key; how many there were."""
    leased = Slot.objects.filter(assignment__annotator__in=annotators, until__isnull=False)
    return leased.update(assignment=None, until=None)


def fill(assignment: Assignment) -> bool:
    """Make the assignment's place its own for good, now that there is a label.

    Who lost theirs takes another free one of the same statement; False where there is none, so
    that the label exceeds the overlap.
    """
    if Slot.objects.filter(assignment=assignment).update(until=None):
        return True
    others = _slots(assignment.queue).filter(statement=assignment.statement_id)
    return _taken(others.order_by("number"), assignment, until=None)


def unfill(assignment: Assignment) -> None:
    """The label was taken back: the place is leased again."""
    Slot.objects.filter(assignment=assignment).update(until=_until(assignment.queue))


def has_place(assignment: Assignment) -> bool:
    """False where the assignment's label is one more than was asked for. Gold ones need none."""
    return assignment.gold or Slot.objects.filter(assignment=assignment).exists()


def partner_waits(queue: Queue, annotator: Annotator) -> bool:
    """Whether something is free that is only being kept apart from what was done last."""
    return queue.state == QueueState.OPEN and _open_to(queue, annotator).exists()


# ---- What was begun


def _begun(queue: Queue, annotator: Annotator, after: int | None) -> Assignment | None:
    """The first assignment that the annotator neither labelled nor skipped and can still have."""
    skipped = Remark.objects.filter(
        assignment=OuterRef("pk"), kind=RemarkKind.SKIPPED, withdrawn_at__isnull=True
    )
    begun = Assignment.objects.filter(
        ~Exists(skipped), queue=queue, annotator=annotator, label__isnull=True
    )
    if after is not None:
        begun = begun.exclude(pk=after)
    for one in begun.select_related("statement").order_by("pk"):
        one.queue = queue
        if renew(one) or _retaken(one):
            return one
    return None


def _retaken(assignment: Assignment) -> bool:
    if assignment.queue.state != QueueState.OPEN:
        return False
    free = _slots(assignment.queue).filter(statement=assignment.statement_id)
    return _taken(free.order_by("number"), assignment, until=_until(assignment.queue))


# ---- What is new


def _new(queue: Queue, annotator: Annotator) -> Assignment | None:
    if queue.state != QueueState.OPEN:
        return None
    done = Assignment.objects.filter(queue=queue, annotator=annotator).order_by("pk")
    last = done.last()
    if not queue.gold_every:
        return _ordinary(queue, annotator, last)
    if order.gold_due(annotator.pk, done.count(), every=queue.gold_every, seed=queue.seed):
        return _gold(queue, annotator, last) or _ordinary(queue, annotator, last)
    return _ordinary(queue, annotator, last) or _gold(queue, annotator, last)


def _ordinary(queue: Queue, annotator: Annotator, last: Assignment | None) -> Assignment | None:
    apart = _apart_from(last)
    if last is not None and last.gold:
        # A gold statement does not move anyone in the queue.
        mine = Assignment.objects.filter(queue=queue, annotator=annotator, gold=False)
        last = mine.order_by("pk").last()
    for part in _walk(queue, annotator, last):
        claimed = _first(part.filter(apart), queue, annotator)
        if claimed is not None:
            return claimed
    return None


def _first(part: SlotQuerySet, queue: Queue, annotator: Annotator) -> Assignment | None:
    """The first slot of ``part`` that can be had."""
    while (slot := part.first()) is not None:
        assignment = Assignment.objects.create(
            queue=queue,
            statement=slot.statement,
            annotator=annotator,
            half=slot.half,
            rank=slot.rank,
            pair_id=slot.pair_id,
        )
        if _claimed(slot, assignment, until=_until(queue)):
            return assignment
        # Someone was quicker, on a database that cannot skip what is held.
        assignment.delete()
    return None


def _walk(queue: Queue, annotator: Annotator, last: Assignment | None) -> Iterator[SlotQuerySet]:
    """The slots open to the annotator, a stretch at a time, in the order of the queue.

    One half after the other, each from where the annotator has come to around to where they
    began; under `QueueOrder.FEWEST` first places before second ones.
    """
    begin = order.start(annotator.pk, seed=queue.seed)
    slots = _open_to(queue, annotator)
    numbers = range(queue.overlap) if queue.order == QueueOrder.FEWEST else (None,)
    for number in numbers:
        row = slots if number is None else slots.filter(number=number)
        for half in (begin.half, 1 - begin.half):
            side = row.filter(half=half).order_by("rank", "number")
            rank = _come_to(queue, half, begin, last)
            yield side.filter(rank__gte=rank)
            yield side.filter(rank__lt=rank)


def _come_to(queue: Queue, half: int, begin: order.Start, last: Assignment | None) -> int:
    if last is not None and last.half == half:
        return last.rank
    end = Slot.objects.filter(queue=queue, half=half).order_by("-rank").first()
    return int(begin.share * (end.rank + 1)) if end else 0


def _gold(queue: Queue, annotator: Annotator, last: Assignment | None) -> Assignment | None:
    """A gold statement that the annotator has not met."""
    met = Assignment.objects.filter(
        queue=queue, annotator=annotator, statement=OuterRef("statement")
    )
    unmet = GoldStatement.objects.filter(
        ~Exists(met),
        ~Exists(_labelled(queue, annotator)),
        _apart_from(last),
        queue=queue,
        statement__case__superseded_in__isnull=True,
    )
    chosen = min(
        unmet.select_related("statement__case"),
        key=lambda one: order.draw(queue.seed, f"gold {annotator.pk}", one.pk),
        default=None,
    )
    if chosen is None:
        return None
    return Assignment.objects.create(
        queue=queue,
        statement=chosen.statement,
        annotator=annotator,
        gold=True,
        half=chosen.half,
        rank=0,
        pair_id=chosen.pair_id,
    )


# ---- Conditions


def _slots(queue: Queue) -> SlotQuerySet:
    """The free slots of a queue, less those that another claim holds just now."""
    free = Slot.objects.filter(queue=queue).free(timezone.now())
    if connection.features.has_select_for_update_skip_locked:
        return free.select_for_update(skip_locked=True, of=("self",))
    return free


def _open_to(queue: Queue, annotator: Annotator) -> SlotQuerySet:
    """The free slots of live statements that the annotator has not met or labelled yet."""
    met = Assignment.objects.filter(
        queue=queue, annotator=annotator, statement=OuterRef("statement")
    )
    return (
        _slots(queue)
        .filter(
            ~Exists(met),
            ~Exists(_labelled(queue, annotator)),
            statement__case__superseded_in__isnull=True,
        )
        .select_related("statement__case")
    )


def _labelled(queue: Queue, annotator: Annotator) -> LabelQuerySet:
    """Labels by the annotator that a label of this queue would supersede."""
    return Label.objects.live().filter(
        statement=OuterRef("statement"),
        annotator=annotator,
        role=LabelRole.LABEL.value,
        contract_major=queue.contract_major,
    )


def _apart_from(last: Assignment | None) -> Q:
    """All but the partner of what the annotator did last, for a while."""
    if last is None or last.pair_id is None or timezone.now() - last.started_at > APART:
        return Q()
    return ~Q(pair_id=last.pair_id, half=1 - last.half)


def _taken(slots: SlotQuerySet, assignment: Assignment, *, until: datetime | None) -> bool:
    """Whether one of ``slots`` became the assignment's."""
    while (slot := slots.first()) is not None:
        if _claimed(slot, assignment, until=until):
            return True
    return False


def _claimed(slot: Slot, assignment: Assignment, *, until: datetime | None) -> bool:
    still_free = Slot.objects.filter(pk=slot.pk).free(timezone.now())
    return bool(still_free.update(assignment=assignment, until=until))


def _until(queue: Queue) -> datetime:
    return timezone.now() + timedelta(seconds=queue.lease_seconds)
