"""Permits for calls, among processes: never more than the limit, evenly dealt, returned."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.utils import timezone

from calibration import rubrics, runs
from calibration.calls import permits
from calibration.calls.permits import Asked, Leave
from calibration.models import Holder, Provider, Run
from calibration.runs.spending import Standing
from tests import cast
from tests.grounding.rubric_examples import with_changes


class Worker:
    """One that asks for permits and has some calls in flight."""

    def __init__(self, run: Run, *, wanted: int = 100) -> None:
        self.run = run
        self.wanted = wanted
        self.token: UUID = uuid4()
        self.busy = 0

    def ask(self, starts: int = 0, quiet: float = 0.0) -> Leave:
        provider = permits.provider("openai http://127.0.0.1:1/v1")
        asked = Asked(self.wanted, starts, quiet)
        return permits.renew(provider, self.run, self.token, asked, self._standing)

    def _standing(self, held: int) -> Standing:
        return Standing(busy=self.busy)


@pytest.fixture
def run(db: None) -> Run:
    return runs.start(cast.small(), rubrics.release(with_changes()).rubric_version)


@pytest.fixture
def limit(settings: Any) -> int:
    settings.JUDGE_CONCURRENCY = 8
    return 8


@pytest.mark.parametrize(
    ("limit", "wants", "dealt"),
    [
        (8, [100], [8]),
        (8, [100, 100], [4, 4]),
        (8, [100, 100, 100], [2, 3, 3]),
        (8, [1, 100, 100], [1, 3, 4]),
        (8, [1, 2, 3], [1, 2, 3]),
        (1, [5, 5], [0, 1]),
        (8, [], []),
    ],
)
def test_permits_are_dealt_evenly_and_what_some_leave_others_get(
    limit: int, wants: list[int], dealt: list[int]
) -> None:
    assert permits.shares(limit, wants) == dealt


def test_a_newcomer_gets_its_share_as_the_older_lowers(run: Run, limit: int) -> None:
    older, newcomer = Worker(run), Worker(run)
    assert older.ask().held == 8
    older.busy = 8
    assert newcomer.ask().held == 0, "all are in flight"
    assert older.ask().held == 4
    assert newcomer.ask().held == 0, "what is in flight keeps its permit"
    older.busy = 4
    assert older.ask().held == 4
    assert newcomer.ask().held == 4
    permits.give_back(older.token)
    assert newcomer.ask().held == 8


def test_a_dead_workers_permits_come_back_when_its_lease_runs_out(run: Run, limit: int) -> None:
    dead, living = Worker(run), Worker(run)
    dead.ask()
    assert living.ask().held == 0
    Holder.objects.filter(token=dead.token).update(lease_until=timezone.now() - timedelta(1))
    assert living.ask().held == 8
    assert dead.ask().held == 0, "it was not dead: it gets what is free"


def test_who_wants_little_leaves_the_rest_to_others(run: Run, limit: int) -> None:
    little, much = Worker(run, wanted=1), Worker(run)
    assert little.ask().held == 1
    assert much.ask().held == 7


def test_leave_ends_before_the_lease_does(run: Run, limit: int) -> None:
    worker = Worker(run)
    leave = worker.ask()
    left = (Holder.objects.get().lease_until - timezone.now()).total_seconds()
    assert leave.until - time.monotonic() <= left


def test_quiet_that_one_was_asked_for_holds_for_all(run: Run, limit: int) -> None:
    told, other = Worker(run), Worker(run)
    told.ask(quiet=30.0)
    assert 29 < other.ask().quiet_until - time.monotonic() <= 30
    told.ask(quiet=1.0)
    assert other.ask().quiet_until - time.monotonic() > 28, "the longer one stands"
    assert permits.in_flight(run).quiet_until is not None


def test_starts_that_workers_reserve_stand_apart_by_the_rate(
    run: Run, limit: int, settings: Any
) -> None:
    settings.JUDGE_REQUESTS_PER_MINUTE = 600
    apart = (60 + permits.GRACE_SECONDS) / 600
    moments: list[float] = []
    for worker in [Worker(run), Worker(run), Worker(run)]:
        starts = worker.ask(starts=4).starts
        assert starts is not None
        moments += [starts.first + starts.apart * number for number in range(starts.count)]
    moments.sort()
    assert len(moments) == 12
    gaps = [after - before for before, after in itertools.pairwise(moments)]
    # Each leave counts from a clock of its own, read a moment before the row was held.
    assert min(gaps) > apart - 0.05
    assert sum(gaps) == pytest.approx(11 * apart, abs=0.05)


def test_nobody_reserves_farther_ahead_than_it_will_ask_again(
    run: Run, limit: int, settings: Any
) -> None:
    settings.JUDGE_REQUESTS_PER_MINUTE = 600
    starts = Worker(run).ask(starts=1000).starts
    assert starts is not None
    assert starts.count * starts.apart <= permits.AHEAD_SECONDS + starts.apart
    settings.JUDGE_REQUESTS_PER_MINUTE = None
    assert Worker(run).ask(starts=1000).starts is None


def _together(run: Run, workers: int, rounds: int) -> int:
    """The most permits that were ever held at once, seen by everyone after each asking."""
    gate, most = threading.Barrier(workers), []

    def work(_: int) -> None:
        worker = Worker(run)
        gate.wait(timeout=30)
        try:
            for _round in range(rounds):
                worker.busy = worker.ask().held
                most.append(sum(Holder.objects.values_list("held", flat=True)))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    return max(most)


@pytest.fixture
def committed() -> Iterator[Run]:
    return runs.start(cast.small(), rubrics.release(with_changes()).rubric_version)


@pytest.mark.django_db(transaction=True)
def test_workers_that_ask_at_once_never_hold_more_than_the_limit(
    committed: Run, limit: int
) -> None:
    assert _together(committed, workers=6, rounds=8) <= limit


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_they_hold_more(
    committed: Run, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the provider's row is read and not held, and nothing else orders them."""
    read = threading.Barrier(2)

    def unheld(provider: Provider) -> Provider:
        return provider

    def slowly(provider: Provider, now: object) -> list[Holder]:
        found = list(Holder.objects.filter(provider=provider))
        with contextlib.suppress(threading.BrokenBarrierError):
            read.wait(timeout=2)
        return found

    monkeypatch.setattr(permits, "_locked", unheld)
    monkeypatch.setattr(permits, "_living", slowly)
    # On SQLite the transaction itself is the lock, so this runs outside of one.
    monkeypatch.setattr(permits, "renew", inspect.unwrap(permits.renew))
    assert _together(committed, workers=2, rounds=1) > limit
