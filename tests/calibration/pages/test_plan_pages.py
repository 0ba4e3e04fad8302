"""The lead's pages about what to label next: numbers and their lists, a queue over exactly what a
plan listed, a suite and its bundle."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calibration import planner, reports
from calibration.planner import Asked, suites
from labeling import sets
from labeling.models import Annotator, Case, Membership, Queue, Role, Statement
from labeling.sets import annotators
from tests.access.world import OPENING
from tests.calibration import report_records
from tests.calibration.pages.reading import Page
from tests.calibration.planner.plan_records import Of, a_set
from tests.calibration.planner.test_planner import ROWS
from tests.calibration.planner.test_suites import EIGHT, LEFT_OUT
from tests.calibration.report_fixtures import Row
from tests.labeling.queues.queue_scene import given

pytestmark = pytest.mark.django_db

PLAN, LIST = "/sets/planned/plan/", "/sets/planned/plan/statements/"
SUITE = "/sets/planned/plan/suite/"


def joined(user, made, role=Role.LEAD):
    Membership.objects.create(set=made, user=user, role=role)
    return made


@pytest.fixture
def made(people):
    return joined(people.lead, a_set(ROWS))


def listed(client, url) -> int:
    """How many statements a list has on its one page."""
    return len(Page(client.get(url).content).tags("tr")) - 1


def sealed(client, query="") -> str:
    page = Page(client.get(PLAN + query).content)
    return next(str(one["value"]) for one in page.tags("input") if one.get("name") == "planned")


def test_the_page_says_what_it_takes_and_where_it_comes_from(lead, made):
    page = Page(lead.get(PLAN + "?margin=0.25").content)
    plan = planner.plan(made, Asked(margin=0.25))
    assert f"in each of 7 cells takes {plan.total['needed']} labels; 3 are there" in page.plain
    assert "its cell is not known" in page.plain
    assert "taken to stand and fall together" in page.plain
    assert "Nothing on this page depends on what a judge said" in page.plain
    assert "People disagree on 1 more statement" in page.plain
    assert f"Label next: {len(plan.next)} statements" in page.plain


def test_every_number_that_counts_statements_opens_exactly_these(lead, made):
    page = Page(lead.get(PLAN).content)
    counted = [(href, text) for href, text in page.links if href.startswith(LIST)]
    assert len(counted) > 10
    for href, text in counted:
        assert listed(lead, href) == int(text), href
    # Nothing that counts stands without its list: the cells, all of them, and what is in none.
    states = {re.search(r"state=(\w+)", href).group(1) for href, _ in counted}
    assert states == {"labelled", "consensus", "single", "unlabelled", "disputed"}


def test_a_list_says_what_is_known_of_each_statement(lead, made):
    page = Page(lead.get(LIST + "?class=subject_specific&verdict=supported").content)
    assert "case-0 s0 Statement 0. subject-specific unsupported" in page.plain
    assert "supported consensus" in page.plain
    assert "not labelled" in page.plain
    assert "No statement is like that" in Page(lead.get(LIST + "?state=waiting").content).plain


@pytest.mark.parametrize("query", ["?margin=0.7", "?margin=nan", "?share=2", "?limit=-1",
                                   "?seed=x", "?design_effect=0"])  # fmt: skip
def test_what_cannot_be_asked_is_400_beside_what_was_typed(lead, made, query):
    answer = lead.get(PLAN + query)
    assert answer.status_code == 400
    page = Page(answer.content)
    name, value = query[1:].split("=")
    assert "Not accepted." in page.plain
    (typed,) = [one["value"] for one in page.tags("input") if one.get("name") == name]
    assert typed == value
    assert "Cell by cell" not in page.plain


@pytest.mark.parametrize("url", [PLAN + "?judge=1", LIST + "?state=wrong", LIST + "?judged=yes",
                                 SUITE + "?size=0", SUITE + "?seed=x", SUITE + "?among=judged",
                                 "/sets/planned/plan/suite.zip?among=suite"])  # fmt: skip
def test_other_parameters_are_refused(lead, made, url):
    assert lead.get(url).status_code == 400


def test_an_empty_set_and_one_with_nothing_left_say_what_to_do(lead, people):
    joined(people.lead, sets.get_or_create("planned"))
    page = Page(lead.get(PLAN).content)
    assert "There is nothing to label yet" in page.plain
    assert page.link("Write a pair") == reverse("pair-write", args=["planned"])
    assert "This set has no pairs yet" in Page(lead.get(SUITE).content).plain
    full = joined(people.lead, a_set([Of(["Ss"])], "full"))
    told = Page(lead.get(f"/sets/{full.slug}/plan/").content).plain
    assert "Every statement that would serve a cell is labelled" in told
    assert "New cases have to be written" in told


def test_a_queue_is_opened_over_exactly_what_was_listed_whatever_came_since(lead, people, made):
    plan = planner.plan(made, Asked(limit=3))
    token = sealed(lead, "?limit=3")
    url = reverse("plan-queue", args=["planned"])
    page = Page(lead.post(url, {"planned": token, "do": "begin"}).content)
    assert "without regard to any judge" in page.plain
    assert "stay out of headlines" not in page.plain
    assert "3 statements found" in page.plain
    # A label comes in meanwhile: the plan moves, the list does not.
    first = Statement.objects.get(pk=plan.next[0].pk)
    report_records.label(first, Annotator.objects.get(set=made, code="ann-1"), "Ss")
    assert planner.plan(made, Asked(limit=3)).next != plan.next
    assert lead.post(url, {**OPENING, "planned": token}).status_code == 302
    queue = Queue.objects.get(title="Another round")
    assert set(queue.slots.values_list("statement", flat=True)) == {one.pk for one in plan.next}
    assert queue.selected is None


def test_a_wrong_form_keeps_the_list_and_a_wrong_list_opens_nothing(lead, people, made):
    url = reverse("plan-queue", args=["planned"])
    token = sealed(lead)
    answer = lead.post(url, {**OPENING, "title": "", "planned": token})
    assert answer.status_code == 422
    kept = [one for one in Page(answer.content).tags("input") if one.get("name") == "planned"]
    assert [one["value"] for one in kept] == [token]
    other = joined(people.lead, a_set(ROWS, "other"))
    for wrong in ("", token + "x", "1,2"):
        assert lead.post(url, {**OPENING, "planned": wrong}).status_code == 400
    elsewhere = reverse("plan-queue", args=[other.slug])
    assert lead.post(elsewhere, {**OPENING, "planned": token}).status_code == 400
    assert lead.get(url).status_code == 405
    assert not Queue.objects.filter(set__in=[made, other]).exists()


@pytest.mark.parametrize("who", ["annotator", "second", "ex_member", "stranger"])
def test_nobody_but_a_lead_opens_a_queue_from_a_plan(signed_in, lead, people, made, who):
    token = sealed(lead)
    joined(people.annotator, made, Role.ANNOTATOR)
    client = signed_in(getattr(people, who))
    url = reverse("plan-queue", args=["planned"])
    for body in ({"planned": token, "do": "begin"}, {**OPENING, "planned": token}):
        assert client.post(url, body).status_code == 404
    assert not Queue.objects.exists()


def test_labels_from_such_a_queue_count(lead, people, made):
    token = sealed(lead, "?limit=2")
    lead.post(reverse("plan-queue", args=["planned"]), {**OPENING, "planned": token})
    queue = Queue.objects.get(title="Another round")
    joined(people.annotator, made, Role.ANNOTATOR)
    statement = queue.slots.all()[0].statement
    before = planner.plan(made, Asked()).total["labelled"]
    given(statement, people.annotator, queue)
    label = statement.labels.get(annotator=annotators.of(made, people.annotator))
    assert (label.origin, label.selected) == ("blind", None)
    assert planner.plan(made, Asked()).total["labelled"] == before + 1


def test_what_an_annotator_gets_of_such_a_queue_tells_nothing_of_its_choice(lead, people, made):
    token = sealed(lead, "?limit=2")
    lead.post(reverse("plan-queue", args=["planned"]), {**OPENING, "planned": token})
    queue = Queue.objects.get(title="Another round")
    joined(people.annotator, made, Role.ANNOTATOR)
    client = Client()
    client.force_login(people.annotator)
    start = client.post(reverse("queue-next", args=["planned", queue.pk]), follow=True)
    seen = start.content + client.get("/sets/planned/queues/").content
    for word in (b"plan asked", b"seed 1960", b"planned</dd>", b"regard to any judge", b"/plan/"):
        assert word not in seen, word


def test_judgments_change_no_byte_of_plan_list_suite_or_bundle(lead, people):
    made = joined(people.lead, a_set([*EIGHT, *LEFT_OUT]))
    urls = [PLAN, LIST, SUITE]

    def bodies():
        found = [lead.get(url).content for url in urls]
        clean = [re.sub(rb'(csrf\w*" value|nonce|name="planned" value)="[^"]*"', b"", one)
                 for one in found]  # fmt: skip
        return [*clean, b"".join(lead.get("/sets/planned/plan/suite.zip").streaming_content)]

    before = bodies()
    rows = [Row("..", "Su")] * (len(EIGHT) + len(LEFT_OUT))
    reports.create(report_records.a_run(made, rows))
    assert bodies() == before


def test_the_suite_s_numbers_open_the_pairs_that_they_count(lead, people):
    joined(people.lead, a_set([*EIGHT, *LEFT_OUT]))
    page = Page(lead.get(SUITE + "?size=4").content)
    assert "4 pairs of 8, balanced over their cells" in page.plain
    counted = [(href, text) for href, text in page.links if "among=" in href]
    numbers = sorted(int(text) for _, text in counted)
    # Supported 4 of 8, unsupported 2 of 6, contradictory 2 of 2; 4 of 8, and 4 left out.
    assert numbers == sorted([4, 8, 2, 6, 2, 2, 4, 8, 4])
    for href, text in counted:
        shown = Page(lead.get(href.partition("#")[0]).content)
        pairs = [link for link, _ in shown.links if "/pairs/" in link]
        assert len(pairs) == int(text), href


def test_the_bundle_is_that_of_the_command(lead, people, tmp_path):
    made = joined(people.lead, a_set(EIGHT))
    page = Page(lead.get(SUITE + "?size=4&seed=9").content)
    answer = lead.get(page.link("Download the bundle (zip)"))
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    body = b"".join(answer.streaming_content)
    suite = suites.write(made, tmp_path / "suite.zip", size=4, seed=9)
    assert body == (tmp_path / "suite.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        cases = [json.loads(line) for line in archive.read("cases.jsonl").splitlines()]
    assert {case["pair_id"] for case in cases} == {one.pair_id for one in suite.pairs}


def test_a_set_without_a_pair_to_take_offers_no_bundle(lead, people):
    joined(people.lead, a_set(LEFT_OUT))
    page = Page(lead.get(SUITE).content)
    assert "none is proposed" in page.plain
    assert "Download" not in page.plain
    assert lead.get("/sets/planned/plan/suite.zip").status_code == 409


def test_set_quality_report_and_checks_lead_to_the_plan(lead, people, run, report):
    slug = people.set.slug
    there = reverse("plan", args=[slug])
    for route, arguments in (("set", [slug]), ("quality", [slug]), ("report", [slug, report.pk]),
                             ("lint", [slug])):  # fmt: skip
        page = Page(lead.get(reverse(route, args=arguments)).content)
        found = [href for href, _ in page.links if href.partition("#")[0] == there]
        assert len(found) >= 2, route  # one of them stands in the navigation


def test_plan_and_suite_take_as_many_queries_for_many_as_for_few(lead, people):
    counted = []
    for slug, times in (("few", 1), ("many", 12)):
        rows = [row._replace(case=f"{n}-{row.case or at}") for n in range(times)
                for at, row in enumerate([*ROWS, *EIGHT])]  # fmt: skip
        joined(people.lead, a_set(rows, slug))
        urls = [f"/sets/{slug}/plan/", f"/sets/{slug}/plan/statements/",
                f"/sets/{slug}/plan/suite/"]  # fmt: skip
        for url in urls:
            lead.get(url)
        with CaptureQueriesContext(connection) as queries:
            for url in urls:
                assert lead.get(url).status_code == 200
        counted.append(len(queries))
    assert counted[0] == counted[1]


def test_a_superseded_statement_of_a_list_is_not_asked(lead, made):
    token = sealed(lead, "?limit=3")
    gone = planner.plan(made, Asked(limit=3)).next[0]
    Case.objects.filter(statements=gone.pk).update(superseded_in=2)
    lead.post(reverse("plan-queue", args=["planned"]), {**OPENING, "planned": token})
    queue = Queue.objects.get(title="Another round")
    assert gone.pk not in queue.slots.values_list("statement", flat=True)
