import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.stats.corrected import (
    NO_INFORMATION,
    Validation,
    ppi_mean,
    rogan_gladen_estimated,
)
from calibration.stats.production import (
    CONTRADICTED,
    NONE_JUDGED,
    NONE_LABELLED,
    ONE_SIDE,
    UNBOUNDED,
    Production,
    corrected_share,
)
from calibration.stats.rates import rate, wilson
from tests.calibration.stats.synthetic import paired_sides

TRAFFIC = Production(680, 950)


def labelled(hits, positives, correct, negatives):
    """Labels and judgments with these hits of the supported and of the others."""
    labels = np.repeat([True, False], [positives, negatives])
    judged = np.repeat([True, False, False, True],
                       [hits, positives - hits, correct, negatives - correct])  # fmt: skip
    return labels, judged


def of(production, labels, judged, **how):
    return corrected_share(production, labels, judged, np.arange(len(labels)), **how)


def test_rogan_gladen_beside_the_raw_share_gives_a_published_value():
    # Cole and others (2023): 680 of 950, 203 of 241, 71 of 89: .8023, and .7249 to .8798 by the
    # sandwich, which with so many labels is near.
    found = of(TRAFFIC, *labelled(203, 241, 71, 89))
    assert found.rogan_gladen.value == pytest.approx(0.8023139646771528, abs=1e-12)
    assert found.rogan_gladen.n == 330
    assert found.rogan_gladen.interval == pytest.approx((0.7249, 0.8798), abs=0.01)
    assert found.raw == rate(680, 950)
    assert (found.sensitivity, found.specificity) == (rate(203, 241), rate(71, 89))


def test_the_interval_by_hand():
    # Production near endless: p = .6. Half a hit and half a miss: se = 9.5/11, sp = 8.5/11, with
    # variances se(1-se)/11 = .010710 and .015965. a = .6 - 2.5/11, b = 7/11:
    # (b² - z² .026675) θ² - 2 (ab - z² .015965) θ + a² - z² .015965 = 0.
    found = of(Production(6 * 10**8, 10**9), *labelled(9, 10, 8, 10)).rogan_gladen
    z2, se, sp = 1.959964**2, 9.5 / 11, 8.5 / 11
    a, b = 0.6 + sp - 1, se + sp - 1
    v1, v0 = se * (1 - se) / 11, sp * (1 - sp) / 11
    roots = np.roots([b * b - z2 * (v1 + v0), -2 * (a * b - z2 * v0), a * a - z2 * v0])
    assert found.interval == pytest.approx(sorted(np.clip(roots, 0, 1)), abs=1e-6)
    assert found.value == pytest.approx((0.6 - 0.2) / 0.7)


def test_with_many_labels_both_intervals_are_the_normal_ones():
    labels, judged = labelled(17_000, 20_000, 8_500, 10_000)
    production = Production(30_000, 50_000)
    found = of(production, labels, judged)
    plain = rogan_gladen_estimated(30_000, 50_000, Validation(17_000, 20_000, 8_500, 10_000))
    assert found.rogan_gladen.value == pytest.approx(plain.value)
    assert found.rogan_gladen.interval == pytest.approx(plain.interval, abs=2e-4)
    # λ = 1 is what the plain prediction-powered mean takes; tuned it is narrower.
    everyone = ppi_mean(labels, judged, np.arange(50_000) < 30_000)
    low, high = found.prediction_powered.interval
    assert high - low < everyone.interval[1] - everyone.interval[0]


def test_the_tuned_mean_by_hand():
    # y, f: 11 ×6, 10 ×1, 01 ×1, 00 ×2. Mean y .7, f .7, cov .6 - .49 = .11. Production 12 of 20:
    # pooled f 19/30, variance 209/900. λ = .11 / (1.5 · 209/900) = .66/2.09.
    labels = np.repeat([True, True, False, False], [6, 1, 1, 2])
    judged = np.repeat([True, False, True, False], [6, 1, 1, 2])
    found = of(Production(12, 20), labels, judged)
    tuning = 0.66 / 2.09
    assert found.tuning == pytest.approx(tuning)
    value = tuning * 0.6 + 0.7 - tuning * 0.7
    assert found.prediction_powered.value == pytest.approx(value)
    # Variance: λ² .6·.4/20 + (Σ(y - λf - mean)² + 1/2) / 10².
    errors = labels - tuning * judged
    variance = tuning**2 * 0.24 / 20 + (np.square(errors - errors.mean()).sum() + 0.5) / 100
    as_sure = value * (1 - value) / variance
    assert found.prediction_powered.interval == pytest.approx(wilson(value * as_sure, as_sure))


