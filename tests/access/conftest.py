"""Models are imported inside the fixtures: Django is not ready yet when this file is read."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.access.world import World


@pytest.fixture(scope="module")
def built(module_database: None) -> World:
    """One world for a module's tests: building it takes longer than most of them."""
    from tests.access import world

    return world.build()


@pytest.fixture
def world(built: World, db: None) -> World:
    """The world as it was built, whatever the tests before did to it."""
    return copy.deepcopy(built)
