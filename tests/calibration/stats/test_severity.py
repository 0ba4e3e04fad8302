import numpy as np
import pytest

from calibration.stats.coefficients import ac1, cohen_kappa, matthews
from calibration.stats.confusion import confusion
from calibration.stats.paired_clusters import sign_flip
from calibration.stats.rates import rate, wilson
from calibration.stats.severity import NOT_EXPOSED, severity
from tests.calibration.stats.synthetic import (
    CONTRADICTORY,
    SUPPORTED,
    UNSUPPORTED,
    opposite_judges,
)

FAILING = [UNSUPPORTED, CONTRADICTORY]
# Passing a contradiction costs 3, passing what is unsupported 1, refusing 0.5, a quibble 0.1.
WEIGHTS = [[0, 0.5, 0.5], [1, 0, 0.1], [3, 0.1, 0]]
PLAIN = 1 - np.eye(3)


def whole(human, says, names=None, weights=WEIGHTS, **direction):
    names = np.arange(len(human)) if names is None else names
    return severity(human, says, names, weights, **direction)


def lenient(*sides, **how):
    return whole(*sides, **how, reference=FAILING, judged=[SUPPORTED])


def strict(*sides, **how):
    return whole(*sides, **how, reference=[SUPPORTED], judged=FAILING)


def test_severity_by_hand():
    # Ten unsupported, two passed; five contradictory, one passed; five supported, one refused.
    reference = np.repeat([1, 1, 2, 2, 0, 0], [8, 2, 4, 1, 4, 1])
    judged = np.repeat([1, 0, 2, 0, 0, 2], [8, 2, 4, 1, 4, 1])
    found = lenient(reference, judged)
    assert (found.value, found.n) == (pytest.approx((2 + 3) / 15), 15)
    found = strict(reference, judged)
    assert (found.value, found.n) == (pytest.approx(0.5 / 5), 5)
    found = whole(reference, judged)
    assert (found.value, found.n) == (pytest.approx(5.5 / 20), 20)


def test_the_interval_by_hand():
    # Of 15 exposed two cost 1, one 3: Wilson of 2 is .037357 to .378823, of 1 .011868 to .298202.
    # Shares of one table correlate: -√(2/13 · 1/14) = -.104828.
    reference = np.repeat([1, 1, 2, 2], [8, 2, 4, 1])
    judged = np.repeat([1, 0, 2, 0], [8, 2, 4, 1])
    low, high = lenient(reference, judged).interval
    below, above = np.array([1, 3]) * [[2 / 15, 1 / 15], [-2 / 15, -1 / 15]]
    below = below - np.array([1, 3]) * [wilson(2, 15)[0], wilson(1, 15)[0]]
    above = above + np.array([1, 3]) * [wilson(2, 15)[1], wilson(1, 15)[1]]
    r = -np.sqrt(2 / 13 / 14)
    assert low == pytest.approx(1 / 3 - np.sqrt(below @ below + 2 * r * below[0] * below[1]))
    assert high == pytest.approx(1 / 3 + np.sqrt(above @ above + 2 * r * above[0] * above[1]))


def test_with_weights_of_one_severity_is_the_plain_rate():
    judged = opposite_judges()
    found = lenient(judged.reference, judged.lenient, weights=PLAIN)
    assert (found.value, found.n) == (0.25, 160)
    assert found.interval == pytest.approx(rate(40, 160).interval, abs=1e-12)
    tripled = lenient(judged.reference, judged.lenient, weights=3 * PLAIN)
    assert tripled.interval == pytest.approx([3 * limit for limit in found.interval])


def test_one_contradiction_passed_weighs_more_than_one_unsupported_claim():
    reference = np.repeat([1, 2], [50, 50])
    claim, contradiction = reference.copy(), reference.copy()
    claim[0] = contradiction[-1] = SUPPORTED
    assert lenient(reference, contradiction).value == pytest.approx(0.03)
    assert lenient(reference, claim).value == pytest.approx(0.01)


def test_a_class_escape_is_severity_of_codes_of_classes():
    # Subject-specific 6 of 8 kept, one called external, one an interpretation, which is graded not
    # at all and costs 2.
    found = whole(
        np.repeat([0, 1], [8, 4]),
        np.repeat([0, 1, 2, 1], [6, 1, 1, 4]),
        weights=[[0, 1, 2], [0, 0, 0], [0, 0, 0]],
        reference=[0],
    )
    assert (found.value, found.n) == (pytest.approx(3 / 8), 8)


