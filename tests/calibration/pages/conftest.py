"""A small set with a judged run and a report, and clients of those who may and may not see it."""

from __future__ import annotations

import pytest
from django.urls import reverse


@pytest.fixture
def signed_in():
    from django.test import Client

    def sign_in(user) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def lead(people, signed_in):
    return signed_in(people.lead)


@pytest.fixture
def run(people):
    from tests.calibration.pages import sets
    from tests.kept_rows import put_back

    return put_back("judged run of the small set", lambda: sets.judged_run(people.set))


@pytest.fixture
def report(run):
    from calibration import reports
    from tests.kept_rows import put_back

    return put_back("report of the small set", lambda: reports.create(run))


@pytest.fixture
def lead_pages(people, run, report) -> dict[str, str]:
    """Every page of the set that is for leads alone, by its name."""
    from labeling.models import Case

    slug = people.set.slug
    case = Case.objects.live().filter(set=people.set, pair_id__isnull=False).first()
    return {
        "cases": reverse("cases", args=[slug]),
        "pair": reverse("pair", args=[slug, case.pair_id]),
        "case": reverse("case", args=[slug, case.pk]),
        "lint": reverse("lint", args=[slug]),
        "exports": reverse("exports", args=[slug]),
        "export-bundle": reverse("export-bundle", args=[slug]),
        "export-csv": reverse("export-csv", args=[slug]),
        "export-parquet": reverse("export-parquet", args=[slug]),
        "plan": reverse("plan", args=[slug]),
        "plan-statements": reverse("plan-statements", args=[slug]),
        "suite": reverse("suite", args=[slug]),
        "suite-download": reverse("suite-download", args=[slug]),
        "compare": f"{reverse('compare', args=[slug])}?first={run.pk}&second={run.pk}",
        "compare-statements": f"{reverse('compare-statements', args=[slug])}"
        f"?first={run.pk}&second={run.pk}",
        "versions": reverse("versions", args=[slug, run.rubric_version.name]),
        "version-statements": reverse("version-statements", args=[slug, run.rubric_version.name])
        + f"?runs={run.pk}",
        "version-moved": reverse("version-moved", args=[slug, run.rubric_version.name])
        + f"?first={run.pk}&second={run.pk}",
        "holdout": reverse("holdout", args=[slug]),
        "set-statements": reverse("set-statements", args=[slug]),
        "judge-checks": reverse(
            "judge-checks", args=[slug, run.rubric_version.name, run.rubric_version.version]
        ),
        "runs": reverse("runs", args=[slug]),
        "run": reverse("run", args=[slug, run.pk]),
        "run-calls": reverse("run-calls", args=[slug, run.pk]),
        "run-progress": reverse("run-progress", args=[slug, run.pk]),
        "judgments": reverse("judgments", args=[slug, run.pk]),
        "judgment": reverse("judgment", args=[slug, run.judgments.first().pk]),
        "report": reverse("report", args=[slug, report.pk]),
        "disagreements": reverse("disagreements", args=[slug, report.pk]),
        "report-statements": reverse("report-statements", args=[slug, report.pk]),
        "report-pairs": reverse("report-pairs", args=[slug, report.pk]),
        "report-production": reverse("report-production", args=[slug, report.pk])
        + "?supported=620&judged=1000",
        "report-ratings": reverse("report-ratings", args=[slug, report.pk]),
        "report-rating-pairs": reverse("report-rating-pairs", args=[slug, report.pk]),
        "report-annotators": reverse("report-annotators", args=[slug, report.pk]),
        "report-answers": reverse("report-answers", args=[slug, report.pk]),
        "report-answer": reverse("report-answer", args=[slug, report.pk, case.pk]),
        **{
            f"report.{form}": reverse("report-download", args=[slug, report.pk, form])
            for form in ("json", "md", "html")
        },
    }


@pytest.fixture
def rubric_pages(run) -> dict[str, str]:
    version = run.rubric_version
    return {
        "rubrics": reverse("rubrics"),
        "rubric-version": reverse("rubric-version", args=[version.name, version.version]),
        "rubric-yaml": reverse("rubric-yaml", args=[version.name, version.version]),
    }
