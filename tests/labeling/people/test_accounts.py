from __future__ import annotations

import contextlib
import json
import threading
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection

from grounding.errors import BadInput, NotFound, Refused
from labeling import access, sets
from labeling.models import CalibrationSet, Membership, Role
from labeling.people import accounts
from labeling.sets import annotators
from tests.cast import Cast


def test_a_new_account_signs_in_with_the_password_that_was_shown(db: None) -> None:
    user, password = accounts.create("mara")
    assert user.check_password(password)
    assert password not in user.password
    assert len(password.replace("-", "")) == 20
    assert not user.is_staff
    assert not user.is_superuser
    assert accounts.create("nils")[1] != password


@pytest.mark.parametrize("name", ["", "a b", "x" * 151, "<b>", "a\nb"])
def test_a_name_that_is_none_is_refused(db: None, name: str) -> None:
    with pytest.raises(BadInput) as caught:
        accounts.create(name)
    assert caught.value.field == "username"


def test_a_name_that_is_taken_is_refused_in_any_letter_case(db: None) -> None:
    accounts.create("mara")
    for name in ("mara", "Mara"):
        with pytest.raises(Refused):
            accounts.create(name)


def test_joining_again_changes_the_role_and_revives_a_membership(people: Cast) -> None:
    accounts.join(people.set, people.ex_member, Role.LEAD)
    assert access.set_for(people.ex_member, "small").role is Role.LEAD
    assert Membership.objects.filter(set=people.set, user=people.ex_member).count() == 1


def test_leaving_ends_access_and_keeps_the_membership_row(people: Cast) -> None:
    accounts.leave(people.set, people.annotator)
    with pytest.raises(NotFound):
        access.set_for(people.annotator, "small")
    assert Membership.objects.filter(user=people.annotator, active=False).exists()
    with pytest.raises(NotFound):
        accounts.leave(people.set, people.annotator)


def test_the_last_admin_neither_leaves_nor_steps_down(people: Cast) -> None:
    for act in (
        lambda: accounts.leave(people.set, people.admin),
        lambda: accounts.join(people.set, people.admin, Role.LEAD),
    ):
        with pytest.raises(Refused, match="last admin"):
            act()
    accounts.join(people.set, people.lead, Role.ADMIN)
    accounts.leave(people.set, people.admin)
    with pytest.raises(Refused, match="last admin"):
        accounts.leave(people.set, people.lead)


@pytest.mark.django_db(transaction=True)
def test_two_last_admins_who_leave_at_once_do_not_both_get_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _look_together(monkeypatch)
    assert _both_leave() == 1


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_both_would_get_away(monkeypatch: pytest.MonkeyPatch) -> None:
    _look_together(monkeypatch)
    monkeypatch.setattr(sets, "locked", lambda held: CalibrationSet.objects.get(pk=held.pk))
    if connection.vendor == "sqlite":
        # There the lock is the kind of transaction, and one of the two cannot write at all.
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", "DEFERRED")
        assert _both_leave() == 1
    else:
        assert _both_leave() == 0


def _look_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has seen that another admin is there waits for the other, as long as a lock allows."""
    both = threading.Barrier(2, timeout=1)
    require = accounts._require_another_admin

    def waiting(calibration_set: CalibrationSet, user: User) -> None:
        require(calibration_set, user)
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait()

    monkeypatch.setattr(accounts, "_require_another_admin", waiting)


def _both_leave() -> int:
    """How many admins are left after the only two leave at the same moment."""
    calibration_set = sets.get_or_create("shared")
    users = [User.objects.create_user(name) for name in ("one", "two")]
    for user in users:
        accounts.join(calibration_set, user, Role.ADMIN)
    start = threading.Barrier(2)

    def leave(user: User) -> None:
        start.wait()
        try:
            with contextlib.suppress(Refused, DatabaseError):
                accounts.leave(calibration_set, user)
        finally:
            connection.close()

    threads = [threading.Thread(target=leave, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Membership.objects.filter(role="admin", active=True).count()


def test_an_annotator_s_code_is_theirs_and_tells_nothing(people: Cast) -> None:
    annotator = annotators.of(people.set, people.annotator)
    assert annotators.of(people.set, people.annotator) == annotator
    assert annotators.of(people.set, people.second).code != annotator.code
    assert annotators.of(people.elsewhere, people.annotator).code != annotator.code
    assert "annotator" not in annotator.code
    assert str(people.annotator.pk) != annotator.code


def create_account(*arguments: str) -> dict[str, object]:
    out = StringIO()
    call_command("create_account", *arguments, "--json", stdout=out, stderr=StringIO())
    return dict(json.loads(out.getvalue()))


def test_the_command_prints_the_password_once(small_set: CalibrationSet) -> None:
    made = create_account("mara", "--set", "small", "--role", "lead")
    mara = User.objects.get(username="mara")
    assert mara.check_password(str(made["password"]))
    assert access.set_for(mara, "small").role is Role.LEAD
    again = create_account("mara", "--set", "small", "--role", "annotator")
    assert again == {"username": "mara", "set": "small", "role": "annotator", "password": None}
    mara.refresh_from_db()
    assert mara.check_password(str(made["password"]))


def test_the_command_makes_no_account_without_its_set(db: None) -> None:
    with pytest.raises(CommandError) as caught:
        create_account("mara", "--set", "nothing", "--role", "lead")
    assert caught.value.returncode == 3
    assert not User.objects.exists()
