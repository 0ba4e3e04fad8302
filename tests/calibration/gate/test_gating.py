"""A gate policy held against figures, check by check."""

from __future__ import annotations

from typing import Any

import pytest

from calibration import agreement
from calibration.agreement import comparison
from calibration.gate import gating
from calibration.gate.gating import FAIL, INCONCLUSIVE, PASS
from calibration.stats.rates import wilson
from grounding.contract import ClaimClass, Verdict
from grounding.rubrics import Ceiling, CellRule, GatePolicy, Regression
from tests.calibration.report_fixtures import Row, columns

NOTHING_ELSE: dict[str, Any] = {"cells": (), "lenient": None, "class_escape": None}
OPEN = GatePolicy(failure_ceiling=1.0, **NOTHING_ELSE, regression=None)


def only(check: str, policy: GatePolicy, rows: list[Row]) -> gating.Check:
    (found,) = (one for one in of(policy, rows) if one.name == check)
    return found


def of(policy: GatePolicy, rows: list[Row]) -> list[gating.Check]:
    made = columns(rows)
    return gating.checks(policy, agreement.rates(made, ()), agreement.failed(made), None)


def with_cell(**rule: Any) -> GatePolicy:
    return OPEN.model_copy(update={"cells": (CellRule(**rule),)})


# 8 of 10 right; Wilson's interval of 8 of 10 is [0.4902, 0.9433] (Newcombe 1998, method 3).
EIGHT_OF_TEN = [Row("Ss", "Ss")] * 8 + [Row("Ss", "Su")] * 2


@pytest.mark.parametrize(
    ("least_n", "rate", "bound", "result"),
    [
        (10, 0.8, None, PASS),
        (11, 0.8, None, INCONCLUSIVE),
        (10, 0.81, None, FAIL),
        (10, 0.8, 0.49, PASS),
        (10, 0.8, 0.50, INCONCLUSIVE),
        (11, 0.81, 0.50, INCONCLUSIVE),
    ],
)
def test_a_cell_passes_fails_or_says_that_it_takes_more(least_n, rate, bound, result):
    policy = with_cell(
        verdict=Verdict.SUPPORTED,
        minimum_n=least_n,
        minimum_rate=rate,
        minimum_lower_bound=bound,
    )
    check = only("agreement: supported", policy, EIGHT_OF_TEN)
    assert check.result == result
    assert (check.measured["count"], check.measured["n"]) == (8, 10)
    assert (check.why is None) == (result == PASS)


def test_a_cell_of_class_and_verdict_counts_both_as_one_answer():
    rows = [Row("Su", "Su")] * 3 + [Row("Su", "Eu")] * 2 + [Row("Eu", "Eu")] * 4
    rule = {"claim_class": ClaimClass.SUBJECT_SPECIFIC, "verdict": Verdict.UNSUPPORTED}
    policy = with_cell(**rule, minimum_n=5, minimum_rate=0.6)
    check = only("agreement: subject_specific × unsupported", policy, rows)
    assert (check.result, check.measured["count"], check.measured["n"]) == (PASS, 3, 5)


def test_a_cell_of_nothing_is_inconclusive_and_measures_null():
    policy = with_cell(verdict=Verdict.CONTRADICTORY, minimum_n=1, minimum_rate=0.0)
    check = only("agreement: contradictory", policy, EIGHT_OF_TEN)
    assert check.result == INCONCLUSIVE
    assert check.as_json()["measured"]["rate"] is None


# 1 of 10 lenient; Wilson's interval of 1 of 10 is [0.0179, 0.4042].
ONE_LENIENT = [Row("Su", "Ss")] + [Row("Su", "Su")] * 9


@pytest.mark.parametrize(
    ("least_n", "rate", "bound", "result"),
    [
        (10, 0.1, None, PASS),
        (10, 0.09, None, FAIL),
        (11, 0.1, None, INCONCLUSIVE),
        (10, 0.1, 0.41, PASS),
        (10, 0.1, 0.40, INCONCLUSIVE),
    ],
)
def test_a_ceiling_on_lenient_errors(least_n, rate, bound, result):
    ceiling = Ceiling(minimum_n=least_n, maximum_rate=rate, maximum_upper_bound=bound)
    policy = OPEN.model_copy(update={"lenient": ceiling})
    assert only("errors: lenient", policy, ONE_LENIENT).result == result


