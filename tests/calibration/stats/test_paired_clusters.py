import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from calibration.stats.paired import mcnemar_exact, newcombe_paired, paired_difference
from calibration.stats.paired_clusters import ALIKE, clustered_difference, sign_flip

ALTERNATIVES = ["two-sided", "greater", "less"]
ROWS = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 6)), max_size=24)


def columns(rows):
    return [np.array(column) for column in zip(*rows, strict=True)] if rows else [[], [], []]


def flipped_by_force(first, second, clusters, alternative):
    """Go through all ways to exchange the two judges, cluster by cluster."""
    excess = [
        sum(int(a) - int(b) for a, b, c in zip(first, second, clusters, strict=True) if c == name)
        for name in dict.fromkeys(clusters)
    ]
    sums = [
        sum(sign * each for sign, each in zip(signs, excess, strict=True))
        for signs in itertools.product((1, -1), repeat=len(excess))
    ]
    seen = sum(excess)
    greater = sum(each >= seen for each in sums) / len(sums)
    less = sum(each <= seen for each in sums) / len(sums)
    both = min(1.0, 2 * min(greater, less))
    return {"greater": greater, "less": less, "two-sided": both}[alternative]


def test_the_sign_flip_by_hand():
    # Excess +2, +1, -1: of the eight sums ±2 ±1 ±1 those of at least 2 are 4, 2 and 2.
    first, second = [1, 1, 1, 0, 1, 1], [0, 0, 0, 1, 1, 1]
    found = sign_flip(first, second, [1, 1, 2, 3, 4, 5], alternative="greater")
    assert (found.p, found.n) == (pytest.approx(3 / 8, abs=1e-15), 4)


@settings(deadline=None)
@given(ROWS, st.sampled_from(ALTERNATIVES))
def test_the_sign_flip_is_what_all_flips_say(rows, alternative):
    first, second, clusters = columns(rows)
    found = sign_flip(first, second, clusters, alternative=alternative)
    if found.p is None:
        assert (found.n, found.reason) == (0, ALIKE)
    else:
        expected = flipped_by_force(first, second, clusters, alternative)
        assert found.p == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("b", "c"), [(5, 1), (1, 5), (41, 3), (10, 10), (1, 0), (300, 250)])
def test_the_sign_flip_of_single_statements_is_mcnemars_test(b, c, alternative):
    first = np.repeat([1, 0, 1, 0], [b, c, 7, 4])
    second = np.repeat([0, 1, 1, 0], [b, c, 7, 4])
    found = sign_flip(first, second, np.arange(first.size), alternative=alternative)
    expected = mcnemar_exact(b, c, alternative=alternative)
    assert (found.p, found.n) == (pytest.approx(expected.p, rel=1e-9), expected.n)


def test_a_pair_that_turned_as_a_whole_is_one_piece_of_evidence():
    # Five pairs newly lenient on both sides, none the other way: 1/2^5, not 1/2^10.
    later, earlier, pairs = np.ones(10), np.zeros(10), np.repeat(np.arange(5), 2)
    assert sign_flip(later, earlier, pairs, alternative="greater").p == pytest.approx(1 / 32)
    assert mcnemar_exact(10, 0, alternative="greater").p == pytest.approx(1 / 1024)


def test_flips_that_cancel_in_their_cluster_tell_nothing():
    found = sign_flip([1, 0], [0, 1], ["a", "a"], alternative="two-sided")
    assert (found.p, found.n, found.reason) == (None, 0, ALIKE)


def test_ten_thousand_clusters_of_many_sizes_are_worked_out_exactly():
    rng = np.random.default_rng(0)
    clusters = rng.integers(0, 10_000, 40_000)
    first, second = rng.random(40_000) < 0.31, rng.random(40_000) < 0.30
    found = sign_flip(first, second, clusters, alternative="greater").p
    # Near the normal of the same variance, Σ d², with its half step of continuity.
    excess = np.bincount(clusters, first.astype(int) - second.astype(int))
    expected = norm.sf((excess.sum() - 1) / np.sqrt(np.square(excess).sum()))
    assert found == pytest.approx(expected, abs=2e-3)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_the_difference_of_single_statements_is_newcombes(rows):
    first, second = columns(rows)
    cells = [
        int(np.count_nonzero(cell))
        for cell in (first & second, first & ~second, second & ~first, ~first & ~second)
    ]
    assert clustered_difference(first, second, range(len(rows))) == paired_difference(*cells)


def test_the_difference_of_doubled_statements_is_about_newcombes_of_half_as_many():
    # 100 pairs: 60 right under both, 25 under the first, 5 under the second, 10 under neither.
    first, second = np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], [60, 25, 5, 10], axis=1)
    doubled = clustered_difference(
        np.repeat(first, 2), np.repeat(second, 2), np.repeat(np.arange(100), 2)
    )
    assert (doubled.value, doubled.n) == (0.2, 200)
    assert doubled.interval == pytest.approx(newcombe_paired(60, 25, 5, 10), abs=0.005)


def test_no_difference_at_all_is_as_sure_as_its_clusters():
    first = np.repeat([1, 0], [40, 20])
    found = clustered_difference(first, first, np.repeat(np.arange(30), 2))
    assert found.value == 0.0
    assert found.interval == pytest.approx(newcombe_paired(20, 0, 0, 10), abs=1e-9)


@settings(deadline=None)
@given(ROWS)
def test_the_difference_lies_in_its_interval_and_turns_with_the_sides(rows):
    first, second, clusters = columns(rows)
    found = clustered_difference(first, second, clusters)
    if found.value is None:
        assert (rows, found.n, found.reason) == ([], 0, "no statements in common")
        return
    low, high = found.interval
    assert -1 <= low <= found.value <= high <= 1
    turned = clustered_difference(second, first, clusters).interval
    assert turned == pytest.approx((-high, -low), abs=1e-9)


def test_sides_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="places of clusters"):
        sign_flip([1, 0], [1, 0], ["a"], alternative="greater")
    with pytest.raises(ValueError, match="places of clusters"):
        clustered_difference([1, 0], [1], ["a", "b"])
