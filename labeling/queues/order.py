"""In which order the statements of a queue come.

Shuffled by a seed, so the order says nothing of cases or pairs. The sides of a pair are kept
apart: each stands in another half, and an annotator goes through one half after the other, so
that a difference between near-identical texts is not served on a plate. Where in a half an
annotator begins, and in which, is drawn for each.

Only processes data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple


class Candidate(NamedTuple):
    """One statement of a queue to be: its primary key, case and pair."""

    statement: int
    case: int
    pair_id: str | None


class Place(NamedTuple):
    """Where a statement stands: in which half, and where in that."""

    statement: int
    half: int
    rank: int
    pair_id: str | None


def places(candidates: Sequence[Candidate], *, seed: int) -> Iterator[Place]:
    """The places of ``candidates``; in each half the ranks count up from 0."""
    second = _second_sides(candidates, seed)
    ranks = [0, 0]
    for one in sorted(candidates, key=lambda one: draw(seed, "statement", one.statement)):
        # A case that stands alone falls into the half that its draw falls into.
        drawn = draw(seed, "half", one.case) % 2
        half = int(one.case in second) if one.pair_id else drawn
        yield Place(one.statement, half, ranks[half], one.pair_id)
        ranks[half] += 1


class Start(NamedTuple):
    """Where an annotator begins: in which half, and how far into each as a share of it."""

    half: int
    share: float


def start(annotator: int, *, seed: int) -> Start:
    drawn = draw(seed, "annotator", annotator)
    return Start(half=drawn % 2, share=(drawn >> 1) / 2**63)


def gold_due(annotator: int, nth: int, *, every: int, seed: int) -> bool:
    """Whether the ``nth`` statement (from 0) of an annotator is a gold one: one in ``every``,
    drawn anew each time, so that nobody can count."""
    return every > 0 and draw(seed, f"gold {annotator}", nth) % every == 0


def _second_sides(candidates: Iterable[Candidate], seed: int) -> set[int]:
    """Of each pair, the cases that stand in the second half: all but the one drawn first."""
    sides: dict[str, set[int]] = {}
    for one in candidates:
        if one.pair_id:
            sides.setdefault(one.pair_id, set()).add(one.case)
    second: set[int] = set()
    for cases in sides.values():
        second |= set(sorted(cases, key=lambda case: draw(seed, "side", case))[1:])
    return second


def draw(seed: int, what: str, number: int) -> int:
    """64 bits that look random, the same whenever they are asked for."""
    return int.from_bytes(blake2b(f"{seed}/{what}/{number}".encode(), digest_size=8).digest())
