"""A production score corrected on its page: counts in the link, every number opens its list."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from calibration import production, reports
from calibration.rendering import production as production_words
from calibration.rendering.sentences import AUTHOR_ALONE
from calibration.stats.production import Production
from labeling.models import Membership, Role
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page, rows_behind
from tests.calibration.report_records import a_run, a_set
from tests.calibration.test_production import ROWS

pytestmark = pytest.mark.django_db


@pytest.fixture
def url(people) -> str:
    made = a_set(ROWS)
    Membership.objects.create(set=made, user=people.lead, role=Role.LEAD)
    report = reports.create(a_run(made, ROWS))
    return reverse("report-production", args=["made", report.pk])


def test_the_page_asks_for_counts_and_says_how_the_judge_errs_before_any_are_given(lead, url):
    page = Page(lead.get(url).content)
    assert "Give the counts of your production" in page.plain
    assert "8 of 10" in page.plain
    assert "Share of supported statements" not in page.plain


def test_a_link_with_counts_shows_the_corrected_share_with_its_assumptions(lead, url):
    page = Page(lead.get(url + "?supported=50&judged=100").content)
    assert "passes 50 of 100 statements (50.0%)" in page.plain
    assert "Corrected for its errors it is 40.0%" in page.plain
    assert "n = 20 labelled" in page.plain
    for said in (
        "Holds if the judge never errs",
        "errs in production as it does on these labelled statements",
        "random sample of that very traffic",
        "counts as not supported",
        "taken to stand alone",
    ):
        assert said in page.plain
    stated = Page(lead.get(url + "?supported=50&judged=100&effective_n=40").content)
    assert "taken to stand alone" not in stated.plain


def test_where_production_contradicts_the_labels_the_page_says_by_how_much(lead, url):
    # Sensitivity .8 and specificity .7 of ten each: uncut (1 - .3) / .5 is 140%.
    page = Page(lead.get(url + "?supported=1000&judged=1000").content)
    assert page.plain.count("Uncut it is 140.0%") == 2
    assert "40.0 points outside" in page.plain
    assert "Uncut" not in Page(lead.get(url + "?supported=50&judged=100").content).plain


def test_every_number_of_labelled_statements_opens_exactly_these(lead, url):
    page = Page(lead.get(url + "?supported=50&judged=100").content)
    counted = [(href, text) for href, text in page.links if "/statements/" in href]
    # Sensitivity 8 of 10, specificity 7 of 10, and the 20, 1 and 1 below them.
    assert sorted(int(text) for _, text in counted) == [1, 1, 7, 8, 10, 10, 20]
    for href, text in counted:
        assert rows_behind(lead, href) == int(text), href


def test_what_is_undefined_is_a_dash_with_its_reason(lead, url):
    page = Page(lead.get(url + "?supported=0&judged=0").content)
    assert "There is no share to correct: no statements were judged." in page.plain
    assert page.plain.count("— n = ") == 3


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("supported=4&judged=3", "Called supported 4 are more than were judged, 3."),
        ("supported=-1&judged=3", "Called supported takes a whole number from 0"),
        ("supported=1&judged=NaN", "Judged takes a whole number from 0"),
        ("supported=1", "Judged takes a whole number from 0"),
        ("judged=1", "Called supported takes a whole number from 0"),
        ("supported=1&judged=" + "9" * 400, "Judged takes a whole number from 0"),
        ("supported=1&judged=3&effective_n=4", "Effective n lies above 0, and no higher than"),
        ("supported=%3Cb%3E&judged=3", "Called supported takes a whole number"),
    ],
)
def test_counts_that_cannot_be_are_400_beside_what_was_typed(lead, url, query, said):
    answer = lead.get(f"{url}?{query}")
    assert answer.status_code == 400
    page = Page(answer.content)
    assert said in page.plain
    typed = {field["name"]: field["value"] for field in page.tags("input") if field.get("name")}
    wanted = dict(re.findall(r"(\w+)=([^&]*)", query.replace("%3Cb%3E", "<b>")))
    assert {name: typed[name] for name in wanted} == wanted
    assert b"<b>" not in answer.content
    assert "Share of supported statements" not in page.plain


@pytest.mark.parametrize("query", ["?group=class", "?supported=1&supported=2&judged=3",
                                   "?supported=%00&judged=3"])  # fmt: skip
def test_other_parameters_are_refused(lead, url, query):
    assert lead.get(url + query).status_code == 400


def test_the_report_leads_to_it_and_the_page_says_what_the_command_says(lead, report):
    slug = report.run.set.slug
    there = reverse("report-production", args=[slug, report.pk])
    page = Page(lead.get(reverse("report", args=[slug, report.pk])).content)
    assert page.link("What it means for production") == there
    told = production.measure(report, Production(620, 1000))
    shown = lead.get(there + "?supported=620&judged=1000").context["measured"]
    command = f"--judged 1000 --run {report.run_id} --reference author"
    assert command in Page(lead.get(there + "?supported=620&judged=1000").content).plain
    assert shown["rogan_gladen"] == told["rogan_gladen"]
    assert shown["prediction_powered"] == told["prediction_powered"]


def test_where_only_the_author_stands_behind_it_the_page_says_so(lead, people, tmp_path):
    report = sets.lenient_report("lamps", 4, tmp_path)
    Membership.objects.create(set=report.run.set, user=people.lead, role=Role.LEAD)
    there = reverse("report-production", args=["lamps", report.pk])
    assert AUTHOR_ALONE in Page(lead.get(there).content).plain
    told = production_words.render(production.measure(report, Production(1, 2)))
    assert AUTHOR_ALONE in " ".join(told.split())


def test_where_people_labelled_it_says_no_such_thing(lead, url):
    assert AUTHOR_ALONE not in Page(lead.get(url).content).plain
