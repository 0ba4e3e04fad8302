import timeit

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.stats import bootstrap
from calibration.stats.bootstrap import (
    cluster_interval,
    cluster_intervals,
    cluster_sums,
    sum_interval,
    sum_intervals,
)
from calibration.stats.coefficients import ac1, cohen_kappa, matthews
from calibration.stats.confusion import cluster_confusions


def share_agreed(tables):
    return np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))


def statements(n, *, k=3, agree=0.7, seed=0):
    """Return codes of a reference and of a judge who repeats it in a share of the statements."""
    rng = np.random.default_rng(seed)
    rows = rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    return rows, np.where(rng.random(n) < agree, rows, rng.integers(0, k, n))


def clustered(n, size, **how):
    """Return the tables of clusters of a size; a few distinct ones if it is 1, many if it is 10."""
    rows, cols = statements(n, **how)
    return cluster_confusions(rows, cols, np.arange(n) // size, how.get("k", 3))


def scipys_interval(clusters, statistic, seed, replicates):
    """Draw cluster by cluster and let scipy take its BCa: what the grouping must amount to."""
    k = round(clusters.shape[1] ** 0.5)

    def of_draws(drawn, axis=-1):
        sums = clusters[drawn].sum(axis=-2)
        return statistic(sums.reshape(*sums.shape[:-1], k, k))

    found = scipy.stats.bootstrap(
        (np.arange(len(clusters)),), of_draws, n_resamples=replicates, batch=200, rng=seed
    )
    return tuple(found.confidence_interval)


@pytest.mark.parametrize("statistic", [cohen_kappa, ac1, matthews])
@pytest.mark.parametrize("size", [1, 3, 10])
def test_the_interval_of_grouped_drawing_is_scipys_bca(statistic, size):
    clusters = clustered(600, size)
    grouped = cluster_interval(clusters, statistic, seed=1, replicates=8000)
    naive = scipys_interval(clusters, statistic, seed=2, replicates=8000)
    # A quantile of 8,000 draws with standard deviation near .03 has a standard error near .001,
    # and so has z0.
    assert grouped == pytest.approx(naive, abs=0.006)


def test_bca_corrects_what_plain_percentiles_get_wrong():
    # Forty clusters, two of which disagree: the percentiles of kappa lie too high, since it varies
    # the more the lower it is.
    clusters = np.repeat([[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]], [25, 13, 2], axis=0)
    low, high = cluster_interval(clusters, cohen_kappa, 1, replicates=20_000)
    assert (low, high) == pytest.approx(
        scipys_interval(clusters, cohen_kappa, 2, replicates=20_000), abs=0.02
    )
    draws = np.random.default_rng(3).multinomial(40, [25 / 40, 13 / 40, 2 / 40], size=20_000)
    values = cohen_kappa((draws @ clusters[[0, 25, 38]]).reshape(-1, 2, 2))
    plain_low, plain_high = np.nanquantile(values, [0.025, 0.975])
    assert low < plain_low - 0.03
    assert high <= plain_high


def test_both_ways_of_drawing_are_the_same_multinomial():
    # Ten patterns of 1,000 clusters go through a multinomial, of 60 clusters through an index.
    rng = np.random.default_rng(8)
    for multiplicities in (np.arange(10) * 20 + 10, np.arange(10) + 1):
        n, shares = multiplicities.sum(), multiplicities / multiplicities.sum()
        draws = bootstrap._draw(multiplicities, rng, 20_000)
        assert (draws.sum(axis=1) == n).all()
        covariance = n * (np.diag(shares) - np.outer(shares, shares))
        # A mean is within five of its standard errors √(np(1 - p) / 20,000).
        error = 5 * np.sqrt(np.diag(covariance) / 20_000)
        assert (np.abs(draws.mean(axis=0) - n * shares) < error).all()
        np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.06 * covariance.max())


def test_the_interval_of_a_plain_share_is_the_binomial_one():
    # 800 of 1,000 independent statements: 0.8 ± 1.96 √(.8·.2 / 1,000) = 0.8 ± 0.0248.
    clusters = np.repeat([[1, 0, 0, 0], [0, 1, 0, 0]], [800, 200], axis=0)
    interval = cluster_interval(clusters, share_agreed, seed=4, replicates=20_000)
    assert interval == pytest.approx((0.7752, 0.8248), abs=0.0015)


