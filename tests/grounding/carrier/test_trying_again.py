"""D6: a provider that is slow, limited, broken or endless."""

from __future__ import annotations

import asyncio
import random
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime

import pytest

from grounding.interchange.models import Outcome
from grounding.judges.llm.bodies import BodyBroken, unpacked
from grounding.judges.llm.calls import CallFailed, Reply
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.limits import LocalLimiter
from grounding.judges.llm.pacing import PATIENCE, Patience, seconds_asked
from tests.grounding.carrier.asking import QUICK, Counted, ask, endpoint, outcome, request, within
from tests.provider import Provider, always, in_order, rate_limited, status
from tests.provider.plans import Plan

UNAVAILABLE, TIMEOUT, UNREADABLE = Outcome.UNAVAILABLE, Outcome.TIMEOUT, Outcome.UNREADABLE


@pytest.mark.parametrize(
    ("fault", "first", "code"),
    [
        ("server_error", UNAVAILABLE, 500),
        ("html_page", UNAVAILABLE, 502),
        ("away", UNAVAILABLE, 503),
        ("overloaded", UNAVAILABLE, 529),
        ("request_timeout", UNAVAILABLE, 408),
        ("reset", UNAVAILABLE, None),
        ("cut_short", UNAVAILABLE, None),
        ("no_answer", UNAVAILABLE, None),
        ("header_flood", UNAVAILABLE, None),
        ("half_body", UNREADABLE, 200),
        ("html_200", UNREADABLE, 200),
        ("huge", UNREADABLE, 200),
        ("huge_chunked", UNREADABLE, 200),
        ("bomb", UNREADABLE, 200),
    ],
)
def test_what_may_pass_is_tried_again_and_every_try_is_kept(
    fault: str, first: Outcome, code: int | None
) -> None:
    reply = ask(in_order(fault, None), provider={"huge_bytes": 20_000_000})
    assert isinstance(reply, Reply)
    failed, done = reply.tries
    assert (failed.retry, failed.outcome, failed.status) == (0, first, code)
    assert failed.error
    assert (done.retry, done.outcome, done.status, done.error) == (1, Outcome.GRADED, 200, None)
    assert failed.started_at < done.started_at <= datetime.now(UTC)


def test_tries_are_counted_and_nothing_is_final_before_the_last() -> None:
    """Four failures and an answer are an answer; five are a failure."""
    reply = ask(in_order(*["server_error"] * 4, None))
    assert isinstance(reply, Reply)
    assert [one.outcome for one in reply.tries] == [UNAVAILABLE] * 4 + [Outcome.GRADED]

    failed = ask(in_order(*["server_error"] * 5, None))
    assert isinstance(failed, CallFailed)
    assert failed.outcome is UNAVAILABLE
    assert [one.retry for one in failed.tries] == [0, 1, 2, 3, 4]


def test_a_failure_goes_by_the_name_of_its_last_try() -> None:
    failed = ask(in_order("half_body", "server_error"), patience=Patience(2, first_wait=0.01))
    assert isinstance(failed, CallFailed)
    assert [one.outcome for one in failed.tries] == [UNREADABLE, UNAVAILABLE]
    assert (failed.outcome, failed.error) == (UNAVAILABLE, failed.tries[-1].error)


@pytest.mark.parametrize("fault", ["drip", "endless_headers", "silence"])
def test_one_that_never_ends_is_cut_off_in_time_for_another_try(fault: str) -> None:
    began = time.monotonic()
    reply = ask(in_order(fault, None), deadline=0.4, provider={"drip_seconds": 0.05})
    assert isinstance(reply, Reply)
    assert [one.outcome for one in reply.tries] == [TIMEOUT, Outcome.GRADED]
    assert 0.2 <= reply.tries[0].seconds < 0.3
    assert time.monotonic() - began < 1.5


@pytest.mark.parametrize("fault", ["drip", "endless_headers", "silence"])
def test_all_tries_and_waits_together_end_with_the_deadline(fault: str) -> None:
    with Provider(always(fault), drip_seconds=0.05) as provider:
        began = time.monotonic()
        failed = within(provider, lambda one: outcome(one, request(deadline=0.4)))
        took = time.monotonic() - began
        assert isinstance(failed, CallFailed)
        assert failed.outcome is TIMEOUT
        assert 0.3 < took < 0.6
        assert 1 < len(failed.tries) <= 5
        assert sum(one.seconds for one in failed.tries) < 0.45


@pytest.mark.parametrize("fault", ["huge", "huge_chunked", "header_flood"])
def test_of_half_a_gigabyte_no_more_is_read_than_the_bound(fault: str) -> None:
    with Provider(always(fault), huge_bytes=500_000_000) as provider:
        failed = within(provider, lambda one: outcome(one, request()), patience=Patience(1))
        assert isinstance(failed, CallFailed)
        # What was written and never read stays in the buffers of both sockets: a few megabytes.
    assert provider.written < 20_000_000


