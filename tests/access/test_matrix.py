"""Every route × method × role, from the URL table: only listed cells pass."""

from __future__ import annotations

import copy
import re
from http.cookies import SimpleCookie

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.access.matrix import MATRIX, listed
from tests.access.world import METHODS, ROLES, World, routes

# Answered with a page, a redirect onward, or the refusal of a form that was read.
PASSED = {200, 302, 400, 409, 422}
REFUSED = {403, 404, 405}
_TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')


def test_every_route_is_listed_and_every_listed_route_is_there() -> None:
    assert set(routes()) == set(MATRIX)


@pytest.mark.parametrize("role", ROLES)
def test_only_listed_cells_pass(world: World, role: str) -> None:
    client = _client(world, role)
    session = client.cookies
    wrong = [
        f"{method} {route} as {role}: {answer.status_code}"
        for route in MATRIX
        for method in METHODS
        if not _as_listed(
            answer := _ask(world, client, session, method, route), listed(route, method, role)
        )
    ]
    assert wrong == []


@pytest.mark.parametrize("role", ["stranger", "ex_member", "annotator"])
def test_a_page_above_ones_role_answers_as_one_that_does_not_exist(world: World, role: str) -> None:
    client = _client(world, role)
    nowhere = client.get("/sets/no-such-set/runs/1/")
    for route in ("run", "report", "judgment", "cases", "members"):
        refused = client.get(world.url(route))
        assert refused.status_code == nowhere.status_code == 404
        assert _TOKEN.sub(b"", refused.content) == _TOKEN.sub(b"", nowhere.content)


def test_a_deactivated_account_is_out_at_the_next_request(world: World) -> None:
    client = _client(world, "lead")
    assert client.get(world.url("report")).status_code == 200
    world.people.lead.is_active = False
    world.people.lead.save()
    answer = client.get(world.url("report"))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("sign-in"))


def _ask(
    world: World, client: Client, session: SimpleCookie, method: str, route: str
) -> HttpResponse:
    """One request by a browser that has signed in, and whatever it wrote taken back."""
    client.cookies = copy.deepcopy(session)
    data = world.body(route) if method == "POST" else None
    with transaction.atomic():
        answer = (
            client.generic(method, world.url(route))
            if data is None
            else client.post(world.url(route), data)
        )
        transaction.set_rollback(True)
    return answer


def _client(world: World, role: str) -> Client:
    client = Client()
    if role != "anonymous":
        client.force_login(world.user(role))
    return client


def _as_listed(answer: HttpResponse, passes: bool) -> bool:
    onward = not answer.get("Location", "").startswith(reverse("sign-in"))
    if answer.status_code == 302 and not onward:
        # The way to the sign-in page is a refusal, but for those who just signed out.
        return not passes or answer.wsgi_request.path == reverse("sign-out")
    if passes:
        return answer.status_code in PASSED
    return answer.status_code in REFUSED
