"""What intervals hold, measured: 95% of the true values, averaged over them, within 1.5 points at
n = 1,000 and 3 points at n = 100, for statements that are independent and for pairs that nearly
always stand and fall together. And the tests of a difference: they reject no more often than they
say where there is none.

All draws are seeded, so that the figures are the same on every machine.
"""

from itertools import product

import numpy as np
import pytest

from calibration.stats.alpha import alpha
from calibration.stats.bootstrap import cluster_intervals
from calibration.stats.clusters import spread
from calibration.stats.coefficients import ac1, cohen_kappa, matthews
from calibration.stats.confusion import cluster_confusions, f1_scores
from calibration.stats.paired import mcnemar_exact
from calibration.stats.paired_clusters import clustered_difference, sign_flip
from calibration.stats.production import CONTRADICTED, Production, corrected_share
from calibration.stats.rates import clustered_rate, rate, wilson
from calibration.stats.severity import severity
from tests.calibration.stats.synthetic import clustered, clusters, paired_sides

pytestmark = pytest.mark.slow

TOLERANCE = {100: 0.03, 1000: 0.015}
SAMPLES = pytest.mark.parametrize(
    ("size", "together"),
    [
        pytest.param(1, 0.0, id="independent"),
        pytest.param(2, 0.0, id="pairs, independent"),
        pytest.param(2, 0.9, id="pairs, strongly correlated"),
    ],
)
SHARES = np.linspace(0.05, 0.95, 19)


def held(interval, truth):
    return interval[0] - 1e-12 <= truth <= interval[1] + 1e-12


def share_held(found, share):
    """A share that is said to contradict the labels, though it was drawn to fit, is a miss too;
    None where nothing could be said."""
    if found.value is None:
        return False if found.reason == CONTRADICTED else None
    return held(found.interval, share)


def assert_holds(hits, n):
    assert np.mean(hits) == pytest.approx(0.95, abs=TOLERANCE[n])


@SAMPLES
@pytest.mark.parametrize("n", [100, 1000])
def test_a_rates_interval_holds_the_rate(n, size, together):
    rng, hits = np.random.default_rng(1), []
    for share in SHARES:
        for _ in range(200):
            right = clustered(rng, n, size, together, [1 - share, share])
            hits.append(held(clustered_rate(right, clusters(n, size)).interval, share))
    assert_holds(hits, n)


