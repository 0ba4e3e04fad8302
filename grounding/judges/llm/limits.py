"""Leave to call, and answers kept, within one process: for a notebook, a CI job, a guard."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from grounding.judges.llm.calls import Reply, Try


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    loop: asyncio.AbstractEventLoop
    leave: asyncio.Future[None]


class LocalLimiter:
    """At most ``in_flight`` calls at once, in order of asking; at most ``per_minute`` starts.

    One limiter serves all threads and event loops of a process. Starts are spaced by the generic
    cell rate algorithm (ITU-T I.371): one every 60 / ``per_minute`` seconds, of which ``burst``
    may come at once after a pause.
    """

    def __init__(
        self,
        in_flight: int = 32,
        *,
        per_minute: float | None = None,
        burst: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if in_flight < 1 or burst < 1 or (per_minute is not None and per_minute <= 0):
            raise ValueError("a limit that lets nothing through")
        self._free = in_flight
        self._interval = 60.0 / per_minute if per_minute is not None else 0.0
        self._tolerance = self._interval * (burst - 1)
        self._clock = clock
        self._due = self._quiet_until = clock()
        self._waiting: deque[_Waiter] = deque()
        self._lock = threading.Lock()

    def slot(self) -> AbstractAsyncContextManager[None]:
        return self._slot()

    def hold_off(self, seconds: float) -> None:
        with self._lock:
            self._quiet_until = max(self._quiet_until, self._clock() + seconds)

    def spent(self, one: Try) -> None:
        """Nothing is counted here: there is no budget."""

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        await self._take()
        try:
            while (wait := self._start()) > 0:
                await asyncio.sleep(wait)
            yield
        finally:
            self._give()

    def _start(self) -> float:
        """Seconds before a call may start; 0 where this one starts now and is counted.

        Nothing is reserved for one that waits: it may be cancelled, or told to wait longer.
        """
        with self._lock:
            now = self._clock()
            at = max(self._quiet_until, self._due - self._tolerance)
            if at > now:
                return at - now
            self._due = max(self._due, now) + self._interval
            return 0.0

    async def _take(self) -> None:
        with self._lock:
            if self._free and not self._waiting:
                self._free -= 1
                return
            loop = asyncio.get_running_loop()
            waiter = _Waiter(loop, loop.create_future())
            self._waiting.append(waiter)
        try:
            await waiter.leave
        except asyncio.CancelledError:
            if not waiter.leave.cancelled():  # it had just got leave
                self._give()
            raise

    def _give(self) -> None:
        """Hand leave to the next who waits, in whatever loop that is."""
        with self._lock:
            while self._waiting:
                waiter = self._waiting.popleft()
                try:
                    waiter.loop.call_soon_threadsafe(self._hand, waiter)
                except RuntimeError:  # its loop has ended, and the waiter with it
                    continue
                return
            self._free += 1

    def _hand(self, waiter: _Waiter) -> None:
        if waiter.leave.done():  # cancelled, before or while leave was on its way
            self._give()
        else:
            waiter.leave.set_result(None)


class MemoryCache:
    """The last ``most`` answers, in memory."""

    def __init__(self, most: int = 10_000) -> None:
        self._kept: OrderedDict[str, Reply] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()

    async def get(self, key: str) -> Reply | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    async def put(self, key: str, reply: Reply) -> None:
        with self._lock:
            self._kept[key] = reply
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
