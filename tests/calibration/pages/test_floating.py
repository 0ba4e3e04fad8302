"""What an answer's page says rests on nothing: words in no claim, claims with nothing quoted."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from calibration import reports
from calibration.models import Report
from labeling.models import Case, Membership, Role
from tests.calibration.agreement.answer_records import case, passages
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page

pytestmark = pytest.mark.django_db

FIRST = "💊 The log shows three failed jobs."
REST = " The server is on fire and nobody noticed. Two were skipped."
QUOTED = {"passage_id": "p1", "quote": "three jobs failed"}
CITED = {"evidence": [QUOTED]}
CONTEXT = passages("Tonight three jobs failed.")


@pytest.fixture
def shown(people, lead, tmp_path):
    """The page of one answer; ``fields`` are of the only statement's judgment."""

    def show(made, **fields):
        measured = sets.imported("floating", [made], tmp_path)
        Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
        judged = sets.verdicts([made], claim_class="subject_specific", **fields)
        report = reports.create(sets.recorded_run(measured, judged))
        found = Case.objects.get(set=measured)
        url = reverse("report-answer", args=["floating", report.pk, found.pk])
        return Page(lead.get(url).content)

    return show


def lone(text=FIRST, more=REST, expected=CITED, **fields):
    """An answer with one statement, over its first sentence, and ``more`` behind."""
    made = case("jobs", CONTEXT, [(text, "supported", expected)])
    return {**made, "answer": made["answer"] + more, **fields}


def sides(page):
    return page.plain.split("As the references have it")[1].split("As the judge says")


def test_words_that_no_claim_spans_are_listed_and_marked(shown):
    page = shown(lone(), evidence=[QUOTED])
    for side in sides(page):
        assert "grounded 1 of 1 claims supported" in side
        assert "Nothing floats free" not in side
        assert (
            "In no claim: 1 stretch of the answer The server is on fire and nobody noticed. "
            "Two were skipped." in side
        )
        assert "nobody noticed. Two were skipped.in no claim" in side
    marked = [one for one in page.tags("span") if one.get("class") == "unclaimed"]
    assert len(marked) == 2


def test_white_space_and_punctuation_in_no_claim_are_nothing(shown):
    page = shown(lone(more=" … \n—!"), evidence=[QUOTED])
    for side in sides(page):
        assert "Nothing floats free" in side
        assert "In no claim" not in side


def test_words_before_between_and_behind_claims_are_stretches_of_their_own(shown):
    said = [("One job failed.", "supported", CITED), ("Two jobs failed.", "supported", CITED)]
    made = case("jobs", CONTEXT, said)
    made["answer"] = "Well: One job failed. And so: Two jobs failed. Oh no."
    for statement, text in zip(made["statements"], [one[0] for one in said], strict=True):
        start = made["answer"].index(text)
        statement["span"] = [start, start + len(text)]
    people, _ = sides(shown(made, evidence=[QUOTED]))
    assert "In no claim: 3 stretches of the answer Well: And so: Oh no." in people


def test_where_claims_state_no_place_it_cannot_be_told_what_is_in_none(shown):
    made = lone()
    del made["statements"][0]["span"]
    page = shown(made, evidence=[QUOTED])
    for side in sides(page):
        assert "Nothing floats free" not in side
        assert "No claim states its place in the answer, so nobody can tell which words" in side
    assert not [one for one in page.tags("span") if one.get("class") == "unclaimed"]


def test_claims_in_other_words_may_restate_what_no_claim_spans(shown):
    made = lone()
    made["statements"].append(
        {"statement_id": "s2", "text": "It skipped two.", "expected": {"verdict": "unsupported"}}
    )
    people, _ = sides(shown(made, evidence=[QUOTED]))
    assert "In no claim: 1 stretch of the answer" in people
    assert "1 claim is in other words than the answer's and may restate some of them." in people


def test_a_supported_claim_with_nothing_quoted_rests_on_nothing_shown(shown):
    """Neither a recorded judge nor a human reference has to cite; both are said not to."""
    for side in sides(shown(lone(more="", expected={}))):
        assert "Nothing floats free" not in side
        assert (
            "Resting on nothing shown: 1 supported claim supported 💊 The log shows three failed"
            in side
        )


def test_a_warranted_refusal_has_nothing_to_quote(shown):
    made = lone("The log does not say why.", more="", expected={"speech_act": "refusal"})
    for side in sides(shown(made, speech_act="refusal")):
        assert "Nothing floats free" in side


def test_an_expectation_of_the_author_is_not_said_to_be_of_people(shown):
    page = shown(lone(), evidence=[QUOTED])
    assert "No human label stands behind these figures" in page.plain
    assert not re.search(r"\b(people|human)\b", page.plain.split("Question")[1])
    assert "reference 1: cited for this claim" in page.plain


def test_a_report_of_expectations_alone_names_no_people_in_its_columns(shown, lead):
    shown(lone(), evidence=[QUOTED])
    response = lead.get(reverse("report", args=["floating", Report.objects.get().pk]))
    body = response.content.decode()
    headed = re.findall(r"<(?:th|caption|figcaption|dt|title)\b[^>]*>(.*?)<", body)
    said = [one for one in headed if re.search(r"\b(people|human)\b", one, re.IGNORECASE)]
    assert said == []
    assert "By the references" in body
    assert "Rows are the references, columns what the judge said." in body
