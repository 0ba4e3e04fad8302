"""Whether the services that some tests need are there; `REQUIRE_SERVICES=1` forbids skipping."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable

import pytest

POSTGRESQL = "postgres://postgres@127.0.0.1:5432/postgres"
REDIS = "redis://127.0.0.1:6379"
RABBITMQ = "amqp://guest:guest@127.0.0.1:5672//"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def required() -> bool:
    return os.environ.get("REQUIRE_SERVICES") == "1"


def listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def absent(what: str) -> None:
    """Skip by name, or fail where skipping is forbidden."""
    if required():
        pytest.fail(f"{what} is needed and not there (REQUIRE_SERVICES=1)")
    pytest.skip(f"{what} is not there")


def chromium() -> str:
    """The browser's path; skips the test where there is none."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        absent("Chromium")
    return str(path)


def _needs(name: str, port: int, url: str) -> Callable[[], str]:
    def check() -> str:
        if not listens(port):
            absent(f"{name} on 127.0.0.1:{port}")
        return url

    return check


redis = _needs("Redis", 6379, REDIS)
rabbitmq = _needs("RabbitMQ", 5672, RABBITMQ)
postgresql = _needs("PostgreSQL", 5432, POSTGRESQL)
