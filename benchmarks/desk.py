"""Submit and next at the desk, for 1, 10 and 50 annotators at once.

One gunicorn, set up as `manage.py serve` sets it up, answers all of it, and the same annotators
take turns at each. Beside the bare page of `desk_urls` fetched twice stand

- a label sent and the next desk fetched, one after the other, as without a script;
- a label sent, as the desk's script sends it: the next desk was reserved and fetched while the
  statement was being read, so that this request is all that is still to be answered. Reserving
  and fetching count as load on the server, not as waiting.
"""

from __future__ import annotations

import http.client
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from benchmarks import cases, scratch

USERS = (1, 10, 50)
ROUNDS = {1: 40, 10: 12, 50: 5}
CASES = 3000
ALLOWED = 2.0
PLAIN: Mapping[str, str] = {}
SCRIPT: Mapping[str, str] = {"HX-Request": "true"}
OPINION = {
    "claim_class": "interpretation",
    "verdict": "not_applicable",
    "rationale": "A view.",
    "speech_act": "assertion",
}


def main() -> None:
    scratch.set_up()
    crowd = _crowd(max(USERS))
    print(f"queries of submit + next: {_queries('small', 50)} at 100 statements, ", end="")
    print(f"{_queries('large', CASES)} at {2 * CASES:,}")
    with _Server() as server:
        for count in USERS:
            _told(count, _measured(server, crowd[:count], ROUNDS[count]))


@dataclass
class _Times:
    bare: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    scripted: list[float] = field(default_factory=list)


def _told(count: int, times: _Times) -> None:
    bare = 1000 * statistics.median(times.bare)
    print(f"{count:>3} annotators, at the median: bare page twice {bare:.0f} ms", end="")
    for name, measured in (("without script", times.plain), ("with script", times.scripted)):
        desk = 1000 * statistics.median(measured)
        print(f"; {name} {desk:.0f} ms, ratio {desk / bare:.2f}", end="")
    print(f" (allowed: {ALLOWED})")


def _measured(server: _Server, crowd: list[_Annotator], rounds: int) -> _Times:
    times, start = _Times(), threading.Barrier(len(crowd))
    failures: list[BaseException] = []

    def work(one: _Annotator) -> None:
        try:
            visit = _Visit(server, one)
            start.wait()
            for _ in range(rounds):
                times.bare.append(visit.bare())
                times.plain.append(visit.plain())
                times.scripted.append(visit.scripted())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(one,)) for one in crowd]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return times


@dataclass(frozen=True)
class _Annotator:
    session: str
    queue: str


class _Visit:
    """One annotator's browser; a connection for each request, as after a moment's thought."""

    def __init__(self, server: _Server, annotator: _Annotator) -> None:
        self._port = server.port
        token = "a" * 32
        self._headers = {
            "Cookie": f"sessionid={annotator.session}; csrftoken={token}",
            "X-CSRFToken": token,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self._next = f"{annotator.queue}next/"
        self._at = self._moved("POST", self._next, {})
        self._seen(self._at)

    def bare(self) -> float:
        started = time.perf_counter()
        for _ in range(2):
            assert self._ask("GET", "/bare/")[0] == 200
        return time.perf_counter() - started

    def plain(self) -> float:
        form = self._form()
        started = time.perf_counter()
        self._at = self._moved("POST", self._at, form)
        self._seen(self._at)
        return time.perf_counter() - started

    def scripted(self) -> float:
        form = self._form()
        following = self._moved("POST", self._next, {"after": form["statement"]}, SCRIPT)
        self._seen(following)
        started = time.perf_counter()
        at = self._moved("POST", self._at, form, SCRIPT)
        took = time.perf_counter() - started
        assert at == following
        self._at = following
        return took

    def _form(self) -> dict[str, str]:
        key = self._at.split("/")[-2]
        return OPINION | {"statement": key, "submission": str(uuid4()), "replaces": ""}

    def _seen(self, path: str) -> None:
        assert self._ask("GET", path)[0] == 200

    def _moved(
        self, method: str, path: str, form: dict[str, str], more: Mapping[str, str] = PLAIN
    ) -> str:
        status, to = self._ask(method, path, form, more)
        assert status == (204 if more else 302), status
        assert "/label/" in to, to
        return to

    def _ask(
        self,
        method: str,
        path: str,
        form: dict[str, str] | None = None,
        more: Mapping[str, str] = PLAIN,
    ) -> tuple[int, str]:
        body = urlencode(form) if form is not None else None
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        connection.request(method, path, body=body, headers=self._headers | dict(more))
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, answer.headers.get("Location") or answer.headers.get("X-Next") or ""


class _Server:
    """gunicorn as the product starts it, on a free port."""

    def __enter__(self) -> _Server:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = ["-m", "gunicorn", "--config", "python:config.gunicorn"]
        command += ["--bind", f"127.0.0.1:{self.port}", "--log-level", "warning"]
        settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.desk_settings"}
        self._process = subprocess.Popen(
            [sys.executable, *command, "config.wsgi:application"],
            env=os.environ | settings,
            stdin=subprocess.PIPE,
        )
        self._wait()
        return self

    def _wait(self) -> None:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise SystemExit("the server did not start")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


def _crowd(count: int) -> list[_Annotator]:
    queue = _queue("desk", CASES)
    return [_Annotator(_signed_in(queue, f"ann-{n}"), _path(queue)) for n in range(count)]


def _queue(slug: str, count: int) -> Any:
    from calibration import bundles
    from labeling import queues, sets
    from labeling.models import Role
    from labeling.people import accounts
    from labeling.queues.selections import Kind, Selection

    bundles.import_set(slug, cases.write(scratch.FOLDER / f"{slug}.jsonl", count))
    held = sets.get(slug)
    lead, _ = accounts.create(f"lead-of-{slug}")
    accounts.join(held, lead, Role.LEAD)
    terms = queues.Terms(title="Round", overlap=3, seed=1)
    return queues.open_queue(held, lead, terms, Selection(Kind.ALL))


def _path(queue: Any) -> str:
    return f"/sets/{queue.set.slug}/queues/{queue.pk}/"


def _signed_in(queue: Any, name: str) -> str:
    from django.test import Client

    client = Client()
    client.force_login(_annotator(queue, name))
    return client.cookies["sessionid"].value


def _annotator(queue: Any, name: str) -> Any:
    from django.contrib.auth.models import User

    from labeling.models import Role
    from labeling.people import accounts
    from labeling.sets import annotators

    user = User.objects.create_user(name)
    accounts.join(queue.set, user, Role.ANNOTATOR)
    annotators.of(queue.set, user)
    return user


def _queries(slug: str, count: int) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    queue = _queue(slug, count)
    client = Client(headers={"host": "localhost"})
    client.force_login(_annotator(queue, f"counter-of-{slug}"))
    at = client.post(f"{_path(queue)}next/")["Location"]
    for _ in range(3):
        form = OPINION | {"statement": at.split("/")[-2], "submission": str(uuid4())}
        with CaptureQueriesContext(connection) as captured:
            at = client.post(at, form | {"replaces": ""})["Location"]
            client.get(at)
    return len(captured)


if __name__ == "__main__":
    main()