@pytest.mark.parametrize(
    "policy",
    [
        OPEN,
        OPEN.model_copy(update={"regression": Regression(level=0.05)}),
        with_cell(verdict=Verdict.SUPPORTED, minimum_n=1, minimum_rate=0),
        OPEN.model_copy(update={"lenient": Ceiling(minimum_n=1, maximum_rate=1)}),
    ],
    ids=["nothing", "regression of the baseline", "any rate", "any error"],
)
def test_a_policy_by_which_neither_agreement_nor_direction_was_checked_is_inconclusive(policy):
    rows = [*EIGHT_OF_TEN, *ONE_LENIENT]
    found = of(policy, rows)
    assert gating.result(found) == INCONCLUSIVE
    assert found[-1].name == "agreement"
    assert "checks neither agreement with people nor the direction of errors" in found[-1].why
    assert (found[-1].measured["count"], found[-1].measured["n"]) == (17, 20)


def test_one_ceiling_is_a_check_of_direction():
    policy = OPEN.model_copy(update={"lenient": Ceiling(minimum_n=1, maximum_rate=0.5)})
    assert [check.name for check in of(policy, ONE_LENIENT)] == ["failures", "errors: lenient"]


def test_failures_above_the_ceiling_fail():
    rows = [*EIGHT_OF_TEN, Row("Ss", "timeout")]
    policy = OPEN.model_copy(update={"failure_ceiling": 0.09})
    check = only("failures", policy, rows)
    assert (check.result, check.measured["count"], check.measured["n"]) == (FAIL, 1, 11)
    assert only("failures", OPEN, rows).result == PASS


def test_failures_that_come_case_by_case_are_as_sure_as_cases():
    """Two pairs of which all of one failed: 2 of 4 statements, worth 2, so the interval is
    Wilson's of 1 of 2, where 2 of 4 that stand alone have a narrower one."""
    rows = [Row("Ss", "timeout", 1, side) for side in (0, 1)]
    rows += [Row("Ss", "Ss", 2, side) for side in (0, 1)]
    measured = only("failures", OPEN, rows).measured
    assert (measured["count"], measured["n"]) == (2, 4)
    assert measured["interval"][0] < wilson(2, 4)[0]
    alone = [Row("Ss", "timeout")] * 2 + [Row("Ss", "Ss")] * 2
    assert only("failures", OPEN, alone).measured["interval"] == list(wilson(2, 4))


# Of five failing statements the baseline passes none, the later version all: the one-sided exact
# p is 1/32 = 0.03125. Of four it is 1/16 = 0.0625.
@pytest.mark.parametrize(("turned", "result"), [(5, FAIL), (4, PASS), (0, INCONCLUSIVE)])
def test_more_leniency_than_the_baseline_fails(turned, result):
    before = columns([Row("Su", "Su")] * 6)
    after = columns([Row("Su", "Ss")] * turned + [Row("Su", "Su")] * (6 - turned))
    leniency = comparison.figures(before, after)["lenient"]
    policy = OPEN.model_copy(update={"regression": Regression(level=0.05)})
    figures = agreement.rates(after, ())
    checks = gating.checks(policy, figures, agreement.failed(after), leniency)
    assert [check.name for check in checks] == ["failures", "regression"]
    assert checks[1].result == result


def test_two_judges_of_equal_agreement_and_kappa_are_told_apart_by_their_direction():
    # Ten of each; one judge errs on two, towards supported, the other as often away from it:
    # the tables are each other's mirror image, so accuracy and kappa are equal.
    lenient = [Row("Ss", "Ss")] * 10 + [Row("Su", "Ss")] * 2 + [Row("Su", "Su")] * 8
    strict = [Row("Ss", "Su")] * 2 + [Row("Ss", "Ss")] * 8 + [Row("Su", "Su")] * 10
    one, two = (agreement.figures(columns(rows), (), seed=1) for rows in (lenient, strict))
    assert one["verdict"]["rate"] == two["verdict"]["rate"]
    assert one["kappa"]["verdict"]["value"] == pytest.approx(two["kappa"]["verdict"]["value"])
    policy = OPEN.model_copy(update={"lenient": Ceiling(minimum_n=10, maximum_rate=0.1)})
    assert gating.result(of(policy, lenient)) == FAIL
    assert gating.result(of(policy, strict)) == PASS


@pytest.mark.parametrize(
    ("results", "whole"),
    [
        ([PASS, PASS], PASS),
        ([PASS, INCONCLUSIVE], INCONCLUSIVE),
        ([INCONCLUSIVE, FAIL, PASS], FAIL),
    ],
)
def test_the_gate_is_as_good_as_its_worst_check(results, whole):
    rate = {"count": 0, "n": 0, "rate": None, "interval": None, "reason": "none"}
    assert gating.result([gating.Check("one", one, rate, {}) for one in results]) == whole
