"""Invitations: a link that lets one person into a set, once.

Whoever holds the link may come in, so its token is shown once and kept as a digest alone; whatever
is wrong with one, it is answered alike, and tells nothing of the set.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from grounding.errors import NotFound, Refused
from labeling.models import CalibrationSet, Invitation, Role

LASTS: Final = timedelta(days=7)


class State(StrEnum):
    OPEN = "open"
    USED = "used"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Line:
    """An invitation as the admins' list shows it."""

    invitation: Invitation
    state: State


def invite(
    calibration_set: CalibrationSet,
    by: User,
    role: Role,
    *,
    note: str = "",
    lasts: timedelta = LASTS,
) -> str:
    """The token of a new invitation, which is kept nowhere in clear."""
    token = secrets.token_urlsafe(32)
    Invitation.objects.create(
        set=calibration_set,
        role=role.value,
        note=note,
        token_digest=_digest(token),
        created_by=by,
        expires_at=timezone.now() + lasts,
    )
    return token


def find(token: str) -> Invitation:
    """The open invitation of that token; the same NotFound whatever is wrong with it."""
    found = _open().select_related("set", "created_by").filter(token_digest=_digest(token)).first()
    if found is None:
        raise _closed()
    return found


def use(invitation: Invitation, by: User) -> None:
    """Use it up; NotFound where someone else was quicker or it was closed meanwhile.

    Within the transaction that lets ``by`` in, so that either both happen or neither.
    """
    if not _open().filter(pk=invitation.pk).update(used_at=timezone.now(), used_by=by):
        raise _closed()


def withdraw(invitation: Invitation) -> None:
    if not _open().filter(pk=invitation.pk).update(withdrawn_at=timezone.now()):
        raise Refused("this invitation is not open any more")


def withdraw_all_of(calibration_set: CalibrationSet, maker: User) -> int:
    """Withdraw what someone made who may not let people in any longer; how many there were."""
    theirs = _open().filter(set=calibration_set, created_by=maker)
    return theirs.update(withdrawn_at=timezone.now())


def lines(calibration_set: CalibrationSet) -> list[Line]:
    """Every invitation to the set, the newest first."""
    now = timezone.now()
    made = Invitation.objects.filter(set=calibration_set).select_related("created_by", "used_by")
    return [Line(one, _state(one, now)) for one in made]


def _open() -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        used_at__isnull=True, withdrawn_at__isnull=True, expires_at__gt=timezone.now()
    )


def _state(invitation: Invitation, at: datetime) -> State:
    if invitation.used_at:
        return State.USED
    if invitation.withdrawn_at:
        return State.WITHDRAWN
    return State.OPEN if invitation.expires_at > at else State.EXPIRED


def _closed() -> NotFound:
    return NotFound("this link lets nobody in, or not any more")


def _digest(token: str) -> str:
    return f"sha256:{hashlib.sha256(token.encode()).hexdigest()}"
