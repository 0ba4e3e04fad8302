from __future__ import annotations

from itertools import pairwise
from uuid import UUID

from labeling.order import Place, next_place


def places(pairs: int, alone: int = 0, statements: int = 1) -> list[Place]:
    """``pairs`` pairs and some cases alone, side by side as a file would have them."""
    sides = [(f"pair-{n // 2}", n) for n in range(2 * pairs)]
    cases = sides + [(None, 2 * pairs + n) for n in range(alone)]
    every = [(pair, case) for pair, case in cases for _ in range(statements)]
    return [Place(at, UUID(int=at), case, pair) for at, (pair, case) in enumerate(every)]


def walked(every: list[Place], seed: str) -> list[Place]:
    done: list[int] = []
    while (place := next_place(every, done, seed=seed)) is not None:
        done.append(place.statement)
    by_statement = {place.statement: place for place in every}
    return [by_statement[at] for at in done]


def test_each_comes_once_and_the_order_is_the_same_at_every_visit() -> None:
    every = places(pairs=20, alone=10)
    order = walked(every, "1/1")
    assert sorted(place.statement for place in order) == list(range(50))
    assert walked(every[::-1], "1/1") == order
    assert walked(every, "1/2") != order


def test_the_sides_of_a_pair_never_follow_one_another() -> None:
    for seed in map(str, range(60)):
        for every in (places(pairs=2), places(pairs=12, alone=3), places(pairs=4, statements=3)):
            order = walked(every, seed)
            for one, other in pairwise(order):
                assert one.pair is None or one.pair != other.pair or one.case == other.case


def test_a_last_pair_alone_is_served_all_the_same() -> None:
    assert len(walked(places(pairs=1), "1/1")) == 2


def test_which_side_comes_first_is_drawn_and_not_the_file_s() -> None:
    order = walked(places(pairs=200), "1/1")
    firsts = {place.pair: place.case for place in reversed(order)}
    even = sum(case % 2 == 0 for case in firsts.values())
    # Of 200 fair draws: six standard deviations are 42.
    assert 58 < even < 142


def test_neighbours_in_the_file_are_not_neighbours_in_the_order() -> None:
    order = [place.statement for place in walked(places(pairs=0, alone=400), "1/1")]
    close = sum(abs(one - other) == 1 for one, other in pairwise(order))
    # Expected in a random order: 2 of 400 pairs of neighbours.
    assert close < 20
