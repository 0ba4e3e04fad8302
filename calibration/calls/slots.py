"""Leave to call, counted in this process between two looks at the database.

The event loop's thread takes and gives slots; the thread that judges renews them (`permits`)
and learns what was made of them. A slot is a number under a lock, so a call costs no query.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from time import monotonic
from types import TracebackType
from typing import Final, TypeVar

from calibration.calls.permits import AHEAD_SECONDS, GRACE_SECONDS, Asked, Leave
from calibration.runs.spending import Standing
from calibration.workers import loops
from grounding.interchange.models import Outcome
from grounding.judges.llm.calls import CallFailed, Try

_NOTHING_YET: Final = Leave(until=0.0, held=0)

Number = TypeVar("Number", int, float)
CostOf = Callable[[Try], float | None]


@dataclass(frozen=True)
class Written:
    """Calls whose attempts are stored by now, and what they took."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


class Slots:
    """A `Limiter` whose limits are set from another thread, for one worker at one run."""

    def __init__(self, cost_of: CostOf = lambda one: None) -> None:
        self._cost_of = cost_of
        self._lock = threading.Lock()
        self._leave = _NOTHING_YET
        self._busy = 0
        self._allowed = 0
        self._quiet_until = 0.0
        self._quiet_asked = 0.0
        self._starts: deque[float] = deque()
        self._done = Standing()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self.at_once = 0

    # On the event loop's thread.

    def slot(self) -> _Slot:
        return _Slot(self)

    def hold_off(self, seconds: float) -> None:
        with self._lock:
            self._quiet_until = max(self._quiet_until, monotonic() + seconds)
            self._quiet_asked = self._quiet_until

    def spent(self, one: Try) -> None:
        tokens, cost = tokens_of(one), self._cost_of(one)
        with self._lock:
            done = self._done
            self._done = replace(
                done,
                calls=done.calls + 1,
                tokens=done.tokens + (tokens or 0),
                cost=done.cost + (cost or 0.0),
                most_tokens=_most(done.most_tokens, tokens),
                most_cost=_most(done.most_cost, cost),
            )

    async def enter(self) -> None:
        if not self._waiting and self._taken():
            return
        leave = asyncio.get_running_loop().create_future()
        self._waiting.append(leave)
        self._look()
        try:
            await leave
        except asyncio.CancelledError:
            if leave.done() and not leave.cancelled() and leave.exception() is None:
                self.exit()
            elif leave in self._waiting:
                self._waiting.remove(leave)
            raise

    def exit(self) -> None:
        with self._lock:
            self._busy -= 1
        self._look()

    def _look(self) -> None:
        """Let in who may come in, and come back when the next one may."""
        while self._waiting:
            if self._waiting[0].done():
                self._waiting.popleft()
            elif self._leave.spent is not None:
                self._waiting.popleft().set_exception(_refusal(self._leave.spent))
            elif self._taken():
                self._waiting.popleft().set_result(None)
            else:
                self._later()
                return

    def _later(self) -> None:
        """A timer for the moment that is waited for, where it is only a matter of time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        at = max(self._quiet_until, self._starts[0] if self._starts else 0.0)
        wait = at - monotonic()
        if wait > 0:
            self._timer = asyncio.get_running_loop().call_later(wait, self._look)

    def _taken(self) -> bool:
        """Take a slot, where one is free at this moment."""
        with self._lock:
            leave, now = self._leave, monotonic()
            if self._busy >= leave.held or now >= leave.until or now < self._quiet_until:
                return False
            if leave.more is not None and self._allowed < 1:
                return False
            if leave.starts is not None and not self._started(now):
                return False
            self._allowed -= 1 if leave.more is not None else 0
            self._busy += 1
            self.at_once = max(self.at_once, self._busy)
            return True

    def _started(self, now: float) -> bool:
        """Use up a reserved start whose moment has come; those that are long past are void."""
        while self._starts and self._starts[0] < now - GRACE_SECONDS:
            self._starts.popleft()
        if not self._starts or self._starts[0] > now:
            return False
        self._starts.popleft()
        return True

    # On the judging thread.

    def asked(self, *, most: int, more_work: bool, a_minute: int | None) -> Asked:
        """What to ask for: as much as there is, or as much as there is work for."""
        with self._lock:
            now = monotonic()
            demand = self._busy + len(self._waiting)
            quiet, self._quiet_asked = max(0.0, self._quiet_asked - now), 0.0
            waits = len(self._waiting) + (most if more_work else 0)
            starts = 0
            if a_minute is not None:
                ahead = max(1, ceil(a_minute / 60 * AHEAD_SECONDS))
                unused = sum(start >= now - GRACE_SECONDS for start in self._starts)
                starts = max(0, min(waits, ahead) - unused)
            return Asked(most if more_work else min(most, demand), starts, quiet)

    def standing(self, held: int) -> Standing:
        """What this worker has begun; from now on no more than ``held`` are in flight."""
        with self._lock:
            self._leave = replace(self._leave, held=min(self._leave.held, held))
            return replace(self._done, busy=self._busy, allowed=self._allowed)

    def renewed(self, leave: Leave) -> None:
        with self._lock:
            self._leave = leave
            self._allowed += leave.more or 0
            self._quiet_until = max(self._quiet_until, leave.quiet_until)
            if leave.starts is not None:
                first, apart = leave.starts.first, leave.starts.apart
                self._starts.extend(first + n * apart for n in range(leave.starts.count))
        loops.running().call_soon_threadsafe(self._look)

    def written(self, written: Written) -> None:
        """These calls stand in attempts from now on, and are counted there."""
        with self._lock:
            done = self._done
            self._done = replace(
                done,
                calls=max(0, done.calls - written.calls),
                tokens=max(0, done.tokens - written.tokens),
                cost=max(0.0, done.cost - written.cost),
            )

    @property
    def held(self) -> int:
        return self._leave.held

    @property
    def refused(self) -> str | None:
        """Why no call will be begun any more."""
        return self._leave.spent


class _Slot:
    """A slot for the length of a block."""

    __slots__ = ("_slots",)

    def __init__(self, slots: Slots) -> None:
        self._slots = slots

    async def __aenter__(self) -> None:
        await self._slots.enter()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._slots.exit()


def tokens_of(one: Try) -> int | None:
    """All tokens of a call, in and out; None where the provider did not count."""
    both = one.usage.input_tokens, one.usage.output_tokens
    return None if both == (None, None) else sum(part or 0 for part in both)


def _refusal(reason: str) -> CallFailed:
    return CallFailed(Outcome.UNAVAILABLE, reason, ())


def _most(one: Number | None, other: Number | None) -> Number | None:
    return max((each for each in (one, other) if each is not None), default=None)
