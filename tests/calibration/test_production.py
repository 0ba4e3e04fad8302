"""What a production score means by a report: counted by hand, from real labels, and undefined."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from calibration import bundles, production, reports
from calibration.bundles import recorded
from calibration.models import Judgment, Report, Run
from calibration.rendering.production import render
from calibration.stats.corrected import NO_INFORMATION
from calibration.stats.production import (
    CONTRADICTED,
    NONE_JUDGED,
    ONE_SIDE,
    WORSE_THAN_CHANCE,
    Production,
)
from grounding.errors import BadInput
from labeling import sets
from labeling.models import Annotator, Statement
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set, label

pytestmark = pytest.mark.django_db

# Of 10 that people support the judge passes 8; of 10 that they do not, one of them an
# interpretation, it passes 3. One is not applicable by the judge, one failed, one has no reference.
ROWS = [
    *[Row("Ss", "Ss")] * 8,
    *[Row("Ss", "Su")] * 2,
    *[Row("Su", "Sc")] * 4,
    *[Row("Sc", "Su")] * 3,
    *[Row("Su", "Ss")] * 2,
    Row("In", "Ss"),
    Row("Ss", "In"),
    Row("Ss", "timeout"),
    Row("..", "Ss"),
]
TRAFFIC = Production(50, 100)


def measured(rows: list[Row], traffic: Production = TRAFFIC) -> dict[str, Any]:
    run = a_run(a_set(rows), rows)
    return production.measure(reports.create(run), traffic)


def printed(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("production", *arguments, "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_both_corrections_by_hand_with_what_is_not_applicable_as_it_is_defined() -> None:
    found = measured(ROWS)
    assert (found["sensitivity"]["count"], found["sensitivity"]["n"]) == (8, 10)
    assert (found["specificity"]["count"], found["specificity"]["n"]) == (7, 10)
    assert found["labelled"] == {"n": 20, "not_applicable_by_people": 1, "left_out": 1}
    assert found["raw"]["rate"] == 0.5
    # (.5 + .7 - 1) / (.8 + .7 - 1)
    assert found["rogan_gladen"]["value"] == pytest.approx(0.4)
    # y 10 of 20, f 11 of 20, both 8: cov .4 - .5 .55 = .125; f 61 of 120 together.
    tuning = 0.125 / (1.2 * 61 * 59 / 120**2)
    assert found["tuning"] == pytest.approx(tuning)
    assert found["prediction_powered"]["value"] == pytest.approx(0.5 + tuning * (0.5 - 0.55))
    for name in ("rogan_gladen", "prediction_powered"):
        low, high = found[name]["interval"]
        assert low < found[name]["value"] < high


# Of 100 that people support the judge passes 80, of 100 that they do not 30: no more than 80% and
# no less than 30% of production can pass but by chance.
MANY = [
    *[Row("Ss", "Ss")] * 80,
    *[Row("Ss", "Su")] * 20,
    *[Row("Su", "Su")] * 70,
    *[Row("Su", "Ss")] * 30,
]


@pytest.mark.parametrize(
    ("passed", "uncut", "points"), [(20, "−56.0%", "56.0"), (970, "134.0%", "34.0")]
)
def test_production_that_contradicts_the_labels_has_no_corrected_share(
    passed: int, uncut: str, points: str
) -> None:
    found = measured(MANY, Production(passed, 1000))
    assert (found["rogan_gladen"]["value"], found["rogan_gladen"]["interval"]) == (None, None)
    assert found["rogan_gladen"]["reason"] == CONTRADICTED
    assert found["uncut"]["rogan_gladen"]["value"] == pytest.approx((passed / 1000 - 0.3) / 0.5)
    told = " ".join(render(found).split())
    assert f"Corrected for its errors it is —: {CONTRADICTED}. Uncut it is {uncut} (" in told
    assert f"), {points} points outside." in told
    assert "100.0% (" not in told


def test_a_share_cut_to_an_end_says_what_it_was_and_that_chance_can_explain_it() -> None:
    found = measured(MANY, Production(830, 1000))
    assert found["rogan_gladen"]["value"] == 1.0
    assert found["rogan_gladen"]["interval"][0] < 1 < found["uncut"]["rogan_gladen"]["interval"][1]
    told = " ".join(render(found).split())
    assert "it is 100.0% (" in told
    assert "Uncut it is 106.0% (" in told
    assert "6.0 points outside, which chance in production or in the labels can explain." in told


def test_without_limits_a_share_that_lies_outside_says_that_nothing_follows() -> None:
    """Two of three right on either side: whether the judge tells them apart at all is open."""
    few = [*[Row("Ss", "Ss")] * 2, Row("Ss", "Su"), *[Row("Su", "Su")] * 2, Row("Su", "Ss")]
    found = measured(few, Production(900, 1000))
    assert found["uncut"]["rogan_gladen"]["interval"] is None
    told = " ".join(render(found).split())
    assert "points outside, from which nothing follows." in told


def test_a_published_example_comes_out_of_a_report() -> None:
    """Cole and others (2023), American Journal of Epidemiology 192:467: 680 of 950, 203 of 241
    and 71 of 89 give .8023; by the sandwich the interval is .7249 to .8798."""
    rows = [
        *[Row("Ss", "Ss")] * 203,
        *[Row("Ss", "Su")] * 38,
        *[Row("Su", "Su")] * 71,
        *[Row("Su", "Ss")] * 18,
    ]
    found = measured(rows, Production(680, 950))["rogan_gladen"]
    assert found["value"] == pytest.approx(0.8023139646771528, abs=1e-12)
    assert found["n"] == 330
    assert found["interval"] == pytest.approx([0.7249, 0.8798], abs=0.01)


@pytest.mark.parametrize(
    ("judge", "hits", "correct"), [("gpt-4-0613", 18, 59), ("gpt-3.5-turbo-0613", 19, 20)]
)
def test_on_wice_the_share_is_corrected_by_the_known_lenient_errors(
    data_folder: Path, judge: str, hits: int, correct: int
) -> None:
    """Lenient on 19 or 58 of 78, so right on 59 or 20; strict on 4 or 3 of 22."""
    bundles.import_set("wice", data_folder / "wice")
    with (data_folder / "wice" / f"judgments-{judge}.jsonl").open("rb") as stream:
        run = recorded.import_judgments(sets.get("wice"), stream, source=stream.name).run
    report = reports.create(run)
    found = production.measure(report, Production(600, 1000))
    assert (found["sensitivity"]["count"], found["sensitivity"]["n"]) == (hits, 22)
    assert (found["specificity"]["count"], found["specificity"]["n"]) == (correct, 78)
    value = (0.6 + correct / 78 - 1) / (hits / 22 + correct / 78 - 1)
    assert found["rogan_gladen"]["value"] == pytest.approx(min(1.0, max(0.0, value)))
    if judge == "gpt-4-0613":
        # (.6 - 19/78) / (18/22 - 19/78) = .356410 / .574592
        assert found["rogan_gladen"]["value"] == pytest.approx(0.620284, abs=1e-6)
    else:
        # Barely better than chance: every share is possible.
        assert found["rogan_gladen"]["interval"] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("rows", "traffic", "reason"),
    [
        ([Row("Ss", "Ss"), Row("Su", "Ss")], TRAFFIC, NO_INFORMATION),
        ([Row("Ss", "Su"), Row("Su", "Ss")], TRAFFIC, WORSE_THAN_CHANCE),
        ([Row("Ss", "Ss")], TRAFFIC, ONE_SIDE),
        ([Row("Ss", "Ss"), Row("Su", "Su")], Production(0, 0), NONE_JUDGED),
        ([Row("Ss", "In"), Row("Su", "In")], TRAFFIC, ONE_SIDE),
    ],
    ids=["says always the same", "worse than chance", "one side", "no production", "none counted"],
)
def test_where_nothing_can_be_corrected_the_reason_stands(
    rows: list[Row], traffic: Production, reason: str
) -> None:
    found = measured(rows, traffic)
    corrected = found["rogan_gladen"]
    assert (corrected["value"], corrected["interval"], corrected["reason"]) == (None, None, reason)
    assert f"{reason}." in " ".join(render(found).split())


def test_statements_of_one_answer_and_effective_n_widen_what_is_said() -> None:
    twice = [
        Row(human, judge, case, 0)
        for case, (human, judge) in enumerate(
            [("Ss", "Ss")] * 8 + [("Ss", "Su")] * 2 + [("Su", "Su")] * 7 + [("Su", "Ss")] * 3
        )
        for _ in range(2)
    ]
    alone = [Row(row.human, row.judge) for row in twice]
    together = reports.create(a_run(a_set(twice), twice))
    apart = reports.create(a_run(a_set(alone, "alone"), alone))

    def width(report: Report, traffic: Production) -> float:
        low, high = production.measure(report, traffic)["rogan_gladen"]["interval"]
        return float(high - low)

    # Of 20 and 20 in tens of two that are alike: half as many are as sure.
    many = Production(500_000, 1_000_000)
    assert width(together, many) > 1.2 * width(apart, many)
    assert width(apart, Production(50, 100, 25)) > 1.1 * width(apart, Production(50, 100))


def test_a_link_says_the_same_whatever_is_judged_or_labelled_later() -> None:
    made = a_set(ROWS)
    run = a_run(made, ROWS)
    report = reports.create(run)
    before = production.measure(report, TRAFFIC)
    Run.objects.filter(pk=run.pk).update(round=2)
    Judgment.objects.filter(run=run, outcome="timeout").update(
        outcome="graded", verdict="supported", claim_class="subject_specific", round=2
    )
    second = Annotator.objects.create(set=made, code="ann-2")
    for statement in Statement.objects.filter(case__set=made):
        label(statement, second, "Sc")
    report.refresh_from_db()
    assert production.measure(report, TRAFFIC) == before


@pytest.mark.parametrize(
    ("counts", "field"),
    [
        (("4", "3", ""), "supported"),
        (("-1", "3", ""), "supported"),
        (("1", "-3", ""), "judged"),
        (("nan", "3", ""), "supported"),
        (("1", "NaN", ""), "judged"),
        (("1", "inf", ""), "judged"),
        (("1.5", "3", ""), "supported"),
        (("1e3", "3000", ""), "supported"),
        (("many", "3", ""), "supported"),
        (("", "3", ""), "supported"),
        (("1", "", ""), "judged"),
        (("1", "9" * 5000, ""), "judged"),
        (("1", str(10**12 + 1), ""), "judged"),
        (("١", "3", ""), "supported"),
        (("1", "3", "4"), "effective_n"),
        (("1", "3", "0"), "effective_n"),
        (("1", "3", "nan"), "effective_n"),
        (("1", "3", "-2"), "effective_n"),
        (("1", "3", "1e99"), "effective_n"),
    ],
)
def test_counts_that_cannot_be_are_refused_by_their_field(
    counts: tuple[str, str, str], field: str
) -> None:
    with pytest.raises(BadInput) as caught:
        production.read(*counts)
    assert caught.value.field == field


def test_counts_at_their_bounds_are_read() -> None:
    assert production.read("0", "0") == Production(0, 0)
    assert production.read(" 12 ", str(10**12), "2.5") == Production(12, 10**12, 2.5)


@pytest.mark.parametrize("worth", ["0.000000000001", "1", "1000000000000"])
def test_the_largest_counts_have_their_shares(worth: str) -> None:
    found = measured(ROWS, production.read(str(5 * 10**11), str(10**12), worth))
    assert found["rogan_gladen"]["value"] == pytest.approx(0.4)
    low, high = found["prediction_powered"]["interval"]
    assert 0 <= low < high <= 1


def test_the_command_prints_one_object_and_a_page_for_people() -> None:
    run = a_run(a_set(ROWS), ROWS)
    asked = ("judge@1.0.0", "made", "--supported", "50", "--judged", "100")
    found = printed(*asked, "--effective-n", "40", "--run", str(run.pk), "--reference", "single")
    assert list(found) == [
        "set", "rubric", "run", "reference", "report", "production", "raw", "rogan_gladen",
        "prediction_powered", "uncut", "tuning", "sensitivity", "specificity", "labelled",
    ]  # fmt: skip
    assert found["production"] == {"supported": 50, "judged": 100, "effective_n": 40.0}
    assert found["reference"]["minimum"] == "single"
    assert found["report"] == reports.create(run, minimum="single").pk
    out = StringIO()
    call_command("production", *asked, stdout=out, stderr=StringIO())
    told = " ".join(out.getvalue().split())
    assert "passes 50 of 100 statements (50.0%). Corrected for its errors it is 40.0%" in told
    assert "random sample of that very traffic" in told
    assert "Uncut" not in told
    assert "counts as not supported" in told
    assert "8 10 80.0%" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--supported", "4", "--judged", "3"), "supported: 4 are more than were judged, 3"),
        (("--supported", "-4", "--judged", "3"), "supported: takes a whole number from 0"),
        (("--supported", "1", "--judged", "nan"), "judged: takes a whole number from 0"),
        (("--supported", "1"), "--judged"),
        (("--supported", "0", "--judged", "0"), "no statements were judged"),
        (("--supported", "1", "--judged", "3", "--run", "999"), "has no run 999"),
    ],
)
def test_the_command_refuses_in_one_line_with_exit_3(arguments: tuple[str, ...], said: str) -> None:
    a_run(a_set(ROWS), ROWS)
    with pytest.raises(CommandError) as caught:
        call_command("production", "judge@1.0.0", "made", *arguments, stdout=StringIO())
    assert caught.value.returncode == 3
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
