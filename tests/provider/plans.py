"""On which call which fault happens.

A plan is asked once a call, as the call arrives, and says the fault by its name, as a `Fault`,
or None for an honest answer.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.provider.faults import Fault
    from tests.provider.server import Received

Plan = Callable[["Received"], "str | Fault | None"]


def honest(call: Received) -> str | Fault | None:
    return None


def always(fault: str | Fault | None) -> Plan:
    return lambda call: fault


def in_order(*faults: str | Fault | None, then: str | Fault | None = None) -> Plan:
    """The first fault on the first call, and so on; ``then`` on all that follow."""
    waiting = iter(faults)
    return lambda call: next(waiting, then)


def at_random(seed: int, share: float, names: Collection[str]) -> Plan:
    """Each of ``names`` on ``share`` of the calls, at most one a call.

    What happens to a call depends on the seed, on what it asks and on how often it was asked,
    and not on the order in which calls happen to arrive: a run can be repeated.
    """
    listed = sorted(names)
    if share * len(listed) > 1:
        raise ValueError("more faults than calls")
    asked: Counter[bytes] = Counter()

    def plan(call: Received) -> str | None:
        key = hashlib.sha256(call.body).digest()
        asked[key] += 1
        drawn = random.Random(f"{seed}:{key.hex()}:{asked[key]}").random()
        at = int(drawn / share)
        return listed[at] if at < len(listed) else None

    return plan
