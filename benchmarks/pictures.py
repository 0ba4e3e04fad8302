"""Retakes the pictures of the README, from a demo in a database of its own.

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
BACKEND = "django.contrib.auth.backends.ModelBackend"
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
        for name, (who, path, end) in _subjects().items():
            context = chromium.new_context(
                base_url=address, viewport={"width": WIDTH, "height": 1000}, color_scheme="light"
            )
            context.add_cookies([_session(address, who)])
            page = context.new_page()
            page.goto(path)
            bottom = page.locator(end).first.bounding_box()
            assert bottom is not None, end
            height = int(bottom["y"] + bottom["height"]) + 24
            page.set_viewport_size({"width": WIDTH, "height": height})
            _keep(FOLDER / f"{name}.png", page.screenshot())
            context.close()
        chromium.close()


def _subjects() -> dict[str, tuple[str, str, str]]:
    """Each picture's account, its page, and the element that it ends with."""
    from django.urls import reverse

    from calibration.models import Report
    from calibration.reports.pair_sheets import Outcomes

    report = Report.objects.select_related("run__set").order_by("pk")[0]
    slug = report.run.set.slug
    collapsed = Outcomes(report, ["lenient_collapse"], None)[:1]
    pair = (collapsed or Outcomes(report, None, None)[:1])[0]
    begun, disputed = _labelled(slug)
    return {
        "report": ("lead", reverse("report", args=[slug, report.pk]), "table.cells"),
        "pair": ("lead", reverse("pair", args=[slug, pair.pair_id]), ".sides"),
        "desk": (
            "annotator",
            reverse("label", args=[slug, begun.queue_id, begun.statement.key]),
            "main",
        ),
        "adjudication": ("lead", reverse("adjudicate", args=[slug, disputed]), "main"),
    }


def _labelled(slug: str) -> tuple[Any, Any]:
    """What an annotator has begun, and the key of a statement on which two of them differ. The
    labels are made for the pictures, and go with their database."""
    from uuid import uuid4

    from grounding.contract import ClaimClass, Verdict
    from labeling import labels
    from labeling.desk import drafts, sheets
    from labeling.labels import LabelValues

    begun = _handed(slug, "saloon-b", "s2", "annotator")
    typed = {
        "claim_class": "subject_specific",
        "verdict": "contradictory",
        "evidence": [sheets.value_of(_quoted(begun, "Dogs are not allowed in the saloon."))],
        "rationale": "The notice says the opposite of dogs.",
    }
    drafts.save(begun, typed, form=uuid4(), number=1, edition=begun.draft_edition)
    disputed = _handed(slug, "assessor-b", "s2", "annotator")
    first = LabelValues(
        ClaimClass.SUBJECT_SPECIFIC, Verdict.UNSUPPORTED, rationale="Nobody names a sum."
    )
    labels.submit(disputed, first, submission=uuid4())
    second = LabelValues(
        ClaimClass.SUBJECT_SPECIFIC,
        Verdict.CONTRADICTORY,
        evidence=[_quoted(disputed, "An assessor visited the house on 13 February.")],
        rationale="The assessor only visited.",
    )
    labels.submit(_handed(slug, "assessor-b", "s2", "admin"), second, submission=uuid4())
    return begun, disputed.statement.key


def _handed(slug: str, case_id: str, statement_id: str, name: str) -> Any:
    """A statement of the demo's queue, in the hands of the account ``name``."""
    from django.contrib.auth.models import User

    from labeling.models import Queue
    from labeling.queues import claims
    from labeling.sets import annotators

    queue = Queue.objects.get(set__slug=slug)
    annotator = annotators.of(queue.set, User.objects.get(username=name))
    slot = queue.slots.filter(
        statement__case__case_id=case_id, statement__statement_id=statement_id, assignment=None
    )[0]
    assignment = queue.assignments.create(
        statement=slot.statement, annotator=annotator, half=slot.half, rank=slot.rank
    )
    assert claims.fill(assignment)
    return assignment


def _quoted(assignment: Any, words: str) -> Any:
    from grounding.evidence import resolve
    from grounding.interchange.models import Evidence
    from labeling import cases

    cited = Evidence(passage_id="p1", quote=words)
    return resolve(cited, cases.texts(assignment.statement.case), at="evidence")


def _session(address: str, username: str) -> Any:
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username=username), backend=BACKEND)
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
