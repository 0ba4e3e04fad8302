"""Many pieces of work in flight on the event loop, seen from a thread that waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Generic, TypeVar

from calibration.workers import loops

What = TypeVar("What")
T = TypeVar("T")


@dataclass(frozen=True)
class Landed(Generic[What, T]):
    what: What
    result: T


class Flights(Generic[What, T]):
    """Work by what it is for. All methods are for the one thread that made this."""

    def __init__(self) -> None:
        self._flying: dict[Future[T], What] = {}
        self._arrivals: SimpleQueue[Future[T] | None] = SimpleQueue()

    def __len__(self) -> int:
        return len(self._flying)

    def launch(self, what: What, work: Coroutine[Any, Any, T]) -> None:
        future = asyncio.run_coroutine_threadsafe(work, loops.running())
        self._flying[future] = what
        future.add_done_callback(self._arrivals.put)

    def call(self) -> None:
        """From any thread: there is something else to look after, so `landed` ends its wait."""
        self._arrivals.put(None)

    def landed(self, seconds: float, *, enough: int = 1) -> list[Landed[What, T]]:
        """What has come to its end, as soon as it is ``enough``, ``seconds`` have passed or
        somebody calls.

        Raises what the work raised. What was broken off is not among it.
        """
        found: list[Future[T]] = []
        end = monotonic() + seconds
        while self._flying and len(found) < min(enough, len(self._flying)):
            try:
                arrived = self._arrivals.get(timeout=max(0.0, end - monotonic()))
            except Empty:
                break
            if arrived is None:
                break
            found.append(arrived)
        while not self._arrivals.empty():
            arrived = self._arrivals.get()
            found += [arrived] if arrived is not None else []
        return [one for future in found if (one := self._taken(future))]

    def break_off(self, *, patience: float = 2.0) -> None:
        """Cancel all that is in flight, and give it a moment to let go of what it holds."""
        flying = list(self._flying)
        self._flying.clear()
        for future in flying:
            future.cancel()
        # The future is done at once; what it stood for needs a turn of the loop to end.
        settled = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loops.running())
        wait_for([settled], timeout=patience)

    def _taken(self, future: Future[T]) -> Landed[What, T] | None:
        what = self._flying.pop(future, None)
        if what is None or future.cancelled():
            return None
        return Landed(what, future.result())