def test_an_error_that_was_not_seen_is_not_impossible():
    # None of twenty: the limits above are Wilson's, for a cost of 1 and of 3, squared and added.
    reference = np.repeat([1, 2], [10, 10])
    found, one = lenient(reference, reference), wilson(0, 20)[1]
    assert (found.value, found.interval[0]) == (0.0, 0.0)
    assert found.interval[1] == pytest.approx(np.hypot(one, 3 * one))
    pairs = lenient(reference, reference, np.arange(20) // 2)
    assert pairs.interval[1] == pytest.approx(wilson(0, 10)[1] * 10**0.5)


def test_where_the_error_could_not_be_made_severity_is_undefined():
    undefined = lenient([0, 0], [0, 1])
    assert (undefined.value, undefined.n, undefined.reason) == (None, 0, NOT_EXPOSED)
    assert whole([], []).reason == NOT_EXPOSED


def test_errors_that_cost_nothing_have_severity_0():
    free = whole([0, 1], [1, 1], weights=np.zeros((2, 2)))
    assert (free.value, free.interval) == (0.0, (0.0, 0.0))


def test_statements_that_stand_and_fall_together_widen_the_interval():
    judged = opposite_judges()
    once = lenient(judged.reference, judged.lenient)
    names = np.repeat(np.arange(240), 3)
    thrice = lenient(np.repeat(judged.reference, 3), np.repeat(judged.lenient, 3), names)
    assert thrice.interval == pytest.approx(once.interval, abs=0.02)


def test_costs_that_come_together_add_up_and_widen_the_interval():
    # Pairs of an unsupported and a contradictory statement, ten of forty passed on both sides, and
    # ten passed on either side alone.
    reference = np.tile([1, 2], 40)
    together = np.where(np.repeat(np.arange(40) < 10, 2), 0, reference)
    apart = np.where(np.arange(80) < 20, np.where(reference == 1, 0, 2), reference)
    apart = np.where((np.arange(80) >= 20) & (np.arange(80) < 40) & (reference == 2), 0, apart)
    pairs = np.repeat(np.arange(40), 2)
    both, either = (lenient(reference, judged, pairs) for judged in (together, apart))
    assert both.value == either.value == pytest.approx(0.5)
    assert np.diff(both.interval) > 1.2 * np.diff(either.interval)


@pytest.mark.parametrize(
    "weights",
    [
        [[0, -1, 0], [0, 0, 0], [0, 0, 0]],
        [[0, np.inf, 0], [0, 0, 0], [0, 0, 0]],
        np.eye(3),
    ],
)
def test_what_are_no_weights_is_refused(weights):
    with pytest.raises(ValueError, match="0 where the judge is right"):
        whole([0], [0], weights=weights)


def test_shapes_and_codes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="square table of weights"):
        whole([0], [0], weights=[[0, 1]])
    with pytest.raises(ValueError, match="2 and 1 codes"):
        whole([0, 1], [0])
    for refused in (lambda: whole([0], [3]), lambda: whole([0], [0], judged=[3])):
        with pytest.raises(ValueError, match=r"outside 0\.\.2"):
            refused()


def test_judges_of_equal_percent_and_kappa_are_told_apart_by_the_direction_of_their_errors():
    judged = opposite_judges()
    one, other = (confusion(judged.reference, says, 3) for says in judged[1:])
    assert np.trace(one) == np.trace(other) == 200
    for coefficient in (cohen_kappa, ac1, matthews):
        assert coefficient(one) == pytest.approx(coefficient(other), abs=1e-15)
    passing, refusing = ((judged.reference, says) for says in judged[1:])
    # Twenty unsupported claims and twenty contradictions passed, of 160 that fail.
    assert lenient(*passing).value == pytest.approx((20 * 1 + 20 * 3) / 160)
    assert (lenient(*refusing).value, strict(*passing).value) == (0.0, 0.0)
    assert strict(*refusing).value == pytest.approx(40 * 0.5 / 80)
    assert lenient(*passing).interval[0] > lenient(*refusing).interval[1]
    assert strict(*refusing).interval[0] > strict(*passing).interval[1]
    # As a whole the lenient one costs four times as much.
    costs = [whole(*sides).value for sides in (passing, refusing)]
    assert costs == pytest.approx([80 / 240, 20 / 240])


def test_the_comparison_of_the_two_says_that_one_is_the_more_lenient():
    judged = opposite_judges()
    failing = judged.reference != SUPPORTED
    first, second = (says[failing] == SUPPORTED for says in (judged.strict, judged.lenient))
    names = np.arange(failing.sum())
    assert sign_flip(second, first, names, alternative="greater").p == pytest.approx(2**-40)
    assert sign_flip(first, second, names, alternative="greater").p == pytest.approx(1.0)
