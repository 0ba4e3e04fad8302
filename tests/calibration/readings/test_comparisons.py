"""The lists behind a report's numbers are as long as the numbers are, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from calibration import reports
from calibration.agreement.pairs import OUTCOMES
from calibration.models import Judgment, Report
from calibration.readings import behind, behind_answers, behind_sureness
from calibration.readings.comparisons import STATED, ComparedList
from calibration.readings.pair_lists import PairList
from calibration.reports import answer_lists
from calibration.runs import judgments
from labeling.models import Case, Label
from tests.calibration.agreement import answer_records
from tests.calibration.report_fixtures import HAND, Row
from tests.calibration.report_records import a_run, a_set
from tests.kept_rows import put_back
from tests.sheets import forgotten

pytestmark = pytest.mark.django_db

ABOUT_ANSWERS = ("answers", "speech_acts", "abstention", "failure_source")
# Whose lists are of ratings (`tests/calibration/pages/test_people_pages.py`).
ABOUT_PEOPLE = ("humans", "alternative_annotator")


@pytest.fixture
def report(db: None) -> Report:
    def make() -> Report:
        made = a_set(HAND, kinds=["number"])
        return reports.create(a_run(made, HAND, failure_ceiling=0.5))

    return put_back("report of the hand-made rows", make)


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


def test_each_link_of_a_report_lists_what_its_number_counts(report: Report) -> None:
    """Every count and every n of its figures, and every plain count."""
    lists = behind.Lists(statements="/s/", judgments="/j/", pairs="/p/")
    linked = {
        **behind.linked(report.figures, lists),
        **behind_sureness.linked(report.figures, lists),
    }
    elsewhere = (*ABOUT_ANSWERS, *ABOUT_PEOPLE)
    rates = {path: rate for path, rate in _rates(linked) if path.split("/")[1] not in elsewhere}
    assert len(rates) > 40
    for path, rate in rates.items():
        for key in ("count", "n"):
            # A floor errs on all of these statements, or on none: then there is nothing to list.
            if key in rate["behind"] or rate[key]:
                assert _counted(report, rate["behind"][key]) == rate[key], (path, key)
    for name, which in product(("kappa", "ac1", "mcc"), ("verdict", "class")):
        value = linked[name][which]
        assert _counted(report, value["behind"]["n"]) == value["n"] > 0, (name, which)
    outcomes, tiers = report.figures["outcomes"], report.figures["reference"]["tiers"]
    counts = {**report.figures, **outcomes, **tiers}
    counts["failed"] = outcomes["planned"] - outcomes["graded"]
    counts["untaken"] = tiers["disputed"] + tiers["none"]
    assert {"failed", "without_evidence", "class_not_judged", "single"} <= linked["behind"].keys()
    for name, url in linked["behind"].items():
        assert _counted(report, url) == counts[name], name
    assert min(counts[name] for name in ("failed", "without_evidence", "none", "single")) > 0


def test_each_link_about_confidence_evidence_and_severity_lists_what_its_number_counts(
    report: Report,
) -> None:
    lists = behind.Lists(statements="/s/", judgments="/j/", pairs="/p/")
    quoted = [{"passage_id": "p1", "source_id": None, "quote": "A", "start": 0, "end": 1}]
    for place, judgment in enumerate(report.run.judgments.filter(outcome="graded")):
        Judgment.objects.filter(pk=judgment.pk).update(
            confidence=[None, 0.5, 0.1 + 0.2, 0.9][place % 4], evidence=quoted * (place % 2)
        )
    Label.objects.filter(pk__in=[one.pk for one in Label.objects.all()[::3]]).update(
        evidence=quoted
    )
    forgotten()
    told = reports.create(report.run, seed=3)
    linked = behind_sureness.linked(told.figures, lists)
    assert len(linked["confidence"]["bins"]) == 3
    numbers = [(f"bin {one['low']}", one["right"]) for one in linked["confidence"]["bins"]]
    numbers += [("shared", linked["evidence"]["shared"])]
    for name, rate in numbers:
        for key in ("count", "n"):
            assert _counted(told, rate["behind"][key]) == rate[key], (name, key)
    for section in linked.values():
        for name, url in section.get("behind", {}).items():
            assert _counted(told, url) == section[name], name
        for name, coefficient in section.items():
            if isinstance(coefficient, Mapping) and "value" in coefficient:
                assert _counted(told, coefficient["behind"]["n"]) == coefficient["n"], name
    for one in linked["severity"]["weights"]:
        assert _counted(told, one["behind"]["count"]) == one["count"], one
    assert {one["count"] for one in linked["severity"]["weights"]} > {0, 1, 2}
    assert linked["evidence"]["only_human"] > 0 < linked["evidence"]["only_judge"]


def test_each_link_about_answers_lists_what_its_number_counts(tmp_path: Path) -> None:
    """But for claims and passages, which are no rows of any list."""
    report = answer_records.report(tmp_path)
    linked = behind_answers.linked(report.figures, "/a/", "/s/")
    assert linked.keys() == set(ABOUT_ANSWERS)
    rates = {
        path: rate
        for path, rate in _rates(linked)
        if not path.startswith("/answers/claims") and path != "/failure_source/gap/dropped"
    }
    assert len(rates) == 17
    for path, rate in rates.items():
        for key in ("count", "n"):
            assert _counted(report, rate["behind"][key]) == rate[key], (path, key)
    counts = dict(_counts(linked))
    assert len(counts) > 25
    for url, count in counts.items():
        assert _counted(report, url) == count, url


def _counts(node: Any) -> Iterator[tuple[str, int]]:
    """Every plain count among the figures by its link; the rest of an answer's are one level in."""
    if not isinstance(node, Mapping) or "rate" in node:
        return
    inside = {**node, **node.get("undecided", {}), **node.get("untraced", {})}
    inside |= {**node.get("basis", {}), **node.get("gap", {})}
    for name, url in node.get("behind", {}).items():
        if isinstance(inside.get(name), int):
            yield url, inside[name]
    for child in node.values():
        yield from _counts(child)


