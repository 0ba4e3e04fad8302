"""A carrier to a provider of the test's own, and one question."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

from pydantic import SecretStr

from grounding.judges.llm.calls import CallFailed, Dialect, Reply, Request, Try
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.llm.limits import LocalLimiter
from grounding.judges.llm.pacing import Patience
from tests.provider import Provider
from tests.provider.plans import Plan, honest

T = TypeVar("T")

KEY = "sk-canary-7Qx2"
DIALECTS: tuple[Dialect, ...] = ("openai", "anthropic")
# As in use, but for the waits.
QUICK = Patience(first_wait=0.01)


def question(number: int = 0, model: str = "small") -> dict[str, Any]:
    return {
        "model": model,
        "max_tokens": 100,
        "messages": [{"role": "user", "content": f"Question {number}?"}],
    }


def request(
    dialect: Dialect = "openai", number: int = 0, *, deadline: float = 5.0, fresh: bool = False
) -> Request:
    return Request(dialect, question(number), deadline, fresh)


def endpoint(provider: Provider, dialect: Dialect = "openai", key: str | None = KEY) -> Endpoint:
    url = provider.url + ("/v1" if dialect == "openai" else "")
    return Endpoint(dialect, url, SecretStr(key) if key else None, ("127.0.0.1",))


def within(
    provider: Provider,
    work: Callable[[HttpCarrier], Awaitable[T]],
    dialect: Dialect = "openai",
    **options: Any,
) -> T:
    """What ``work`` comes to with a carrier to ``provider``, on a loop of its own."""

    async def run() -> T:
        made: dict[str, Any] = {"patience": QUICK, "chance": random.Random(1)} | options
        async with HttpCarrier(endpoint(provider, dialect), **made) as carrier:
            return await work(carrier)

    return asyncio.run(run())


def ask(
    plan: Plan = honest,
    dialect: Dialect = "openai",
    *,
    deadline: float = 5.0,
    provider: dict[str, Any] | None = None,
    **options: Any,
) -> Reply | CallFailed:
    """One question to a provider that behaves as ``plan`` says: its answer, or its failure."""
    with Provider(plan, **(provider or {})) as server:
        return within(
            server, lambda carrier: outcome(carrier, request(dialect, deadline=deadline)), dialect,
            **options,
        )  # fmt: skip


async def outcome(carrier: HttpCarrier, asked: Request) -> Reply | CallFailed:
    try:
        return await carrier.ask(asked)
    except CallFailed as failed:
        return failed


class Counted(LocalLimiter):
    """Knows who holds a slot, and what was spent while it did."""

    def __init__(self, in_flight: int = 1) -> None:
        super().__init__(in_flight)
        self.held = self.peak = 0
        self.log: list[str] = []

    def slot(self) -> AbstractAsyncContextManager[None]:
        return self._counted()

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        async with super().slot():
            self.held += 1
            self.peak = max(self.peak, self.held)
            try:
                yield
            finally:
                self.held -= 1

    def spent(self, one: Try) -> None:
        assert self.held
        self.log.append(one.outcome)
