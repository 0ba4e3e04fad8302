"""What a package asks its model, carried by this product's carrier, and kept.

The packages ask through OpenAI's client, and that through an HTTP client. There its requests are
taken: whatever the package would have sent is what is sent, and nothing of it opens a connection.
Every exchange is kept in the step that was under way when it was made.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from grounding.interchange.models import Outcome
from grounding.judges.llm.attempts import attempt
from grounding.judges.llm.calls import CallFailed, Carrier, Reply, Request
from grounding.judges.protocol import PassAttempt

NOWHERE: Final = "http://nowhere.invalid/v1"
"""The address that the client is given; no name ends in .invalid, so it leads nowhere."""
NO_KEY: Final = "carried"


@dataclass(frozen=True)
class Exchange:
    """One request of the package, and what came of it."""

    request: Request
    came: Reply | CallFailed


@dataclass
class Step:
    """One thing that a package does for some statements, by their texts, with its exchanges."""

    name: str
    statements: tuple[str, ...]
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def failed(self) -> CallFailed | None:
        came = self.exchanges[-1].came if self.exchanges else None
        return came if isinstance(came, CallFailed) else None

    @property
    def raw(self) -> str | None:
        """The last text that came back."""
        texts = [one.came.text for one in self.exchanges if isinstance(one.came, Reply)]
        return texts[-1] if texts else None

    @property
    def model(self) -> str | None:
        """The model that answered last, as it called itself."""
        models = [one.came.model for one in self.exchanges if isinstance(one.came, Reply)]
        return models[-1] if models else None


@dataclass
class Log:
    """All steps of one pass over one case."""

    steps: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, statements: Sequence[str]) -> Iterator[Step]:
        """What is asked inside is kept in this step, tasks that begin inside included."""
        step = Step(name, tuple(statements))
        self.steps.append(step)
        token = _UNDER_WAY.set(step)
        try:
            yield step
        finally:
            _UNDER_WAY.reset(token)


_UNDER_WAY: ContextVar[Step] = ContextVar("step of an adapter that is under way")


def under_way() -> Step:
    """The step that this task is in; LookupError where it is in none."""
    return _UNDER_WAY.get()


class CarrierTransport:
    """What httpx asks instead of the network."""

    def __init__(self, carrier: Carrier, deadline_seconds: float, *, fresh: bool) -> None:
        self._carrier = carrier
        self._deadline_seconds = deadline_seconds
        self._fresh = fresh

    async def __aenter__(self) -> CarrierTransport:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Nothing is open."""

    async def handle_async_request(self, asked: Any) -> Any:
        body = json.loads(asked.content)
        came = await self._carried(under_way(), body)
        if isinstance(came, Reply):
            return _response(asked, 200, completion(came, body))
        # A bad request is what neither the client nor the packages try again.
        return _response(asked, 400, {"error": {"message": came.error}})

    async def _carried(self, step: Step, body: Mapping[str, Any]) -> Reply | CallFailed:
        if step.failed is not None:
            # The carrier has tried as often as it may: a package that tries again gets no further.
            return step.failed
        request = Request("openai", body, self._deadline_seconds, self._fresh)
        came: Reply | CallFailed
        try:
            came = await self._carrier.ask(request)
        except CallFailed as failed:
            came = failed
        step.exchanges.append(Exchange(request, came))
        return came


def client(carrier: Carrier, deadline_seconds: float, *, fresh: bool) -> Any:
    """An HTTP client for OpenAI's whose requests ``carrier`` carries; it looks up no proxies."""
    from openai import DefaultAsyncHttpxClient

    for library in ("httpx", "httpx2"):
        logging.getLogger(library).addFilter(_led_somewhere)
    transport = CarrierTransport(carrier, deadline_seconds, fresh=fresh)
    return DefaultAsyncHttpxClient(transport=transport, trust_env=False)


def _led_somewhere(record: logging.LogRecord) -> bool:
    # The library would tell of a request to nowhere; of the real one the carrier tells.
    return NOWHERE not in record.getMessage()


def _response(asked: Any, status: int, body: Mapping[str, Any]) -> Any:
    # Of the library that asked: OpenAI's client has changed from httpx to httpx2.
    library = sys.modules[type(asked).__module__.partition(".")[0]]
    return library.Response(status, json=body, request=asked)


def completion(reply: Reply, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer as OpenAI's own body has it: as a call of the tool where ``body`` offers one,
    since that is where such a client looks for it."""
    usage = reply.tries[-1].usage if reply.tries else None
    sent = (usage.input_tokens if usage else None) or 0
    came = (usage.output_tokens if usage else None) or 0
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if body.get("tools"):
        called = {"name": body["tools"][0]["function"]["name"], "arguments": reply.text}
        message["tool_calls"] = [{"id": "carried", "type": "function", "function": called}]
    return {
        "id": "carried",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model or "",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": sent, "completion_tokens": came, "total_tokens": sent + came},
    }


def attempts(log: Log, ids: Mapping[str, Sequence[str]]) -> tuple[PassAttempt, ...]:
    """Every try of every step; ``ids`` gives the statements' ids by their texts."""
    return tuple(
        attempt(one, exchange.request, "verify", _ids(step, ids))
        for step in log.steps
        for exchange in step.exchanges
        for one in exchange.came.tries
    )


def _ids(step: Step, ids: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(key for text in step.statements for key in ids[text])


def failure_of(step: Step, error: Exception, package: str) -> tuple[Outcome, str]:
    """What it means that ``package`` raised ``error`` in ``step``: what the carrier gave up on,
    an answer that it cannot read, or, where nothing was asked, a text that it cannot take."""
    if step.failed is not None:
        return step.failed.outcome, step.failed.error
    said = in_a_line(error)
    if not step.exchanges:
        return Outcome.UNAVAILABLE, f"{package} failed before it asked: {said}"
    return Outcome.UNREADABLE, f"{package} cannot read the answer: {said}"


def in_a_line(error: BaseException) -> str:
    """What went wrong in somebody else's code: the error's name and its first line."""
    return f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
