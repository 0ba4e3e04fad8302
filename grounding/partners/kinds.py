"""What a partner differs in, and a change that makes it differ."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from grounding.contract import Verdict

T = TypeVar("T")


class PartnerKind(StrEnum):
    NUMBER = "number"
    DATE = "date"
    UNIT = "unit"
    ENTITY = "entity"
    NEGATION = "negation"
    QUANTIFIER = "quantifier"
    HEDGE = "hedge"
    CAUSE = "cause"


@dataclass(frozen=True, slots=True)
class Change:
    """``text[start:end]`` becomes ``new``.

    ``verdict`` is what a supported statement becomes by it, and ``why`` says so in words.
    ``rests_on`` is what the other text must hold for that, empty where it need hold nothing:
    a number is contradicted only where the true one is stated.
    """

    start: int
    end: int
    new: str
    verdict: Verdict
    why: str
    rests_on: str = ""


def chosen(options: Sequence[T], *key: object) -> T:
    """One of ``options``, the same for the same key whatever the machine or the process."""
    said = "\x1f".join(map(str, key))
    number = int.from_bytes(hashlib.sha256(said.encode()).digest()[:8], "big")
    return options[number % len(options)]