def test_what_a_tier_above_the_lowest_leaves_out_is_listed_together(report: Report) -> None:
    """No label of these is by consensus, so every planned statement is untaken: 24 rows."""
    raised = reports.create(report.run, minimum="consensus")
    linked = behind.linked(raised.figures, behind.Lists("/s/", "/j/", "/p/"))
    assert _counted(raised, linked["behind"]["untaken"]) == len(HAND) == 24
    assert "single" not in linked["behind"]


def _rates(node: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every rate among the figures by where it stands."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if isinstance(node, Mapping):
        if "rate" in node and "count" in node:
            yield path, node
        for name, child in node.items():
            yield from _rates(child, f"{path}/{name}")


def _counted(report: Report, url: str) -> int:
    address = urlsplit(url)
    filters = dict(parse_qsl(address.query))
    if address.path == "/a/":
        sheet = answer_lists.sheet_of(report)
        assert sheet is not None
        return answer_lists.AnswerList(sheet, filters).count()
    if address.path == "/s/":
        return ComparedList(report, filters).count()
    if address.path == "/p/":
        return PairList(report, filters.get("outcome"), filters.get("twin")).count()
    return judgments.judgments_of(report.run, filters).count()


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


SILENT = [
    Row("Su", "Ss", 1, 0, kind=0),  # leaked
    Row("Su", "Su", 1, 1, kind=0),
    Row("Su", "timeout", 2, 0, kind=0),  # not graded
    Row("..", "timeout", 2, 1, kind=0),  # nor has it a reference: of another number
    Row("..", "Ss", 3, 0, kind=0),
    Row("Ss", "Ss", 3, 1, kind=0),
]


def test_each_count_of_a_check_lists_what_it_counts() -> None:
    """A statement without a reference is in no list that asks for one, graded or not."""
    made = a_set(SILENT, kinds=["true_but_silent_context"])
    Case.objects.filter(statements__statement_id__in=["s0", "s2"]).update(tags=["injected"])
    raised = reports.create(a_run(made, SILENT, failure_ceiling=0.5))
    linked = behind.linked(raised.figures, behind.Lists("/s/", "/j/", "/p/"))
    checks = {name: linked[name] for name in ("self_agreement", "injection", "closed_book")}
    assert (checks["closed_book"]["statements"], checks["closed_book"]["incomplete"]) == (3, 1)
    assert (checks["injection"]["twins"], checks["injection"]["incomplete"]) == (2, 1)
    for name, check in checks.items():
        for part, url in check["behind"].items():
            if part in check and isinstance(check[part], int):
                assert _counted(raised, url) == check[part], (name, part)