def test_a_body_is_unpacked_no_further_than_the_bound() -> None:
    """A hundred megabytes from half a one: what is not to be had is not made either."""
    packing = zlib.compressobj(1, wbits=31)
    body = b"".join(packing.compress(bytes(1_000_000)) for _ in range(100)) + packing.flush()
    assert len(body) < 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(BodyBroken, match="unpacks to more than 4194304 bytes"):
            unpacked(body, "gzip", PATIENCE.most_bytes)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * PATIENCE.most_bytes


def test_a_body_of_a_failure_has_a_smaller_bound() -> None:
    failed = ask(always(status(500, message="x" * 100_000)), patience=Patience(1))
    assert isinstance(failed, CallFailed)
    assert (failed.outcome, failed.error) == (UNAVAILABLE, "HTTP 500")


def test_the_provider_says_how_long_to_wait_and_nobody_calls_before() -> None:
    with Provider(in_order(rate_limited("1"))) as provider:
        limiter = LocalLimiter()

        async def both(carrier: HttpCarrier) -> list[Reply]:
            first = asyncio.create_task(carrier.ask(request(number=1)))
            await asyncio.sleep(0.2)  # the 429 has come by now
            return [await carrier.ask(request(number=2)), await first]

        within(provider, both, limiter=limiter)
        limited, *later = [one.at for one in provider.received]
        assert len(later) == 2
        assert all(1.0 <= at - limited < 1.5 for at in later)


def test_without_that_word_the_others_call_at_once() -> None:
    """The control."""
    with Provider(in_order(status(429))) as provider:

        async def both(carrier: HttpCarrier) -> None:
            first = asyncio.create_task(carrier.ask(request(number=1)))
            await asyncio.sleep(0.2)
            await carrier.ask(request(number=2))
            await first

        within(provider, both)
        limited, *later = [one.at for one in provider.received]
        assert all(at - limited < 0.8 for at in later)


def test_a_date_is_waited_for_as_well() -> None:
    with Provider(in_order("rate_limited_until")) as provider:
        reply = within(provider, lambda carrier: carrier.ask(request()))
        assert isinstance(reply, Reply)
        first, second = [one.at for one in provider.received]
    assert 0.0 < second - first < 1.6  # a date has no fractions of a second


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    began = time.monotonic()
    failed = ask(always(rate_limited("3600")), deadline=2)
    assert isinstance(failed, CallFailed)
    assert failed.outcome is UNAVAILABLE
    assert failed.error == "HTTP 429: Rate limit reached; no time left to ask again"
    assert time.monotonic() - began < 1.5


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("0.5", 0.5),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 30.0),  # the date of RFC 9110, 5.6.7
        ("Sunday, 06-Nov-94 08:49:37 GMT", 30.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
        ("-1", None),
        ("1e9", None),
        ("NaN", None),
        ("soon", None),
        ("", None),
        ("9" * 400, None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    now = datetime(1994, 11, 6, 8, 49, 7, tzinfo=UTC)
    assert seconds_asked(header, now) == seconds


def test_waits_double_up_to_a_bound_and_are_drawn_evenly_below_it() -> None:
    """Full jitter: the n-th wait is uniform on [0, min(20, 0.5 · 2ⁿ)], so its mean is half."""
    chance = random.Random(7)
    for retry, most in enumerate([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 20.0, 20.0]):
        waits = [PATIENCE.wait(retry, None, chance) for _ in range(4000)]
        assert 0 <= min(waits) < 0.01 * most
        assert 0.99 * most < max(waits) <= most
        # The mean of n draws from U(0, m) has a standard deviation of m / √(12 n).
        assert abs(sum(waits) / len(waits) - most / 2) < 4 * most / (12 * 4000) ** 0.5


def test_what_the_provider_asks_for_comes_on_top_of_the_draw_and_is_bounded() -> None:
    waits = [PATIENCE.wait(0, 5.0, random.Random(seed)) for seed in range(100)]
    assert 5.0 <= min(waits) < 5.1
    assert 5.4 < max(waits) <= 5.5
    assert 60.0 <= PATIENCE.wait(0, 86_400.0, random.Random(1)) <= 60.5


def test_one_that_waits_to_try_again_holds_no_slot() -> None:
    """With one slot, a second question is answered while the first waits for its turn."""
    with Provider(in_order("server_error")) as provider:
        limiter = Counted()
        order: list[int] = []

        async def asked(carrier: HttpCarrier, number: int) -> None:
            await carrier.ask(request(number=number))
            order.append(number)

        async def both(carrier: HttpCarrier) -> None:
            await asyncio.gather(asked(carrier, 1), asked(carrier, 2))

        steady = Patience(first_wait=0.6)
        within(provider, both, limiter=limiter, patience=steady, chance=_Most())
        assert order == [2, 1]
        assert limiter.log == ["unavailable", "graded", "graded"]
        assert provider.peak == 1


class _Most(random.Random):
    def uniform(self, a: float, b: float) -> float:
        return b


def first_question(fault: str) -> Plan:
    return lambda call: fault if b"Question 0?" in call.body else None


@pytest.mark.parametrize("fault", ["silence", "huge", "bomb", "reset", "too_long", "redirect"])
def test_the_slot_is_free_after_every_kind_of_end(fault: str) -> None:
    with Provider(first_question(fault), huge_bytes=20_000_000) as provider:
        limiter = Counted()

        async def failed_then_fine(carrier: HttpCarrier) -> Reply:
            await outcome(carrier, request(deadline=0.2))
            assert limiter.held == 0
            return await carrier.ask(request(number=2))

        twice = Patience(2, first_wait=0.001)
        assert within(provider, failed_then_fine, limiter=limiter, patience=twice)


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.1])
def test_the_slot_is_free_after_a_cancellation(seconds: float) -> None:
    with Provider(first_question("silence")) as provider:
        limiter = Counted()

        async def cancelled_then_fine(carrier: HttpCarrier) -> Reply:
            task = asyncio.create_task(carrier.ask(request()))
            await asyncio.sleep(seconds)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert limiter.held == 0
            return await carrier.ask(request(number=2))

        assert within(provider, cancelled_then_fine, limiter=limiter)


