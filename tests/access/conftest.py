"""Models are imported inside the fixtures: Django is not ready yet when this file is read."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.access.world import World


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """One world for a module's tests: building it takes longer than most of them. No test beside
    it may ask for `db`, which closes the connection that the world is open on."""
    from tests.access import world

    with django_db_blocker.unblock(), _undone():
        yield world.build()


@pytest.fixture
def world(built: World) -> Iterator[World]:
    """The world as it was built, whatever the tests before did to it."""
    with _undone():
        yield copy.deepcopy(built)


@contextmanager
def _undone() -> Iterator[None]:
    from django.db import transaction

    with transaction.atomic():
        yield
        transaction.set_rollback(True)
