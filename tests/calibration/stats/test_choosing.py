import inspect
import itertools
import random
from collections import Counter
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.stats import choosing
from calibration.stats.choosing import Candidate, next_statements, regression_suite

CELLS = "abcd"
POOLS = st.lists(st.lists(st.sampled_from(CELLS), min_size=1, max_size=2), max_size=14).map(
    lambda drawn: [Candidate(f"s{at}", cells, at // 2) for at, cells in enumerate(drawn)]
)


def pool(counts):
    """That many candidates in each cell, each alone."""
    return [
        Candidate(f"{cell}{at}", [cell]) for cell, count in counts.items() for at in range(count)
    ]


def cells_of(names):
    return Counter(name[0] for name in names)


# ---- statements


def test_needs_are_met_and_not_exceeded():
    chosen = next_statements(pool({"a": 50, "b": 50}), {"a": 7, "b": 3}, limit=100, seed=1)
    assert cells_of(chosen) == {"a": 7, "b": 3}


def test_the_cell_with_the_greatest_share_of_its_need_unmet_comes_first():
    chosen = next_statements(pool({"a": 50, "b": 50}), {"a": 30, "b": 10}, limit=8, seed=1)
    # a, b, then a until it is as near to its need as b: three of a for each of b.
    assert cells_of(chosen) == {"a": 6, "b": 2}
    assert chosen[0][0] == "a"


def test_a_cell_without_candidates_keeps_nobody_waiting():
    chosen = next_statements(pool({"a": 2, "b": 9}), {"a": 5, "b": 4, "z": 9}, limit=50, seed=1)
    assert cells_of(chosen) == {"a": 2, "b": 4}


def test_a_statement_counts_towards_all_of_its_cells():
    both = [Candidate(f"s{at}", ["a", "b"]) for at in range(9)]
    assert len(next_statements(both, {"a": 4, "b": 3}, limit=9, seed=1)) == 4


def test_a_second_statement_of_a_cluster_comes_after_the_first_of_every_other():
    clustered = [Candidate(f"s{at}", ["a"], at // 3) for at in range(30)]
    chosen = next_statements(clustered, {"a": 25}, limit=25, seed=4)
    clusters = [int(name[1:]) // 3 for name in chosen]
    assert sorted(clusters[:10]) == sorted(clusters[10:20]) == list(range(10))


def test_clusters_are_fresh_across_cells_too():
    pairs = [Candidate(f"{cell}{at}", [cell], at) for at in range(6) for cell in "ab"]
    chosen = next_statements(pairs, {"a": 3, "b": 3}, limit=6, seed=2)
    assert len({name[1:] for name in chosen}) == 6


def test_the_seed_decides_among_equals_and_the_order_given_does_not():
    candidates = pool({"a": 40, "b": 40})
    asked = {"more": {"a": 9, "b": 5}, "limit": 12}
    once = next_statements(candidates, seed=1, **asked)
    shuffled = random.Random(0).sample(candidates, len(candidates))
    assert next_statements(shuffled, seed=1, **asked) == once
    assert next_statements(candidates, seed=2, **asked) != once


@settings(deadline=None)
@given(POOLS, st.dictionaries(st.sampled_from(CELLS), st.integers(0, 5)), st.integers(0, 9))
def test_nothing_is_chosen_twice_or_for_nothing(candidates, more, limit):
    chosen = next_statements(candidates, more, limit=limit, seed=3)
    assert len(set(chosen)) == len(chosen) <= limit
    held = {each.name: each for each in candidates}
    unmet = Counter(more)
    for name in chosen:
        assert any(unmet[cell] > 0 for cell in held[name].cells)
        unmet.subtract(set(held[name].cells))
    if len(chosen) < limit:
        left = [each for each in candidates if each.name not in chosen]
        assert not any(unmet[cell] > 0 for each in left for cell in each.cells)


def test_no_choice_can_be_told_what_judges_said():
    for choose in (next_statements, regression_suite):
        names = {*inspect.signature(choose).parameters, *Candidate._fields}
        assert not any("judg" in name or "verdict" in name for name in names)


def test_ten_thousand_statements_are_chosen_from_in_no_time():
    rng = np.random.default_rng(0)
    many = [
        Candidate(f"s{at}", [CELLS[cell]], at // 2)
        for at, cell in enumerate(rng.integers(0, 4, 10_000))
    ]
    chosen = next_statements(many, dict.fromkeys(CELLS, 1000), limit=4000, seed=1)
    assert len(chosen) == 4000


# ---- a suite


def test_a_suite_is_balanced_over_cells_however_unequal_they_are():
    suite = regression_suite(pool({"a": 500, "b": 60, "c": 30}), size=60, seed=1)
    assert cells_of(suite) == {"a": 20, "b": 20, "c": 20}


def test_a_rare_cell_is_taken_whole_and_the_others_share_the_rest():
    suite = regression_suite(pool({"a": 500, "b": 60, "c": 4}), size=50, seed=1)
    assert cells_of(suite) == {"a": 23, "b": 23, "c": 4}


def test_a_pair_counts_in_the_cells_of_both_its_sides():
    across = [Candidate(f"x{at}", ["a", "b"]) for at in range(5)]
    suite = regression_suite([*pool({"a": 9, "b": 9}), *across], size=5, seed=1)
    assert sorted(suite) == [f"x{at}" for at in range(5)]


def test_a_suite_by_hand():
    # First a pair of two cells, gain 2; then c, gain 1, before √2 - 1 for another of a or b.
    pairs = [Candidate("ab", ["a", "b"]), Candidate("a", ["a"]), Candidate("c", ["c"])]
    assert regression_suite(pairs, size=3, seed=1) == ["ab", "c", "a"]
    # A cell that is named twice counts twice: √2.
    assert regression_suite([*pairs[1:], Candidate("cc", ["c", "c"])], size=1, seed=1) == ["cc"]


def test_a_smaller_suite_is_the_beginning_of_a_larger_one():
    pairs = pool({"a": 30, "b": 20, "c": 10})
    assert regression_suite(pairs, size=20, seed=5) == regression_suite(pairs, size=50, seed=5)[:20]
    assert len(regression_suite(pairs, size=99, seed=5)) == 60
    assert regression_suite(pairs, size=0, seed=5) == regression_suite([], seed=5) == []


def test_the_seed_decides_which_pairs_and_the_order_given_does_not():
    pairs = pool({"a": 200, "b": 200})
    suite = regression_suite(pairs, size=50, seed=1)
    shuffled = random.Random(0).sample(pairs, len(pairs))
    assert regression_suite(shuffled, size=50, seed=1) == suite
    assert set(regression_suite(pairs, size=50, seed=2)) != set(suite)


def worth(cells):
    return sum(sqrt(count) for count in Counter(itertools.chain(*cells)).values())


@settings(deadline=None, max_examples=60)
@given(POOLS, st.integers(1, 4))
def test_a_suite_is_greedy_step_by_step_and_never_far_from_the_best(candidates, size):
    suite = regression_suite(candidates, size=size, seed=1)
    held = {each.name: each.cells for each in candidates}
    assert len(suite) == min(size, len(candidates))
    taken = []
    for name in suite:
        best = max(worth([*taken, cells]) for other, cells in held.items()
                   if other not in suite[: len(taken)])  # fmt: skip
        taken.append(held[name])
        assert worth(taken) == pytest.approx(best, abs=1e-9)
    if len(suite) == size:
        best = max(worth(chosen) for chosen in itertools.combinations(held.values(), size))
        assert worth(taken) >= (1 - 1 / np.e) * best - 1e-9


def test_a_name_that_comes_twice_is_refused():
    twice = [Candidate("s", ["a"]), Candidate("s", ["b"])]
    with pytest.raises(ValueError, match="named twice"):
        next_statements(twice, {"a": 1}, limit=1, seed=1)
    with pytest.raises(ValueError, match="named twice"):
        regression_suite(twice, seed=1)


def test_sizes_below_0_are_refused():
    with pytest.raises(ValueError, match="at most"):
        next_statements([], {"a": -1}, limit=1, seed=1)
    with pytest.raises(ValueError, match="at most"):
        next_statements([], {}, limit=-1, seed=1)
    with pytest.raises(ValueError, match="a suite of -1"):
        regression_suite([], size=-1, seed=1)


def test_the_size_proposed_is_between_fifty_and_a_hundred():
    assert 50 <= choosing.SUITE <= 100
    assert len(regression_suite(pool({"a": 300}), seed=1)) == choosing.SUITE
