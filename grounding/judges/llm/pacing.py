"""How long to wait before asking again, and how often to ask."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_SECONDS = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*")


@dataclass(frozen=True, slots=True)
class Patience:
    """Bounds of one request, all of them ours and none the provider's.

    At most ``tries``. The wait before the n-th retry is drawn from 0 to
    ``first_wait`` · 2ⁿ⁻¹ seconds, at most ``longest_wait``; where the provider says how long,
    it is that and the drawn wait on top, the provider's part at most ``longest_retry_after``. One
    try takes at most ``share`` of the request's deadline, so that a silent provider leaves time
    for another. ``most_bytes`` bounds a body, packed or unpacked.
    """

    tries: int = 5
    first_wait: float = 0.5
    longest_wait: float = 20.0
    longest_retry_after: float = 60.0
    share: float = 0.5
    most_bytes: int = 4 * 1024 * 1024

    def wait(self, retry: int, asked: float | None, chance: random.Random) -> float:
        """Seconds before the try after the one numbered ``retry``."""
        most = min(self.longest_wait, self.first_wait * 2.0**retry)
        return self.quiet(asked) + chance.uniform(0, most)

    def quiet(self, asked: float | None) -> float:
        """What the provider asked for, as far as we go along with it."""
        return min(asked or 0.0, self.longest_retry_after)


PATIENCE: Final = Patience()


def seconds_asked(retry_after: str | None, now: datetime | None = None) -> float | None:
    """Retry-After (RFC 9110, 10.2.3) in seconds: a number, or a date; 0 for one that is past.
    None where there is none or it is neither."""
    if retry_after is None:
        return None
    found = _SECONDS.fullmatch(retry_after)
    if found is not None:
        return float(found[1])
    try:
        until = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