def test_the_tuning_is_that_of_least_variance():
    rng = np.random.default_rng(0)
    labels = rng.random(300) < 0.6
    judged = np.where(rng.random(300) < 0.85, labels, ~labels)
    found = of(Production(5200, 9000), labels, judged)
    grid = np.linspace(0, 1, 1001)
    spread = [
        tuning**2 * (0.5778 * 0.4222) / 9000 + np.var(labels - tuning * judged) / 300
        for tuning in grid
    ]
    assert found.tuning == pytest.approx(grid[np.argmin(spread)], abs=0.03)


def test_a_useless_judge_leaves_the_labels_alone():
    labels = np.repeat([True, False], [30, 10])
    found = of(Production(500, 1000), labels, np.ones(40, bool))
    assert found.prediction_powered.value == pytest.approx(0.75)
    assert found.prediction_powered.interval == pytest.approx(wilson(30, 40), abs=0.01)
    assert found.rogan_gladen.reason == NO_INFORMATION


def test_a_perfect_judge_is_not_taken_to_be_perfect():
    found = of(Production(6000, 10_000), *labelled(50, 50, 50, 50))
    raw = found.raw.interval
    for corrected in (found.rogan_gladen, found.prediction_powered):
        assert corrected.value == pytest.approx(0.6, abs=1e-9)
        assert corrected.interval[0] < raw[0] - 0.005
        assert corrected.interval[1] > raw[1] + 0.005


def test_a_share_that_contradicts_the_errors_within_chance_is_cut_and_the_uncut_one_stands_beside():
    # (.06 + .9 - 1) / .8 = -.05; by chance alone production could be any share up to .1 or so.
    found = of(Production(6, 100), *labelled(45, 50, 45, 50))
    assert found.rogan_gladen.value == 0.0
    assert found.rogan_gladen.interval[0] == 0.0
    uncut = found.uncut.rogan_gladen
    assert uncut.value == pytest.approx(-0.05)
    assert uncut.interval[0] < -0.05 < 0 < uncut.interval[1]
    assert found.rogan_gladen.interval[1] == uncut.interval[1]


@pytest.mark.parametrize(("passed", "value"), [(0, -0.125), (1000, 1.125)])
def test_a_share_that_no_chance_reconciles_with_the_errors_is_undefined(passed, value):
    # Among the labelled a tenth of the failing ones pass: of a thousand, never none.
    found = of(Production(passed, 1000), *labelled(180, 200, 180, 200))
    undefined = found.rogan_gladen
    assert (undefined.value, undefined.interval, undefined.n) == (None, None, 400)
    assert undefined.reason == CONTRADICTED
    uncut = found.uncut.rogan_gladen
    assert uncut.value == pytest.approx(value)
    assert uncut.interval[0] <= uncut.value <= uncut.interval[1]
    assert not (uncut.interval[0] <= 1 and uncut.interval[1] >= 0)


def test_a_share_inside_is_uncut_as_it_is():
    found = of(TRAFFIC, *labelled(203, 241, 71, 89))
    assert found.uncut.rogan_gladen == found.rogan_gladen
    assert found.uncut.prediction_powered.value == found.prediction_powered.value


def test_a_prediction_powered_share_that_no_sample_of_the_traffic_gives_is_undefined():
    # The judge passes half of the labelled statements and all of production: of one traffic
    # neither could be a sample. Uncut: λ = 1 (cut), 1 + .9 - .5.
    labels = np.repeat([True, False], [180, 20])
    judged = np.repeat([True, False], [100, 100])
    found = of(Production(10**6, 10**6), labels, judged)
    assert found.uncut.prediction_powered.value == pytest.approx(1.4, abs=0.01)
    assert found.prediction_powered.reason == CONTRADICTED
    assert (found.prediction_powered.value, found.prediction_powered.interval) == (None, None)


def test_errors_that_cannot_be_told_from_chance_leave_every_share_open():
    found = of(Production(60, 100), *labelled(6, 10, 5, 10))
    assert found.rogan_gladen.value is not None
    assert found.rogan_gladen.interval == (0.0, 1.0)
    uncut = found.uncut.rogan_gladen
    assert (uncut.interval, uncut.reason) == (None, UNBOUNDED)


