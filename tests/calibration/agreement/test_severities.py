"""What errors cost: by hand, by direction, and where there is nothing to err on."""

from __future__ import annotations

import pytest

from calibration.agreement import figures
from calibration.agreement.severities import CLASS_ESCAPE, LENIENT, STRICT
from tests.calibration.report_fixtures import HAND, Row, columns


def of(rows):
    return figures(columns(rows), ("number",), seed=1)["severity"]


def counted(severity):
    return {
        (one["direction"], one["reference"], one["judged"]): one["count"]
        for one in severity["weights"]
    }


def test_the_severity_of_the_hand_made_rows():
    found = of(HAND)
    # Of 11 that fail, rows 4 and 19 pass unsupported, weight 1, and 8 a contradiction, weight 3.
    assert (found["lenient"]["value"], found["lenient"]["n"]) == (pytest.approx(5 / 11), 11)
    # Of 9 supported, 5 and 20 are called unsupported, weight 0.5, and 7 contradictory, weight 1.
    assert (found["strict"]["value"], found["strict"]["n"]) == (pytest.approx(2 / 9), 9)
    # Of 16 subject-specific, rows 17, 19 and 20 are classed external, weight 0.5.
    escaped = found["class_escape"]
    assert (escaped["value"], escaped["n"]) == (pytest.approx(1.5 / 16), 16)
    for name in ("lenient", "strict", "class_escape"):
        low, high = found[name]["interval"]
        assert low < found[name]["value"] < high


def test_each_weight_is_stated_with_how_often_the_error_was_made():
    found = of(HAND)
    assert counted(found) == {
        ("lenient", "contradictory", "supported"): 1,
        ("lenient", "unsupported", "supported"): 2,
        ("strict", "supported", "contradictory"): 1,
        ("strict", "supported", "unsupported"): 2,
        ("class_escape", "subject_specific", "interpretation"): 0,
        ("class_escape", "subject_specific", "external"): 3,
    }
    for name in ("lenient", "strict", "class_escape"):
        paid = sum(
            one["weight"] * one["count"] for one in found["weights"] if one["direction"] == name
        )
        assert paid / found[name]["n"] == pytest.approx(found[name]["value"])


def test_passing_a_contradiction_costs_most_of_all():
    worst = LENIENT["contradictory", "supported"]
    others = [*LENIENT.values(), *STRICT.values(), *CLASS_ESCAPE.values()]
    assert sorted(others)[-2] < worst == max(others)
    quibbling = [Row("Su", "Su")] * 5 + [Row("Sc", "Ss")] + [Row("Su", "Ss")]
    passing = [Row("Su", "Su")] * 5 + [Row("Su", "Ss")] * 2
    assert of(quibbling)["lenient"]["value"] > of(passing)["lenient"]["value"]


def test_two_judges_of_equal_rates_are_told_apart_by_what_they_pass():
    mild = [Row("Sc", "Sc")] * 10 + [Row("Su", "Su")] * 6 + [Row("Su", "Ss")] * 4
    grave = [Row("Sc", "Sc")] * 6 + [Row("Sc", "Ss")] * 4 + [Row("Su", "Su")] * 10
    first, second = (figures(columns(rows), (), seed=1) for rows in (mild, grave))
    assert first["lenient"] == second["lenient"]
    assert first["severity"]["lenient"]["value"] * 3 == second["severity"]["lenient"]["value"]


@pytest.mark.parametrize("rows", [[], [Row("..", "Ss")], [Row("In", "In")], [Row("Ss", "timeout")]])
def test_where_no_such_error_could_be_made_there_is_no_severity_but_a_reason(rows):
    found = of(rows)
    for name in ("lenient", "strict", "class_escape"):
        assert (found[name]["value"], found[name]["n"], found[name]["interval"]) == (None, 0, None)
        assert found[name]["reason"] == "no compared statement on which this error could be made"
    assert set(counted(found).values()) == {0}


def test_a_judge_without_errors_costs_nothing_and_its_interval_says_how_sure_that_is():
    found = of([Row("Su", "Su")] * 20 + [Row("Ss", "Ss")] * 20)
    assert found["lenient"]["value"] == found["strict"]["value"] == 0
    # A contradiction passed was not seen and is not taken to be impossible.
    assert found["lenient"]["interval"][1] > 0.3
