"""The same case told otherwise: its passages in another order, or among passages that have
nothing to do with it. What a judge says of a statement should not move.

Passages keep their ids and texts, so evidence into them holds. Everything is decided by digests
of a seed and of ids, and so is the same on every machine, in every version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

from grounding.interchange.models import Case, Passage

T = TypeVar("T")


def drawn(seed: int, *names: str) -> int:
    """A number that seed and names decide, even over 0 … 2²⁵⁶ - 1."""
    told = "\0".join((str(seed), *names))
    return int.from_bytes(hashlib.sha256(told.encode("utf-8")).digest(), "big")


def reordered(case: Case, seed: int) -> Case | None:
    """The case with its passages in another order; None where it has no other.

    The order that the seed gives, or, where that is the one the case has, its reverse.
    """
    passages = tuple(sorted(case.context, key=lambda one: drawn(seed, case.case_id, one.id)))
    if passages == case.context:
        passages = passages[::-1]
    if passages == case.context:
        return None
    return case.model_copy(update={"context": passages})


def padded(case: Case, strangers: Iterable[Passage], characters: int, seed: int) -> Case | None:
    """The case with so many of ``strangers``, in their order, that its context has at least
    ``characters``, or with all of them; None where it gains none.

    Its own passages stay together, at a place among the others that the seed decides. The
    strangers get ids of their own, and none whose text the case has already is taken.
    """
    taken = _up_to(characters - _length(case.context), strangers, {p.text for p in case.context})
    if not taken:
        return None
    known = {passage.id for passage in (*case.context, *(case.retrieved or ()))}
    others = [
        Passage(id=name, text=passage.text)
        for name, passage in zip(_free_ids(known, len(taken)), taken, strict=True)
    ]
    at = drawn(seed, case.case_id, "place") % (len(others) + 1)
    context = (*others[:at], *case.context, *others[at:])
    return case.model_copy(update={"context": context})


def _length(passages: Iterable[Passage]) -> int:
    return sum(len(passage.text) for passage in passages)


def _up_to(missing: int, strangers: Iterable[Passage], seen: set[str]) -> list[Passage]:
    taken: list[Passage] = []
    for passage in strangers:
        if _length(taken) >= missing:
            break
        if passage.text not in seen:
            seen.add(passage.text)
            taken.append(passage)
    return taken


def _free_ids(known: set[str], count: int) -> Sequence[str]:
    """Ids of which none differs from a known one by letter case alone."""
    folded = {name.casefold() for name in known}
    prefix = "other"
    while any(name.startswith(f"{prefix}-") for name in folded):
        prefix += "-x"
    return [f"{prefix}-{number}" for number in range(1, count + 1)]
