"""Threads of one process write to SQLite one after another, in the order in which they came."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest
from django.db import connection, transaction

from config.sqlite.base import Turnstile


def test_the_turnstile_lets_in_who_came_first() -> None:
    turnstile, order = Turnstile(), []
    assert turnstile.enter(timeout=1)
    threads = []
    for name in range(20):
        thread = threading.Thread(target=_pass, args=(turnstile, order, name))
        thread.start()
        threads.append(thread)
        while len(turnstile._line) <= name:
            time.sleep(0.001)
    turnstile.leave()
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_who_waits_too_long_is_told_so_and_leaves_the_line() -> None:
    turnstile = Turnstile()
    assert turnstile.enter(timeout=1)
    assert not turnstile.enter(timeout=0.01)
    turnstile.leave()
    assert turnstile.enter(timeout=0.01)


def _pass(turnstile: Turnstile, order: list[int], name: int) -> None:
    assert turnstile.enter(timeout=10)
    order.append(name)
    turnstile.leave()


@pytest.mark.skipif("connection.vendor != 'sqlite'")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ending", ["commit", "rollback", "close"])
def test_a_transaction_gives_its_turn_on_however_it_ends(ending: str) -> None:
    with contextlib.suppress(_Undone), transaction.atomic():
        assert connection._inside is not None
        if ending == "close":
            connection.close()
        if ending != "commit":
            raise _Undone
    assert connection._inside is None
    with transaction.atomic():
        assert connection._inside is not None


class _Undone(Exception):
    pass
