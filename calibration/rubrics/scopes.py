"""Which rubric versions may be compared: those with one labelling scope, whatever their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from calibration.models import RubricVersion
from calibration.rubrics.definitions import Move, moves_between
from grounding.rubrics.levels import Level

SAME, NOT_STATED, OTHER = "same", "not stated", "other"

_RECORDED: Final = (
    "{recorded} was recorded elsewhere and states no scope, so nothing shows that it answers the "
    "question that {released} was released to answer"
)
_OTHER: Final = "their labelling scopes differ, so a right answer is not the same thing for both"


@dataclass(frozen=True)
class Scopes:
    """How the scopes of two versions stand to each other; ``reason`` where that forbids to
    compare them, with the fields of the scope that ``moved``."""

    scope: str
    reason: str | None = None
    moved: Sequence[Move] = ()


def between(first: RubricVersion, second: RubricVersion) -> Scopes:
    """Equal scope digests compare; two recorded versions do, with the scope not stated."""
    if first.recorded and second.recorded:
        return Scopes(NOT_STATED)
    if first.recorded or second.recorded:
        recorded, released = (first, second) if first.recorded else (second, first)
        return Scopes(NOT_STATED, _RECORDED.format(recorded=recorded, released=released))
    if first.scope_digest == second.scope_digest:
        return Scopes(SAME)
    moved = [move for move in moves_between(first, second) if move.level == Level.MAJOR]
    return Scopes(OTHER, _OTHER, moved)