@pytest.mark.parametrize("together", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(("cases", "n"), [(25, 100), (250, 1000)])
def test_a_rates_interval_holds_the_rate_in_cases_of_many_statements(cases, n, together):
    # Cases of up to five statements, four on average.
    rng, hits = np.random.default_rng(2), []
    names = clusters(cases * 5, 5)
    for share in SHARES:
        for _ in range(300):
            right = clustered(rng, cases * 5, 5, together, [1 - share, share])
            kept = rng.random(cases * 5) < 0.8
            hits.append(held(clustered_rate(right[kept], names[kept]).interval, share))
    assert_holds(hits, n)


def test_taking_pairs_as_independent_would_not_hold():
    # The control: what `clustered_rate` is there for.
    rng, hits = np.random.default_rng(1), []
    for share in SHARES:
        for _ in range(100):
            right = clustered(rng, 1000, 2, 0.9, [1 - share, share])
            hits.append(held(rate(int(right.sum()), 1000).interval, share))
    assert np.mean(hits) < 0.88


def judged_cells(share, sensitivity=0.93, specificity=0.87):
    """Shares of the four cells, reference by judge, and the coefficients of the table."""
    table = np.array(
        [
            [share * sensitivity, share * (1 - sensitivity)],
            [(1 - share) * (1 - specificity), (1 - share) * specificity],
        ]
    )
    return table.ravel(), [float(of(table * 1e9)) for of in (cohen_kappa, ac1, matthews)]


@SAMPLES
@pytest.mark.parametrize("n", [100, 1000])
def test_the_intervals_of_coefficients_hold_them(n, size, together):
    rng, hits, missing = np.random.default_rng(3), [[], [], []], 0
    for share in np.linspace(0.1, 0.9, 9):
        cells, truths = judged_cells(share)
        for seed in range(150):
            drawn = clustered(rng, n, size, together, cells)
            tables = cluster_confusions(drawn // 2, drawn % 2, clusters(n, size), 2)
            found = cluster_intervals(tables, [cohen_kappa, ac1, matthews], seed, 1000)
            missing += sum(interval is None for interval in found)
            for hit, interval, truth in zip(hits, found, truths, strict=True):
                if interval is not None:
                    hit.append(held(interval, truth))
    for hit in hits:
        assert_holds(hit, n)
    assert missing < 0.03 * 3 * 9 * 150


@SAMPLES
@pytest.mark.parametrize("n", [100, 1000])
def test_the_interval_of_f1_holds_it(n, size, together):
    rng, hits = np.random.default_rng(11), []
    for share in np.linspace(0.1, 0.9, 9):
        cells, _ = judged_cells(share)
        truth = 2 * cells[0] / (2 * cells[0] + cells[1] + cells[2])
        for _ in range(250):
            drawn = clustered(rng, n, size, together, cells)
            found = f1_scores(drawn // 2, drawn % 2, clusters(n, size), 2)[0]
            if found.interval is not None:
                hits.append(held(found.interval, truth))
    assert_holds(hits, n)


@SAMPLES
@pytest.mark.parametrize("n", [100, 1000])
def test_the_interval_of_weighted_leniency_holds_it(n, size, together):
    # Of the failing statements .6 are unsupported, a fifth of them passed, at a cost of 1; .4 are
    # contradictory, a tenth of them passed, at a cost of 3.
    weights, truth = [[0, 1, 1], [1, 0, 1], [3, 1, 0]], 0.6 * 0.2 + 0.4 * 0.1 * 3
    cells = np.array([0, 0, 0, 0.12, 0.48, 0, 0.04, 0, 0.36])
    rng, hits = np.random.default_rng(12), []
    for _ in range(2000):
        drawn = clustered(rng, n, size, together, cells)
        sides = drawn // 3, drawn % 3, clusters(n, size)
        found = severity(*sides, weights, reference=[1, 2], judged=[0])
        hits.append(held(found.interval, truth))
    assert_holds(hits, n)


def votes_of_three(share, right):
    """Chances of 0 to 3 votes for the first of two categories, and alpha. A unit is of that
    category with chance `share`, and each of three raters says what it is with chance `right`.

    Two raters differ with chance 2 right (1 - right), and would by chance with 2 q (1 - q) where a
    vote is for the first with chance q.
    """
    votes = np.arange(4)
    pattern = np.array([1, 3, 3, 1]) * right**votes * (1 - right) ** (3 - votes)
    q = share * right + (1 - share) * (1 - right)
    alpha_of_all = 1 - right * (1 - right) / (q * (1 - q))
    return share * pattern + (1 - share) * pattern[::-1], alpha_of_all


@SAMPLES
@pytest.mark.parametrize("n", [100, 1000])
def test_the_interval_of_alpha_holds_it(n, size, together):
    # Twelve alphas from .11 to .81, of 300 draws each: a standard error of .004.
    rng, hits, names = np.random.default_rng(4), [], clusters(n, size)
    for right, share in product((0.7, 0.8, 0.9, 0.95), (0.2, 0.5, 0.7)):
        shares, truth = votes_of_three(share, right)
        for seed in range(300):
            votes = clustered(rng, n, size, together, shares)
            counts = np.stack([votes, 3 - votes], axis=1)
            found = alpha(counts, seed=seed, clusters=names, replicates=1000)
            hits.append(held(found.interval, truth))
    assert_holds(hits, n)


@pytest.mark.parametrize("together", [0.0, 0.95], ids=["independent", "strongly correlated"])
@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.9, 0.8), (0.97, 0.93)])
def test_rogan_gladens_interval_holds_the_share_behind_pairs(n, together, sensitivity, specificity):
    rng, hits = np.random.default_rng(5), []
    for share in SHARES:
        apparent = share * sensitivity + (1 - share) * (1 - specificity)
        for _ in range(60):
            labels, judged = paired_sides(rng, n // 2, together, sensitivity, specificity)
            production = Production(int(rng.binomial(5 * n, apparent)), 5 * n)
            found = corrected_share(production, labels, judged, clusters(n, 2)).rogan_gladen
            hits.append(share_held(found, share))
    assert_holds(hits, n)


@SAMPLES
@pytest.mark.parametrize("n", [100, 1000])
def test_corrected_shares_hold_the_share_where_labels_are_a_sample_of_traffic(n, size, together):
    rng, hits = np.random.default_rng(6), {"rogan_gladen": [], "prediction_powered": []}
    for share in SHARES:
        cells, _ = judged_cells(share)
        for _ in range(60):
            drawn = clustered(rng, n, size, together, cells)
            traffic = clustered(rng, 5 * n, size, together, cells) % 2 == 0
            worth = float(spread(traffic, clusters(5 * n, size), None, 1).effective[0])
            found = corrected_share(
                Production(int(traffic.sum()), traffic.size, worth),
                drawn // 2 == 0,
                drawn % 2 == 0,
                clusters(n, size),
            )
            for name, hit in hits.items():
                hit.append(share_held(getattr(found, name), share))
    for hit in hits.values():
        assert_holds([one for one in hit if one is not None], n)


def versions(rng, n, size, together, change=0.0):
    """Whether each of two versions is lenient, of failing statements: each is with chance .3, and
    they differ in a fifth of the draws; with a change, the first more often by twice that."""
    shares = [0.2, 0.1 - change, 0.1 + change, 0.6]
    drawn = clustered(rng, n, size, together, shares)
    return drawn % 2 == 0, drawn // 2 == 0  # 0 both, 1 second alone, 2 first alone, 3 neither


@SAMPLES
@pytest.mark.parametrize("n", [100, 1000])
def test_the_interval_of_a_paired_difference_holds_it(n, size, together):
    rng, hits = np.random.default_rng(7), []
    for change in np.linspace(-0.09, 0.09, 10):
        for _ in range(250):
            first, second = versions(rng, n, size, together, change)
            found = clustered_difference(first, second, clusters(n, size))
            hits.append(held(found.interval, 2 * change))
    assert_holds(hits, n)


@SAMPLES
@pytest.mark.parametrize("n", [100, 1000])
def test_the_one_sided_test_of_leniency_holds_its_level(n, size, together):
    rng, p = np.random.default_rng(8), []
    for _ in range(3000):
        first, second = versions(rng, n, size, together)
        found = sign_flip(second, first, clusters(n, size), alternative="greater").p
        p.append(1.0 if found is None else found)
    # 3,000 draws at .05 have a standard error of .004.
    for level in (0.01, 0.05, 0.1):
        assert np.mean(np.array(p) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 3000)
    # It is no dead test either: exact ones stay below their level, but not far.
    assert np.mean(np.array(p) <= 0.05) > 0.02


def test_mcnemars_test_would_not_hold_its_level_on_such_pairs():
    # The control: what `sign_flip` is there for.
    rng, p = np.random.default_rng(8), []
    for _ in range(2000):
        first, second = versions(rng, 1000, 2, 0.9)
        more, fewer = (second & ~first).sum(), (first & ~second).sum()
        p.append(mcnemar_exact(int(more), int(fewer), alternative="greater").p)
    assert np.mean(np.array(p) <= 0.05) > 0.08


def test_the_one_sided_test_of_leniency_finds_what_is_there():
    rng, found = np.random.default_rng(9), []
    for _ in range(300):
        first, second = versions(rng, 1000, 2, 0.9, change=-0.05)
        found.append(sign_flip(second, first, clusters(1000, 2), alternative="greater").p <= 0.05)
    assert np.mean(found) > 0.95


def test_wilsons_interval_alone_holds_as_published():
    # Brown, Cai and DasGupta (2001), Statistical Science 16:101: near .95 on average over p.
    p = (np.arange(1000) + 0.5) / 1000
    draws = np.random.default_rng(10).binomial(100, p, size=(400, 1000))
    limits = np.array([wilson(count, 100) for count in range(101)])
    low, high = limits[draws].transpose(2, 0, 1)
    assert np.mean((low <= p) & (p <= high)) == pytest.approx(0.952, abs=0.004)
