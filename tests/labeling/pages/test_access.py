"""Who reaches the annotator's pages, and what every answer carries."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.test.utils import override_settings

from labeling.models import Label, Membership, Role
from labeling.people import accounts
from tests.labeling.pages.cast import PASSWORD, Cast, desk_of, filled, give_password, roles_of

SignIn = Callable[[User], Client]

INSIDE = ["/sets/jobs/", "/sets/jobs/queues/", "/sets/jobs/labels/", "/sets/jobs/members/"]


@pytest.mark.parametrize("path", ["/", "/sets/", *INSIDE])
def test_anonymous_is_asked_to_sign_in(cast: Cast, client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 302
    assert response["Location"] == f"/sign-in/?next={path}"


@pytest.mark.parametrize("path", INSIDE)
def test_a_stranger_gets_404_for_every_page_of_a_set(
    cast: Cast, signed_in: SignIn, path: str
) -> None:
    assert signed_in(cast.stranger).get(path).status_code == 404


@pytest.mark.parametrize(
    ("name", "status"), [("annotator", 404), ("lead", 404), ("admin", 200), ("stranger", 404)]
)
def test_members_are_for_admins(cast: Cast, signed_in: SignIn, name: str, status: int) -> None:
    client = signed_in(getattr(cast, name))
    assert client.get("/sets/jobs/members/").status_code == status
    if status == 404:
        asked = {"username": "stranger", "role": "admin"}
        assert client.post("/sets/jobs/members/", asked).status_code == 404
        assert client.post("/sets/jobs/members/end/", {"username": "bob"}).status_code == 404
        assert roles_of(cast.stranger) == []
        assert roles_of(cast.other) == [("annotator", True)]


def test_the_nav_and_the_set_page_link_leads_to_their_pages_and_annotators_not(
    cast: Cast, signed_in: SignIn
) -> None:
    lead = signed_in(cast.lead).get("/sets/jobs/").content.decode()
    annotator = signed_in(cast.annotator).get("/sets/jobs/").content.decode()
    for path in ("cases/", "lint/", "runs/", "exports/"):
        assert f"/sets/jobs/{path}" in lead
        assert f"/sets/jobs/{path}" not in annotator
    assert "Revision" not in annotator
    assert "members/" not in lead


def test_someone_without_a_set_is_told_what_to_do(cast: Cast, signed_in: SignIn) -> None:
    page = signed_in(cast.stranger).get("/sets/").content.decode()
    assert "You are in no set yet" in page
    assert "<strong>stranger</strong>" in page


def test_an_admin_adds_changes_and_ends_a_membership(cast: Cast, signed_in: SignIn) -> None:
    admin = signed_in(cast.admin)
    for role in ("annotator", "lead"):
        response = admin.post("/sets/jobs/members/", {"username": "stranger", "role": role})
        assert response["Location"] == "/sets/jobs/members/"
        assert roles_of(cast.stranger) == [(role, True)]
    admin.post("/sets/jobs/members/end/", {"username": "stranger"})
    assert roles_of(cast.stranger) == [("lead", False)]
    assert signed_in(cast.stranger).get("/sets/jobs/").status_code == 404


def test_a_name_or_role_that_is_not_there_is_named_at_its_field(
    cast: Cast, signed_in: SignIn
) -> None:
    admin = signed_in(cast.admin)
    response = admin.post("/sets/jobs/members/", {"username": "nobody", "role": "lead"})
    assert response.status_code == 422
    page = response.content.decode()
    assert 'id="username-error">There is no account of that name.' in page
    assert 'value="nobody"' in page
    response = admin.post("/sets/jobs/members/", {"username": "stranger", "role": "owner"})
    assert 'id="role-error"' in response.content.decode()
    assert roles_of(cast.stranger) == []


def test_the_last_admin_cannot_leave(cast: Cast, signed_in: SignIn) -> None:
    response = signed_in(cast.admin).post("/sets/jobs/members/end/", {"username": "ada"})
    assert response.status_code == 409
    assert "last admin" in response.content.decode()
    assert roles_of(cast.admin) == [("admin", True)]


def test_an_admin_who_steps_down_lands_on_the_sets(cast: Cast, signed_in: SignIn) -> None:
    accounts.join(cast.set, cast.lead, Role.ADMIN)
    response = signed_in(cast.admin).post("/sets/jobs/members/end/", {"username": "ada"})
    assert response["Location"] == "/sets/"


def test_an_ex_member_is_refused_at_the_next_request_and_their_labels_stay(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.annotator)
    path = desk_of(cast.statement)
    client.post(path, filled(cast.statement))
    accounts.leave(cast.set, cast.annotator)
    assert client.get(path).status_code == 404
    assert client.post(path, filled(cast.statement)).status_code == 404
    assert Label.objects.count() == 1


def test_signing_in_leads_to_the_sets_and_out_again_by_post_alone(cast: Cast) -> None:
    give_password(cast.annotator)
    client = Client()
    response = client.post("/sign-in/", {"username": "ann", "password": PASSWORD})
    assert response["Location"] == "/sets/"
    assert client.get("/sign-out/").status_code == 405
    assert client.get("/sets/").status_code == 200
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/sets/").status_code == 302
    assert client.post("/sign-out/").status_code == 302


def test_known_and_unknown_names_get_the_same_answer(cast: Cast) -> None:
    give_password(cast.annotator)
    answers = []
    for name in ("ann", "eve"):
        form = {"username": name, "password": "wrong-password-1"}
        response = Client().post("/sign-in/", form)
        body = re.sub(r'value="[^"]*"', "", response.content.decode())
        answers.append((response.status_code, body))
    assert answers[0] == answers[1]
    assert 'role="alert">Please enter a correct' in answers[0][1]


@pytest.mark.parametrize("path", ["/sets/", "/sets/jobs/", "/sets/none/"])
def test_pages_of_someone_signed_in_are_kept_by_no_cache(
    cast: Cast, signed_in: SignIn, path: str
) -> None:
    assert signed_in(cast.annotator).get(path)["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/sign-in/", "/sets/", "/sets/none/", "/no-such-page/"])
def test_every_answer_carries_the_strict_policy(cast: Cast, signed_in: SignIn, path: str) -> None:
    response = signed_in(cast.annotator).get(path)
    policy = response["Content-Security-Policy"]
    assert "script-src 'self';" in policy + ";"
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("path", ["label", "members/", "members/end/", "out"])
def test_a_write_without_its_token_is_403_and_changes_nothing(cast: Cast, path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.admin)
    full = {
        "label": desk_of(cast.statement),
        "out": "/sign-out/",
    }.get(path, f"/sets/jobs/{path}")
    form = filled(cast.statement) | {"username": "bob", "role": "admin"}
    response = client.post(full, form)
    assert response.status_code == 403
    assert "without the token of its form" in response.content.decode()
    assert Label.objects.count() == 0
    assert Membership.objects.get(user=cast.other).role == "annotator"
    assert client.get("/sets/").status_code == 200


def test_errors_inside_a_page_are_fragments_and_elsewhere_pages(
    cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.annotator)
    whole = client.get("/sets/none/")
    part = client.get("/sets/none/", headers={"HX-Request": "true"})
    assert whole.status_code == part.status_code == 404
    assert "<html" in whole.content.decode()
    assert part.content.decode().startswith('<p class="notice error">')


def test_a_sign_in_page_never_lands_inside_a_fragment(cast: Cast, client: Client) -> None:
    response = client.get("/sets/jobs/", headers={"HX-Request": "true"})
    assert response["HX-Redirect"] == "/sign-in/?next=/sets/jobs/"
    assert response.content == b""
    response = client.post("/sets/jobs/members/", headers={"HX-Request": "true"})
    assert response.status_code == 401
    assert b"You are signed out" in response.content


@override_settings(DEBUG=False)
def test_an_unexpected_error_is_one_plain_page(
    cast: Cast, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("labeling.people.setlists.entries", broken)
    client = signed_in(cast.annotator)
    client.raise_request_exception = False
    response = client.get("/sets/")
    assert response.status_code == 500
    assert "secret detail" not in response.content.decode()
    assert "Something broke here" in response.content.decode()
