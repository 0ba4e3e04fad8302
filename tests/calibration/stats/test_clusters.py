import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.stats.bootstrap import sum_interval
from calibration.stats.clusters import (
    GROUPS,
    HALF_EVENT,
    design_effect,
    effective_n,
    kish_n,
    random_groups,
    spread,
)
from calibration.stats.paired import clustered_standard_error
from calibration.stats.rates import clustered_rate, clustered_rates, rate, wilson

MARKED = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=40)


def test_the_effective_n_by_hand():
    # Pairs 11 00 10: mean 1/2, nσ² = 6/4, sums about it 1 -1 0: R = 3/2 · 5/6 · 2 = 5/2. m = 2:
    # design effect (5/2 + 2) / (3/2 + 1) = 9/5.
    hits, pairs = [1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"]
    assert effective_n(hits, pairs) == pytest.approx(10 / 3, abs=1e-12)
    assert design_effect(hits, pairs).value == pytest.approx(9 / 5, abs=1e-12)
    assert design_effect(hits, pairs).n == 6


def test_the_cluster_size_that_a_statement_sees_by_hand():
    # Clusters of 1 and 3, all right: m = (1 + 9) / 4, so 4 / 2.5 = (1 + 3)² / (1 + 9).
    assert effective_n([1, 1, 1, 1], [7, 8, 8, 8]) == pytest.approx(1.6, abs=1e-12)
    assert kish_n([1, 3]) == pytest.approx(1.6, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_without_shared_clusters_each_statement_counts_exactly_once(hits):
    assert effective_n(hits, range(len(hits))) == len(hits)
    clustered, plain = clustered_rate(hits, range(len(hits))), rate(sum(hits), len(hits))
    assert clustered.interval == pytest.approx(plain.interval, rel=1e-12)
    assert (clustered.count, clustered.n, clustered.rate) == (plain.count, plain.n, plain.rate)


def test_what_stands_and_falls_together_counts_little_more_than_once():
    # 50 pairs, 30 of them right: (R + 2) / (nσ² + 1) with R = 50/49 · 99/100 · 48 = 48.49 and
    # nσ² = 24.
    hits, pairs = np.repeat(np.arange(50) < 30, 2), np.repeat(np.arange(50), 2)
    expected = 100 / ((50 / 49 * 99 / 100 * 48 + 2) / (24 + 1))
    assert effective_n(hits, pairs) == pytest.approx(expected, rel=1e-12)
    assert expected == pytest.approx(49.5, abs=0.1)


def test_pairs_that_differ_less_than_chance_buy_no_certainty():
    hits, pairs = np.tile([1, 0], 50), np.repeat(np.arange(50), 2)
    assert effective_n(hits, pairs) == 100


def test_one_cluster_counts_as_one_statement():
    assert effective_n([1, 0, 1, 1], ["a"] * 4) == 1.0


def test_nothing_is_worth_nothing_and_has_no_design_effect():
    assert effective_n([], []) == 0.0
    assert kish_n([]) == 0.0
    undefined = design_effect([], [])
    assert (undefined.value, undefined.n, undefined.reason) == (None, 0, "no statements")
    nothing = clustered_rate([], [], reason="none was compared")
    assert (nothing.rate, nothing.interval, nothing.reason) == (None, None, "none was compared")


def test_the_effective_n_moves_without_a_jump_from_none_to_some():
    # 200 pairs; none, one, two of them wrong as a whole: all near 200, where the ratio without
    # half an event would say 0/0, 200, 200.
    pairs = np.repeat(np.arange(200), 2)
    worth = [effective_n(np.repeat(np.arange(200) >= wrong, 2), pairs) for wrong in range(3)]
    assert worth == pytest.approx([200] * 3, rel=0.005)
    # One statement wrong alone: half an event as a whole beside one alone, (1 + 2) / (1 + 1).
    assert effective_n(np.arange(400) > 0, pairs) == pytest.approx(400 / 1.5, rel=0.005)


@settings(deadline=None)
@given(MARKED, st.randoms(use_true_random=False))
def test_the_effective_n_is_positive_at_most_n_and_knows_no_order(rows, random):
    hits, clusters = zip(*rows, strict=True)
    worth = effective_n(hits, clusters)
    assert 0 < worth <= len(rows)
    shuffled = random.sample(rows, len(rows))
    assert effective_n(*zip(*shuffled, strict=True)) == worth
    misses = [not hit for hit in hits]
    assert effective_n(misses, clusters) == pytest.approx(worth, rel=1e-9)


@settings(deadline=None)
@given(MARKED)
def test_a_rates_interval_on_its_effective_n_holds_the_rate(rows):
    hits, clusters = zip(*rows, strict=True)
    found = clustered_rate(hits, clusters)
    assert (found.count, found.n) == (sum(hits), len(hits))
    low, high = found.interval
    plain_low, plain_high = wilson(sum(hits), len(hits))
    assert low <= found.rate <= high
    assert high - low >= plain_high - plain_low - 1e-12


@settings(deadline=None)
@given(MARKED, st.integers(0, 2**31))
def test_groups_are_rated_as_each_would_be_alone(rows, seed):
    hits, clusters = (np.array(column) for column in zip(*rows, strict=True))
    groups = np.random.default_rng(seed).integers(0, 4, len(rows))
    together = clustered_rates(hits, clusters, groups, 4)
    for group, found in enumerate(together):
        alone = clustered_rate(hits[groups == group], clusters[groups == group])
        assert (found.count, found.n, found.rate) == (alone.count, alone.n, alone.rate)
        assert found.interval == (alone.interval and pytest.approx(alone.interval, abs=1e-9))


@pytest.mark.parametrize("seed", range(3))
def test_the_variance_of_a_mean_is_the_clustered_one_with_half_an_event_added(seed):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 12, 80)
    y = rng.random(80) < rng.random(12)[clusters]
    found, seen = spread(y, clusters, None, 1), np.square(np.bincount(clusters)).sum() / 80
    squared = clustered_standard_error(y, clusters).value ** 2 * 79 / 80
    expected = squared + HALF_EVENT * seen**2 / 80**2
    assert found.variances[0] == pytest.approx(expected, rel=1e-9)


def test_differences_of_two_judges_have_an_effective_n_as_well():
    # Pairs +1 +1, -1 0, 0 0: mean 1/6, nσ² = 3 - 1/6, R = 3/2 · 5/6 · ((5/3)² + (4/3)² + 1/9).
    worth = effective_n([1, 1, -1, 0, 0, 0], [1, 1, 2, 2, 3, 3])
    expected = 6 / ((1.25 * 42 / 9 + 2) / (17 / 6 + 1))
    assert worth == pytest.approx(expected, rel=1e-12)


@settings(deadline=None)
@given(MARKED, st.integers(0, 2**31))
def test_what_clusters_are_called_changes_nothing(rows, seed):
    # Close numbers are counted in place; far numbers, words and many groups are sorted.
    hits, clusters = (np.array(column) for column in zip(*rows, strict=True))
    groups = np.random.default_rng(seed).integers(0, 3, len(rows))
    expected = clustered_rates(hits, clusters, groups, 3)
    for names in (clusters * 10**12 - 5, clusters - 3, [f"case {each}" for each in clusters]):
        assert clustered_rates(hits, names, groups, 3) == expected
    assert clustered_rates(hits, clusters, groups * 900, 2700)[::900] == expected


def test_clusters_of_another_length_are_refused():
    for refused in (effective_n, design_effect, clustered_rate):
        with pytest.raises(ValueError, match="clusters of shape"):
            refused([1, 0], ["a"])
    with pytest.raises(ValueError, match="clusters of shape"):
        clustered_rates([1, 0], [1, 2], [0], 1)
    with pytest.raises(ValueError, match=r"outside 0\.\.1"):
        clustered_rates([1, 0], [1, 2], [0, 2], 2)


@pytest.mark.parametrize("worth", [0, -1, 11])
def test_a_rate_refuses_an_effective_n_beyond_its_n(worth):
    with pytest.raises(ValueError, match="never worth"):
        rate(3, 10, effective_n=worth)


# ---- random groups


def test_few_clusters_are_left_as_they_are():
    sums = np.arange(12.0).reshape(6, 2)
    assert np.array_equal(random_groups(sums, 1), sums)


def test_many_clusters_become_groups_of_as_many_each_in_whatever_order_they_came():
    rng = np.random.default_rng(0)
    sums = np.column_stack([rng.random(1000), np.ones(1000)])
    grouped = random_groups(sums, 3, groups=64)
    assert grouped.shape == (64, 2)
    assert grouped.sum(axis=0) == pytest.approx(sums.sum(axis=0))
    assert set(grouped[:, 1]) == {15.0, 16.0}
    assert np.array_equal(grouped, random_groups(sums[::-1], 3, groups=64))
    assert not np.array_equal(grouped, random_groups(sums, 4, groups=64))


def test_resampling_groups_is_as_sure_as_the_clusters_are():
    """Of 40,000 independent values the mean is sure to 1.96 standard errors."""
    values = np.random.default_rng(1).random(40_000)
    sums = random_groups(np.column_stack([values, np.ones_like(values)]), 1)
    assert len(sums) == GROUPS
    low, high = sum_interval(sums, lambda total: total[:, 0] / total[:, 1], 1)
    assert low < values.mean() < high
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / 200, rel=0.06)


@pytest.mark.parametrize(("sums", "groups"), [([1.0, 2.0], 4), ([[1.0]], 0)])
def test_what_cannot_be_grouped_is_refused(sums, groups):
    with pytest.raises(ValueError, match="groups of an array"):
        random_groups(sums, 1, groups)
