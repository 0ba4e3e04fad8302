"""People beside the judge on the report's page, and the lists behind each of its numbers."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calibration import rendering, reports
from calibration.models import RatingSheet
from labeling.models import Membership, Role
from tests.calibration.pages.reading import Page, rows_behind
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, labelled
from tests.kept_rows import put_back

pytestmark = pytest.mark.django_db

# Three who rate 33 statements, a fourth who rates one; every kind of row that is counted.
PEOPLE = [
    "Ss Ss Su", "Su Su - Su", ".s - Ec", "Ss Su Su", "Ss", "Ss",
    *["Ss Ss Su", "Su Su Su", "Ec Ec Ec"] * 11,
]  # fmt: skip
JUDGE = ["Ss", "Ss", "Es", "timeout", "Ss", "refused", *["Ss", "Ss", "Ec"] * 11]


@pytest.fixture
def rated(people):
    return put_back("rated beside the small set", lambda: a_report(people))


def a_report(people, said=PEOPLE, judge=JUDGE, slug="rated"):
    made = labelled(*said, slug=slug)
    Membership.objects.create(set=made, user=people.lead, role=Role.LEAD)
    return reports.create(a_run(made, [Row("..", one) for one in judge]))


def page_of(client, report, name="report", query="") -> Page:
    response = client.get(reverse(name, args=[report.run.set.slug, report.pk]) + query)
    assert response.status_code == 200
    return Page(response.content)


def section(page: Page, begin: str, end: str) -> str:
    said = page.plain
    return said[said.index(begin) : said.index(end, said.index(begin))]


def test_it_says_how_people_and_the_judge_stand_against_the_same_others(lead, rated):
    told = section(page_of(lead, rated), "People beside the judge People", "Confusion")
    both = rated.figures["humans"]["ceiling"]["verdict"]
    human, judge = both["human"], both["judge"]
    assert f"People agree with each other on {human['count']} of {human['n']} ratings" in told
    assert f"the judge with the same others on {judge['count']} of {judge['n']}" in told
    assert "In an annotator's seat This judge may" in told
    assert "Annotators from a crowd 0.1 may" in told
    assert "ann-1" in told


def test_the_test_of_annotators_says_of_how_many_and_why_without_an_interval(lead, rated):
    """Of 33 statements that each of the three shares with the others, the judge is as good on …"""
    said = section(page_of(lead, rated), "In an annotator's seat This", "Confusion")
    filed = rendering.render(reports.full(rated), "text")
    told = " ".join(filed[filed.index("In an annotator") :].split())
    advantage = f"{100 * rated.figures['alternative_annotator']['advantage']['value']:.1f}%"
    for one in (said, told):
        assert re.search(r"Winning rate: \d of 3 annotators tested \(\d+\.\d%\)", one)
        assert "No interval: these are all the annotators there were, not a sample." in one
        assert f"Advantage probability: {advantage}, the mean over 3 annotators tested" in one
        assert "No interval: the annotators share their statements; each share above has" in one
    assert re.search(r"ann-1 \d+\.\d% \(\d+ of \d+\) \[\d+\.\d, \d+\.\d\] ", told)


def test_every_number_about_people_opens_a_list_of_exactly_so_many(lead, rated):
    page = page_of(lead, rated)
    lists = ("/ratings/", "/rating-pairs/", "/annotators/", "rated=")
    found = {url: shown for url, shown in page.links if any(one in url for one in lists)}
    counted = {url: int(shown) for url, shown in found.items() if shown.isdigit()}
    assert len(counted) > 40
    for url, count in counted.items():
        heading = re.search(rb"<h1>\s*([\d,]+)", lead.get(url).content)
        assert heading, url
        assert int(heading[1]) == count > 0, url
        if "/annotators/" not in url:
            assert rows_behind(lead, url) == count, url


def test_a_rating_is_listed_with_the_others_and_the_judge(lead, rated):
    split = page_of(lead, rated, "report-ratings", "?state=ties").plain
    assert "s0" in split
    assert "split" in split
    failed = page_of(lead, rated, "report-ratings", "?state=failed&annotator=ann-2").plain
    assert "1 rating" in failed
    assert "ann-2" in failed
    assert page_of(lead, rated, "report-ratings", "?annotator=nobody").plain.count("0 ratings")


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("report-ratings", "?state=other"),
        ("report-ratings", "?user__password=a"),
        ("report-rating-pairs", "?of=overall"),
        ("report-annotators", "?result=other"),
    ],
)
def test_what_no_list_is_narrowed_by_is_refused(lead, rated, name, query):
    url = reverse(name, args=[rated.run.set.slug, rated.pk])
    assert lead.get(url + query).status_code == 400


def test_where_nobody_rated_twice_the_page_says_so_and_what_to_do(people, lead):
    report = a_report(people, ["Ss", "Su", "-"], ["Ss", "Ss", "Ss"])
    page = page_of(lead, report)
    told = section(page, "People beside the judge No", "Confusion")
    assert "No statement has two blind ratings, so there is no human ceiling: 2 have one." in told
    assert "by two people or more" in told
    assert reverse("queues", args=["rated"]) in [url for url, _ in page.links]
    assert "undecided: 0 of 0 annotators have 30 statements" in told


def test_a_report_of_before_says_nothing_of_people_and_has_no_such_lists(lead, rated):
    RatingSheet.objects.all().delete()
    for key in ("humans", "alternative_annotator"):
        rated.figures.pop(key)
    rated.save()
    assert "People beside the judge" not in page_of(lead, rated).plain
    for name in ("report-ratings", "report-rating-pairs", "report-annotators"):
        assert lead.get(reverse(name, args=["rated", rated.pk])).status_code == 404
    assert page_of(lead, rated, "report-statements", "?rated=several").plain.count("0 compared")


def test_labels_that_arrive_later_leave_page_and_lists_as_they_were(lead, rated):
    from labeling.models import Annotator, Statement
    from tests.calibration.report_records import label

    before = [
        page_of(lead, rated, name).plain
        for name in ("report", "report-ratings", "report-rating-pairs", "report-annotators")
    ]
    fourth = Annotator.objects.get(set=rated.run.set, code="ann-4")
    for one in Statement.objects.filter(case__set=rated.run.set, position__gt=3):
        label(one, fourth, "Sc")
    after = [
        page_of(lead, rated, name).plain
        for name in ("report", "report-ratings", "report-rating-pairs", "report-annotators")
    ]
    assert before == after


def test_the_lists_make_as_many_queries_however_much_there_is(people, lead):
    reports_ = [
        a_report(people, PEOPLE[:6], JUDGE[:6], "few"),
        a_report(people, [*PEOPLE, *PEOPLE], [*JUDGE, *JUDGE], "many"),
    ]
    for name in ("report-ratings", "report-rating-pairs", "report-annotators"):
        counts = []
        for report in reports_:
            lead.get(reverse(name, args=[report.run.set.slug, report.pk]))
            with CaptureQueriesContext(connection) as queries:
                page_of(lead, report, name)
            counts.append(len(queries))
        assert counts[0] == counts[1], name
