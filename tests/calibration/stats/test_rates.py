import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from calibration.stats.rates import normal_quantile, rate, wilson


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17:857, table I, method 3; four places.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_newcombes_printed_limits(count, n, low, high):
    assert wilson(count, n) == pytest.approx((low, high), abs=5.1e-5)


def test_wilson_by_hand():
    # z² = 3.841459. At 0 of n the limits are 0 and z² / (n + z²): 3.841459 / 23.841459 = 0.161125.
    assert wilson(0, 20) == (0.0, pytest.approx(0.161125, abs=1e-6))
    # 5 of 10: centre 1/2, half width z √(10/4 + z²/4) / (10 + z²)
    #        = 1.959964 · 1.860206 / 13.841459 = 0.263407.
    assert wilson(5, 10) == pytest.approx((0.236593, 0.763407), abs=1e-6)


def test_wilson_of_77_in_100():
    assert wilson(77, 100) == pytest.approx((0.678, 0.842), abs=5e-4)


def test_a_wider_level_gives_a_wider_interval():
    # R binom::binom.confint(18, 20, conf.level = 0.95) against the same at 0.99.
    low95, high95 = wilson(18, 20)
    low99, high99 = wilson(18, 20, level=0.99)
    assert (low95, high95) == pytest.approx((0.6989663547715128, 0.972133518786232), abs=1e-9)
    assert low99 < low95 < high95 < high99


@pytest.mark.parametrize(("count", "n"), [(0, 0), (0, -1), (-1, 5), (6, 5), (1, 0)])
def test_wilson_refuses_what_is_no_share(count, n):
    with pytest.raises(ValueError, match="0 <= count <= n"):
        wilson(count, n)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95])
def test_a_confidence_level_lies_inside_0_and_1(level):
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson(1, 2, level=level)


def test_the_normal_quantile_of_95_percent():
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-12)


@settings(deadline=None)
@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_stays_in_range(share):
    count, n = share
    low, high = wilson(count, n)
    assert 0 <= low <= count / n <= high <= 1
    assert low < high


@settings(deadline=None)
@given(st.integers(1, 10**4).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_mirrors_when_hits_and_misses_change_places(share):
    count, n = share
    low, high = wilson(count, n)
    assert wilson(n - count, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize(("count", "n"), [(0, 1), (1, 1), (3, 7), (250, 1000), (99_999, 100_000)])
def test_wilson_agrees_with_statsmodels(count, n):
    expected = proportion_confint(count, n, alpha=0.1, method="wilson")
    assert wilson(count, n, level=0.9) == pytest.approx(expected, abs=1e-12)


def test_a_rate_stands_with_its_numerator_and_denominator():
    measured = rate(77, 100)
    assert (measured.count, measured.n, measured.rate, measured.reason) == (77, 100, 0.77, None)
    assert measured.interval == wilson(77, 100)


def test_none_of_some_is_zero_and_defined():
    assert rate(0, 5).rate == 0.0


def test_none_of_none_is_undefined_and_says_why():
    nothing = rate(0, 0, reason="no interpretations")
    assert (nothing.rate, nothing.interval, nothing.reason) == (None, None, "no interpretations")
    assert rate(0, 0).reason == "no statements"


@pytest.mark.parametrize(("count", "n"), [(1, 0), (-1, 3), (4, 3), (0, -2)])
def test_a_rate_refuses_a_count_outside_its_denominator(count, n):
    with pytest.raises(ValueError, match="0 <= count <= n"):
        rate(count, n)


@pytest.mark.published("binomial_interval")
def test_wilson_gives_published_limits(entry):
    inputs, expected = entry["inputs"], entry["expected"]
    limits = wilson(inputs["x"], inputs["n"], inputs["level"])
    assert limits == pytest.approx(
        (expected["wilson_lo"], expected["wilson_hi"]), abs=entry["tolerance"]
    )
