"""Carries requests to a provider over HTTP: waits for leave, tries, waits, tries again."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

from grounding.errors import BadInput
from grounding.interchange.models import Outcome
from grounding.judges.llm.bodies import BodyBroken, Redaction, unpacked
from grounding.judges.llm.calls import Cache, CallFailed, Limiter, Reply, Request, Try
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.llm.envelopes import Finding, read
from grounding.judges.llm.limits import LocalLimiter
from grounding.judges.llm.pacing import PATIENCE, Patience, seconds_asked
from grounding.judges.llm.spans import Spans
from grounding.judges.llm.wire import Answered, Wire, WireBroken

# Of a body that is no answer, so that somebody can see what it was.
MOST_OF_A_BROKEN_BODY: Final = 4000


class HttpCarrier:
    """A `Carrier` to one endpoint::

        endpoint = Endpoint.from_environment(os.environ, "openai")
        async with HttpCarrier(endpoint, limiter=LocalLimiter(8), cache=MemoryCache()) as carrier:
            reply = await carrier.ask(Request("openai", body, deadline_seconds=60))

    Where it is neither entered like this nor closed, its connections end with the event loop.
    ``queue_seconds`` is how long a request may wait for leave in all, apart from its deadline,
    which then says how long the provider has: right where many more are asked at once than may be
    in flight. With None that wait counts like any other. Raises Refused where the endpoint may not
    be asked or has no key.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        limiter: Limiter | None = None,
        cache: Cache | None = None,
        patience: Patience = PATIENCE,
        queue_seconds: float | None = None,
        chance: random.Random | None = None,
    ) -> None:
        endpoint.require()
        self._endpoint = endpoint
        self._limiter: Limiter = limiter if limiter is not None else LocalLimiter()
        self._cache = cache
        self._patience = patience
        self._queue_seconds = queue_seconds
        self._chance = chance or random.SystemRandom()
        self._redacted = Redaction(endpoint.key)
        self._wire = Wire(endpoint)
        self._spans = Spans(endpoint)
        # By the model asked for, what the provider last said that it is.
        self._answering: dict[str, str | None] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections of this event loop."""
        await self._wire.close()

    async def ask(self, request: Request) -> Reply:
        if request.dialect != self._endpoint.dialect:
            raise BadInput(f"a request in {request.dialect}'s dialect, to {self._endpoint.dialect}")
        with self._spans.of_request(request) as span:
            try:
                reply = await self._kept(request) or await self._asked_and_kept(request)
            except CallFailed as failure:
                span.failed(failure)
                raise
            span.answered(reply)
            return reply

    async def _asked_and_kept(self, request: Request) -> Reply:
        reply = await self._asked(request)
        if self._cache is not None and not request.fresh:
            await self._cache.put(request.digest, reply)
        return reply

    async def _kept(self, request: Request) -> Reply | None:
        """The answer that is kept, unless the provider has since answered as another model."""
        if self._cache is None or request.fresh:
            return None
        reply = await self._cache.get(request.digest)
        asked = _model_of(request)
        if reply is None or self._answering.get(asked, reply.model) != reply.model:
            return None
        raw = reply.tries[-1].raw if reply.tries else None
        one = Try(
            0, Outcome.GRADED, datetime.now(UTC), 0.0, raw=raw, model=reply.model, cached=True
        )
        return replace(reply, tries=(one,))

    async def _asked(self, request: Request) -> Reply:
        body = request.sent.encode()
        course = _Course(request, time.monotonic(), self._queue_seconds)
        while True:
            exchange = await self._try(body, course)
            finding = exchange.finding
            if finding.outcome is Outcome.GRADED:
                self._answering[_model_of(request)] = finding.model
                return Reply(finding.text, finding.model, tuple(course.tries))
            error = finding.error or finding.outcome.value
            retry = len(course.tries) - 1
            if not finding.again or retry + 1 >= self._patience.tries:
                raise course.failed(finding.outcome, error)
            wait = self._patience.wait(retry, exchange.quiet, self._chance)
            if wait >= course.left:
                raise course.failed(finding.outcome, f"{error}; no time left to ask again")
            await asyncio.sleep(wait)

    async def _try(self, body: bytes, course: _Course) -> _Exchange:
        """One try, kept in ``course``. Its slot is given back when this ends, however it ends."""
        async with AsyncExitStack() as held:
            await self._leave(held, course)
            one, exchange = await self._tried(body, course)
            course.tries.append(one)
            self._limiter.spent(one)
            if exchange.finding.again and exchange.quiet:
                self._limiter.hold_off(self._patience.quiet(exchange.quiet))
            return exchange

    async def _tried(self, body: bytes, course: _Course) -> tuple[Try, _Exchange]:
        started_at, started = datetime.now(UTC), time.monotonic()
        most = min(course.left, self._patience.share * course.request.deadline_seconds)
        with self._spans.of_try(len(course.tries)) as span:
            exchange = await self._exchange(body, most)
            one = Try(
                retry=len(course.tries),
                outcome=exchange.finding.outcome,
                started_at=started_at,
                seconds=time.monotonic() - started,
                status=exchange.status,
                raw=exchange.raw,
                error=exchange.finding.error,
                model=exchange.finding.model,
                usage=exchange.finding.usage,
            )
            span.tried(one)
        return one, exchange

    async def _leave(self, held: AsyncExitStack, course: _Course) -> None:
        """Wait for a slot, as long as there is time for it; ``held`` gives it back."""
        seconds, began = course.may_queue, time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                await held.enter_async_context(self._limiter.slot())
        except TimeoutError:
            pass
        except CallFailed as failed:
            course.tries.extend(failed.tries)
            raise course.failed(failed.outcome, failed.error) from None
        else:
            course.queued += time.monotonic() - began
            return
        raise course.failed(Outcome.TIMEOUT, f"no leave to call within {seconds:.3g} s")

    async def _exchange(self, body: bytes, seconds: float) -> _Exchange:
        try:
            async with asyncio.timeout(seconds):
                answered = await self._wire.post(body, self._patience.most_bytes)
        except TimeoutError:
            error = f"no whole answer within {seconds:.3g} s"
            return _Exchange(Finding(Outcome.TIMEOUT, error=error, again=True))
        except WireBroken as broken:
            again = broken.again
            return _Exchange(Finding(Outcome.UNAVAILABLE, error=broken.error, again=again))
        except BodyBroken as broken:
            return _unreadable(broken.error, broken.status)
        return self._read(answered)

    def _read(self, answered: Answered) -> _Exchange:
        status = answered.status
        try:
            plain = unpacked(answered.body, answered.encoding, self._patience.most_bytes)
        except BodyBroken as broken:
            if status == 200:
                return _unreadable(broken.error, status)
            plain = b""
        text = self._redacted(plain.decode("utf-8", errors="replace"))
        finding = read(self._endpoint.dialect, status, text)
        # A text inside the JSON may itself be JSON, which hides letters once more.
        finding = replace(finding, text=self._redacted(finding.text))
        quiet = seconds_asked(answered.retry_after)
        return _Exchange(finding, status, _to_keep(status, finding, text), quiet)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What came of one POST: what it says, how it came, as much of its body as may be kept, and
    for how many seconds the provider wants quiet."""

    finding: Finding
    status: int | None = None
    raw: str | None = None
    quiet: float | None = None


def _unreadable(error: str, status: int | None) -> _Exchange:
    return _Exchange(Finding(Outcome.UNREADABLE, error=error, again=True), status)


def _to_keep(status: int, finding: Finding, text: str) -> str | None:
    """The whole body of an answer, the beginning of what should have been one, and nothing of
    a failure: what it says in its own words is in the error."""
    if status != 200:
        return None
    return text[:MOST_OF_A_BROKEN_BODY] if finding.again else text


def _model_of(request: Request) -> str:
    return str(request.body.get("model"))


@dataclass(slots=True)
class _Course:
    """One request under way: its tries so far, and the time it has."""

    request: Request
    began: float
    queue_seconds: float | None
    queued: float = 0.0
    tries: list[Try] = field(default_factory=list)

    @property
    def left(self) -> float:
        """Seconds of the deadline; those in the queue are not of it where it has a bound apart."""
        apart = self.queued if self.queue_seconds is not None else 0.0
        return self.began + apart + self.request.deadline_seconds - time.monotonic()

    @property
    def may_queue(self) -> float:
        return self.left if self.queue_seconds is None else self.queue_seconds - self.queued

    def failed(self, outcome: Outcome, error: str) -> CallFailed:
        return CallFailed(outcome, error, tuple(self.tries))
