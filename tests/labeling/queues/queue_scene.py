"""A queue in which everything has happened once. Import from tests or fixtures only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.utils import timezone

from grounding.contract import ClaimClass, Verdict
from labeling import labels, queues
from labeling.labels import LabelValues
from labeling.models import Annotator, Assignment, Case, Label, Queue, Remark, Slot, Statement
from labeling.queues import Terms
from labeling.queues.selections import Kind, Selection
from tests.cast import Cast, handed

OPINION = LabelValues(
    claim_class=ClaimClass.INTERPRETATION, verdict=Verdict.NOT_APPLICABLE, rationale="A view."
)


@dataclass
class Scene:
    """``s`` are the ordinary statements in the set's order."""

    queue: Queue
    s: list[Statement]
    gold: Statement
    first: Annotator
    second: Annotator


def scene(people: Cast) -> Scene:
    """Overlap 2 over ten statements and a gold one, by two annotators:

    ====  =========================  ==========================
    s0    first labels               second labels
    s1    first labels               second late: both places gone
    s2    first labels, unsure       second holds a lease
    s3    first's lease ran out      second takes the label back
    s4    first skips                second flags, then labels
    gold  first labels
    last  first labels, then its case is replaced
    ====  =========================  ==========================
    """
    statements = list(Statement.objects.filter(case__set=people.set).order_by("pk"))
    gold = next(one for one in statements if hasattr(one, "expectation"))
    queue = queues.open_queue(
        people.set,
        people.lead,
        Terms("Round", overlap=2, seed=1),
        Selection(Kind.ALL),
        gold=[gold.pk],
    )
    placed = queue.slots.filter(number=0).order_by(
        "statement__case__position", "statement__position"
    )
    s = [slot.statement for slot in placed.select_related("statement__case")]
    one, two = people.annotator, people.second

    for statement in s[:3]:
        given(statement, one, queue, seconds=8)
    given(s[0], two, queue)
    late(s[1], queue, two)
    remark(handed(s[2], one, queue), "unsure", "It may be either.")
    handed(s[2], two, queue)
    run_out(handed(s[3], one, queue))
    given(s[3], two, queue)
    labels.take_back(handed(s[3], two, queue))
    remark(handed(s[4], one, queue), "skipped", "Not my field.")
    Slot.objects.filter(assignment=handed(s[4], one, queue)).update(assignment=None, until=None)
    given(s[4], two, queue, seconds=70)
    remark(handed(s[4], two, queue), "flagged", "The passage is cut off.")
    golden(gold, queue, one)
    replaced(s[-1], one, queue)
    first, second = (Annotator.objects.get(set=people.set, user=user) for user in (one, two))
    return Scene(queue, s, gold, first, second)


def given(
    statement: Statement, user: User, queue: Queue, *, seconds: float | None = None, **fields: Any
) -> Label:
    values = LabelValues(**(OPINION.__dict__ | fields)) if fields else OPINION
    work = handed(statement, user, queue)
    return labels.submit(work, values, submission=uuid4(), active_seconds=seconds)


def late(statement: Statement, queue: Queue, user: User) -> None:
    """``user`` had a lease, lost it, and someone else filled the place."""
    work = handed(statement, user, queue)
    taken = Slot.objects.get(assignment=work)
    third = Annotator.objects.create(set=queue.set, code="third")
    theirs = Assignment.objects.create(
        queue=queue, statement=statement, annotator=third, half=taken.half, rank=taken.rank
    )
    Slot.objects.filter(pk=taken.pk).update(assignment=theirs)
    labels.submit(theirs, OPINION, submission=uuid4())
    work = Assignment.objects.get(pk=work.pk)
    labels.submit(work, OPINION, submission=uuid4())


def run_out(work: Assignment) -> None:
    past = timezone.now() - timedelta(minutes=1)
    Slot.objects.filter(assignment=work).update(until=past)


def remark(work: Assignment, kind: str, reason: str) -> Remark:
    return Remark.objects.create(assignment=work, kind=kind, reason=reason)


def golden(statement: Statement, queue: Queue, user: User, **fields: Any) -> Label:
    annotator = Annotator.objects.get(set=queue.set, user=user)
    work = Assignment.objects.create(
        queue=queue, statement=statement, annotator=annotator, gold=True, half=0, rank=0
    )
    values = LabelValues(**(OPINION.__dict__ | fields))
    return labels.submit(work, values, submission=uuid4())


def replaced(statement: Statement, user: User, queue: Queue) -> None:
    given(statement, user, queue)
    Case.objects.filter(pk=statement.case_id).update(superseded_in=2)