def test_statements_that_stand_and_fall_together_count_once():
    # Each of 200 statements nine times over, in clusters of nine: no more certain than 200.
    rows, cols = statements(200)
    single = cluster_confusions(rows, cols, np.arange(200), 3)
    assert cluster_interval(9 * single, cohen_kappa, 3) == pytest.approx(
        cluster_interval(single, cohen_kappa, 3), abs=1e-12
    )
    loose = np.repeat(single, 9, axis=0)
    low, high = cluster_interval(single, cohen_kappa, 3)
    loose_low, loose_high = cluster_interval(loose, cohen_kappa, 3)
    assert (loose_high - loose_low) * 2.5 < high - low


@pytest.mark.parametrize("size", [1, 10])
def test_the_same_seed_gives_the_same_interval_and_another_seed_another(size):
    clusters = clustered(500, size)
    assert cluster_interval(clusters, cohen_kappa, 7) == cluster_interval(clusters, cohen_kappa, 7)
    assert cluster_interval(clusters, cohen_kappa, 7) != cluster_interval(clusters, cohen_kappa, 8)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 10]))
def test_the_order_of_the_clusters_is_irrelevant(seed, size):
    clusters = clustered(120, size)
    shuffled = np.random.default_rng(seed).permutation(clusters)
    interval = cluster_interval(clusters, ac1, 5, replicates=200)
    assert cluster_interval(shuffled, ac1, 5, replicates=200) == interval


@pytest.mark.parametrize("size", [1, 10])
def test_drawing_in_chunks_changes_nothing(monkeypatch, size):
    clusters = clustered(400, size)
    whole = cluster_interval(clusters, cohen_kappa, 6)
    monkeypatch.setattr(bootstrap, "_CHUNK", 300)
    assert cluster_interval(clusters, cohen_kappa, 6) == whole


def test_no_global_random_state_is_touched():
    np.random.seed(1)
    before = np.random.get_state()[1].tolist()
    cluster_interval(clustered(50, 1), cohen_kappa, 1)
    assert np.random.get_state()[1].tolist() == before


def test_a_higher_level_gives_a_wider_interval():
    clusters = clustered(300, 3)
    low90, high90 = cluster_interval(clusters, cohen_kappa, 1, level=0.9)
    low99, high99 = cluster_interval(clusters, cohen_kappa, 1, level=0.99)
    assert low99 < low90 < high90 < high99


def test_fewer_than_two_clusters_have_no_interval():
    assert cluster_interval([[3, 1, 0, 4]], cohen_kappa, 1) is None
    assert cluster_interval(np.zeros((0, 4)), cohen_kappa, 1) is None
    assert cluster_interval([[3, 1, 0, 4], [2, 1, 1, 4]], cohen_kappa, 1) is not None


def test_a_statistic_that_is_never_defined_has_no_interval():
    assert cluster_interval([[1, 0, 0, 0]] * 30, cohen_kappa, 1) is None


def test_a_statistic_that_is_often_undefined_has_no_interval():
    # One statement of five in the other category: (4/5)^5 = 33% of the replicates miss it.
    assert cluster_interval([[1, 0, 0, 0]] * 4 + [[0, 0, 1, 0]], cohen_kappa, 1) is None


def test_a_statistic_that_is_seldom_undefined_keeps_its_interval():
    # Three of thirty: (27/30)^30 = 4% of the replicates miss them.
    clusters = [[1, 0, 0, 0]] * 27 + [[0, 0, 0, 1]] * 2 + [[0, 0, 1, 0]]
    low, high = cluster_interval(clusters, cohen_kappa, 1)
    assert 0 <= low < high == 1


def test_perfect_agreement_is_no_more_certain_than_wilsons_interval_of_it():
    # Eighty clusters of one: Wilson's lower limit of 80 of 80 is 80 / (80 + z²) = .954182. By
    # chance 1/2 agrees: kappa (.954182 - .5) / .5 = .908364, and AC1 of even margins the same.
    perfect = [[1, 0, 0, 0], [0, 0, 0, 1]] * 40
    for statistic in (cohen_kappa, ac1, matthews):
        assert cluster_interval(perfect, statistic, 1) == (pytest.approx(0.908364, abs=1e-6), 1.0)
    assert cluster_interval(perfect, share_agreed, 1) == (pytest.approx(0.954182, abs=1e-6), 1.0)


