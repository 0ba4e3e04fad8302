"""Chromium over the real pages. Skips by name where there is no Chromium.

Models are imported inside the fixtures: Django is not ready yet when this file is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests import services

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from playwright.sync_api import BrowserContext, Page
    from pytest_django.live_server_helper import LiveServer

    from tests.access.world import World
    from tests.labeling.pages.cast import Cast

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

SignIn = Callable[..., "Page"]


@pytest.fixture(scope="session", autouse=True)
def _queries_beside_the_browser() -> Iterator[None]:
    """Playwright keeps an event loop in the test's thread, where Django would refuse queries."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    yield
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": services.chromium(), "args": list(FLAGS), "headless": True}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    from tests.kept_rows import put_back
    from tests.labeling.pages import cast as casting

    return put_back("cast of the pages", casting.assemble)


@pytest.fixture
def world(transactional_db: None) -> World:
    from tests.access import world
    from tests.kept_rows import put_back

    return put_back("world", world.build)


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console complained of: errors, and breaches of the policy."""
    return []


@pytest.fixture
def sign_in(browser: Any, live_server: LiveServer, complaints: list[str]) -> Iterator[SignIn]:
    """Opens a page as ``user``: ``sign_in(user, java_script_enabled=False, viewport=…)``."""
    contexts: list[BrowserContext] = []

    def open_as(user: User | None, **options: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        if user is not None:
            context.add_cookies([session_of(user, live_server.url)])
        page: Page = context.new_page()
        page.on("console", lambda message: _note(complaints, message.type, message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield open_as
    for context in contexts:
        context.close()


def _note(complaints: list[str], kind: str, text: str) -> None:
    if kind in ("error", "warning"):
        complaints.append(text)


def session_of(user: User, url: str) -> Any:
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": url}
