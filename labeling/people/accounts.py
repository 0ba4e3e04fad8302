"""Accounts, and what they may do in a set. Users are deactivated, never deleted."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from grounding.errors import BadInput, NotFound, Refused
from labeling import access, sets
from labeling.models import Annotator, CalibrationSet, Invitation, Membership, Role
from labeling.people import invitations
from labeling.queues import claims

# No look-alikes (0 O, 1 l I), because a password is read off a screen once.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP = 4, 5
MAX_NAME = 150  # of Django's User


def create(username: str) -> tuple[User, str]:
    """A new account and its generated password, which is not kept anywhere in clear."""
    password = _new_password()
    user = _unsaved(username, password)
    _insert(user)
    return user, password


def create_invited(invitation: Invitation, username: str, password: str) -> User:
    """A new account that ``invitation`` lets in; no account where it lets nobody in any more."""
    user = _unsaved(username, password)
    with transaction.atomic():
        _insert(user)
        accept(invitation, user)
    return user


def accept(invitation: Invitation, user: User) -> None:
    """Let ``user`` in by an invitation, which is used up by that.

    Refused to who has that role already or a higher one, so that it is left to someone else.
    """
    with transaction.atomic():
        held = sets.locked(invitation.set)
        already = no_lower_role(invitation, user)
        if already is not None:
            raise Refused(f"you are {already.label.lower()} of this set already")
        invitations.use(invitation, user)
        join(held, user, Role(invitation.role))


def no_lower_role(invitation: Invitation, user: User) -> Role | None:
    """The role that ``user`` has in the set and that the invitation would not raise."""
    held = _role_of(invitation.set, user)
    return None if held is None or access.above(Role(invitation.role), held) else held


def join(calibration_set: CalibrationSet, user: User, role: Role) -> Membership:
    """Give ``user`` that role in the set, again or anew.

    A lower one than before frees the places that ``user`` held, as leaving does.
    """
    with transaction.atomic():
        held = sets.locked(calibration_set)
        before = _role_of(held, user)
        if before is not None and access.above(before, role):
            _require_another_admin(held, user)
            _let_go([held], user)
        membership, _ = Membership.objects.update_or_create(
            set=held, user=user, defaults={"role": role.value, "active": True}
        )
        return membership


def leave(calibration_set: CalibrationSet, user: User) -> int:
    """End the membership and free the places that ``user`` held, as many as are returned;
    labels stay, and stay exported."""
    with transaction.atomic():
        held = sets.locked(calibration_set)
        _require_another_admin(held, user)
        ended = Membership.objects.filter(set=held, user=user, active=True).update(active=False)
        if not ended:
            raise NotFound(f"the account {user.username} is not a member of {held.slug}")
        return _let_go([held], user)


def deactivate(user: User) -> int:
    """Shut the account out of everything and free the places that it held, as many as are
    returned; its memberships stay on record, its labels stay and count as before."""
    with transaction.atomic():
        belongs = CalibrationSet.objects.filter(memberships__user=user, memberships__active=True)
        held = [sets.locked(one) for one in belongs.order_by("pk")]
        for one in held:
            _require_another_admin(one, user)
        if not User.objects.filter(pk=user.pk, is_active=True).update(is_active=False):
            raise Refused(f"the account {user.username} is deactivated already")
        return _let_go(held, user)


def reactivate(user: User) -> None:
    """Let the account in again, with the memberships that it had; the places that it held are
    others' by now."""
    if not User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        raise Refused(f"the account {user.username} is active")


def named(username: str) -> User:
    """NotFound where there is no such account."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise NotFound(f"there is no account {username!r}")
    return user


def _role_of(calibration_set: CalibrationSet, user: User) -> Role | None:
    membership = Membership.objects.filter(set=calibration_set, user=user, active=True).first()
    return Role(membership.role) if membership else None


def _let_go(held: Iterable[CalibrationSet], user: User) -> int:
    """Give back the places that ``user`` holds in these sets, and close their invitations."""
    for one in held:
        invitations.withdraw_all_of(one, user)
    annotators = Annotator.objects.filter(set__in=list(held), user=user)
    return claims.release_all(list(annotators.values_list("pk", flat=True)))


def _unsaved(username: str, password: str) -> User:
    """An account to be inserted. Its password is hashed here, outside any transaction: that
    takes long, and on SQLite every other writer would wait for it."""
    user = User(username=User.normalize_username(username))
    require_free_name(user.username)
    user.set_password(password)
    return user


def _insert(user: User) -> None:
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError:
        raise _taken(user.username) from None


def _require_another_admin(calibration_set: CalibrationSet, user: User) -> None:
    """Refuse where ``user`` is the one admin left: nobody could let anyone in again."""
    admins = Membership.objects.filter(
        set=calibration_set, role=Role.ADMIN.value, active=True, user__is_active=True
    ).values_list("user_id", flat=True)
    if list(admins) == [user.pk]:
        raise Refused(f"the account {user.username} is the last admin of {calibration_set.slug}")


def require_free_name(username: str) -> None:
    try:
        User.username_validator(username)
    except ValidationError as error:
        raise BadInput(str(error.messages[0]), field="username") from None
    if len(username) > MAX_NAME:
        raise BadInput(f"a name has at most {MAX_NAME} characters", field="username")
    if User.objects.filter(username__iexact=username).exists():
        raise _taken(username)


def _taken(username: str) -> Refused:
    return Refused(f"there is already an account {username!r}, letter case aside")


def _new_password() -> str:
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))
    return "-".join(groups)
