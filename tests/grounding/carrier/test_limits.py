"""Leave to call within one process, and answers kept in memory."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest

from grounding.interchange.models import Outcome
from grounding.judges.llm.calls import CallFailed, Reply, Try
from grounding.judges.llm.limits import LocalLimiter, MemoryCache
from tests.grounding.carrier.asking import outcome, request, within
from tests.provider import Provider, in_order


class Gauge:
    """How many are inside at once."""

    def __init__(self) -> None:
        self.now = self.peak = self.entries = 0
        self._lock = threading.Lock()

    async def stay(self, seconds: float) -> None:
        with self._lock:
            self.now += 1
            self.entries += 1
            self.peak = max(self.peak, self.now)
        try:
            await asyncio.sleep(seconds)
        finally:
            with self._lock:
                self.now -= 1


async def crowd(slot: Callable[[], AbstractAsyncContextManager[None]], gauge: Gauge) -> None:
    async def one() -> None:
        async with slot():
            await gauge.stay(0.002)

    await asyncio.gather(*(one() for _ in range(60)))


def test_no_more_are_in_flight_than_the_limit_and_all_of_it_is_used() -> None:
    gauge = Gauge()
    asyncio.run(crowd(LocalLimiter(7).slot, gauge))
    assert (gauge.peak, gauge.entries) == (7, 60)


def test_without_the_limit_all_are_in_flight() -> None:
    """The control."""

    @asynccontextmanager
    async def open_door() -> Any:
        yield

    gauge = Gauge()
    asyncio.run(crowd(open_door, gauge))
    assert gauge.peak == 60


def test_one_limit_holds_over_the_loops_of_several_threads() -> None:
    gauge = Gauge()
    limiter = LocalLimiter(5)
    threads = [
        threading.Thread(target=asyncio.run, args=(crowd(limiter.slot, gauge),)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert (gauge.peak, gauge.entries, gauge.now) == (5, 240, 0)


def test_a_limit_of_each_loop_alone_would_not() -> None:
    """The control: what an asyncio semaphore a loop comes to."""
    gauge = Gauge()
    threads = [
        threading.Thread(target=asyncio.run, args=(crowd(LocalLimiter(5).slot, gauge),))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert gauge.peak > 5


def test_leave_is_given_in_the_order_of_asking() -> None:
    limiter = LocalLimiter(1)
    order: list[int] = []

    async def one(number: int) -> None:
        async with limiter.slot():
            order.append(number)
            await asyncio.sleep(0)

    async def run() -> None:
        await asyncio.gather(*(one(number) for number in range(20)))

    asyncio.run(run())
    assert order == list(range(20))


@pytest.mark.parametrize("seed", range(5))
def test_cancelling_at_any_moment_loses_no_leave(seed: int) -> None:
    """Waiting, being handed leave, sleeping for the rate, holding: afterwards all of it is free."""
    chance = random.Random(seed)
    limiter = LocalLimiter(3, per_minute=600_000)
    gauge = Gauge()

    async def one() -> None:
        async with limiter.slot():
            await gauge.stay(chance.choice([0, 0.001, 0.003]))

    async def run() -> None:
        tasks = [asyncio.create_task(one()) for _ in range(300)]
        for task in chance.sample(tasks, 200):
            await asyncio.sleep(chance.choice([0, 0, 0, 0.001]))
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        after = Gauge()
        await crowd(limiter.slot, after)
        assert after.peak == 3

    asyncio.run(run())
    assert gauge.peak <= 3


def test_leave_that_is_on_its_way_to_one_who_gave_up_goes_to_the_next() -> None:
    """The moment between handing leave over and its arrival, which chance seldom meets."""
    limiter = LocalLimiter(1)

    async def hold(seconds: float) -> None:
        async with limiter.slot():
            await asyncio.sleep(seconds)

    async def run() -> None:
        first = asyncio.create_task(hold(0.01))
        await asyncio.sleep(0)
        second, third = asyncio.create_task(hold(0)), asyncio.create_task(hold(0))
        await asyncio.sleep(0)
        first.add_done_callback(lambda _: second.cancel())
        async with asyncio.timeout(2):
            await asyncio.gather(first, second, third, return_exceptions=True)
            assert second.cancelled()
            assert third.done()
            await hold(0)

    asyncio.run(run())


def test_a_waiter_whose_loop_has_ended_is_passed_over() -> None:
    limiter = LocalLimiter(1)

    async def hold(entered: asyncio.Event, leave: asyncio.Event) -> None:
        async with limiter.slot():
            entered.set()
            await leave.wait()

    async def run() -> None:
        entered, leave = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(hold(entered, leave))
        await entered.wait()
        gone = asyncio.new_event_loop()
        waiting = limiter._take()
        gone_task = gone.create_task(waiting)
        await asyncio.to_thread(_turn, gone)
        gone_task._log_destroy_pending = False  # type: ignore[attr-defined]
        gone.close()
        leave.set()
        await task
        async with asyncio.timeout(2), limiter.slot():
            pass

    asyncio.run(run())


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    loop.call_soon(loop.stop)
    loop.run_forever()


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("burst", "starts"),
    [
        # One a second by hand: with a burst of n, the first n at once, then one each second.
        (1, [0, 1, 2, 3, 4]),
        (3, [0, 0, 0, 1, 2]),
    ],
)
def test_starts_are_spaced_and_a_burst_comes_at_once(burst: int, starts: list[int]) -> None:
    clock = Clock()
    limiter = LocalLimiter(per_minute=60, burst=burst, clock=clock)
    came: list[float] = []
    while len(came) < 5:
        wait = limiter._start()
        if wait == 0:
            came.append(clock.now - 1000)
        clock.now += wait
    assert came == starts


def test_a_pause_saves_up_no_more_than_the_burst() -> None:
    clock = Clock()
    limiter = LocalLimiter(per_minute=60, burst=2, clock=clock)
    clock.now += 3600
    assert [limiter._start() for _ in range(3)] == [0, 0, 1]


def test_the_rate_holds_for_real_calls_and_what_is_cancelled_takes_no_turn() -> None:
    limiter = LocalLimiter(8, per_minute=1200)  # one each 50 ms
    starts: list[float] = []

    async def one() -> None:
        async with limiter.slot():
            starts.append(time.monotonic())

    async def run() -> None:
        gone = [asyncio.create_task(one()) for _ in range(5)]
        await asyncio.sleep(0.02)
        for task in gone:
            task.cancel()
        await asyncio.gather(*(one() for _ in range(5)))

    asyncio.run(run())
    gaps = [later - sooner for sooner, later in pairwise(starts)]
    assert len(starts) == 6
    assert all(0.045 < gap < 0.09 for gap in gaps)


def test_quiet_holds_those_who_already_wait_for_their_turn() -> None:
    limiter = LocalLimiter(8, per_minute=1200)
    starts: list[float] = []

    async def one() -> None:
        async with limiter.slot():
            starts.append(time.monotonic())

    async def run() -> None:
        tasks = [asyncio.create_task(one()) for _ in range(3)]
        await asyncio.sleep(0.01)
        limiter.hold_off(0.3)
        limiter.hold_off(0.1)  # a shorter word does not end a longer one
        await asyncio.gather(*tasks)

    asyncio.run(run())
    assert 0.28 < starts[1] - starts[0] < 0.36


@pytest.mark.parametrize("wrong", [{"in_flight": 0}, {"burst": 0}, {"per_minute": 0}])
def test_a_limit_that_lets_nothing_through_is_a_mistake(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="lets nothing through"):
        LocalLimiter(**wrong)


def test_many_calls_keep_within_the_limit_at_the_provider() -> None:
    with Provider(latency=0.02) as provider:

        async def many(carrier: Any) -> list[Any]:
            return await asyncio.gather(
                *(outcome(carrier, request(number=number)) for number in range(60))
            )

        done = within(provider, many, limiter=LocalLimiter(6))
        assert all(isinstance(one, Reply) for one in done)
        assert provider.peak == 6
        assert provider.connections == 6  # kept open and used again


def asked_twice(cache: MemoryCache | None, *, plan: Any = None, **second: Any) -> list[Any]:
    with Provider(plan or in_order()) as provider:

        async def twice(carrier: Any) -> list[Any]:
            return [await outcome(carrier, request()), await outcome(carrier, request(**second))]

        return [*within(provider, twice, cache=cache), len(provider.received)]


def test_the_same_question_is_answered_from_the_cache_and_says_so() -> None:
    first, second, calls = asked_twice(MemoryCache())
    assert calls == 1
    assert (second.text, second.model) == (first.text, first.model)
    (kept,) = second.tries
    assert (kept.cached, kept.outcome, kept.seconds) == (True, Outcome.GRADED, 0.0)
    assert kept.raw == first.tries[0].raw
    assert kept.usage.input_tokens is None  # nothing was counted, so nothing is paid


@pytest.mark.parametrize("second", [{"fresh": True}, {"number": 1}])
def test_a_fresh_question_and_another_one_are_not(second: dict[str, Any]) -> None:
    assert asked_twice(MemoryCache(), **second)[-1] == 2


def test_without_a_cache_every_question_is_asked() -> None:
    assert asked_twice(None)[-1] == 2


def test_a_fresh_answer_is_not_kept_and_a_failure_neither() -> None:
    assert asked_twice(MemoryCache(), plan=in_order("truncated"))[-1] == 2
    cache = MemoryCache()
    with Provider() as provider:
        within(provider, lambda carrier: carrier.ask(request(fresh=True)), cache=cache)
    assert asyncio.run(cache.get(request().digest)) is None


def test_no_answer_is_kept_across_a_change_of_the_models_name() -> None:
    """D8: what another model answered under the same name is not what would come now."""
    with Provider(in_order(None, "model_changed", then="model_changed")) as provider:

        async def run(carrier: Any) -> list[Reply]:
            numbers = [1, 1, 2, 1, 1]
            return [await carrier.ask(request(number=number)) for number in numbers]

        replies = within(provider, run, cache=MemoryCache())
    changed = "small-changed"
    assert [one.model for one in replies] == ["small", "small", changed, changed, changed]
    assert [one.tries[0].cached for one in replies] == [False, True, False, False, True]


def test_the_cache_keeps_the_last_answers_alone() -> None:
    cache = MemoryCache(most=2)

    async def run() -> list[bool]:
        for key in "abac":
            await cache.put(key, Reply(key, None, ()))
            await cache.get("a")
        return [await cache.get(key) is not None for key in "abc"]

    assert asyncio.run(run()) == [True, False, True]


def test_what_is_spent_is_told_once_a_try() -> None:
    told: list[Try] = []

    class Telling(LocalLimiter):
        def spent(self, one: Try) -> None:
            told.append(one)

    with Provider(in_order("server_error", None, "truncated")) as provider:

        async def run(carrier: Any) -> list[Any]:
            return [await outcome(carrier, request(number=number)) for number in range(2)]

        reply, failed = within(provider, run, limiter=Telling())
    assert isinstance(reply, Reply)
    assert isinstance(failed, CallFailed)
    assert told == [*reply.tries, *failed.tries]
