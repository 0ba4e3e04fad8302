"""Answers of providers, kept in the database by what was asked.

The event loop asks for them and does not touch the database: what it wants to know lies here
until the judging thread looks it up, many at once, and what it learnt until that thread writes
it down.

An answer counts only while the provider still answers as the same model. Which model answers
today only a call can tell, so in each session one call is answered before any kept answer is
taken, if need be one that an answer is kept for; what a later one reports counts from then on.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from calibration.models import CachedReply, Provider
from calibration.runs.claims import on_its_own
from calibration.workers import loops
from grounding.interchange.models import Outcome
from grounding.judges.llm.calls import Reply, Try, Usage

# How long others wait for the first answer before they go and ask themselves.
PATIENCE_SECONDS: Final = 20.0
# A session that has looked for so many in vain asks about new things, and looks no further.
MOST_MISSES: Final = 50
# Questions are gathered for so long and looked up together; other cases fill the slots meanwhile.
GATHER_SECONDS: Final = 0.05


@dataclass(frozen=True)
class _Wanted:
    digest: str
    found: asyncio.Future[Reply | None]


class Replies:
    """A `Cache` on one provider's kept answers, for one session of one worker."""

    def __init__(self, provider: Provider, call: Callable[[], None]) -> None:
        """``call`` makes the judging thread come and `look_up`."""
        self._provider = provider
        self._call = call
        self._wanted: deque[_Wanted] = deque()
        self._new: dict[str, Reply] = {}
        self._heard = asyncio.Event()
        self._ahead = False
        # How many were looked for while none was found; -1 once one was.
        self._missed = 0
        self._model: str | None = None

    # On the event loop's thread.

    async def get(self, key: str) -> Reply | None:
        reply = self._new.get(key) or await self._stored(key)
        if reply is None or not await self._knows_the_model():
            return None
        return reply if reply.model == self._model else None

    async def put(self, key: str, reply: Reply) -> None:
        self._model = reply.model
        self._heard.set()
        self._new[key] = reply

    async def _knows_the_model(self) -> bool:
        if self._heard.is_set():
            return True
        if not self._ahead:
            # This one goes ahead and asks, for the others that wait for it.
            self._ahead = True
            return False
        try:
            await asyncio.wait_for(self._heard.wait(), PATIENCE_SECONDS)
        except TimeoutError:
            return False
        return True

    async def _stored(self, key: str) -> Reply | None:
        if self._missed >= MOST_MISSES:
            return None
        wanted = _Wanted(key, asyncio.get_running_loop().create_future())
        self._wanted.append(wanted)
        if len(self._wanted) == 1:
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._call)
        found = await wanted.found
        if self._missed >= 0:
            self._missed = self._missed + 1 if found is None else -1
        return found

    # On the judging thread.

    def look_up(self) -> None:
        """Answer all that was asked so far by one query."""
        wanted = [self._wanted.popleft() for _ in range(len(self._wanted))]
        if not wanted:
            return
        digests = {one.digest for one in wanted}
        rows = CachedReply.objects.filter(provider=self._provider, digest__in=digests)
        found = {row.digest: _reply(row) for row in rows}
        loops.running().call_soon_threadsafe(_settle, wanted, found)

    def write(self) -> None:
        """Keep what was learnt; an answer by another model takes an older one's place."""
        new = {key: self._new.pop(key) for key in list(self._new)}
        if not new:
            return
        CachedReply.objects.bulk_create(
            [
                CachedReply(
                    provider=self._provider,
                    digest=key,
                    model=reply.model,
                    reply=on_its_own(_written(reply)),
                )
                for key, reply in sorted(new.items())
            ],
            update_conflicts=True,
            unique_fields=["provider", "digest"],
            update_fields=["model", "reply", "stored_at"],
        )


def _settle(wanted: list[_Wanted], found: dict[str, Reply]) -> None:
    for one in wanted:
        if not one.found.done():
            one.found.set_result(found.get(one.digest))


def _written(reply: Reply) -> str:
    # As ASCII, in which every character can be stored: an answer may hold any.
    last = reply.tries[-1] if reply.tries else None
    kept: dict[str, Any] = {"text": reply.text, "raw": last.raw if last else None}
    return json.dumps(kept)


def _reply(row: CachedReply) -> Reply:
    kept = json.loads(row.reply)
    one = Try(
        retry=0,
        outcome=Outcome.GRADED,
        started_at=row.stored_at,
        seconds=0.0,
        raw=kept["raw"],
        model=row.model,
        usage=Usage(),
        cached=True,
    )
    return Reply(kept["text"], row.model, (one,))
