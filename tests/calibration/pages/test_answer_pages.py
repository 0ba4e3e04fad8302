"""Answers on pages: a number's list, an answer's two views, claims tied to what they rest on."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse

from calibration import rendering, reports
from calibration.models import AnswerSheet, Attempt, Judgment, Run
from calibration.reports import computing
from labeling.models import Annotator, Case, Label, Membership, Role, Statement
from tests.calibration.agreement import answer_records
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page
from tests.kept_rows import put_back
from tests.sheets import forgotten

pytestmark = pytest.mark.django_db


@pytest.fixture
def report(people, tmp_path):
    def make():
        made = answer_records.report(tmp_path)
        Membership.objects.create(set=made.run.set, user=people.lead, role=Role.LEAD)
        return made

    return put_back("report with answers beside the small set", make)


def url_of(report, name=None):
    if name is None:
        return reverse("report-answers", args=[report.run.set.slug, report.pk])
    case = Case.objects.get(set=report.run.set, case_id=name)
    return reverse("report-answer", args=[report.run.set.slug, report.pk, case.pk])


def body_of(client, url):
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def listed(client, url):
    """The cases that a list of answers has, by the ids of their links."""
    links = Page(client.get(url).content).links
    return [shown for href, shown in links if re.search(r"/answers/\d+/$", href)]


def test_every_number_about_answers_opens_a_list_of_exactly_so_many(lead, report):
    page = Page(lead.get(reverse("report", args=["answers", report.pk])).content)
    links = [(url, shown) for url, shown in page.links if "/answers/?" in url]
    # A claim is no row: the rates of claims lead to the seven answers that have them.
    claims = [n for url, n in links if url.endswith("?decided=yes") and n != "7"]
    assert claims == ["3", "9", "6", "9"]
    behind = {url: int(n) for url, n in links if not (url.endswith("?decided=yes") and n != "7")}
    assert len(behind) > 30
    for url, count in behind.items():
        assert len(listed(lead, url)) == count > 0, url
    assert len(listed(lead, url_of(report))) == 10


@pytest.mark.parametrize(
    ("query", "cases"),
    [
        ("decided=yes&human=ungrounded&judge=grounded", ["refund", "price", "glass"]),
        ("decided=yes&alike=yes", ["warranty", "colour", "weight", "origin"]),
        ("alike=no", ["refund", "price", "glass"]),
        ("decided=no", ["battery", "care", "plug"]),
        ("undecided=judge_failed", ["battery"]),
        ("stage=traced", ["refund", "battery", "price", "weight", "origin"]),
        ("stage=budget&basis=lexical", ["refund"]),
        ("answerable=no&human_behaviour=abstained", ["colour"]),
        ("answerable=stated", ["price", "colour", "weight", "origin"]),
        ("captured=yes", ["refund", "price", "origin"]),
        ("from_retrieved=yes", ["price"]),
        ("judge_behaviour=unread", ["battery"]),
        ("human_behaviour=read&answerable=yes", ["weight"]),
    ],
)
def test_answers_are_narrowed_by_what_the_report_froze_of_them(lead, report, query, cases):
    assert listed(lead, f"{url_of(report)}?{query}") == cases


def test_the_list_says_how_many_claims_are_supported(lead, report):
    """Of the seven decided answers as in test_answersheets: 3 of 9 by people; by the judge
    refund 2 of 2, price, colour, glass 1 of 1, origin 1 of 2, warranty and weight none: 6 of 9."""
    page = Page(lead.get(f"{url_of(report)}?decided=yes").content)
    assert "Of their claims the references support 3 of 9, the judge 6 of 9." in page.plain


def test_the_list_takes_no_filter_that_it_does_not_have(lead, report):
    for query in ("?human=maybe", "?stage__in=a", "?answerable=1"):
        assert lead.get(url_of(report) + query).status_code == 400, query


def test_a_list_of_none_says_what_to_do(lead, report):
    page = Page(lead.get(f"{url_of(report)}?stage=not_searched").content)
    assert "No answer is like that" in page.plain


def test_both_views_stand_side_by_side_with_their_decisions(lead, report):
    page = Page(lead.get(url_of(report, "refund")).content)
    people, judge = page.plain.split("As the judge says")
    assert "ungrounded 1 of 2 claims supported s2 is unsupported (quantity)" in people
    assert "Floating free: 1 claim" in people
    assert "subject-specific unsupported author s2" in people
    assert "grounded 2 of 2 claims supported" in judge
    # What it says of s2 has nothing quoted behind it.
    assert "Resting on nothing shown: 1 supported claim" in judge
    assert (
        "budget, the fact was retrieved, and not admitted, as the lexical judge finds it" in people
    )


def test_each_claim_leads_to_its_note_its_quote_and_back(lead, report):
    """Without a script: every link inside the page has its target there, and the quote of s1 is
    tied to the note of its claim on both sides."""
    page = Page(lead.get(url_of(report, "refund")).content)
    ids = {attributes.get("id") for _, attributes in page.elements}
    inside = [href[1:] for href, _ in page.links if href.startswith("#")]
    assert set(inside) <= ids
    assert {"h1", "h2", "j1", "j2", "at-h1", "at-h2", "h1-1", "j1-1"} <= set(inside)
    quoted = [one for one in page.tags("mark") if one.get("data-claims")]
    assert [one["data-claims"] for one in quoted] == ["h1 j1"]
    assert (
        "within 30 daysreference 1: cited for this claimjudge 1: cited for this claim of purchase."
        in page.plain
    )


def test_what_floats_free_is_marked_by_more_than_colour(lead, report):
    body = body_of(lead, url_of(report, "battery"))
    assert (
        '<span class="claimed" data-verdict="contradictory" data-claims="h1">'
        '<span class="anchor" id="at-h1"></span>The battery lasts 12 hours.</span>' in body
    )
    said = Page(body.encode()).plain
    assert "The battery lasts 12 hours.1 contradictory: note of this claim" in said
    # The judge's side failed, which is no verdict.
    assert "The battery lasts 12 hours.1: without a verdict, note of this claim" in said
    assert "timeout" in said


def test_the_answer_stays_its_own_text(lead, report):
    """What is marked is the answer, letter by letter."""
    for name in ("refund", "origin"):
        body = body_of(lead, url_of(report, name))
        for shown in re.findall(r'<p class="text answer">(.*?)</p>', body, re.DOTALL):
            without_notes = re.sub(r'<a class="noteref".*?</a>', "", shown, flags=re.DOTALL)
            text = unescape(re.sub(r"<[^>]*>", "", without_notes))
            assert text == Case.objects.get(case_id=name).answer


def test_a_part_that_could_not_be_read_leaves_it_undecided_though_the_rest_fails(
    lead, report, monkeypatch
):
    judgment = Judgment.objects.get(
        statement__case__case_id="origin", statement__statement_id="s1", run=report.run
    )
    Judgment.objects.filter(pk=judgment.pk).update(
        outcome="timeout",
        verdict=None,
        claim_class=None,
        speech_act=None,
        explanation=None,
        evidence=[],
    )
    forgotten()
    monkeypatch.setattr(computing, "IMPLEMENTATION", computing.IMPLEMENTATION + 1)
    again = reports.create(report.run)
    said = Page(lead.get(url_of(again, "origin")).content).plain
    assert "judge failed" in said
    assert "What could be read fails it already; a part could not" in said
    # A later round of the run is not this report's.
    Attempt.objects.create(judgment=judgment, number=1, outcome="timeout", round=again.round)
    Run.objects.filter(pk=again.run_id).update(round=again.round + 1)
    Judgment.objects.filter(pk=judgment.pk).update(
        outcome="graded",
        verdict="supported",
        claim_class="subject_specific",
        round=again.round + 1,
    )
    assert Page(lead.get(url_of(again, "origin")).content).plain == said


def test_labels_that_are_behind_the_reference_are_quoted_and_others_are_not(lead, report):
    """Two of three blind labels say unsupported; one says otherwise, and one is revealed."""
    statement = Statement.objects.get(case__case_id="warranty")
    for code, verdict, origin in (
        ("one", "unsupported", "blind"),
        ("two", "unsupported", "blind"),
        ("other", "supported", "blind"),
        ("late", "unsupported", "revealed"),
    ):
        Label.objects.create(
            statement=statement,
            annotator=Annotator.objects.create(set=report.run.set, code=code),
            role="label",
            origin=origin,
            claim_class="subject_specific",
            verdict=verdict,
            rationale=f"Says {code}.",
            evidence=[{"passage_id": "p1", "quote": "warranty" if code in "one two" else "lamp"}],
            contract_version="1.0.0",
            contract_major=1,
        )
    page = Page(lead.get(url_of(reports.create(report.run), "warranty")).content)
    assert "Says one." in page.plain
    assert "Says two." in page.plain
    assert "Says other." not in page.plain
    assert "Says late." not in page.plain
    assert "warrantyreference 1: cited for this claim" in page.plain
    assert len([one for one in page.tags("mark") if one.get("data-claims")]) == 1


def test_a_quote_that_stands_nowhere_is_said_to(lead, report):
    Judgment.objects.filter(statement__case__case_id="plug").update(
        evidence=[{"passage_id": "p9", "quote": "out of thin air"}]
    )
    said = Page(lead.get(url_of(report, "plug")).content).plain
    assert "out of thin air stands nowhere here" in said
    assert "Resting on nothing shown: 1 supported claim" in said


def test_a_claim_without_a_verdict_is_not_said_to_rest_on_anything(lead, report):
    said = Page(lead.get(url_of(report, "battery")).content).plain
    _, judge = said.split("As the judge says")
    assert "Not known: 1 claim without a verdict timeout The battery lasts 12 hours." in judge
    assert "Nothing floats free" not in judge


def test_an_answer_is_reached_from_the_report_its_lists_and_its_judgments(lead, report):
    slug, url = "answers", url_of(report, "refund")
    judgment = report.run.judgments.filter(statement__case__case_id="refund").first()
    for page in (
        reverse("report", args=[slug, report.pk]),
        url_of(report),
        reverse("disagreements", args=[slug, report.pk]),
        reverse("report-statements", args=[slug, report.pk]),
        reverse("judgment", args=[slug, judgment.pk]),
    ):
        assert url in [href for href, _ in Page(lead.get(page).content).links], page


def test_an_answer_of_another_set_or_revision_is_not_there(lead, people, report, tmp_path):
    other = sets.imported("other", sets.lamps(2), tmp_path)
    strange = Case.objects.filter(set=other).first()
    later = Case.objects.filter(set=report.run.set).first()
    Case.objects.filter(pk=later.pk).update(added_in=report.run.revision + 1)
    for case in (strange, later):
        url = reverse("report-answer", args=["answers", report.pk, case.pk])
        assert lead.get(url).status_code == 404


def test_a_report_of_before_says_how_to_have_its_answers_measured(lead, report):
    AnswerSheet.objects.all().delete()
    for name in ("answers", "speech_acts", "abstention", "failure_source"):
        del report.figures[name]
    report.save()
    page = Page(lead.get(reverse("report", args=["answers", report.pk])).content)
    assert "Where ungrounded answers failed" not in page.plain
    for url in (url_of(report), url_of(report, "refund")):
        assert "made before answers were measured" in Page(lead.get(url).content).plain
    assert "Answers (" not in reports_text(report)


def test_the_files_of_a_report_tell_of_answers(report):
    text = reports_text(report)
    assert "Answers (10)" in text
    assert "Where ungrounded answers failed (7)" in text
    for form in ("md", "html"):
        assert "abstained where it should" in rendered(report, form)


def reports_text(report):
    return rendered(report, "text")


def rendered(report, form):
    return rendering.render(reports.full(report), form)
