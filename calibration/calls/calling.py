"""One worker's calls to a run's provider: what carries them, how many, what is known already."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from django.conf import settings

from calibration.calls import permits
from calibration.calls.replies import Replies
from calibration.calls.slots import Slots, Written
from calibration.judges import providers
from calibration.models import Run
from calibration.runs.claims import Result
from calibration.workers import loops
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.registry import Services
from grounding.rubrics import RubricDefinition

if TYPE_CHECKING:
    from grounding.judges.llm.carrier import HttpCarrier

# A case may wait long for its slot; its own deadline begins when it has one.
QUEUE_SECONDS: Final = 3600.0
CLOSE_SECONDS: Final = 5.0
FIRST_PAUSE: Final = 0.05
LAST_PAUSE: Final = 0.5


class Calls:
    """Made and used by the judging thread; the carrier works on the event loop."""

    def __init__(
        self,
        run: Run,
        definition: RubricDefinition,
        endpoint: Endpoint,
        call: Callable[[], None],
    ) -> None:
        """``call`` makes this thread come and `look_up`. Raises Refused where the endpoint
        may not be asked."""
        self._run = run
        self._token = uuid4()
        self._provider = permits.provider(providers.address_of(endpoint))
        self._slots = Slots(partial(providers.price, definition))
        self._replies = Replies(self._provider, call)
        self._moving, self._pause, self._due = False, FIRST_PAUSE, 0.0
        self._carrier = _carrier(endpoint, self._slots, self._replies)

    def services(self, *, fresh: bool) -> Services:
        return Services(carrier=self._carrier, fresh=fresh)

    @property
    def held(self) -> int:
        return self._slots.held

    @property
    def refused(self) -> str | None:
        """Why no call will be made any more."""
        return self._slots.refused

    def look_up(self) -> None:
        self._replies.look_up()

    def write(self) -> None:
        """Keep what was learnt."""
        self._replies.write()

    def renew(self, *, more_work: bool) -> None:
        """Take or keep permits for what there is to do."""
        asked = self._slots.asked(
            most=settings.JUDGE_CONCURRENCY,
            more_work=more_work,
            a_minute=settings.JUDGE_REQUESTS_PER_MINUTE,
        )
        leave = permits.renew(self._provider, self._run, self._token, asked, self._slots.standing)
        self._slots.renewed(leave)
        ends = not more_work and asked.wanted > leave.held
        self._moving = ends or not leave.settled
        self._pause = min(1.2 * self._pause, LAST_PAUSE) if self._moving else FIRST_PAUSE
        self._due = monotonic() + self._pause

    @property
    def patience(self) -> float:
        """For how many seconds nothing is to be done about permits."""
        return max(0.0, self._due - monotonic()) if self._moving else inf

    @property
    def due(self) -> bool:
        """Whether permits are moving between workers, or others are about to leave theirs, and
        it is time to look again: soon at first, since meanwhile some are nobody's."""
        return self.patience == 0.0

    def written(self, results: Iterable[Result]) -> None:
        """These results are stored, so their calls are counted from now on."""
        made = [
            one
            for result in results
            for one in result.attempts
            if one.get("counts") and not one["cached"]
        ]
        tokens = sum((one["input_tokens"] or 0) + (one["output_tokens"] or 0) for one in made)
        cost = sum(one["cost"] or 0.0 for one in made)
        self._slots.written(Written(len(made), tokens, cost))

    def close(self) -> None:
        closing = asyncio.run_coroutine_threadsafe(self._carrier.close(), loops.running())
        closing.result(CLOSE_SECONDS)
        permits.give_back(self._token)


def _carrier(endpoint: Endpoint, slots: Slots, replies: Replies) -> HttpCarrier:
    # Imported where calls are made, which is in workers: it brings an HTTP client along.
    from grounding.judges.llm.carrier import HttpCarrier

    return HttpCarrier(endpoint, limiter=slots, cache=replies, queue_seconds=QUEUE_SECONDS)
