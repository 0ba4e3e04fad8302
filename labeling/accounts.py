"""Accounts, and what they may do in a set. Users are deactivated, never deleted."""

from __future__ import annotations

import secrets

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from grounding.errors import BadInput, NotFound, Refused
from labeling import sets
from labeling.models import CalibrationSet, Membership, Role

# No look-alikes (0 O, 1 l I), because a password is read off a screen once.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP = 4, 5
_MAX_NAME = 150  # of Django's User


def create(username: str) -> tuple[User, str]:
    """A new account and its generated password, which is not kept anywhere in clear."""
    _require_free_name(username)
    password = _new_password()
    try:
        with transaction.atomic():
            return User.objects.create_user(username, password=password), password
    except IntegrityError:
        raise _taken(username) from None


def join(calibration_set: CalibrationSet, user: User, role: Role) -> Membership:
    """Give ``user`` that role in the set, again or anew."""
    with transaction.atomic():
        held = sets.locked(calibration_set)
        if role is not Role.ADMIN:
            _require_another_admin(held, user)
        membership, _ = Membership.objects.update_or_create(
            set=held, user=user, defaults={"role": role.value, "active": True}
        )
        return membership


def leave(calibration_set: CalibrationSet, user: User) -> None:
    """End the membership; labels stay, and stay exported."""
    with transaction.atomic():
        held = sets.locked(calibration_set)
        _require_another_admin(held, user)
        ended = Membership.objects.filter(set=held, user=user, active=True).update(active=False)
        if not ended:
            raise NotFound(f"{user.username} is not a member of {held.slug}")


def _require_another_admin(calibration_set: CalibrationSet, user: User) -> None:
    """Refuse where ``user`` is the one admin left: nobody could let anyone in again."""
    admins = Membership.objects.filter(
        set=calibration_set, role=Role.ADMIN.value, active=True
    ).values_list("user_id", flat=True)
    if list(admins) == [user.pk]:
        raise Refused(f"{user.username} is the last admin of {calibration_set.slug}")


def _require_free_name(username: str) -> None:
    try:
        User.username_validator(username)
    except ValidationError as error:
        raise BadInput(str(error.messages[0]), field="username") from None
    if len(username) > _MAX_NAME:
        raise BadInput(f"a name has at most {_MAX_NAME} characters", field="username")
    if User.objects.filter(username__iexact=username).exists():
        raise _taken(username)


def _taken(username: str) -> Refused:
    return Refused(f"there is already an account {username!r}, letter case aside")


def _new_password() -> str:
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))
    return "-".join(groups)
