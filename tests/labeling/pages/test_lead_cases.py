"""The lead's pages about cases: pairs first, filters from a list, differing words marked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from labeling import sets
from labeling.cases import checks
from labeling.models import CalibrationSet, Case, Label, Role
from labeling.people import accounts
from labeling.web.parameters import PER_PAGE
from tests.calibration.bundles.bundle_fixtures import plain_case
from tests.calibration.pages.reading import Page
from tests.calibration.pages.sets import imported, lamps
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(people: Cast) -> Client:
    client = Client()
    client.force_login(people.lead)
    return client


@pytest.fixture
def lamp_set(people: Cast, tmp_path: Path) -> CalibrationSet:
    """Six lamps in three pairs, then two that stand alone, imported singles first."""
    alone = [plain_case(number, tags=["alone", "50% off"]) for number in (90, 91)]
    paired = lamps(6)
    paired[2] |= {"pair_kind": "torch"}
    paired[3] |= {"pair_kind": "torch", "tags": ["lit", "é"]}
    made = imported("lamps", alone + paired, tmp_path)
    accounts.join(made, people.lead, Role.LEAD)
    return made


def rows(response) -> list[str]:
    """The rows of the list in order: a pair by its id, a case that stands alone by its own."""
    return [row.pair_id or row.sides[0].case.case_id for row in response.context["rows"]]


def url(calibration_set: CalibrationSet, query: str = "") -> str:
    return reverse("cases", args=[calibration_set.slug]) + query


def test_pairs_come_first_side_by_side_then_cases_that_stand_alone(lead, lamp_set):
    response = lead.get(url(lamp_set))
    assert rows(response) == ["pair-0", "pair-1", "pair-2", "lamp-90", "lamp-91"]
    first = response.context["rows"][0]
    assert [side.case.case_id for side in first.sides] == ["lamp-0", "lamp-1"]
    assert [list(side.expected) for side in first.sides] == [
        [("subject_specific", "supported", 1)],
        [(None, "unsupported", 1)],
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?kind=torch", ["pair-1"]),
        ("?tag=lit", ["pair-0", "pair-1", "pair-2"]),
        ("?tag=%C3%A9", ["pair-1"]),
        ("?tag=50%25+off", ["lamp-90", "lamp-91"]),
        ("?tag=li", []),
        ("?tag=%25", []),
        ("?class=subject_specific&tag=alone", ["lamp-90", "lamp-91"]),
        ("?verdict=unsupported", ["pair-0", "pair-1", "pair-2"]),
        ("?class=subject_specific&verdict=unsupported", []),
        ("?kind=&tag=&class=&verdict=", ["pair-0", "pair-1", "pair-2", "lamp-90", "lamp-91"]),
        ("?kind=%27+OR+1=1", []),
    ],
)
def test_a_filter_keeps_the_rows_in_which_a_case_passes_and_shows_pairs_whole(
    lead, lamp_set, query, expected
):
    response = lead.get(url(lamp_set, query))
    assert response.status_code == 200
    assert rows(response) == expected
    assert all(len(row.sides) == 2 for row in response.context["rows"] if row.pair_id)


@pytest.mark.parametrize(
    "query",
    [
        "?order_by=case_id",
        "?order_by=-statements__expectation__verdict",
        "?statements__labels__verdict=supported",
        "?user__password__startswith=a",
        "?judgment__verdict=supported",
        "?_connector=OR&kind=lamp",
        "?_negated=1",
        "?pk=1",
        "?kind__contains=l",
        "?tag.x=1",
        "?verdict=SUPPORTED",
        "?verdict=supported%27--",
        "?class=interpretation%00",
        "?tag=%00",
        "?kind=lamp&kind=torch",
        "?page=0x1",
        "?page=-1",
        "?page=%D9%A1",
        "?page=1e3",
        "?page=" + "9" * 50,
        "?tag=" + "x" * 1001,
    ],
)
def test_what_is_not_on_the_list_is_400_and_moves_nothing(lead, lamp_set, query):
    before = rows(lead.get(url(lamp_set)))
    refused = lead.get(url(lamp_set, query))
    assert refused.status_code == 400
    assert b"lamp-0" not in refused.content
    assert rows(lead.get(url(lamp_set))) == before


LISTS = ("pair", "case", "lint", "exports", "export-bundle", "export-csv", "export-parquet")


@pytest.mark.parametrize("name", LISTS)
def test_pages_without_filters_take_none(lead, lamp_set, name):
    case = Case.objects.get(set=lamp_set, case_id="lamp-0")
    args = {"pair": ["pair-0"], "case": [case.pk]}.get(name, [])
    page = reverse(name, args=[lamp_set.slug, *args])
    assert lead.get(page).status_code == 200
    for query in ("?order_by=pk", "?case__set__memberships__user__password=x"):
        assert lead.get(page + query).status_code == 400, query


def test_a_page_past_the_end_is_404(lead, lamp_set):
    assert lead.get(url(lamp_set, "?page=2")).status_code == 404


def test_a_pair_is_never_torn_between_two_pages(people, lead, tmp_path):
    count = PER_PAGE + 3
    made = imported("many", lamps(2 * count), tmp_path)
    accounts.join(made, people.lead, Role.LEAD)
    first, second = lead.get(url(made)), lead.get(url(made, "?page=2"))
    assert rows(first) + rows(second) == [f"pair-{number}" for number in range(count)]
    assert all(len(row.sides) == 2 for row in first.context["rows"])
    assert "Page 1 of 2" in Page(first.content).plain
    onward = Page(lead.get(url(made, "?kind=lamp")).content).link("Next")
    assert rows(lead.get(url(made) + onward)) == rows(second)


def test_an_empty_set_says_what_to_do(people, lead):
    empty = sets.get_or_create("empty")
    accounts.join(empty, people.lead, Role.LEAD)
    for name in ("cases", "lint", "exports", "runs"):
        page = Page(lead.get(reverse(name, args=["empty"])).content)
        leads_to = {url for url, _ in page.links}
        for way in ("pair-write", "import"):
            assert reverse(way, args=["empty"]) in leads_to, name


def test_a_pair_shows_the_differing_words_on_both_sides_with_a_text_alternative(lead, people):
    body = lead.get(reverse("pair", args=[people.set.slug, "jobs-001"])).content.decode()
    for word in ("three", "five"):
        said = f'[differs: </span>{word}<span class="visually-hidden">]</span></mark>'
        assert said in body, word
    # The question and the passage are the same on both sides.
    assert body.count(">What does the report say?</p>") == 2


def test_a_pair_shows_what_is_expected_and_how_labels_count(lead, people):
    page = Page(lead.get(reverse("pair", args=[people.set.slug, "jobs-001"])).content)
    case = Case.objects.get(set=people.set, case_id="jobs-001-a")
    first = case.statements.get(statement_id="s1")
    blind = Label.objects.live().filter(statement=first, origin="blind", role="label").count()
    assert blind
    assert "The count is stated." in page.plain
    assert "p1 3 failed jobs" in page.plain
    assert f"{blind} blind" in page.plain
    verdicts = [one["data-verdict"] for one in page.tags("span") if "data-verdict" in one]
    assert {"supported", "contradictory", "not_applicable"} <= set(verdicts)


def test_a_pair_that_lost_a_side_says_so(lead, people):
    Case.objects.filter(set=people.set, case_id="jobs-001-b").update(
        superseded_in=people.set.revision + 1
    )
    page = Page(lead.get(reverse("pair", args=[people.set.slug, "jobs-001"])).content)
    assert "This pair has 1 live side;" in page.plain


def test_a_pair_that_is_not_there_is_404(lead, people):
    for name in ("none", "jobs-001-a", "..", "%00", "a b"):
        assert lead.get(f"/sets/{people.set.slug}/pairs/{name}/").status_code == 404, name


def test_evidence_stands_in_its_passage_and_its_source(lead, people):
    case = Case.objects.get(set=people.set, case_id="jobs-001-a")
    body = lead.get(reverse("case", args=[people.set.slug, case.pk])).content.decode()
    mark = '<mark class="cited by-expected by-label">'
    assert f'💊: {mark}3 failed jobs<span class="note"> [expected for s1' in body
    assert re.search('<mark class="cited [^"]+">run an operation that failed once more<', body)


def test_evidence_that_stands_nowhere_is_shown_apart_and_not_lost(lead, people):
    case = Case.objects.get(set=people.set, case_id="jobs-001-a")
    expected = case.statements.get(statement_id="s1").expectation
    expected.evidence = [
        {"passage_id": "p1", "source_id": None, "quote": "9 jobs", "start": None, "end": None}
    ]
    expected.save()
    said = Page(lead.get(reverse("case", args=[people.set.slug, case.pk])).content).plain
    assert "Cited, but not found in place expected for s1: 9 jobs" in said


def test_the_checks_page_lists_every_finding_with_a_link_to_its_case(lead, lamp_set, people):
    found = checks.lint(lamp_set)
    assert {one.kind for one in found} >= {"cell_below_minimum"}
    response = lead.get(reverse("lint", args=[lamp_set.slug]))
    assert response.context["page"].paginator.count == len(found)
    page = Page(response.content)
    assert all(one.message in page.text for one in found)
    cases = [one.case_id for one in found if one.case_id]
    assert [
        text for link, text in page.links if "/cases/" in link and link.count("/") == 5
    ] == cases


def test_the_checks_page_narrows_to_one_kind(lead, lamp_set):
    found = [one for one in checks.lint(lamp_set) if one.kind == "cell_below_minimum"]
    response = lead.get(reverse("lint", args=[lamp_set.slug]) + "?kind=cell_below_minimum")
    assert response.context["page"].paginator.count == len(found)


def test_each_count_of_the_set_opens_a_list_of_as_many(lead, lamp_set):
    """Eight cases, six of them in three pairs."""
    home = Page(lead.get(reverse("set", args=["lamps"])).content)
    counted = {url: int(shown) for url, shown in home.links if shown.isdigit()}
    cases, pairs, statements = counted.items()
    listed = {url: lead.get(url) for url in counted}
    sides = [side for row in listed[cases[0]].context["rows"] for side in row.sides]
    assert (len(sides), len(rows(listed[pairs[0]]))) == (cases[1], pairs[1]) == (8, 3)
    assert len(listed[statements[0]].context["page"].object_list) == statements[1] >= 8


def test_pairs_and_single_cases_are_listed_apart(lead, lamp_set):
    assert rows(lead.get(url(lamp_set, "?paired=yes"))) == ["pair-0", "pair-1", "pair-2"]
    assert rows(lead.get(url(lamp_set, "?paired=no"))) == ["lamp-90", "lamp-91"]
    assert lead.get(url(lamp_set, "?paired=maybe")).status_code == 400


def test_every_statement_of_the_set_is_listed_with_what_is_expected(lead, lamp_set):
    page = Page(lead.get(reverse("set-statements", args=["lamps"])).content)
    case = Case.objects.get(case_id="lamp-1")
    statement = case.statements.get()
    link = page.link("lamp-1 s1")
    assert link == f"{reverse('case', args=['lamps', case.pk])}#statement-{statement.pk}"
    body = lead.get(link).content.decode()
    assert f'id="statement-{statement.pk}"' in body
    assert "unsupported" in page.plain
