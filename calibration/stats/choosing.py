"""Which statements to label next, and which pairs to keep as a regression suite.

Nothing here knows what any judge said, and must not: statements picked because judges differ on
them, or erred, are no sample of anything. Their labels would have to be marked as selected, and
kept out of headlines.
"""

import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

SUITE = 80


class Candidate(NamedTuple):
    """A statement, or a pair, that could be chosen.

    Attributes
    ----------
    name
        Its identifier.
    cells
        The cells that it counts towards; a pair counts towards those of both its sides, and a cell
        that is named twice counts twice.
    cluster
        What it stands and falls together with; None if it is alone.
    """

    name: Hashable
    cells: Sequence[Hashable]
    cluster: Hashable | None = None


Queued = tuple[int, int, Candidate]


def next_statements(
    candidates: Iterable[Candidate],
    more: Mapping[Hashable, int],
    *,
    limit: int,
    seed: int,
) -> list[Hashable]:
    """Return which unlabelled statements to label next, in that order.

    One after another: from the cell that has the greatest share of its need still unmet, a
    statement of the cluster that has had fewest so far, since a second statement of the same pair
    says less than one that stands alone; among equals as the seed shuffles them. Cells whose need
    is met, or that have no candidates left, are passed over.

    Parameters
    ----------
    candidates : iterable of Candidate
        Statements without a label. It must not depend on judges which ones are offered.
    more : mapping of cell to int
        How many labels each cell needs; `needs` says. Cells not named need none.
    limit : int
        How many to return at most.
    seed : int
        Seed of the shuffle. The same seed and candidates in any order give the same list.

    Returns
    -------
    list of names
        Shorter than the limit where needs are met, or candidates run out, before.

    Raises
    ------
    ValueError
        If a name comes twice, or a need or the limit is below 0.
    """
    if limit < 0 or any(need < 0 for need in more.values()):
        raise ValueError(f"at most {limit}, needs {dict(more)}")
    queues = _queues(_shuffled(candidates, seed))
    unmet = {cell: need for cell, need in more.items() if need}
    taken: Counter[Hashable] = Counter()
    chosen: dict[Hashable, None] = {}
    while unmet and len(chosen) < limit:
        cell = max(unmet, key=lambda name: (unmet[name] / more[name], more[name], str(name)))
        picked = _freshest(queues.get(cell, []), chosen, taken)
        if picked is None:
            del unmet[cell]
            continue
        chosen[picked.name] = None
        taken[_cluster(picked)] += 1
        unmet = {name: need - (name in picked.cells) for name, need in unmet.items()}
        unmet = {name: need for name, need in unmet.items() if need}
    return list(chosen)


def regression_suite(pairs: Iterable[Candidate], *, size: int = SUITE, seed: int) -> list[Hashable]:
    """Return pairs to keep as a regression suite, balanced over their cells.

    Greedily: always the pair that adds most to ``Σ √(pairs so far in a cell)`` over the cells. Each
    further pair of a cell is worth less than the one before, so cells fill up evenly, rare ones
    first; and what is chosen is within 1 - 1/e, some two thirds, of the best that any choice of so
    many could reach. Among equals as the seed shuffles them. A prefix of the list is what a
    smaller size would give.

    Parameters
    ----------
    pairs : iterable of Candidate
        Pairs with a reference on both sides. That a judge errs on them must not be why they are
        offered, or the suite's rates mean nothing; fifty to a hundred are enough to run on every
        change.
    size : int
        How many to propose.
    seed : int
        Seed of the shuffle. The same seed and pairs in any order give the same suite.

    Returns
    -------
    list of names
        All of them, in the order of their worth, where there are no more than the size.

    Raises
    ------
    ValueError
        If a name comes twice, or the size is below 0.

    References
    ----------
    Nemhauser, Wolsey and Fisher (1978), Mathematical Programming 14:265.
    """
    if size < 0:
        raise ValueError(f"a suite of {size}")
    counts: Counter[Hashable] = Counter()
    chosen: list[Hashable] = []
    # A gain only ever shrinks, so one that was worked out earlier is a bound: whoever still leads
    # after being worked out anew is the best.
    heap = [(-_gain(pair, counts), at, pair) for at, pair in enumerate(_shuffled(pairs, seed))]
    heapq.heapify(heap)
    while heap and len(chosen) < size:
        _, at, pair = heap[0]
        now = (-_gain(pair, counts), at, pair)
        if heapq.heapreplace(heap, now)[:2] == now[:2]:
            heapq.heappop(heap)
            chosen.append(pair.name)
            counts.update(pair.cells)
    return chosen


def _gain(pair: Candidate, counts: Mapping[Hashable, int]) -> float:
    added = Counter(pair.cells)
    gains = (sqrt(counts[cell] + more) - sqrt(counts[cell]) for cell, more in added.items())
    return round(sum(sorted(gains)), 12)


def _shuffled(candidates: Iterable[Candidate], seed: int) -> list[Candidate]:
    """Return the candidates in an order that depends on their names and the seed alone."""
    held = sorted(candidates, key=lambda each: str(each.name))
    if len({each.name for each in held}) != len(held):
        raise ValueError("a candidate is named twice")
    return [held[at] for at in np.random.default_rng(seed).permutation(len(held))]


def _queues(candidates: Iterable[Candidate]) -> dict[Hashable, list[Queued]]:
    queues: dict[Hashable, list[Queued]] = {}
    for at, each in enumerate(candidates):
        for cell in dict.fromkeys(each.cells):
            queues.setdefault(cell, []).append((0, at, each))
    return queues


def _freshest(
    queue: list[Queued], chosen: Mapping[Hashable, None], taken: Mapping[Hashable, int]
) -> Candidate | None:
    """Return the first of the candidates whose cluster has had fewest; the queue is a heap of what
    each had when last looked at, which only grows."""
    while queue:
        seen, at, candidate = queue[0]
        if candidate.name in chosen:
            heapq.heappop(queue)
        elif (now := taken[_cluster(candidate)]) > seen:
            heapq.heapreplace(queue, (now, at, candidate))
        else:
            return candidate
    return None


def _cluster(candidate: Candidate) -> Hashable:
    alone = candidate.cluster is None
    return ("alone", candidate.name) if alone else ("cluster", candidate.cluster)
