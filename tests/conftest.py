"""Fixtures shared by every test. The environment comes first: settings read it once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.environment import pytest_collection_modifyitems  # noqa: F401  # a hook, by name

if TYPE_CHECKING:
    from labeling.models import CalibrationSet
    from tests.cast import Cast


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """On SQLite a file, as in use: in memory, threads meet other locks than they would there."""
    from django.db import connections

    for connection in connections.all():
        if connection.vendor == "sqlite":
            own = os.environ.get("PYTEST_XDIST_WORKER", "only")
            file = Path(str(connection.settings_dict["NAME"])).with_suffix(f".{own}.sqlite3")
            connection.settings_dict["TEST"]["NAME"] = str(file)


@pytest.fixture(scope="module")
def module_database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Open for what a module's tests share because it takes long to make; empty again after the
    last of them. What a test does to it is taken back as ever. Every test of the module that asks
    the database finds what is shared there, so all of them must ask for it."""
    from tests.taken_back import taken_back

    with django_db_blocker.unblock(), taken_back():
        yield


@pytest.fixture
def small_set(db: None) -> CalibrationSet:
    """The set of `tests.cast.SMALL`, imported under the slug ``small``."""
    from tests import cast
    from tests.kept_rows import put_back

    return put_back("small", cast.small)


@pytest.fixture
def people(small_set: CalibrationSet) -> Cast:
    """An admin, a lead, two annotators and an ex-member of the small set, and a stranger."""
    from tests import cast
    from tests.kept_rows import put_back

    return put_back("people of the small set", lambda: cast.assemble(small_set))


@pytest.fixture
def data_folder() -> Path:
    """The folder of real data that ASSIZE_DATA names; skips by name without it."""
    named = os.environ.get("ASSIZE_DATA")
    if not named:
        pytest.skip("ASSIZE_DATA is not set")
    return Path(named)
