"""A million judgments on PostgreSQL, ten versions over 100,000 statements: a lead wants a report.

The *first view* is asking for the report of a run that has none, up to its page: references are
resolved and frozen, figures computed, lists stored, the floor measured beside. That of a set's
first report stands apart from later ones, whose references are resolved again and were frozen
already. What a worker puts in columns when it finishes a run is there, as it would be; the time
without is that of a run whose results came in a file, on a revision that nobody asked about yet.
The *next view* is the page again. The floor is the list of rubric versions by the same client.
Queries are counted at a tenth of the size too.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks import judged, scratch

STATEMENTS = 100_000
ALLOWED_FIRST_S = 2.0
ALLOWED_NEXT_MS = 100
LISTS = {
    "a list behind a cell": "statements/?human_verdict=supported&judge_verdict=supported",
    "the disagreements": "disagreements/",
    "those of one direction": "disagreements/?direction=lenient",
    "the pairs of one outcome": "pairs/?outcome=lenient_collapse",
    "the answers decided otherwise": "answers/?alike=no",
}


@dataclass(frozen=True)
class Took:
    """Seconds on the wall, of processor here, and of processor in the server."""

    wall: float
    here: float
    server: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s (processor {self.here:.2f} s, of the server {self.server:.2f} s)"


@dataclass(frozen=True)
class Measured:
    first: Took
    later: Took
    brought: Took
    next_ms: float
    floor_ms: float
    lists_ms: dict[str, float]
    queries: tuple[int, int]


def main() -> None:
    with scratch.postgresql("million") as url:
        scratch.set_up(url)
        small = _measured("small", STATEMENTS // 10)
        large = _measured("large", STATEMENTS)
    judgments = STATEMENTS * judged.VERSIONS
    print(f"{judgments:,} judgments, {judged.VERSIONS} versions over {STATEMENTS:,} statements")
    print(f"  first view of a report, the first of its set: {large.first}")
    print(f"  of a later version, median: {large.later} (allowed: {ALLOWED_FIRST_S} s)")
    print(f"  of one whose results came in a file: {large.brought}")
    print(f"  next view: {large.next_ms:.0f} ms median (allowed: {ALLOWED_NEXT_MS})")
    for name, took in large.lists_ms.items():
        print(f"  {name}: {took:.0f} ms median")
    print(f"  floor, the list of rubric versions by the same client: {large.floor_ms:.0f} ms")
    print(f"  queries of a first and a next view: {large.queries}; at a tenth: {small.queries}")


def _measured(slug: str, statements: int) -> Measured:
    runs = judged.fill(slug, statements)
    client = _lead(slug)
    # The first version is the floor of all others.
    first, *later = [_first_view(client, slug, run.pk) for run in runs[1:-1]]
    page = later[0][1]
    counted = _queries(lambda: _anew(client, slug, runs[2].pk)), _queries(lambda: client.get(page))
    _forget()
    brought, _ = _first_view(client, slug, runs[-1].pk)
    return Measured(
        first=first[0],
        later=_median([took for took, _ in later]),
        brought=brought,
        next_ms=scratch.median_ms(client, page),
        floor_ms=scratch.median_ms(client, "/rubrics/"),
        lists_ms={
            name: scratch.median_ms(client, f"{page}{query}") for name, query in LISTS.items()
        },
        queries=counted,
    )


def _forget() -> None:
    from calibration.models import RoundSheet
    from labeling.models import LabelSheet, RevisionSheet

    for sheet in (RoundSheet, RevisionSheet, LabelSheet):
        sheet.objects.all().delete()


def _lead(slug: str) -> Any:
    from django.test import Client

    from labeling import sets
    from labeling.models import Role
    from labeling.people import accounts

    user, _ = accounts.create(f"lead-of-{slug}")
    accounts.join(sets.get(slug), user, Role.LEAD)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    client.get(f"/sets/{slug}/")
    return client


def _first_view(client: Any, slug: str, run: int) -> tuple[Took, str]:
    """What it took, and the page's address."""
    wall, here, server = time.perf_counter(), time.process_time(), _of_server()
    asked = client.post(f"/sets/{slug}/runs/{run}/report/")
    page = asked.headers["location"]
    assert client.get(page).status_code == 200
    taken = time.perf_counter() - wall, time.process_time() - here, _of_server() - server
    return Took(*taken), page


def _of_server() -> float:
    """Seconds of processor of the process that serves this connection, where it can be seen."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
    except FileNotFoundError:
        return float("nan")
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _anew(client: Any, slug: str, run: int) -> Any:
    """A first view once more: under another seed it is another report."""
    from calibration import reports, runs

    made = reports.create(runs.get(run), seed=1)
    return client.get(f"/sets/{slug}/reports/{made.pk}/")


def _queries(measured: Callable[[], Any]) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        assert measured().status_code == 200
    return len(captured)


def _median(taken: list[Took]) -> Took:
    return Took(
        *(statistics.median(getattr(one, name) for one in taken) for name in Took.__annotations__)
    )


if __name__ == "__main__":
    main()
