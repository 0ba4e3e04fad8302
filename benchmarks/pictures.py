"""Retakes the two pictures of the README, from a demo in a database of its own.

`make pictures` runs it; it needs Chromium. What the pictures show is what the shipped set and
the shipped rubric versions give, so they are taken again whenever those change.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import scratch

FOLDER = Path(__file__).resolve().parent.parent / "static" / "pictures"
WIDTH = 1280
LARGEST = 250_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")


def main() -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("Chromium is needed and not there")
    scratch.set_up()
    # The browser's driver keeps an event loop in this thread, where Django would refuse queries.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

    from django.core.management import call_command

    with open(os.devnull, "w") as nowhere:
        call_command("demo", stdout=nowhere, stderr=nowhere)
    with _served() as address:
        _take(browser, address)


@contextmanager
def _served() -> Iterator[str]:
    """The site on a free port of this machine."""
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    class Quiet(WSGIRequestHandler):
        def log_message(self, *_: Any) -> None:
            """No line for each request."""

    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
    server.set_app(get_wsgi_application())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def _take(browser: str, address: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=FLAGS)
        context = chromium.new_context(
            base_url=address, viewport={"width": WIDTH, "height": 1000}, color_scheme="light"
        )
        context.add_cookies([_session(address)])
        page = context.new_page()
        for name, (path, end) in _subjects().items():
            page.goto(path)
            bottom = page.locator(end).first.bounding_box()
            assert bottom is not None, end
            height = int(bottom["y"] + bottom["height"]) + 24
            page.set_viewport_size({"width": WIDTH, "height": height})
            _keep(FOLDER / f"{name}.png", page.screenshot())
        chromium.close()


def _subjects() -> dict[str, tuple[str, str]]:
    """Each picture's page, and the element that it ends with."""
    from django.urls import reverse

    from calibration.models import PairOutcome, Report

    report = Report.objects.select_related("run__set").order_by("pk")[0]
    slug = report.run.set.slug
    outcomes = PairOutcome.objects.filter(report=report).order_by("position")
    pair = outcomes.filter(outcome="lenient_collapse").first() or outcomes[0]
    return {
        "report": (reverse("report", args=[slug, report.pk]), "table.cells"),
        "pair": (reverse("pair", args=[slug, pair.pair_id]), ".sides"),
    }


def _session(address: str) -> Any:
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username="lead"))
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": address}


def _keep(path: Path, picture: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(picture)
    print(f"{path}: {len(picture):,} bytes")
    if len(picture) > LARGEST:
        sys.exit(f"{path.name} is larger than {LARGEST:,} bytes")


if __name__ == "__main__":
    main()
