"""Runs in the browser, without JavaScript: start, watch, cancel, look at each outcome, report."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from calibration import reports, runs
from calibration.models import Judgment, Run, WorkerBeat
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page, rows_behind

pytestmark = pytest.mark.django_db


def outcome_links(page: Page) -> dict[str, int]:
    """Each link to a list of judgments with the count that it shows."""
    counted = [(url, text) for url, text in page.links if "/judgments/" in url and text.isdigit()]
    assert counted
    return {url: int(text) for url, text in counted}


def test_a_run_is_started_judged_and_reported_with_links_and_forms_alone(people, lead):
    version = sets.released()
    url = reverse("runs", args=[people.set.slug])
    form = Page(lead.get(url).content)
    assert [option["value"] for option in form.tags("option")] == [str(version.pk)]

    started = lead.post(url, {"rubric_version": version.pk, "repeats": "2"}, follow=True)
    assert started.status_code == 200
    run = Run.objects.get()
    assert (run.started_by, run.repeats, run.planned) == (people.lead, 2, 22)
    assert "0 of 22 planned judgments have an outcome" in Page(started.content).plain

    sets.judged(run)
    here = reverse("run", args=[people.set.slug, run.pk])
    assert "22 of 22 planned judgments have an outcome" in Page(lead.get(here).content).plain
    made = lead.post(reverse("report-create", args=[people.set.slug, run.pk]), follow=True)
    report = run.reports.get()
    assert made.redirect_chain[-1][0] == reverse("report", args=[people.set.slug, report.pk])
    right = report.figures["verdict"]
    assert f"{right['count']} of {right['n']}" in Page(made.content).plain


def test_each_count_opens_a_list_of_exactly_that_length(people, lead):
    run = runs.start(people.set, sets.released(), repeats=6)
    pks = list(Judgment.objects.filter(run=run).order_by("pk").values_list("pk", flat=True))
    graded, refused, leased = pks[:52], pks[52:55], pks[55:57]
    Judgment.objects.filter(pk__in=graded).update(outcome="graded", verdict="supported")
    Judgment.objects.filter(pk__in=refused).update(outcome="refused")
    soon = timezone.now() + timedelta(minutes=1)
    Judgment.objects.filter(pk__in=leased).update(lease_until=soon)
    page = Page(lead.get(reverse("run", args=[people.set.slug, run.pk])).content)
    counted = outcome_links(page)
    assert sorted(counted.values(), reverse=True)[:5] == [66, 52, 9, 3, 2]
    for url, count in counted.items():
        assert rows_behind(lead, url) == count, url


def test_the_list_of_runs_counts_what_their_lists_hold(people, lead, run):
    Judgment.objects.filter(pk__in=run.judgments.values("pk")[:2]).update(
        outcome="timeout", verdict=None, claim_class=None
    )
    page = Page(lead.get(reverse("runs", args=[people.set.slug])).content)
    counted = {url: text for url, text in page.links if "/judgments/" in url}
    assert sorted(counted.values()) == ["11", "2 timeout", "9"]
    for url, text in counted.items():
        assert rows_behind(lead, url) == int(text.split()[0]), url


def test_each_count_of_a_report_opens_a_list_of_repeat_0_of_that_length(people, lead):
    run = sets.judged_run(people.set, repeats=3)
    report = reports.create(run)
    page = Page(lead.get(reverse("report", args=[people.set.slug, report.pk])).content)
    counted = outcome_links(page)
    assert max(counted.values()) == 11
    for url, count in counted.items():
        assert rows_behind(lead, url) == count, url


def test_the_moving_part_asks_for_itself_until_the_run_has_ended(people, lead):
    run = runs.start(people.set, sets.released())
    url = reverse("run-progress", args=[people.set.slug, run.pk])
    whole = Page(lead.get(reverse("run", args=[people.set.slug, run.pk])).content)
    assert [one["hx-get"] for one in whole.tags("section") if "hx-get" in one] == [url]
    assert not any("refresh" in (one.get("http-equiv") or "") for one in whole.tags("meta"))
    assert whole.link("Refresh") == reverse("run", args=[people.set.slug, run.pk])

    waiting = Page(lead.get(url, headers={"HX-Request": "true"}).content)
    [section] = waiting.tags("section")
    assert (section["hx-get"], section["hx-trigger"]) == (url, "every 2s")
    assert not waiting.tags("html"), "a fragment, not a page"

    sets.judged(run)
    ended = lead.get(url, headers={"HX-Request": "true"})
    assert ended.headers["HX-Refresh"] == "true", "what can be done now stands on the whole page"
    page = Page(lead.get(url).content)
    assert not [one for one in page.tags("section") if "hx-get" in one]
    assert "11 of 11" in page.plain


def test_the_bar_says_in_words_how_far_it_is(people, lead, run):
    page = Page(lead.get(reverse("run", args=[people.set.slug, run.pk])).content)
    [bar] = page.tags("progress")
    assert (bar["value"], bar["max"], bar["aria-label"]) == ("11", "11", "11 of 11 judged")


def test_without_a_worker_the_page_says_so_with_the_age_of_the_oldest_work(people, lead):
    run = runs.start(people.set, sets.released())
    url = reverse("run", args=[people.set.slug, run.pk])
    assert "No worker is at work" not in Page(lead.get(url).content).plain
    Run.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(minutes=7))
    said = Page(lead.get(url).content).plain.replace("\xa0", " ")
    assert "No worker is at work" in said
    assert "The oldest of 11 waiting judgments has waited 7 minutes" in said
    assert "No worker has been seen yet" in said

    WorkerBeat.objects.create(worker="w", seen_at=timezone.now())
    assert "No worker is at work" not in Page(lead.get(url).content).plain


def test_cancelling_stops_the_run_and_keeps_what_is_judged(people, lead):
    run = runs.start(people.set, sets.released())
    first = run.judgments.first().pk
    Judgment.objects.filter(pk=first).update(outcome="graded", verdict="supported")
    url = reverse("run-cancel", args=[people.set.slug, run.pk])
    assert lead.get(url).status_code == 405
    page = Page(lead.post(url, follow=True).content)
    run.refresh_from_db()
    assert run.cancelled_at is not None
    assert "cancelled 1 of 11" in page.plain
    assert not [one for one in page.tags("section") if "hx-get" in one]
    assert lead.post(url).status_code in (302, 409)


def test_a_report_on_an_unfinished_run_is_refused_in_one_line(people, lead):
    run = runs.start(people.set, sets.released())
    response = lead.post(reverse("report-create", args=[people.set.slug, run.pk]))
    assert response.status_code == 409
    assert "only a finished run has a report" in Page(response.content).plain


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "rubric_version"),
        ({"rubric_version": "0"}, "rubric_version"),
        ({"rubric_version": "1; drop"}, "rubric_version"),
        ({"rubric_version": "9" * 40}, "rubric_version"),
        ({"repeats": "0"}, "repeats"),
        ({"repeats": "9999"}, "repeats"),
        ({"repeats": "many"}, "repeats"),
    ],
)
def test_a_start_form_that_makes_no_sense_names_the_field_and_starts_nothing(
    people, lead, given, field
):
    version = sets.released()
    data = {"repeats": "1", "rubric_version": version.pk, **given} if given else {}
    response = lead.post(reverse("runs", args=[people.set.slug]), data)
    assert response.status_code == 400
    assert field in response.context["form"].errors
    assert [one for one in Page(response.content).tags("p") if one.get("id") == f"id_{field}_error"]
    assert not Run.objects.exists()


def test_a_recorded_version_cannot_be_started(people, lead, tmp_path):
    cases = sets.lamps(2)
    recorded = sets.recorded_run(sets.imported("lamps", cases, tmp_path), sets.verdicts(cases))
    data = {"rubric_version": recorded.rubric_version.pk, "repeats": "1"}
    assert lead.post(reverse("runs", args=[people.set.slug]), data).status_code == 400
    assert not people.set.runs.exists()


def test_a_run_that_is_not_there_is_404_however_large_its_number(people, lead):
    for number in ("0", "999", "9" * 30):
        assert lead.get(f"/sets/{people.set.slug}/runs/{number}/").status_code == 404


def test_a_judgment_shows_its_quote_in_its_passage(people, lead, tmp_path):
    """The quote stands behind an emoji, so an offset counted in anything but code points
    would mark other words."""
    evidence = [{"passage_id": "p1", "quote": "3 failed jobs", "start": 18, "end": 31}]
    case = {"case_id": "jobs-001-a", "statements": [{"statement_id": "s1"}]}
    judgments = sets.verdicts([case], evidence=evidence, claim_class="subject_specific")
    run = sets.recorded_run(people.set, judgments)
    judgment = run.judgments.get(outcome="graded")
    body = lead.get(reverse("judgment", args=[people.set.slug, judgment.pk])).content.decode()
    note = '<span class="note"> [the judge] </span>'
    assert f'💊: <mark class="cited by-judge">3 failed jobs{note}</mark>, 2' in body


def test_a_case_shows_what_the_newest_run_of_each_version_said(people, lead, run):
    newer = sets.judged_run(people.set)
    statement = newer.judgments.first().statement
    page = Page(lead.get(reverse("case", args=[people.set.slug, statement.case_id])).content)
    said = {url for url, _ in page.links if "/runs/" in url and url.count("/") == 5}
    assert said == {reverse("run", args=[people.set.slug, newer.pk])}
