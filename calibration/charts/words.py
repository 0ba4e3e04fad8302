"""Text as a picture shows it, and numbers as its table does."""

from __future__ import annotations

import re
from typing import Final

from calibration.wording import numbers
from calibration.wording.numbers import UNDEFINED, percent
from calibration.wording.visible import visible

# What XML cannot hold at all, not even escaped.
_NOT_XML: Final = re.compile("[\ud800-\udfff\ufffe\uffff]")


def shown(text: str, limit: int = 200) -> str:
    """``text`` on one line with nothing in it that could act unseen, cut where it is too long."""
    plain = _NOT_XML.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", visible(text))
    return plain if len(plain) <= limit else plain[: limit - 1].rstrip() + "…"


def between(low: float | None, high: float | None) -> str:
    """An interval of shares in percent."""
    if low is None or high is None:
        return UNDEFINED
    return f"{percent(low)} to {percent(high)}"


def of(count: int, n: int) -> str:
    return f"{count:,} of {n:,}"


def signed(share: float | None) -> str:
    """A difference of shares in percentage points."""
    return UNDEFINED if share is None else numbers.signed(share)
