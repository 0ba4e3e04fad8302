"""Signing in is slowed down after failures, alike for every name, and for nobody else (row A7)."""

from __future__ import annotations

import re
from datetime import timedelta
from ipaddress import ip_network

import pytest
from axes.handlers import proxy
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import override_settings
from django.utils import timezone

from labeling.web import throttling
from tests.labeling.pages.cast import PASSWORD, Cast, give_password

HERE = "192.0.2.7"
ELSEWHERE = "198.51.100.9"


def attempt(name: str, password: str, address: str = HERE, **headers: str) -> HttpResponse:
    form = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address).post("/sign-in/", form, headers=headers)


def answers(name: str, times: int, *, forging: bool = False) -> list[tuple[int, bytes]]:
    """Status and body of wrong attempts, the CSRF token and the name itself aside."""
    given = []
    for n in range(times):
        forged = {"X-Forwarded-For": f"203.0.113.{n}", "X-Real-IP": f"203.0.113.{n}"}
        one = attempt(name, f"wrong-{n}", **(forged if forging else {}))
        body = re.sub(rb'(csrfmiddlewaretoken" value=)"[^"]*"', rb"\1", one.content)
        given.append((one.status_code, body.replace(b'value="%s"' % name.encode(), b"")))
    return given


@pytest.mark.parametrize("forging", [False, True])
def test_known_and_unknown_names_get_the_same_answers_and_wait_from_the_tenth(
    cast: Cast, forging: bool
) -> None:
    give_password(cast.annotator)
    known = answers("ann", 20, forging=forging)
    assert known == answers("eve", 20, forging=forging)
    assert [status for status, _ in known] == [200] * 9 + [429] * 11
    assert len({body for _, body in known}) == 2


def test_the_right_password_waits_too_and_works_after_the_wait(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_password(cast.annotator)
    answers("ann", 10)
    answer = attempt("ann", PASSWORD)
    assert answer.status_code == 429
    assert answer["Retry-After"] == "900"
    assert "15 minutes" in answer.content.decode()
    later = timezone.now() + timedelta(minutes=14)
    monkeypatch.setattr(proxy, "now", lambda: later)
    assert attempt("ann", PASSWORD).status_code == 429
    later += timedelta(minutes=2)
    assert attempt("ann", PASSWORD).status_code == 302


def test_trying_on_does_not_make_the_wait_longer(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_password(cast.annotator)
    answers("ann", 10)
    moment = timezone.now() + timedelta(minutes=14)
    monkeypatch.setattr(proxy, "now", lambda: moment)
    answers("ann", 10)
    moment += timedelta(minutes=2)
    assert attempt("ann", PASSWORD).status_code == 302


def test_nobody_else_waits(cast: Cast) -> None:
    """Not a colleague behind the same address, nor the same name from another one."""
    for person in (cast.annotator, cast.other):
        give_password(person)
    answers("ann", 20)
    assert attempt("bob", PASSWORD).status_code == 302
    assert attempt("ann", PASSWORD, ELSEWHERE).status_code == 302
    assert attempt("ann", PASSWORD).status_code == 429


def test_signing_in_forgets_the_failures_of_that_name_alone(cast: Cast) -> None:
    give_password(cast.annotator)
    answers("bob", 9)
    answers("ann", 9)
    assert attempt("ann", PASSWORD).status_code == 302
    assert [status for status, _ in answers("ann", 9)] == [200] * 9
    assert attempt("bob", "wrong").status_code == 429


def test_a_list_of_names_cannot_be_tried_through_from_one_address(cast: Cast) -> None:
    give_password(cast.annotator)
    statuses = [attempt(f"name-{n}", "guess").status_code for n in range(100)]
    assert statuses == [200] * 99 + [429]
    assert attempt("ann", PASSWORD).status_code == 429
    assert attempt("ann", PASSWORD, ELSEWHERE).status_code == 302


def test_the_page_of_waiting_is_seen_by_who_signs_in_and_by_nobody_else(cast: Cast) -> None:
    answers("ann", 20)
    assert Client(REMOTE_ADDR=HERE).get("/sign-in/").status_code == 200
    client = Client(REMOTE_ADDR=HERE)
    client.force_login(cast.annotator)
    assert client.get("/sets/jobs/").status_code == 200


@pytest.mark.parametrize(
    ("connected", "forwarded", "address"),
    [
        ("192.0.2.7", "", "192.0.2.7"),
        ("192.0.2.7", "203.0.113.1", "192.0.2.7"),
        ("10.0.0.1", "203.0.113.1", "203.0.113.1"),
        ("10.0.0.1", "203.0.113.9, 203.0.113.1", "203.0.113.1"),
        ("10.0.0.1", "203.0.113.9, 203.0.113.1, 10.0.0.2", "203.0.113.1"),
        ("10.0.0.1", "203.0.113.9, nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("::ffff:10.0.0.1", "::ffff:203.0.113.1", "203.0.113.1"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        ("", "203.0.113.1", None),
    ],
)
def test_only_a_trusted_proxy_says_where_a_request_comes_from(
    connected: str, forwarded: str, address: str | None
) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=connected)
    if forwarded:
        request.META["HTTP_X_FORWARDED_FOR"] = forwarded
    with override_settings(TRUSTED_PROXIES=[ip_network("10.0.0.0/8")]):
        assert throttling.address(request) == address
