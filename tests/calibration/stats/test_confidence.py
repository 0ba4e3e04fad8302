import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from calibration.stats.confidence import NO_CONFIDENCE, reliability
from calibration.stats.rates import rate, wilson

STATED = st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=60)


def of(confidences, right, **how):
    return reliability(confidences, right, np.arange(len(right)), **{"seed": 1, **how})


def judgments(n=400, seed=0, *, shift=0.0):
    """Confidences, and answers right as often as they say, but for the shift."""
    rng = np.random.default_rng(seed)
    said = np.round(rng.uniform(0.5, 1, n), 3)
    return said, rng.random(n) < np.clip(said - shift, 0, 1)


def test_brier_and_its_parts_by_hand():
    # Five said .8, four right; five said .4, one right: (4·.04 + .64 + .36 + 4·.16) / 10 = .18.
    # Rates .8 and .2, overall .5: reliability (0 + .04) / 2, resolution (.09 + .09) / 2, .25.
    found = of([0.8] * 5 + [0.4] * 5, [1, 1, 1, 1, 0, 1, 0, 0, 0, 0])
    assert found.brier.value == pytest.approx(0.18)
    assert found.reliability.value == pytest.approx(0.02)
    assert found.resolution.value == pytest.approx(0.09)
    assert found.uncertainty.value == pytest.approx(0.25)
    assert found.within.value == pytest.approx(0, abs=1e-15)
    # Expected error: half the statements are 0 off, half .2.
    assert found.expected_error.value == pytest.approx(0.1)
    assert found.brier.n == found.within.n == 10


def test_a_bin_stands_with_its_count_n_and_wilsons_interval():
    found = of([0.8] * 5 + [0.4] * 5, [1, 1, 1, 1, 0, 1, 0, 0, 0, 0])
    low, high = found.bins
    assert (low.low, low.high, low.confidence, low.right) == (
        0.4,
        0.4,
        pytest.approx(0.4),
        rate(1, 5),
    )
    assert (high.right.count, high.right.n, high.right.interval) == (4, 5, wilson(4, 5))


def test_bins_are_of_equal_count():
    said, right = judgments(1000)
    sizes = [each.right.n for each in of(said, right, bins=8).bins]
    assert len(sizes) == 8
    assert max(sizes) - min(sizes) < 10
    assert sum(sizes) == 1000


def test_equal_confidences_are_never_torn_apart():
    found = of([0.9] * 70 + [0.5, 0.6, 0.95], [1] * 73, bins=10)
    assert [(each.low, each.high) for each in found.bins] == [(0.5, 0.6), (0.9, 0.9), (0.95, 0.95)]
    assert len(of([0.9] * 30, [1] * 20 + [0] * 10).bins) == 1


@settings(deadline=None, max_examples=50)
@given(STATED, st.integers(1, 12))
def test_the_parts_add_up_to_briers_score_exactly(rows, bins):
    steps, right = zip(*rows, strict=True)
    said = np.array(steps) / 20
    found = of(said, right, bins=bins, replicates=20)
    assert found.brier.value == pytest.approx(brier_score_loss(right, said, pos_label=1), abs=1e-12)
    parts = (found.reliability.value, found.resolution.value, found.uncertainty.value)
    total = parts[0] - parts[1] + parts[2] + found.within.value
    assert total == pytest.approx(found.brier.value, abs=1e-12)
    assert sum(each.right.n for each in found.bins) == len(rows)
    edges = [edge for each in found.bins for edge in (each.low, each.high)]
    assert edges == sorted(edges)


def test_the_curve_agrees_with_scikit_learn():
    said, right = judgments(997, seed=3)
    rates, means = calibration_curve(right, said, n_bins=5, strategy="quantile")
    found = of(said, right, bins=5).bins
    assert [each.right.rate for each in found] == pytest.approx(rates, abs=0.02)
    assert [each.confidence for each in found] == pytest.approx(means, abs=0.002)


def test_a_calibrated_judge_shows_no_more_error_than_chance_and_an_overconfident_one_does():
    fair = of(*judgments(2000, seed=1))
    bold = of(*judgments(2000, seed=1, shift=0.2))
    assert fair.expected_error.value < 1.6 * fair.chance_error.value
    assert bold.expected_error.value > 5 * bold.chance_error.value
    assert bold.expected_error.value == pytest.approx(0.2, abs=0.03)
    assert fair.chance_error.value == bold.chance_error.value


def test_the_chance_error_by_hand():
    # Two statements of one bin, each right with chance 1/2: errors 1/2, 0, 0, 1/2 of four: 1/4.
    found = of([0.5, 0.5], [1, 0], replicates=20_000)
    assert found.chance_error.value == pytest.approx(0.25, abs=0.01)


def test_statements_without_confidence_are_counted_and_left_out():
    found = of([0.8, np.nan, 0.6, np.nan], [1, 0, 0, 1])
    assert (found.without, found.brier.n) == (2, 2)
    assert found.brier.value == pytest.approx((0.04 + 0.36) / 2)


@pytest.mark.parametrize("said", [[], [np.nan, np.nan]])
def test_without_any_confidence_all_is_undefined(said):
    found = of(said, [True] * len(said))
    assert (found.bins, found.without) == ([], len(said))
    for value in (found.brier, found.reliability, found.resolution, found.uncertainty,
                  found.within, found.expected_error, found.chance_error):  # fmt: skip
        assert (value.value, value.n, value.reason) == (None, 0, NO_CONFIDENCE)


def test_the_interval_is_that_of_clusters_and_of_the_seed():
    said, right = judgments(90, seed=5)
    once = of(said, right, seed=3)
    thrice = reliability(
        np.repeat(said, 3), np.repeat(right, 3), np.repeat(np.arange(90), 3), seed=3
    )
    assert thrice.brier.interval == pytest.approx(once.brier.interval, abs=1e-9)
    assert once == of(said, right, seed=3)
    assert once.brier.interval != of(said, right, seed=4).brier.interval
    alone = reliability(said, right, np.zeros(90), seed=3).brier
    assert alone.interval is None
    assert "fewer than two clusters" in alone.reason


@pytest.mark.parametrize("said", [[1.1], [-0.1], [np.inf]])
def test_what_is_no_confidence_is_refused(said):
    with pytest.raises(ValueError, match="between 0 and 1"):
        of(said, [1])


def test_lengths_that_differ_and_no_bins_are_refused():
    with pytest.raises(ValueError, match="2 confidences, 1 answers"):
        of([0.5, 0.5], [1])
    with pytest.raises(ValueError, match="0 bins"):
        of([0.5], [1], bins=0)
