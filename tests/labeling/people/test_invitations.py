"""Links that let one person into a set, once."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from grounding.errors import BadInput, NotFound, Refused
from labeling import access, sets
from labeling.models import Invitation, Membership, Role
from labeling.people import accounts, invitations
from labeling.people.invitations import State
from tests.cast import Cast

PASSWORD = "two odd socks in the rain"


def states(people: Cast) -> list[State]:
    return [line.state for line in invitations.lines(people.set)]


def test_a_newcomer_comes_in_once_in_the_role_that_was_meant(people: Cast) -> None:
    token = invitations.invite(people.set, people.admin, Role.LEAD)
    mara = accounts.create_invited(invitations.find(token), "mara", PASSWORD)
    assert mara.check_password(PASSWORD)
    assert access.set_for(mara, "small").role is Role.LEAD
    used = Invitation.objects.get()
    assert used.used_by == mara
    assert states(people) == [State.USED]
    with pytest.raises(NotFound):
        invitations.find(token)


def test_the_token_is_kept_nowhere(people: Cast) -> None:
    token = invitations.invite(people.set, people.admin, Role.ANNOTATOR, note="For Mara")
    assert len(token) >= 43  # 32 random bytes
    assert not [value for value in Invitation.objects.values_list()[0] if token in str(value)]


def test_one_that_ran_out_was_withdrawn_or_never_was_is_refused_alike(people: Cast) -> None:
    gone = timedelta(seconds=-1)
    late = invitations.invite(people.set, people.admin, Role.ANNOTATOR, lasts=gone)
    withdrawn = invitations.invite(people.set, people.admin, Role.ANNOTATOR)
    invitations.withdraw(invitations.find(withdrawn))
    said = set()
    for token in (late, withdrawn, "never", ""):
        with pytest.raises(NotFound) as caught:
            invitations.find(token)
        said.add(str(caught.value))
    assert len(said) == 1
    assert states(people) == [State.WITHDRAWN, State.EXPIRED]


def test_it_is_good_for_seven_days_unless_said_otherwise(people: Cast) -> None:
    invitations.invite(people.set, people.admin, Role.ANNOTATOR)
    left = Invitation.objects.get().expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)


def test_what_was_used_cannot_be_withdrawn(people: Cast) -> None:
    found = invitations.find(invitations.invite(people.set, people.admin, Role.ANNOTATOR))
    accounts.accept(found, people.stranger)
    with pytest.raises(Refused):
        invitations.withdraw(found)
    assert states(people) == [State.USED]


def test_nobody_is_demoted_by_a_link_and_it_stays_good_for_another(people: Cast) -> None:
    found = invitations.find(invitations.invite(people.set, people.admin, Role.ANNOTATOR))
    for member in (people.lead, people.admin, people.annotator):
        with pytest.raises(Refused, match="already"):
            accounts.accept(found, member)
    assert access.set_for(people.lead, "small").role is Role.LEAD
    accounts.accept(found, people.ex_member)
    assert access.set_for(people.ex_member, "small").role is Role.ANNOTATOR


def test_a_link_raises_a_role(people: Cast) -> None:
    found = invitations.find(invitations.invite(people.set, people.admin, Role.LEAD))
    accounts.accept(found, people.annotator)
    assert access.set_for(people.annotator, "small").role is Role.LEAD


def test_a_name_that_is_taken_leaves_the_invitation_open(people: Cast) -> None:
    found = invitations.find(invitations.invite(people.set, people.admin, Role.LEAD))
    for name, error in (("LEAD", Refused), ("no name", BadInput)):
        with pytest.raises(error):
            accounts.create_invited(found, name, PASSWORD)
    assert states(people) == [State.OPEN]


def test_an_admin_who_goes_takes_their_open_invitations_along(people: Cast) -> None:
    accounts.join(people.set, people.lead, Role.ADMIN)
    tokens = [invitations.invite(people.set, people.admin, Role.ADMIN) for _ in range(2)]
    accounts.accept(invitations.find(tokens[0]), people.stranger)
    others = invitations.invite(people.set, people.lead, Role.ADMIN)
    accounts.join(people.set, people.admin, Role.LEAD)
    with pytest.raises(NotFound):
        invitations.find(tokens[1])
    assert states(people) == [State.OPEN, State.WITHDRAWN, State.USED]
    assert invitations.find(others)


# ---- Two at once


@pytest.mark.django_db(transaction=True)
def test_of_two_who_come_at_once_one_comes_in_and_the_other_leaves_no_account() -> None:
    came, refused = _both_come()
    assert (len(came), refused) == (1, 1)
    assert set(User.objects.exclude(username="host").values_list("username", flat=True)) == came
    assert Invitation.objects.get().used_by.username in came


@pytest.mark.django_db(transaction=True)
def test_without_the_condition_both_would_come_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        invitations,
        "use",
        lambda one, by: Invitation.objects.filter(pk=one.pk).update(used_by=by),
    )
    came, refused = _both_come()
    assert (len(came), refused) == (2, 0)


def _both_come() -> tuple[set[str], int]:
    """Two newcomers who both found the link open: who came in, how many were told it is not."""
    shared, host = sets.get_or_create("shared"), User.objects.create_user("host")
    accounts.join(shared, host, Role.ADMIN)
    token = invitations.invite(shared, host, Role.ANNOTATOR)
    both, refused = threading.Barrier(2), []

    def come(name: str) -> None:
        try:
            found = invitations.find(token)
            both.wait()
            accounts.create_invited(found, name, PASSWORD)
        except NotFound:
            refused.append(name)
        finally:
            connection.close()

    threads = [threading.Thread(target=come, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    came = Membership.objects.filter(set=shared, role=Role.ANNOTATOR.value)
    return set(came.values_list("user__username", flat=True)), len(refused)