@pytest.mark.parametrize(
    ("labels", "reason"), [([True] * 5, ONE_SIDE), ([False] * 5, ONE_SIDE), ([], ONE_SIDE)]
)
def test_a_side_without_labels_leaves_rogan_gladen_undefined(labels, reason):
    found = of(TRAFFIC, labels, [True] * len(labels))
    undefined = found.rogan_gladen
    assert (undefined.value, undefined.n, undefined.reason) == (None, len(labels), reason)
    if not labels:
        assert (found.prediction_powered.reason, found.tuning) == (NONE_LABELLED, None)


def test_without_production_all_shares_are_undefined():
    found = of(Production(0, 0), *labelled(9, 10, 8, 10))
    assert (found.raw.rate, found.raw.reason) == (None, NONE_JUDGED)
    assert found.rogan_gladen.reason == found.prediction_powered.reason == NONE_JUDGED
    assert found.sensitivity == rate(9, 10)


def test_production_in_clusters_and_labels_in_clusters_widen_the_intervals():
    labels, judged = labelled(45, 50, 40, 50)
    plain = of(Production(600, 1000), labels, judged)
    fewer = of(Production(600, 1000, effective_n=250), labels, judged)
    assert fewer.raw.interval == wilson(150, 250)
    doubled = corrected_share(
        Production(600, 1000),
        np.repeat(labels, 2),
        np.repeat(judged, 2),
        np.repeat(np.arange(100), 2),
    )
    loose = of(Production(600, 1000), np.repeat(labels, 2), np.repeat(judged, 2))
    for name in ("rogan_gladen", "prediction_powered"):
        width = {
            which: np.diff(getattr(found, name).interval).item()
            for which, found in
            (("plain", plain), ("fewer", fewer), ("doubled", doubled), ("loose", loose))
        }  # fmt: skip
        assert width["fewer"] > 1.05 * width["plain"]
        assert width["doubled"] == pytest.approx(width["plain"], rel=0.03)
        assert width["loose"] < 0.8 * width["doubled"]


def test_a_judge_that_says_the_same_to_both_sides_of_a_pair_is_less_sure():
    labels, judged = paired_sides(np.random.default_rng(1), 200, 1.0, 0.8, 0.7)
    pairs = np.repeat(np.arange(200), 2)
    apart = of(Production(600, 1000), labels, judged).rogan_gladen.interval
    together = corrected_share(Production(600, 1000), labels, judged, pairs).rogan_gladen.interval
    # By resampling pairs, which knows of both sides at once.
    tables = np.stack([judged[::2], ~judged[1::2]], axis=1)

    def of_draws(drawn, axis=-1):
        se, sp = np.moveaxis(tables[drawn].mean(axis=-2), -1, 0)
        return (0.6 + sp - 1) / (se + sp - 1)

    resampled = scipy.stats.bootstrap((np.arange(200),), of_draws, batch=500, rng=2,
                                      n_resamples=4000).confidence_interval  # fmt: skip
    assert together[1] - together[0] > 1.05 * (apart[1] - apart[0])
    # Resampling knows nothing of production's own sampling error, .0155 / .5 either way.
    error = 1.96 * 0.0155 / 0.5
    expected = [np.hypot((resampled[1] - resampled[0]) / 2, error)]
    assert [(together[1] - together[0]) / 2] == pytest.approx(expected, rel=0.1)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 60), st.integers(1, 60),
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 9)), min_size=1, max_size=40),
)  # fmt: skip
def test_shares_and_intervals_stay_within_0_and_1_and_hold_the_share(supported, more, rows):
    labels, judged, clusters = zip(*rows, strict=True)
    found = corrected_share(Production(supported, supported + more), labels, judged, clusters)
    for share in (found.rogan_gladen, found.prediction_powered):
        if share.value is not None:
            low, high = share.interval
            assert 0 <= low <= share.value + 1e-12
            assert share.value - 1e-12 <= high <= 1
    assert 0 <= found.tuning <= 1
    for share, uncut in zip(
        (found.rogan_gladen, found.prediction_powered), found.uncut, strict=True
    ):
        if share.reason == CONTRADICTED:
            assert uncut.interval[1] < 0 or uncut.interval[0] > 1
        elif share.value is not None:
            assert share.value == min(1.0, max(0.0, uncut.value))
        else:
            assert uncut == share


def test_what_is_out_of_range_is_refused():
    with pytest.raises(ValueError, match="5 of 3"):
        of(Production(5, 3), [True], [True])
    with pytest.raises(ValueError, match="2 labels, 1 judgments"):
        of(TRAFFIC, [True, False], [True])
    with pytest.raises(ValueError, match="between 0 and 1"):
        of(TRAFFIC, [True], [True], level=95)
    with pytest.raises(ValueError, match="never worth"):
        of(Production(1, 3, effective_n=4), [True], [True])
