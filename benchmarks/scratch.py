"""A database of the benchmark's own, made before Django is set up and removed at the end."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOLDER = Path(tempfile.mkdtemp(prefix="assize-bench-"))
VIEWS = 15
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def set_up(url: str | None = None) -> None:
    """Django on an empty, migrated database: the one at ``url`` with the broker that is set, or
    SQLite in `FOLDER` with the embedded broker."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ["SECRET_KEY"] = secrets.token_urlsafe(48)
    os.environ["DATABASE_URL"] = url or f"sqlite:///{FOLDER / 'bench.sqlite3'}"
    if url is None:
        os.environ.pop("CELERY_BROKER_URL", None)

    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


@contextmanager
def postgresql(name: str) -> Iterator[str]:
    """A database of the benchmark's own on the server that TEST_POSTGRES_URL names."""
    import psycopg

    server = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
    database = f"assize_{name}_{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {database}")
        try:
            yield f"{server.rpartition('/')[0]}/{database}"
        finally:
            connection.execute(f"DROP DATABASE {database} WITH (FORCE)")


def median_ms(client: Any, page: str) -> float:
    """Of a page that a signed-in test client asks for again and again."""
    times = []
    for _ in range(VIEWS):
        started = time.perf_counter()
        assert client.get(page).status_code == 200
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000
