"""Who may reach what: one function per object, each view's first line.

An object that is not yours to see does not exist for you: everything refused
here is the same 404, whether the thing is missing, another set's, or above
your role.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User

from grounding.errors import NotFound
from labeling.models import (
    Assignment,
    CalibrationSet,
    Case,
    Invitation,
    Label,
    Membership,
    Queue,
    Role,
    Statement,
)

Account: TypeAlias = User | AnonymousUser

_RANK = {Role.ANNOTATOR: 0, Role.LEAD: 1, Role.ADMIN: 2}


def above(role: Role, other: Role) -> bool:
    """Whether ``role`` may do more than ``other``."""
    return _RANK[role] > _RANK[other]


@dataclass(frozen=True)
class Member:
    """An account inside one set, with what it may do there."""

    set: CalibrationSet
    role: Role

    @property
    def leads(self) -> bool:
        return _RANK[self.role] >= _RANK[Role.LEAD]

    @property
    def administers(self) -> bool:
        return self.role is Role.ADMIN


def set_for(user: Account, slug: str, *, at_least: Role = Role.ANNOTATOR) -> Member:
    """The set and the user's role in it; NotFound below ``at_least`` or without membership."""
    membership = (
        Membership.objects.select_related("set")
        .filter(user_id=user.pk or 0, active=True, set__slug=slug)
        .first()
    )
    if membership is None or _RANK[Role(membership.role)] < _RANK[at_least]:
        raise NotFound("there is no such page, or it is not yours to see")
    return Member(membership.set, Role(membership.role))


def case_for(user: Account, slug: str, case_pk: int) -> tuple[Member, Case]:
    """Any revision of a case, for those who lead its set."""
    member = set_for(user, slug, at_least=Role.LEAD)
    case = Case.objects.filter(set=member.set, pk=case_pk).first()
    if case is None:
        raise NotFound("there is no such case in this set")
    return member, case


def statement_for(user: Account, slug: str, key: UUID) -> tuple[Member, Statement]:
    """A live statement by its public key, for those who lead its set."""
    member = set_for(user, slug, at_least=Role.LEAD)
    statement = (
        Statement.objects.select_related("case")
        .filter(key=key, case__set=member.set, case__superseded_in__isnull=True)
        .first()
    )
    if statement is None:
        raise NotFound("there is no such statement in this set")
    statement.case.set = member.set
    return member, statement


def label_for(user: Account, slug: str, pk: int) -> tuple[Member, Label]:
    """Anyone's label, for those who lead its set."""
    member = set_for(user, slug, at_least=Role.LEAD)
    label = (
        Label.objects.select_related("statement__case")
        .filter(pk=pk, statement__case__set=member.set)
        .first()
    )
    if label is None:
        raise NotFound("there is no such label in this set")
    return member, label


def queue_for(
    user: Account, slug: str, pk: int, *, at_least: Role = Role.ANNOTATOR
) -> tuple[Member, Queue]:
    member = set_for(user, slug, at_least=at_least)
    queue = Queue.objects.filter(set=member.set, pk=pk).first()
    if queue is None:
        raise NotFound("there is no such queue in this set")
    queue.set = member.set
    return member, queue


def assignment_for(user: Account, slug: str, pk: int, key: UUID) -> tuple[Member, Assignment]:
    """The user's own work on a statement of a queue, by the statement's public key; nobody
    reaches a statement that was not handed out to them."""
    member = set_for(user, slug)
    assignment = (
        Assignment.objects.select_related("queue", "annotator__user", "statement__case", "label")
        .filter(
            queue=pk,
            queue__set=member.set,
            annotator__user_id=user.pk or 0,
            statement__key=key,
        )
        .first()
    )
    if assignment is None:
        raise NotFound("there is no such statement for you to label")
    assignment.queue.set = member.set
    return member, assignment


def invitation_for(user: Account, slug: str, pk: int) -> tuple[Member, Invitation]:
    """An invitation to a set, for its admins; who was invited has its token instead."""
    member = set_for(user, slug, at_least=Role.ADMIN)
    found = Invitation.objects.filter(set=member.set, pk=pk).first()
    if found is None:
        raise NotFound("there is no such invitation to this set")
    return member, found


def leads_anywhere(user: Account) -> None:
    """Rubric versions belong to no set: they are for whoever leads one."""
    roles = [Role.LEAD, Role.ADMIN]
    if not Membership.objects.filter(user_id=user.pk or 0, active=True, role__in=roles).exists():
        raise NotFound("there is no such page, or it is not yours to see")
