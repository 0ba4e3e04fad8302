"""A report's link shows the same numbers whatever happens afterwards, page and files alike."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from calibration import reports, rubrics, runs
from calibration.models import Judgment
from calibration.runs import rounds
from labeling.models import Label, Membership, Role, Statement
from labeling.people import accounts
from labeling.sets import annotators
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page
from tests.calibration.report_records import label
from tests.grounding.rubric_examples import with_changes
from tests.kept_rows import put_back
from tests.sheets import forgotten

pytestmark = pytest.mark.django_db

CASES = sets.lamps(8)


@pytest.fixture
def report(people, tmp_path):
    return put_back("report on lamps", lambda: a_report(people, tmp_path))


def a_report(people, tmp_path):
    """Of eight lamps judged by the shipped rubric, one of which failed; an annotator with an
    account of theirs labelled six, two against the author."""
    measured = sets.imported("lamps", CASES, tmp_path)
    Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
    run = sets.judged_run(measured)
    accounts.join(measured, people.annotator, Role.ANNOTATOR)
    someone = annotators.of(measured, people.annotator)
    for statement, letters in zip(statements(), ["Ss", "Ss", "Su", "Sc", "Ss", "Su"], strict=False):
        label(statement, someone, letters)
    failed = run.judgments.order_by("pk").last()
    Judgment.objects.filter(pk=failed.pk).update(
        outcome="timeout", verdict=None, claim_class=None, evidence=[]
    )
    forgotten()
    return reports.create(run)


def statements():
    return Statement.objects.filter(case__set__slug="lamps").order_by("case__position")


def labels_change(report, people, tmp_path):
    """The annotator thinks again, and a second one joins in."""
    Label.objects.filter(statement__in=statements()).update(superseded_at=timezone.now())
    another = annotators.of(report.run.set, people.lead)
    for statement in statements():
        label(statement, annotators.of(report.run.set, people.annotator), "Ss")
        label(statement, another, "Ss")


def the_rubric_is_released_anew(report, people, tmp_path):
    later = rubrics.release(
        with_changes(version="1.9.0", judge__parameters__support_probability=0.99)
    )
    sets.judged(runs.start(report.run.set, later.rubric_version))


def a_case_is_superseded(report, people, tmp_path):
    changed = sets.lamps(8)
    changed[2]["context"][0]["text"] = "Lamp 2 was taken down."
    del changed[2]["statements"][0]["expected"]
    sets.imported("lamps", changed, tmp_path)
    report.run.set.refresh_from_db()
    assert report.run.set.revision == 2


def the_annotator_is_deactivated(report, people, tmp_path):
    accounts.deactivate(people.annotator)


def failures_are_judged_again(report, people, tmp_path):
    run = sets.judged(rounds.rerun(report.run))
    assert (run.round, runs.outcomes(run)["graded"]) == (2, 8)


CHANGES = [
    labels_change,
    the_rubric_is_released_anew,
    a_case_is_superseded,
    the_annotator_is_deactivated,
    failures_are_judged_again,
]
CHANGE_NUMBERS = {labels_change, failures_are_judged_again}


def shown(client, report):
    """The files byte for byte; the page as it reads."""
    files = {
        form: client.get(reverse("report-download", args=["lamps", report.pk, form])).content
        for form in ("json", "md", "html")
    }
    page = client.get(reverse("report", args=["lamps", report.pk]))
    assert page.status_code == 200
    read = Page(page.content).plain
    # How many rounds there have been since, and which floors could stand beside, is not of it.
    return {**files, "page": re.sub(r"round 1 of 2", "round 1", read)}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_it_shows_the_same_after(lead, report, people, tmp_path, change):
    before = shown(lead, report)
    change(report, people, tmp_path)
    assert shown(lead, report) == before
    if change in CHANGE_NUMBERS:
        report.run.refresh_from_db()
        newer = reports.create(report.run)
        assert newer.pk != report.pk
        assert newer.figures["verdict"] != report.figures["verdict"]


def test_each_round_has_a_report_of_its_own_and_both_links_stand(lead, report, people, tmp_path):
    failures_are_judged_again(report, people, tmp_path)
    report.run.refresh_from_db()
    newer = reports.create(report.run)
    first, second = (shown(lead, one)["page"] for one in (report, newer))
    assert "8 planned = 7 graded + 1 failed." in first
    assert "8 planned = 8 graded + 0 failed." in second


def test_the_seed_is_printed_and_another_seed_is_another_report(lead, report):
    other = reports.create(report.run, seed=77)
    assert other.pk != report.pk
    assert reports.create(report.run, seed=77).pk == other.pk
    assert "Seed 77" in shown(lead, other)["page"]
    assert b"seed of the intervals | 77" in shown(lead, other)["md"]
    assert f"Seed {reports.DEFAULT_SEED}" in shown(lead, report)["page"]


NONSENSE = [
    "?seed=9",
    "?page=-1",
    "?page=%00",
    "?a[]=1&b__gt=2",
    "?%F0%28=%ff",
    "?direction=%0d%0a",
]


@pytest.mark.parametrize("query", NONSENSE)
def test_nonsense_in_its_address_is_no_error_of_ours_and_changes_nothing(lead, report, query):
    names = ["report", "disagreements", "report-statements", "report-pairs", "report-answers"]
    for name in names:
        status = lead.get(reverse(name, args=["lamps", report.pk]) + query).status_code
        assert status in (200, 400, 404), name
    plain = reverse("report-download", args=["lamps", report.pk, "json"])
    answer = lead.get(plain + query)
    assert answer.status_code in (200, 400)
    assert answer.status_code == 400 or answer.content == lead.get(plain).content
