"""Models are imported inside the fixture: Django is not ready yet when this file is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.access.world import World


@pytest.fixture
def world(db: None) -> World:
    from tests.access import world

    return world.build()
