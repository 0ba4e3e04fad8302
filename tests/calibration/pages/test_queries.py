"""How many queries a page makes does not depend on how much there is."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calibration.models import Judgment, Report, RubricVersion, Run
from labeling.models import Annotator, Case, Label, Membership, Role
from tests.calibration.pages import sets

pytestmark = pytest.mark.django_db


def _pages(report: Report) -> dict[str, str]:
    slug, run = report.run.set.slug, report.run
    case = Case.objects.filter(set=run.set).first()
    return {
        "cases": reverse("cases", args=[slug]),
        "filtered": reverse("cases", args=[slug]) + "?tag=lit&verdict=supported&kind=lamp",
        "pair": reverse("pair", args=[slug, "pair-0"]),
        "case": reverse("case", args=[slug, case.pk]),
        "runs": reverse("runs", args=[slug]),
        "run": reverse("run", args=[slug, run.pk]),
        "progress": reverse("run-progress", args=[slug, run.pk]),
        "judgments": reverse("judgments", args=[slug, run.pk]),
        "judgment": reverse("judgment", args=[slug, run.judgments.first().pk]),
        "report": reverse("report", args=[slug, report.pk]),
        "disagreements": reverse("disagreements", args=[slug, report.pk]),
        "compare": f"{reverse('compare', args=[slug])}?first={run.pk}&second={_other(report).pk}",
        "changed": reverse("compare-statements", args=[slug])
        + f"?first={run.pk}&second={_other(report).pk}&first_right=yes",
        "set": reverse("set", args=[slug]),
        "set-statements": reverse("set-statements", args=[slug]),
        "rows of a rate": reverse("report-statements", args=[slug, report.pk])
        + "?speech_act=assertion&kind=lamp&human_verdict=failing&tier=author",
        "choose": reverse("compare", args=[slug]),
        "statements": reverse("report-statements", args=[slug, report.pk]),
        "pairs": reverse("report-pairs", args=[slug, report.pk]),
        "answers": reverse("report-answers", args=[slug, report.pk]) + "?decided=yes",
        "answer": reverse("report-answer", args=[slug, report.pk, case.pk]),
        "speech acts": reverse("report-statements", args=[slug, report.pk])
        + "?human_act=assertion",
        "rubrics": reverse("rubrics"),
        "rubric": reverse("rubric-version", args=["yes-man", "1.0.0"]),
    }


def _other(report: Report) -> Run:
    """A second recorded run, which turned every answer round, so that both lists are full."""
    return Run.objects.get(set=report.run.set, rubric_version__name="nay-man")


def _turned_round(report: Report) -> None:
    run = report.run
    version, _ = RubricVersion.objects.get_or_create(name="nay-man", version="1.0.0", recorded=True)
    other = Run.objects.create(
        set=run.set,
        revision=run.revision,
        rubric_version=version,
        planned=run.planned,
        finished_at=run.finished_at,
    )
    Judgment.objects.bulk_create(
        Judgment(
            run=other,
            statement_id=judgment.statement_id,
            case_pk=judgment.case_pk,
            outcome="graded",
            verdict="unsupported",
        )
        for judgment in run.judgments.all()
    )


def _counted(client, report: Report) -> dict[str, int]:
    counted = {}
    for name, url in _pages(report).items():
        client.get(url)  # the first view records that it was seen
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url).status_code == 200, name
        counted[name] = len(queries)
    return counted


def _label(report: Report, *, by: int) -> None:
    """Labels of so many annotators on the first statement of the case that is opened."""
    statement = Case.objects.filter(set=report.run.set).first().statements.get()
    for number in range(by):
        Label.objects.create(
            statement=statement,
            annotator=Annotator.objects.create(set=report.run.set, code=f"ann-{number}"),
            role="label",
            verdict="supported",
            origin="blind",
            contract_major=1,
        )


def test_each_page_makes_as_many_queries_for_few_as_for_many(people, lead, tmp_path):
    few = sets.lenient_report("few", 4, tmp_path)
    many = sets.lenient_report("many", 160, tmp_path)
    for report in (few, many):
        Membership.objects.create(set=report.run.set, user=people.lead, role=Role.LEAD)
    for report in (few, many):
        _turned_round(report)
    for report in (few, few, many, many, many):
        sets.judged_run(report.run.set)
    _label(few, by=1)
    _label(many, by=12)
    small, large = _counted(lead, few), _counted(lead, many)
    assert large == small
    # The dearest reads two runs, each in four queries, and their references in four.
    assert max(small.values()) <= 25, small


def test_the_checks_read_a_set_in_batches(people, lead, tmp_path):
    """Their queries follow the batches of the linter, not the cases."""
    for count in (4, 160):
        report = sets.lenient_report(f"of-{count}", count, tmp_path)
        Membership.objects.create(set=report.run.set, user=people.lead, role=Role.LEAD)
    counted = []
    for count in (4, 160):
        with CaptureQueriesContext(connection) as queries:
            assert lead.get(reverse("lint", args=[f"of-{count}"])).status_code == 200
        counted.append(len(queries))
    assert counted[0] == counted[1]
