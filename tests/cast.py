"""The small set and the people around it. Import from tests or fixtures, not from conftest.py:
models can be loaded only once Django is set up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from calibration import bundles
from labeling import queues, sets
from labeling.models import (
    Annotator,
    Assignment,
    CalibrationSet,
    Membership,
    Queue,
    Role,
    Slot,
    Statement,
)
from labeling.people import accounts
from labeling.queues import Terms
from labeling.queues.selections import Kind, Selection
from labeling.sets import annotators

SMALL = Path(__file__).parent / "records" / "small"
"""A set written for the tests: 6 cases, 2 pairs, 11 statements, 10 labels, 2 sources."""


@dataclass(frozen=True)
class Cast:
    """One account of every kind in `set`; the stranger administers a set of their own."""

    set: CalibrationSet
    elsewhere: CalibrationSet
    admin: User
    lead: User
    annotator: User
    second: User
    ex_member: User
    stranger: User


def small(slug: str = "small") -> CalibrationSet:
    bundles.import_set(slug, SMALL)
    return sets.get(slug)


def assemble(calibration_set: CalibrationSet) -> Cast:
    """Accounts without a usable password: tests sign them in by force."""
    names = ("admin", "lead", "annotator", "second", "ex_member", "stranger")
    users = {name: User.objects.create_user(name) for name in names}
    cast = Cast(set=calibration_set, elsewhere=sets.get_or_create("elsewhere"), **users)
    accounts.join(calibration_set, cast.admin, Role.ADMIN)
    accounts.join(calibration_set, cast.lead, Role.LEAD)
    for user in (cast.annotator, cast.second, cast.ex_member):
        accounts.join(calibration_set, user, Role.ANNOTATOR)
    accounts.leave(calibration_set, cast.ex_member)
    accounts.join(cast.elsewhere, cast.stranger, Role.ADMIN)
    return cast


def queue_over(calibration_set: CalibrationSet, **terms: Any) -> Queue:
    """A queue over every statement of the set, opened by one of its members."""
    opener = Membership.objects.filter(set=calibration_set).order_by("pk")[0].user
    given = {"title": "First round", "overlap": 4, "seed": 1} | terms
    return queues.open_queue(calibration_set, opener, Terms(**given), Selection(Kind.ALL))


def handed(statement: Statement, user: User, queue: Queue | None = None) -> Assignment:
    """``statement`` as if the queue, by default the first that holds it, had handed it out."""
    whole = statement.case.set
    queue = queue or Queue.objects.filter(slots__statement=statement).first() or queue_over(whole)
    annotator = annotators.of(whole, user)
    found = Assignment.objects.filter(queue=queue, statement=statement, annotator=annotator)
    return found.first() or _handed(queue, statement, annotator)


def _handed(queue: Queue, statement: Statement, annotator: Annotator) -> Assignment:
    slot = Slot.objects.filter(queue=queue, statement=statement, assignment=None)[0]
    slot.assignment = Assignment.objects.create(
        queue=queue,
        statement=statement,
        annotator=annotator,
        half=slot.half,
        rank=slot.rank,
        pair_id=slot.pair_id,
    )
    slot.until = timezone.now() + timedelta(seconds=queue.lease_seconds)
    slot.save()
    return slot.assignment
