"""Every page, fragment, error and download carries the same strict headers."""

from __future__ import annotations

import re

import pytest
from django.contrib.staticfiles import finders
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.access.matrix import MATRIX
from tests.access.world import World

PAGES = sorted(route for route, row in MATRIX.items() if "GET" in row)
_INLINE = re.compile(rb"<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=|javascript:", re.I)


def assert_strict(answer: HttpResponse) -> None:
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "Content-Security-Policy-Report-Only" not in answer
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("route", PAGES)
def test_what_an_admin_gets_is_strict_uncached_and_holds_nothing_inline(
    world: World, route: str
) -> None:
    answer = _client(world).get(world.url(route))
    assert answer.status_code in (200, 302)
    assert_strict(answer)
    # Whoever has signed in is sent on from there, with nothing of theirs.
    assert route == "sign-in" or answer["Cache-Control"] == "no-store"
    if answer.status_code == 200 and "attachment" not in answer.get("Content-Disposition", ""):
        assert not _INLINE.search(answer.content)


def test_errors_and_refusals_are_strict_too(world: World) -> None:
    client = _client(world)
    csrf = Client(enforce_csrf_checks=True)
    answers = {
        404: client.get("/sets/nowhere/"),
        405: client.post(reverse("sets")),
        400: client.get(world.url("cases"), {"order_by": "expectation__verdict"}),
        403: csrf.post(reverse("sign-in")),
        302: Client().get(world.url("report")),
        409: client.post(world.url("member-end"), {"username": "admin"}),
    }
    for status, answer in answers.items():
        assert answer.status_code == status
        assert_strict(answer)


def test_a_url_that_no_route_knows_is_strict_too(client: Client, world: World) -> None:
    answer = client.get("/no/such/page")
    assert answer.status_code in (302, 404)
    assert_strict(answer)


def test_static_files_are_served_without_sniffing(client: Client, world: World) -> None:
    assert finders.find("css/base.css")
    answer = client.get("/static/css/base.css")
    assert answer.status_code == 200
    assert answer["X-Content-Type-Options"] == "nosniff"


def _client(world: World) -> Client:
    client = Client()
    client.force_login(world.people.admin)
    return client
