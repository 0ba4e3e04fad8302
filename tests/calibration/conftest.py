"""Fixtures for runs: a released rubric, judges that tests watch, a house of its own to run in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import services
from tests.calibration.house import House, postgresql_database, sqlite_database
from tests.grounding.rubric_examples import with_changes

if TYPE_CHECKING:
    from calibration.models import RubricVersion


@pytest.fixture
def rubric(db: None) -> RubricVersion:
    """The shipped rubric, released."""
    from calibration import rubrics

    return rubrics.release(with_changes()).rubric_version


@pytest.fixture
def rings() -> Iterator[Callable[[], int]]:
    """How many messages the queue of the embedded broker holds; empty to begin with."""
    from django.conf import settings

    from config.celery import app

    with app.connection_for_write() as connection, closing(connection.channel()) as channel:
        queue = settings.CELERY_TASK_DEFAULT_QUEUE
        channel._get_or_create(queue)
        channel._purge(queue)
        yield lambda: channel._size(queue)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """An installation of its own (database, embedded broker), for tests that start processes."""
    if request.param == "sqlite":
        yield House(tmp_path, sqlite_database(tmp_path)).migrated()
        return
    with postgresql_database(services.postgresql()) as url:
        yield House(tmp_path, url).migrated()
