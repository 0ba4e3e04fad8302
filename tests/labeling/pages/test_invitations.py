"""From the Members page to a newcomer's first look at the set."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.test.utils import override_settings

from labeling import sets
from labeling.models import Invitation, Membership, Role
from labeling.people import accounts, invitations
from tests.labeling.pages.cast import PASSWORD, Cast, roles_of

SignIn = Callable[[User], Client]

PASSWORDS = ("password1", "password2")
CHOSEN = {"username": "mara"} | dict.fromkeys(PASSWORDS, PASSWORD)
_LINK = re.compile(r'value="(http[^"]*/join/([^"/]+)/)"')


def token_for(cast: Cast, role: Role = Role.ANNOTATOR) -> str:
    return invitations.invite(cast.set, cast.admin, role)


def test_a_link_made_on_the_members_page_lets_a_newcomer_in(cast: Cast, signed_in: SignIn) -> None:
    admin = signed_in(cast.admin)
    form = {"role": "lead", "note": "For Mara", "days": "3"}
    page = admin.post("/sets/jobs/invitations/", form).content.decode()
    link, token = _LINK.search(page).groups()
    assert link == f"http://testserver/join/{token}/"
    assert "For Mara" in page
    later = admin.get("/sets/jobs/members/").content.decode()
    assert token not in later
    assert "For Mara" in later
    newcomer = Client()
    shown = newcomer.get(link).content.decode()
    assert "Nightly jobs" in shown
    assert "lead" in shown
    assert newcomer.post(link, CHOSEN)["Location"] == "/sets/jobs/"
    assert "You are now lead of Nightly jobs" in newcomer.get("/sets/jobs/").content.decode()
    assert roles_of(User.objects.get(username="mara")) == [("lead", True)]
    assert Client().post("/sign-in/", {"username": "mara", "password": PASSWORD}).status_code == 302
    assert "used by mara" in admin.get("/sets/jobs/members/").content.decode()


@override_settings(CSRF_TRUSTED_ORIGINS=["https://testserver"])
def test_the_link_is_https_where_a_proxy_hides_that(cast: Cast, signed_in: SignIn) -> None:
    form = {"role": "lead", "days": "3"}
    page = signed_in(cast.admin).post("/sets/jobs/invitations/", form).content.decode()
    assert _LINK.search(page)[1].startswith("https://testserver/join/")


@pytest.mark.parametrize(
    ("field", "value"), [("role", "owner"), ("days", "0"), ("days", "31"), ("note", "x" * 201)]
)
def test_nonsense_is_told_beside_its_field_and_makes_nothing(
    cast: Cast, signed_in: SignIn, field: str, value: str
) -> None:
    form = {"role": "lead", "days": "3", field: value}
    answer = signed_in(cast.admin).post("/sets/jobs/invitations/", form)
    assert answer.status_code == 422
    assert f'id="invite-{field}-error"' in answer.content.decode()
    assert not Invitation.objects.exists()


def test_an_admin_withdraws_and_only_within_their_own_set(cast: Cast, signed_in: SignIn) -> None:
    token = token_for(cast)
    found = invitations.find(token)
    path = f"invitations/{found.pk}/withdraw/"
    other = sets.get_or_create("other")
    accounts.join(other, cast.stranger, Role.ADMIN)
    assert signed_in(cast.stranger).post(f"/sets/other/{path}").status_code == 404
    assert Client().get(f"/join/{token}/").status_code == 200
    admin = signed_in(cast.admin)
    assert admin.post(f"/sets/jobs/{path}").status_code == 302
    assert Client().get(f"/join/{token}/").status_code == 404
    assert admin.post(f"/sets/jobs/{path}").status_code == 409


def test_whatever_is_wrong_with_a_link_the_page_is_the_same_and_tells_nothing(cast: Cast) -> None:
    used, withdrawn = token_for(cast), token_for(cast)
    accounts.create_invited(invitations.find(used), "early", PASSWORD)
    invitations.withdraw(invitations.find(withdrawn))
    answers = [
        getattr(Client(), method)(f"/join/{token}/")
        for token in (used, withdrawn, "never-was", "%00", "é")
        for method in ("get", "post")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    page = answers[0].content.decode()
    assert "An invitation works once" in page
    for word in ("jobs", "Nightly", "ada", "annotator"):
        assert word not in page


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"username": ""}, "username"),
        ({"username": "a b"}, "username"),
        ({"username": "ANN"}, "username"),
        (dict.fromkeys(PASSWORDS, "short"), "password1"),
        (dict.fromkeys(PASSWORDS, "password123"), "password1"),
        ({"username": "marabelle"} | dict.fromkeys(PASSWORDS, "marabelle1"), "password1"),
        ({"password2": "another-one-entirely"}, "password2"),
    ],
)
def test_what_will_not_do_is_told_beside_its_field_and_the_link_stays_good(
    cast: Cast, changes: dict[str, str], field: str
) -> None:
    token = token_for(cast)
    answer = Client().post(f"/join/{token}/", CHOSEN | changes)
    assert answer.status_code == 422
    assert re.findall(r'id="(\w+)-error"', answer.content.decode()) == [field]
    assert invitations.find(token)
    assert not User.objects.filter(username="mara").exists()
    assert Client().post(f"/join/{token}/", CHOSEN).status_code == 302


def test_who_is_signed_in_joins_by_a_button(cast: Cast, signed_in: SignIn) -> None:
    token = token_for(cast)
    client = signed_in(cast.stranger)
    page = client.get(f"/join/{token}/").content.decode()
    assert "Join as annotator" in page
    assert "password" not in page.split("<main")[1]
    assert not Membership.objects.filter(user=cast.stranger).exists()
    assert client.post(f"/join/{token}/")["Location"] == "/sets/jobs/"
    assert roles_of(cast.stranger) == [("annotator", True)]


def test_a_member_is_told_and_the_link_stays_good(cast: Cast, signed_in: SignIn) -> None:
    token = token_for(cast)
    client = signed_in(cast.lead)
    assert "You are lead of this set already" in client.get(f"/join/{token}/").content.decode()
    assert client.post(f"/join/{token}/").status_code == 409
    assert invitations.find(token)


def test_signing_in_first_leads_back_to_the_invitation(cast: Cast) -> None:
    cast.stranger.set_password(PASSWORD)
    cast.stranger.save()
    token = token_for(cast)
    client = Client()
    page = client.get(f"/join/{token}/").content.decode()
    assert f'href="/sign-in/?next=/join/{token}/"' in page
    form = {"username": "stranger", "password": PASSWORD, "next": f"/join/{token}/"}
    assert client.post("/sign-in/", form)["Location"] == f"/join/{token}/"


def test_the_session_of_before_is_not_the_newcomer_s(cast: Cast) -> None:
    """Nobody who planted a session in the browser is signed in by it."""
    client = Client()
    client.session.save()
    before = set(Session.objects.values_list("session_key", flat=True))
    client.post(f"/join/{token_for(cast)}/", CHOSEN)
    assert client.session.session_key not in before


def test_the_page_of_an_invitation_stays_in_no_cache_and_its_token_in_no_title(cast: Cast) -> None:
    token = token_for(cast)
    for path in (f"/join/{token}/", "/join/never/"):
        answer = Client().get(path)
        assert answer["Cache-Control"] == "no-store"
        assert answer["Referrer-Policy"] == "same-origin"
        assert "<title>Invitation · Assize</title>" in answer.content.decode()


def test_no_log_holds_a_token(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    token = token_for(cast)
    path = f"/join/{token}/"
    with caplog.at_level(logging.INFO):
        assert Client(enforce_csrf_checks=True).post(path, CHOSEN).status_code == 403
        assert Client().put(path).status_code == 405
        assert Client().post(path, CHOSEN).status_code == 302
        assert Client().get(path).status_code == 404
        form = {"username": "mara", "password": "wrong", "next": path}
        assert Client().post("/sign-in/", form).status_code == 200
    assert token not in caplog.text
    assert len(re.findall("/join/…", caplog.text)) >= 3


def test_no_table_holds_a_token(cast: Cast) -> None:
    token = token_for(cast)
    path = f"/join/{token}/"
    form = {"username": "mara", "password": "wrong", "next": path}
    Client().post(f"/sign-in/?next={path}", form)
    Client().post(path, CHOSEN)
    for model in apps.get_models():
        assert token not in repr(list(model._default_manager.values_list())), model
