"""In which order an annotator meets the statements of a set.

Shuffled by a hash of annotator and statement, so the order says nothing of
cases or pairs and is the same at every visit. The sides of a pair are kept
apart: one side of each comes in the first half, the others in the second, so
that a difference between near-identical texts is not served on a plate.

Only processes data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID


class Place(NamedTuple):
    """One live statement: its primary key, public key, case and pair."""

    statement: int
    key: UUID
    case: int
    pair: str | None


def next_place(places: Sequence[Place], done: Sequence[int], *, seed: str) -> Place | None:
    """The first place in the order of ``seed`` that is not ``done``; None where all are.

    ``done`` lists statements in the order in which they were labelled. The partner of
    the last one waits while there is anything else.
    """
    finished = set(done)
    last = next((place for place in places if done and place.statement == done[-1]), None)
    waiting = [place for place in places if place.statement not in finished]
    rank = _ranking(places, seed)
    apart = (place for place in waiting if not _partners(last, place))
    return min(apart, key=rank, default=None) or min(waiting, key=rank, default=None)


def _ranking(places: Iterable[Place], seed: str) -> Callable[[Place], tuple[bool, bytes]]:
    """Where a place stands: in which half, and where in that. A case that stands alone falls
    into the half that its draw falls into."""
    second = _second_sides(places, seed)

    def rank(place: Place) -> tuple[bool, bytes]:
        drawn = _drawn(seed, place.key.hex)
        return (place.case in second if place.pair else drawn[0] >= 128), drawn

    return rank


def _second_sides(places: Iterable[Place], seed: str) -> set[int]:
    """Of each pair, the cases that come in the second half: all but the one drawn first."""
    sides: dict[str, set[int]] = {}
    for place in places:
        if place.pair:
            sides.setdefault(place.pair, set()).add(place.case)
    second: set[int] = set()
    for cases in sides.values():
        second |= set(sorted(cases, key=lambda case: _drawn(seed, f"case {case}"))[1:])
    return second


def _partners(last: Place | None, place: Place) -> bool:
    return (
        last is not None
        and last.pair is not None
        and last.pair == place.pair
        and last.case != place.case
    )


def _drawn(seed: str, name: str) -> bytes:
    return blake2b(f"{seed}/{name}".encode(), digest_size=8).digest()
