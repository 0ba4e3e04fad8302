"""Each route that writes: without a token, from elsewhere, or as GET, nothing happens."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from tests.access.matrix import MATRIX
from tests.access.world import World

WRITES = sorted(route for route, row in MATRIX.items() if "POST" in row)
# Who is signed in is no part of what a form may change.
UNRELATED = {"session"}


@pytest.mark.parametrize("route", WRITES)
def test_a_form_without_its_token_is_refused_and_changes_nothing(world: World, route: str) -> None:
    client = _admin(world)
    before = stored()
    assert client.post(world.url(route), world.body(route)).status_code == 403
    assert stored() == before


@pytest.mark.parametrize("route", WRITES)
def test_a_form_from_a_foreign_origin_is_refused_and_changes_nothing(
    world: World, route: str
) -> None:
    client = _admin(world)
    body = world.body(route) | {"csrfmiddlewaretoken": _token(client)}
    before = stored()
    answer = client.post(world.url(route), body, headers={"origin": "https://elsewhere.example"})
    assert answer.status_code == 403
    assert stored() == before


@pytest.mark.parametrize("route", [r for r in WRITES if "GET" not in MATRIX[r]])
def test_a_write_is_not_to_be_had_by_following_a_link(world: World, route: str) -> None:
    client = _admin(world)
    before = stored()
    answer = client.get(world.url(route), world.body(route))
    assert answer.status_code == 405
    assert stored() == before


def test_the_same_form_with_its_token_from_here_is_taken(world: World) -> None:
    """The control: what the tests above refuse is a write when it comes the right way."""
    client = _admin(world)
    body = {"csrfmiddlewaretoken": _token(client)}
    before = stored()
    answer = client.post(world.url("run-cancel"), body, headers={"origin": "http://testserver"})
    assert answer.status_code == 302
    assert stored() != before


def stored() -> dict[str, list[Any]]:
    """Every row of every table of the product, and of accounts."""
    return {
        model._meta.label: sorted(map(repr, model._default_manager.values_list()))
        for model in apps.get_models()
        if model._meta.model_name not in UNRELATED
    }


def _admin(world: World) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.people.admin)
    return client


def _token(client: Client) -> str:
    page = client.get(reverse("sets")).content.decode()
    return page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
