"""The server itself: a thread with an event loop, on a free port of 127.0.0.1."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

from tests.provider.answering import Answerer, Obedient, ReadsSchema
from tests.provider.dialects import ANTHROPIC_PATH, DIALECTS, OPENAI_PATH, Answer, failure, written
from tests.provider.exchange import Exchange, HungUp, Received
from tests.provider.faults import FAULTS, Fault
from tests.provider.plans import Plan, honest

__all__ = ["Obedient", "Provider", "Received"]

HONEST = Fault("honest", "—")


class Provider:
    """Answers both dialects, as ``plan`` and ``answerer`` say, each call after ``latency``.

    ``model`` is what it calls itself; None repeats the name that was asked for. ``key``, where
    given, must come with each call. It keeps what it was sent in ``received``, and the most
    calls that were open at once in ``peak``; a call is open from its last byte in to its last
    byte out. ``connections`` counts those that were ever opened, ``written`` bytes sent.
    """

    def __init__(
        self,
        plan: Plan = honest,
        answerer: Answerer | None = None,
        *,
        latency: float = 0.0,
        model: str | None = None,
        key: str | None = None,
        drip_seconds: float = 1.0,
        huge_bytes: int = 500_000_000,
        redirect_to: str = "http://127.0.0.1:1/",
        tls: ssl.SSLContext | None = None,
        keep: bool = True,
    ) -> None:
        self.plan = plan
        self.answerer: Answerer = answerer or ReadsSchema()
        self.latency = latency
        self.model = model
        self.key = key
        self.drip_seconds = drip_seconds
        self.huge_bytes = huge_bytes
        self.redirect_to = redirect_to
        self.received: list[Received] = []
        self.calls = self.open = self.peak = self.connections = self.written = 0
        self._tls = tls
        self._keep = keep
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def url(self) -> str:
        """Without a path: Anthropic's base address; OpenAI's ends in /v1."""
        scheme = "https" if self._tls else "http"
        return f"{scheme}://127.0.0.1:{self.port}"

    def __enter__(self) -> Provider:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls, backlog=512)

    async def _stop(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except (HungUp, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went, or the provider stops
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers one call. False where the connection is at its end."""
        received = await self._receive(reader)
        if received is None:
            return False
        self.open += 1
        self.peak = max(self.peak, self.open)
        try:
            return await self._answer(reader, writer, received)
        finally:
            self.open -= 1

    async def _receive(self, reader: asyncio.StreamReader) -> Received | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.decode("latin-1").rstrip().split("\r\n")
        headers = {key.lower(): value for key, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = first.split(" ")[1]
        at = self._loop.time()
        received = Received(self.calls, DIALECTS.get(path, ""), path, headers, body, at)
        self.calls += 1
        if self._keep:
            self.received.append(received)
        return received

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, received: Received
    ) -> bool:
        chosen = self.plan(received) if received.dialect else None
        fault = chosen if isinstance(chosen, Fault) else FAULTS[chosen] if chosen else HONEST
        received.fault = fault.name if chosen else None
        await asyncio.sleep(self.latency)
        exchange = Exchange(
            reader, writer, received, b"", self.drip_seconds, self.huge_bytes, self.redirect_to
        )
        try:
            await self._say(exchange, fault)
        finally:
            self.written += exchange.written
        return exchange.keep_alive

    async def _say(self, exchange: Exchange, fault: Fault) -> None:
        received = exchange.received
        if not received.dialect:
            await exchange.send(404, failure("openai", "not_found", f"No {received.path}"))
        elif self.key and self.key not in _keys(received.headers):
            await exchange.send(401, failure(received.dialect, "authentication_error", "No key"))
        else:
            said = fault.alter(self._honest(received.json))
            exchange.answer = written(received.dialect, received.json, said, received.number)
            await fault.send(exchange)

    def _honest(self, body: Mapping[str, Any]) -> Answer:
        asked = self.answerer.read(body)
        value = self.answerer.answer(asked)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        model = self.model or str(body.get("model", "none"))
        made = Answer(text, value, model, passages=tuple(asked.passages.values()))
        return replace(made, usage={"input": len(str(body)) // 4, "output": len(text) // 4})


def _keys(headers: Mapping[str, str]) -> tuple[str, ...]:
    return (headers.get("authorization", "").removeprefix("Bearer "), headers.get("x-api-key", ""))


PATHS = {"openai": OPENAI_PATH, "anthropic": ANTHROPIC_PATH}
