"""The lead's pages about the quality of labels."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calibration import reports
from calibration.agreement import between_humans
from grounding.contract import ClaimClass, Verdict
from labeling.models import Annotator, Label, Membership, Role
from labeling.sets import exposures
from tests.calibration.pages.reading import Page
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, label, labelled
from tests.labeling.queues.queue_scene import given, scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(people):
    found = scene(people)
    Label.objects.exclude(queue=found.queue).update(superseded_at=found.queue.opened_at)
    given(
        found.s[5],
        people.annotator,
        found.queue,
        claim_class=ClaimClass.EXTERNAL,
        verdict=Verdict.UNSUPPORTED,
    )
    given(found.s[5], people.second, found.queue)
    return found


def of_queue(made, route="queue-quality", query=""):
    return reverse(route, args=[made.queue.set.slug, made.queue.pk]) + query


def test_the_queue_s_page_shows_agreement_of_the_labels_made_in_it(lead, made):
    answer = lead.get(of_queue(made))
    figures = answer.context["found"].figures
    # s0 two who agree, s1 three (three pairs), s5 two who do not.
    assert (figures["pairwise"]["count"], figures["pairwise"]["n"]) == (4, 5)
    assert figures["units"] == 3
    assert "4 of 5" in Page(answer.content).plain


def test_labels_of_other_queues_and_imports_count_for_the_set_alone(lead, made):
    stranger = Annotator.objects.create(set=made.queue.set, code="elsewhere")
    before = lead.get(of_queue(made)).context["found"].figures
    label(made.s[0], stranger, "Su")
    assert lead.get(of_queue(made)).context["found"].figures == before
    whole = lead.get(reverse("quality", args=[made.queue.set.slug])).context["found"].figures
    assert whole == between_humans.measure(made.queue.set)
    assert whole["pairwise"]["n"] == before["pairwise"]["n"] + 2


def test_each_two_annotators_stand_with_their_n_and_an_undefined_kappa_with_its_reason(lead, made):
    text = Page(lead.get(of_queue(made)).content).plain
    assert f"{made.first.code} and {made.second.code}" in text or (
        f"{made.second.code} and {made.first.code}" in text
    )
    assert "2 of 3" in text
    assert "n = 1; both sides use one and the same category only" in text


def test_before_anyone_labels_the_page_says_so_and_shows_no_figure(lead, made):
    Label.objects.update(origin="revealed")
    answer = lead.get(of_queue(made))
    assert answer.status_code == 200
    assert answer.context["found"].figures is None
    text = Page(answer.content).plain
    assert "counts as a blind rating yet" in text
    assert "Revealed" in text


def test_gold_numbers_open_lists_of_that_length(lead, made):
    page = Page(lead.get(of_queue(made)).content)
    numbers = [(to, shown) for to, shown in page.links if "outcome=" in to]
    assert len(numbers) == 8
    for to, shown in numbers:
        assert lead.get(to).context["page"].paginator.count == int(shown), to
    listed = Page(lead.get(of_queue(made, "queue-gold")).content).plain
    assert made.first.code in listed


def test_opening_quality_or_gold_ends_labelling_blind_but_shows_no_judge(lead, people, made):
    for route in ("queue-quality", "queue-gold"):
        lead.get(of_queue(made, route))
        assert exposures.exposed(people.set, people.lead)
        assert not exposures.saw_judges(people.set, people.lead)
    lead.get(reverse("annotator-labels", args=[people.set.slug, "csv"]))
    assert not exposures.saw_judges(people.set, people.lead)


def test_annotators_never_see_gold_or_quality(signed_in, people, made):
    client = signed_in(people.annotator)
    for route in ("queue-quality", "queue-gold"):
        assert client.get(of_queue(made, route)).status_code == 404
    for route in (["quality", people.set.slug], ["annotator-labels", people.set.slug, "csv"]):
        assert client.get(reverse(route[0], args=route[1:])).status_code == 404


def test_labels_leave_as_csv_and_as_json_lines_of_one_or_of_all(lead, people, made):
    def body(format, query=""):
        url = reverse("annotator-labels", args=[people.set.slug, format]) + query
        answer = lead.get(url)
        assert answer["Content-Disposition"].startswith("attachment")
        return b"".join(answer.streaming_content).decode()

    whole = list(csv.DictReader(io.StringIO(body("csv"))))
    assert len(whole) == Label.objects.filter(statement__case__set=people.set).count()
    mine = [json.loads(row) for row in body("jsonl", f"?annotator={made.first.code}").splitlines()]
    assert {row["annotator"] for row in mine} == {made.first.code}
    assert len(mine) == Label.objects.filter(annotator=made.first).count()
    assert "second" not in {row["annotator"] for row in whole}
    assert (
        lead.get(
            reverse("annotator-labels", args=[people.set.slug, "csv"]) + "?annotator=nobody"
        ).status_code
        == 400
    )
    assert lead.get(reverse("annotator-labels", args=[people.set.slug, "xml"])).status_code == 404


def test_queries_do_not_grow_with_the_labels(lead, people, made):
    urls = [
        of_queue(made),
        of_queue(made, "queue-gold"),
        reverse("quality", args=[people.set.slug]),
        reverse("exports", args=[people.set.slug]),
    ]

    def counted():
        found = []
        for url in urls:
            lead.get(url)
            with CaptureQueriesContext(connection) as queries:
                assert lead.get(url).status_code == 200
            found.append(len(queries))
        return found

    few = counted()
    for number in range(12):
        rater = Annotator.objects.create(set=people.set, code=f"more-{number}")
        for statement in made.s[:6]:
            label(statement, rater, "Ss", queue=made.queue)
    assert counted() == few
    assert max(few) <= 20


@pytest.mark.parametrize("route", ["queue", "set"])
def test_the_list_of_labels_left_out_holds_as_many_as_its_number_says(lead, made, route):
    for changes in ({"origin": "revealed"}, {"selected": "production_risk"}, {"contract_major": 2}):
        someone = Annotator.objects.create(set=made.queue.set, code=next(iter(changes)))
        left = label(made.s[7], someone, "Su")
        Label.objects.filter(pk=left.pk).update(queue=made.queue, **changes)
    args = [made.queue.set.slug, *([made.queue.pk] if route == "queue" else [])]
    names = ("queue-quality", "queue-left-out") if route == "queue" else ("quality", "left-out")
    numbers = lead.get(reverse(names[0], args=args)).context["found"].excluded
    listed = {
        reason: lead.get(reverse(names[1], args=args), {"reason": reason}).context["page"].paginator
        for reason in between_humans.EXCLUDED
    }
    assert {reason: page.count for reason, page in listed.items()} == numbers
    assert all(numbers[reason] for reason in ("revealed", "selected", "other_contract", "single"))
    assert lead.get(reverse(names[1], args=args), {"reason": "made_up"}).status_code == 400


def test_the_set_s_page_leads_to_the_latest_report_that_puts_each_judge_beside_people(people, lead):
    rows = [Row("..", "Ss"), Row("..", "timeout")]
    made = labelled("Ss Ss Su", "Su Su", slug="beside")
    Membership.objects.create(set=made, user=people.lead, role=Role.LEAD)
    url = reverse("quality", args=["beside"])
    assert "No report puts a judge beside people yet." in Page(lead.get(url).content).plain
    old = reports.create(a_run(made, rows))
    new = reports.create(a_run(made, rows))
    other = reports.create(a_run(made, rows, version="2.0.0"))
    with CaptureQueriesContext(connection) as queries:
        page = Page(lead.get(url).content)
    ratings = [(link, shown) for link, shown in page.links if "/ratings/" in link]
    assert len(ratings) == 6  # A nought is no link.
    assert all(f"{len(Page(lead.get(link).content).tags('tr')) - 1}" == n for link, n in ratings)
    links = {link for link, _ in page.links if "/reports/" in link and "/ratings/" not in link}
    assert links == {
        f"/sets/beside/reports/{one.pk}/#{at}" for one in (new, other) for at in PLACES
    }
    assert f"report {old.pk}," not in page.plain
    # The third of s0 says u where the others say s; s1 failed.
    assert "0 of 1 0.0%" in page.plain
    assert "1 of 1 100.0%" in page.plain
    assert "undecided" in page.plain
    for number in range(3, 9):
        reports.create(a_run(made, rows, version=f"{number}.0.0"))
    with CaptureQueriesContext(connection) as more:
        lead.get(url)
    assert len(more) == len(queries)


PLACES = ("people", "seat")