def test_no_leave_in_time_is_a_timeout_without_a_try() -> None:
    with Provider(in_order("silence")) as provider:
        limiter = LocalLimiter(1)

        async def queued(carrier: HttpCarrier) -> Reply | CallFailed:
            first = asyncio.create_task(outcome(carrier, request(number=1, deadline=5)))
            await asyncio.sleep(0.05)
            second = await outcome(carrier, request(number=2, deadline=0.2))
            first.cancel()
            return second

        failed = within(provider, queued, limiter=limiter)
        assert isinstance(failed, CallFailed)
        assert (failed.outcome, failed.tries) == (TIMEOUT, ())
        assert failed.error == "no leave to call within 0.2 s"


@pytest.mark.parametrize(("queue", "answered"), [(None, 3), (30.0, 6)])
def test_a_queue_may_have_a_bound_apart_from_the_deadline(
    queue: float | None, answered: int
) -> None:
    """Six calls of 0.2 s each, one at a time, with 0.7 s for each request."""
    with Provider(latency=0.2) as provider:

        async def six(carrier: HttpCarrier) -> list[Reply | CallFailed]:
            asked = [outcome(carrier, request(number=n, deadline=0.7)) for n in range(6)]
            return await asyncio.gather(*asked)

        only = Patience(1, share=1.0)
        limiter = LocalLimiter(1)
        done = within(provider, six, limiter=limiter, patience=only, queue_seconds=queue)
        assert sum(isinstance(one, Reply) for one in done) == answered


@pytest.mark.parametrize(("queue", "answered"), [(None, False), (30.0, True)])
def test_one_that_tries_again_behind_a_long_queue_keeps_its_time(
    queue: float | None, answered: bool
) -> None:
    """The first of six fails at once and comes back to a queue of a second, with 0.7 s left."""
    with Provider(in_order("server_error"), latency=0.2) as provider:

        async def six(carrier: HttpCarrier) -> Reply | CallFailed:
            asked = [outcome(carrier, request(number=n, deadline=0.7)) for n in range(6)]
            return (await asyncio.gather(*asked))[0]

        steady = Patience(2, first_wait=0.001, share=1.0)
        limiter = LocalLimiter(1)
        first = within(provider, six, limiter=limiter, patience=steady, queue_seconds=queue)
        assert isinstance(first, Reply) is answered


class Broke(LocalLimiter):
    """Two calls are paid for."""

    def __init__(self) -> None:
        super().__init__()
        self.paid = 2

    def slot(self) -> AbstractAsyncContextManager[None]:
        return self._paid()

    @asynccontextmanager
    async def _paid(self) -> AsyncIterator[None]:
        if not self.paid:
            raise CallFailed(UNAVAILABLE, "the budget is spent", ())
        self.paid -= 1
        async with super().slot():
            yield


def test_a_budget_that_ends_between_two_tries_keeps_the_tries() -> None:
    failed = ask(always("server_error"), limiter=Broke())
    assert isinstance(failed, CallFailed)
    assert failed.error == "the budget is spent"
    assert [one.status for one in failed.tries] == [500, 500]


def test_nobody_there_is_unavailable() -> None:
    with Provider() as provider:
        pass

    async def run() -> Reply | CallFailed:
        async with HttpCarrier(endpoint(provider), patience=QUICK) as carrier:
            return await outcome(carrier, request())

    failed = asyncio.run(run())
    assert isinstance(failed, CallFailed)
    assert failed.outcome is UNAVAILABLE
    assert "no connection to 127.0.0.1" in failed.error
    assert len(failed.tries) == 5
