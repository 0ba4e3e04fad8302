from __future__ import annotations

from itertools import pairwise

from labeling.queues.order import Candidate, Place, gold_due, places, start


def candidates(pairs: int, alone: int = 0, statements: int = 1) -> list[Candidate]:
    """``pairs`` pairs and some cases alone, side by side as a file would have them."""
    sides = [(f"pair-{n // 2}", n) for n in range(2 * pairs)]
    cases = sides + [(None, 2 * pairs + n) for n in range(alone)]
    every = [(pair, case) for pair, case in cases for _ in range(statements)]
    return [Candidate(at, case, pair) for at, (pair, case) in enumerate(every)]


def placed(every: list[Candidate], seed: int = 1) -> list[Place]:
    return list(places(every, seed=seed))


def test_each_is_placed_once_and_alike_whatever_order_they_come_in() -> None:
    every = candidates(pairs=20, alone=10)
    found = placed(every)
    assert sorted(place.statement for place in found) == list(range(50))
    assert sorted(placed(every[::-1])) == sorted(found)
    assert sorted(placed(every, seed=2)) != sorted(found)


def test_the_ranks_of_each_half_count_up_from_0() -> None:
    found = placed(candidates(pairs=9, alone=7, statements=2))
    for half in (0, 1):
        ranks = [place.rank for place in found if place.half == half]
        assert ranks == list(range(len(ranks)))
        assert ranks


def test_the_sides_of_a_pair_stand_in_different_halves_with_all_their_statements() -> None:
    every = candidates(pairs=12, alone=3, statements=3)
    halves = {place.statement: place.half for place in placed(every)}
    cases: dict[str, dict[int, set[int]]] = {}
    for one in every:
        if one.pair_id:
            sides = cases.setdefault(one.pair_id, {})
            sides.setdefault(one.case, set()).add(halves[one.statement])
    for sides in cases.values():
        assert sorted(sides.values(), key=sorted) == [{0}, {1}]


def test_which_side_comes_first_is_drawn_and_not_the_file_s() -> None:
    every = {one.statement: one for one in candidates(pairs=200)}
    firsts = [every[p.statement].case for p in placed(list(every.values())) if p.half == 0]
    even = sum(case % 2 == 0 for case in firsts)
    # Of 200 fair draws: six standard deviations are 42.
    assert 58 < even < 142


def test_neighbours_in_the_file_are_not_neighbours_in_the_order() -> None:
    found = sorted(placed(candidates(pairs=0, alone=400)), key=lambda p: (p.half, p.rank))
    order = [place.statement for place in found]
    close = sum(abs(one - other) == 1 for one, other in pairwise(order))
    # Expected in a random order: 2 of 400 pairs of neighbours.
    assert close < 20


def test_where_annotators_begin_is_spread_over_both_halves() -> None:
    begun = [start(annotator, seed=1) for annotator in range(1000)]
    assert all(0 <= one.share < 1 for one in begun)
    # Six standard deviations of 1,000 fair draws are 95; of the mean of 1,000 shares, 0.055.
    assert 405 < sum(one.half for one in begun) < 595
    assert abs(sum(one.share for one in begun) / 1000 - 0.5) < 0.055
    assert start(7, seed=1) != start(7, seed=2)


def test_one_in_so_many_is_a_gold_one_and_not_every_so_manieth() -> None:
    due = [gold_due(3, nth, every=8, seed=1) for nth in range(4000)]
    # 500 expected; six standard deviations are 126.
    assert 374 < sum(due) < 626
    at = [nth for nth, one in enumerate(due) if one]
    gaps = {later - earlier for earlier, later in pairwise(at)}
    assert len(gaps) > 10
    assert not any(gold_due(3, nth, every=0, seed=1) for nth in range(50))
