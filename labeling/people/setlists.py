"""The sets of an account and what their first pages show. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import QuerySet

from labeling.access import Member
from labeling.models import CalibrationSet, Case, Membership, Role, Statement
from labeling.queues import progress


@dataclass(frozen=True)
class Entry:
    """A set as one member sees it in the list."""

    member: Member
    lines: list[progress.Line]


@dataclass(frozen=True)
class Counts:
    """What a set holds at its present revision."""

    cases: int
    pairs: int
    statements: int


def entries(user: User) -> list[Entry]:
    """The sets that ``user`` is a member of, by slug."""
    rows = list(
        Membership.objects.select_related("set")
        .filter(user=user, active=True)
        .order_by("set__slug")
    )
    lines = progress.lines([row.set for row in rows], user)
    return [
        Entry(
            Member(row.set, Role(row.role)),
            [line for line in lines if line.queue.set_id == row.set_id],
        )
        for row in rows
    ]


def counts(calibration_set: CalibrationSet) -> Counts:
    live = Case.objects.live().filter(set=calibration_set)
    return Counts(
        cases=live.count(),
        pairs=live.exclude(pair_id=None).values("pair_id").distinct().count(),
        statements=Statement.objects.filter(case__in=live).count(),
    )


def members(calibration_set: CalibrationSet) -> QuerySet[Membership]:
    """Everyone who is or was a member, those who are first."""
    return (
        Membership.objects.filter(set=calibration_set)
        .select_related("user")
        .order_by("-active", "user__username")
    )