def test_perfect_agreement_counts_its_clusters_not_its_statements():
    perfect = np.array([[1, 0, 0, 0], [0, 0, 0, 1]] * 40)
    assert cluster_interval(3 * perfect, ac1, 1) == cluster_interval(perfect, ac1, 1)
    # Forty clusters of one and forty of three: (160)² / 400 = 64 equal ones.
    uneven = cluster_interval(np.vstack([perfect[:40], 3 * perfect[40:]]), share_agreed, 1)
    assert uneven == (pytest.approx(64 / (64 + 3.841459), abs=1e-6), 1.0)


def test_two_perfect_clusters_reach_down_to_chance():
    # 18 and 2 of 20: by chance .82 agrees, while Wilson's lower limit of so few is below that.
    assert cluster_interval([[18, 0, 0, 0], [0, 0, 0, 2]], cohen_kappa, 1) == (0.0, 1.0)


def test_perfect_agreement_on_one_category_stays_without_interval():
    assert cluster_interval([[2, 0, 0, 0]] * 9, cohen_kappa, 1) is None


def ratio(sums):
    return sums[:, 0] / sums[:, 1]


def test_a_ratio_of_sums_gets_scipys_bca_too():
    rng = np.random.default_rng(9)
    sizes = rng.integers(1, 6, 60)
    sums = np.stack([rng.binomial(sizes, 0.8), sizes], axis=1)

    def of_draws(drawn, axis=-1):
        chosen = sums[drawn].sum(axis=-2)
        return chosen[..., 0] / chosen[..., 1]

    expected = scipy.stats.bootstrap(
        (np.arange(60),), of_draws, n_resamples=8000, batch=500, rng=2
    ).confidence_interval
    assert sum_interval(sums, ratio, 1, replicates=8000) == pytest.approx(expected, abs=0.004)


def test_several_statistics_of_one_draw_are_each_what_they_are_alone():
    sums = cluster_sums(np.random.default_rng(1).random((90, 2)), np.arange(90) // 3)
    both = sum_intervals(sums, [ratio, lambda s: s[:, 0]], 4)
    assert both == [sum_interval(sums, ratio, 4), sum_interval(sums, lambda s: s[:, 0], 4)]


def test_sums_of_one_value_are_a_point_and_of_one_cluster_have_no_interval():
    assert sum_interval([[2.0, 4.0]] * 5, ratio, 1) == (0.5, 0.5)
    assert sum_interval([[2.0, 4.0]], ratio, 1) is None
    with pytest.raises(ValueError, match="one row of sums a cluster"):
        sum_interval([1.0, 2.0], ratio, 1)


def test_sums_by_cluster_do_not_depend_on_the_order_of_observations():
    rng = np.random.default_rng(5)
    values, clusters, order = (
        rng.random((300, 2)) / 3,
        rng.integers(0, 20, 300),
        rng.permutation(300),
    )
    sums = cluster_sums(values, clusters)
    np.testing.assert_array_equal(cluster_sums(values[order], clusters[order]), sums)
    assert sums[7] == pytest.approx(values[clusters == 7].sum(axis=0))
    with pytest.raises(ValueError, match="clusters of shape"):
        cluster_sums(values, clusters[1:])


@pytest.mark.parametrize("counts", [[1, 2, 3, 4], [[1, 2, 3]], [[[1]]], np.zeros((3, 0))])
def test_what_is_not_a_table_a_cluster_is_refused(counts):
    with pytest.raises(ValueError, match="flattened square table"):
        cluster_interval(counts, cohen_kappa, 1)


@pytest.mark.parametrize("how", [{"replicates": 0}, {"level": 0}, {"level": 1}, {"level": 95}])
def test_replicates_and_level_out_of_range_are_refused(how):
    with pytest.raises(ValueError, match="replicates at level"):
        cluster_interval([[1, 0, 0, 1]] * 3, cohen_kappa, 1, **how)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 4, 10])
def test_two_thousand_replicates_of_100_000_statements_take_under_a_second(size):
    # On a busy or slow machine: no longer than ten times the drawing of 20 million numbers.
    rng, clusters = np.random.default_rng(0), clustered(100_000, size, k=4)
    yardstick = min(timeit.repeat(lambda: rng.random(20_000_000), number=1, repeat=3))
    times = timeit.repeat(
        lambda: cluster_intervals(clusters, [cohen_kappa, ac1], 1), number=1, repeat=3
    )
    assert min(times) < max(1, 10 * yardstick)
