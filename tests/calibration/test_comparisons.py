"""The lists behind a report's numbers are as long as the numbers are, cell by cell."""

from __future__ import annotations

import pytest

from calibration import reports
from calibration.comparisons import STATED, ComparedList, PairList
from calibration.models import Report
from calibration.pairs import OUTCOMES
from tests.calibration.report_fixtures import HAND
from tests.calibration.report_records import a_run, a_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def report() -> Report:
    made = a_set(HAND, kinds=["number"])
    return reports.create(a_run(made, HAND, failure_ceiling=0.5))


@pytest.mark.parametrize("which", ["verdict", "class"])
def test_each_cell_of_a_confusion_lists_what_it_counts(report: Report, which: str) -> None:
    matrix = report.figures["confusion"][which]
    total = 0
    for human, row in zip(matrix["labels"], matrix["rows_human_columns_judge"], strict=True):
        for judge, count in zip(matrix["labels"], row, strict=True):
            found = ComparedList(report, {f"human_{which}": human, f"judge_{which}": judge})
            assert found.count() == count, (human, judge)
            for one in found[0:50]:
                said = one.judgment.verdict if which == "verdict" else one.judgment.claim_class
                held = one.reference.verdict if which == "verdict" else one.reference.claim_class
                assert (held, said) == (human, judge)
            total += count
    assert total == report.figures[which]["n"] > 0


def test_each_cell_of_class_and_verdict_lists_all_of_it_and_the_right_ones(report: Report) -> None:
    for cell in report.figures["by_class_and_verdict"]:
        chosen = {
            "human_class": cell["claim_class"],
            "human_verdict": cell["verdict"],
            "judge_class": STATED,
        }
        assert ComparedList(report, chosen).count() == cell["n"]
        assert ComparedList(report, {**chosen, "right": "yes"}).count() == cell["count"]


def test_wrong_ones_are_the_disagreements(report: Report) -> None:
    wrong = ComparedList(report, {"right": "no"})
    assert wrong.count() == reports.disagreement_counts(report)["all"]
    assert ComparedList(report, {}).count() == report.figures["compared"]


def test_a_stated_class_is_any_class_and_not_none(report: Report) -> None:
    assert report.figures["class_not_labelled"] > 0
    both = ComparedList(report, {"human_class": STATED, "judge_class": STATED})
    assert both.count() == report.figures["class"]["n"]
    labelled = ComparedList(report, {"human_class": STATED}).count()
    assert labelled == report.figures["compared"] - report.figures["class_not_labelled"]


def test_each_outcome_of_the_pairs_lists_what_it_counts(report: Report) -> None:
    counts = report.figures["pairs"]
    assert PairList(report, None).count() == counts["n"] > 0
    for outcome in OUTCOMES:
        rows = PairList(report, outcome)
        assert rows.count() == counts[outcome], outcome
        assert {row.outcome for row in rows[0:50]} <= {outcome}


def test_a_pair_shows_both_its_sides_with_human_and_judge(report: Report) -> None:
    [row, *_] = PairList(report, "both_right")[0:1]
    assert len(row.sides) == 2
    assert row.live
    for side in row.sides:
        for one in side.compared:
            assert one.reference.verdict == one.judgment.verdict
