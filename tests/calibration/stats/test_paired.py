from math import comb

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from calibration.stats.paired import (
    clustered_standard_error,
    mcnemar_exact,
    newcombe_paired,
    paired_difference,
)

COUNT = st.integers(0, 60)


def test_mcnemar_by_hand():
    # 5 against 1: of 2^6 = 64 outcomes 1 + 6 are as uneven on this side.
    assert mcnemar_exact(5, 1).p == pytest.approx(14 / 64, abs=1e-15)
    assert mcnemar_exact(5, 1, alternative="greater").p == pytest.approx(7 / 64, abs=1e-15)
    assert mcnemar_exact(5, 1, alternative="less").p == pytest.approx(63 / 64, abs=1e-15)
    assert mcnemar_exact(5, 1).n == 6


@pytest.mark.parametrize(
    ("b", "c", "expected"),
    # vassarstats.net, quoted in statsmodels' tests; six places.
    [(70, 59, 0.378688), (80, 59, 0.089452), (10, 30, 0.002221), (10, 10, 1.0)],
)
def test_mcnemar_gives_published_values(b, c, expected):
    assert mcnemar_exact(b, c).p == pytest.approx(expected, abs=6e-7)


def test_mcnemar_of_two_judges_on_wice():
    # 2 (1 + 44 + 946 + 13244) / 2^44
    exact = 2 * sum(comb(44, i) for i in range(4)) / 2**44
    assert mcnemar_exact(41, 3).p == pytest.approx(exact, rel=1e-12)
    assert mcnemar_exact(41, 3).p == pytest.approx(1.6e-9, rel=0.02)


def test_two_judges_that_no_statement_tells_apart_have_no_p_value():
    nothing = mcnemar_exact(0, 0)
    assert (nothing.p, nothing.n) == (None, 0)
    assert nothing.reason == "no statement tells the two apart"


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 3)
    with pytest.raises(ValueError, match="negative"):
        paired_difference(3, -1, 1, 2)
    with pytest.raises(ValueError, match="negative"):
        paired_difference(-1, 0, 0, 1)


@settings(deadline=None)
@given(COUNT, COUNT)
def test_mcnemar_agrees_with_statsmodels_and_knows_no_side(b, c):
    got = mcnemar_exact(b, c).p
    assert got == mcnemar_exact(c, b).p
    if b + c:
        assert got == pytest.approx(mcnemar([[0, b], [c, 0]], exact=True).pvalue, abs=1e-12)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        # Newcombe (1998), Statistics in Medicine 17:2635, table III, method 10; four places.
        ((36, 12, 2, 0), (0.0569, 0.3404)),
        ((18, 12, 2, 18), (0.0562, 0.3290)),
        ((36, 14, 0, 0), (0.1528, 0.4167)),
        ((2, 97, 1, 0), (0.8721, 0.9854)),
        ((0, 30, 0, 0), (0.8395, 1.0)),
        ((54, 0, 0, 0), (-0.0664, 0.0664)),
        ((30, 0, 0, 24), (-0.0358, 0.0358)),
    ],
)
def test_newcombes_interval_gives_his_printed_limits(cells, expected):
    assert newcombe_paired(*cells) == pytest.approx(expected, abs=1e-4)


def test_newcombes_interval_by_hand():
    # φ is 0, since a margin is empty: 30 of 30 against 0 of 30, each limit z²/(n + z²) = .11351
    # away, so 1 - √2 · .11351 = .83947.
    assert newcombe_paired(0, 30, 0, 0) == (pytest.approx(0.83947, abs=1e-5), 1.0)


@settings(deadline=None)
@given(COUNT, COUNT, COUNT, COUNT)
def test_newcombes_interval_holds_the_difference_and_turns_with_the_sides(a, b, c, d):
    difference = paired_difference(a, b, c, d)
    if difference.value is None:
        assert (a, b, c, d) == (0, 0, 0, 0)
        return
    low, high = difference.interval
    assert -1 <= low <= difference.value <= high <= 1
    assert paired_difference(a, c, b, d).interval == pytest.approx((-high, -low), abs=1e-12)


def test_a_paired_difference_stands_with_its_n():
    # WiCE: GPT-4 alone right on 41, GPT-3.5 alone on 3, of 100.
    got = paired_difference(36, 41, 3, 20)
    assert (got.value, got.n, got.reason) == (0.38, 100, None)
    assert got.interval == newcombe_paired(36, 41, 3, 20)


def test_a_difference_over_nothing_is_undefined():
    got = paired_difference(0, 0, 0, 0)
    assert (got.value, got.n, got.reason) == (None, 0, "no statements in common")
    with pytest.raises(ValueError, match="n > 0"):
        newcombe_paired(0, 0, 0, 0)


def test_numbers_come_out_as_plain_ints():
    counts = np.array([3, 2, 1, 4])
    assert type(paired_difference(*counts).n) is int
    assert type(mcnemar_exact(*counts[:2]).n) is int


def test_the_clustered_error_by_hand():
    # Mean 1/2; the clusters' sums of deviations are 1, -1, 0: √(3/2 · 2) / 6 = 1 / √12.
    got = clustered_standard_error([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"])
    assert (got.value, got.n) == (pytest.approx(12**-0.5, abs=1e-15), 6)


def test_the_clustered_error_of_single_observations_is_the_plain_one():
    y = [1.0, 4.0, 2.0, 2.5]
    expected = np.std(y, ddof=1) / 2
    assert clustered_standard_error(y, range(4)).value == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("y", "clusters"), [([], []), ([1.0, 2.0], ["a", "a"])])
def test_the_clustered_error_of_fewer_than_two_clusters_is_undefined(y, clusters):
    got = clustered_standard_error(y, clusters)
    assert (got.value, got.reason) == (None, "fewer than two clusters")


def test_the_clustered_error_refuses_sides_of_unequal_length():
    with pytest.raises(ValueError, match="clusters of shape"):
        clustered_standard_error([1, 2], ["a"])


@pytest.mark.parametrize("seed", range(3))
def test_the_clustered_error_agrees_with_statsmodels(seed):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 12, 80)
    y = rng.normal(size=80) + clusters
    fitted = sm.OLS(y, np.ones(80)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    got = clustered_standard_error(y, clusters).value
    assert got == pytest.approx(fitted.bse[0], rel=1e-9)


@pytest.mark.published("mcnemar_exact")
def test_mcnemar_gives_more_published_values(entry):
    inputs = entry["inputs"]
    b, c = (
        (inputs["b"], inputs["c"]) if "b" in inputs else (inputs["gpt4_only"], inputs["gpt35_only"])
    )
    assert mcnemar_exact(b, c).p == pytest.approx(entry["expected"]["p"], abs=entry["tolerance"])


@pytest.mark.published("paired_difference_of_proportions_newcombe_method10")
def test_newcombes_interval_gives_more_printed_limits(entry):
    names = ("both", "first_only", "second_only", "neither", "level")
    limits = newcombe_paired(*(entry["inputs"][name] for name in names))
    expected = entry["expected"]["lo"], entry["expected"]["hi"]
    assert limits == pytest.approx(expected, abs=entry["tolerance"])


@pytest.mark.published("clustered_standard_error_of_mean")
def test_the_clustered_error_gives_published_values(entry):
    got = clustered_standard_error(entry["inputs"]["y"], entry["inputs"]["cluster"])
    assert got.value == pytest.approx(entry["expected"]["se"], abs=entry["tolerance"])
