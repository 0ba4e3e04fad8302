"""The partner that is proposed for a case: read by its lead, edited, and saved by nobody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from grounding.contract import ClaimClass, SpeechAct, Verdict
from grounding.interchange.models import Evidence
from labeling import exchange, labels
from labeling.authoring.caseforms import fields, opening
from labeling.authoring.partnering import named, proposal_of
from labeling.models import CalibrationSet, Case, Label, Role, Statement
from labeling.people import accounts
from labeling.values import LabelValues
from tests.calibration.bundles.bundle_fixtures import plain_case
from tests.calibration.pages.reading import Page
from tests.calibration.pages.sets import imported
from tests.cast import Cast, handed
from tests.labeling.pages.test_writing import save

pytestmark = pytest.mark.django_db

PASSAGE = "Pump A weighs 40 kg. All pumps were tested in May 2019 💊. Pump B may leak."
ANSWER = "Pump A weighs 40 kg. It was tested in May 2019. Read the manual."


def pump(**changes: Any) -> dict[str, Any]:
    def statement(number: int, text: str, quote: str) -> dict[str, Any]:
        start = ANSWER.index(text)
        return {
            "statement_id": f"s{number}",
            "text": text,
            "span": [start, start + len(text)],
            "expected": {
                "claim_class": "subject_specific",
                "verdict": "supported",
                "rationale": "Stated.",
                "evidence": [{"passage_id": "p1", "quote": quote}],
            },
        }

    return {
        "case_id": "pump-a",
        "context": [{"id": "p1", "text": PASSAGE}],
        "answer": ANSWER,
        "statements": [
            statement(1, "Pump A weighs 40 kg.", "40 kg"),
            statement(2, "It was tested in May 2019.", "tested in May 2019"),
        ],
    } | changes


@pytest.fixture
def lead(people: Cast) -> Client:
    client = Client()
    client.force_login(people.lead)
    return client


@pytest.fixture
def pumps(people: Cast, tmp_path: Path) -> CalibrationSet:
    made = imported("pumps", [pump()], tmp_path)
    accounts.join(made, people.lead, Role.LEAD)
    accounts.join(made, people.annotator, Role.ANNOTATOR)
    return made


def page(case: Case, query: str = "") -> str:
    return reverse("partner", args=[case.set.slug, case.pk]) + query


def form(case: Case, query: str = "") -> str:
    return reverse("partner-write", args=[case.set.slug, case.pk]) + query


def the(calibration_set: CalibrationSet, case_id: str = "pump-a") -> Case:
    return Case.objects.live().get(set=calibration_set, case_id=case_id)


def of(client: Client, case: Case, kind: str) -> Any:
    """The proposal of that kind that the page shows first."""
    return client.get(page(case, f"?kind={kind}")).context["page"][0].proposal


def filled(case: Case, key: str) -> dict[str, str]:
    """The form as a browser would send it back, untouched."""
    record, proposal = proposal_of(case, 1, key)
    typed, lost = opening.open_beside(case, named(case, record, proposal))
    assert lost == []
    return fields.posted_of(typed)


def test_proposals_stand_beside_what_they_change_and_the_same_seed_proposes_the_same(lead, pumps):
    case = the(pumps)
    first, again = lead.get(page(case, "?seed=4")), lead.get(page(case, "?seed=4"))
    shown = first.context["page"]
    assert [one.proposal.key for one in shown] == [
        one.proposal.key for one in again.context["page"]
    ]
    kinds = {one.proposal.kind for one in shown}
    assert {"number", "date", "unit", "negation", "hedge"} <= kinds
    number = next(one for one in shown if one.proposal.kind == "number")
    marked = ["".join(p.text for p in side if p.notes) for side in (number.left, number.right)]
    assert marked[0] == "40" != marked[1]
    assert "Review and edit" in Page(first.content).plain


def test_to_look_at_proposals_and_at_their_form_adds_nothing(lead, pumps):
    case = the(pumps)
    key = of(lead, case, "number").key
    assert lead.get(form(case, f"?seed=1&key={key}")).status_code == 200
    checked = lead.post(form(case), filled(case, key) | {"do": "check"})
    assert checked.context["answer"].check.changes
    unchecked = lead.post(form(case), filled(case, key) | {"do": "save", "checked": "made up"})
    assert unchecked.status_code == 200
    pumps.refresh_from_db()
    assert (pumps.revision, Case.objects.filter(set=pumps).count()) == (1, 1)


def test_a_partner_that_was_read_and_saved_is_the_other_side_of_a_pair(lead, pumps, people):
    case = the(pumps)
    statement = Statement.objects.get(case=case, statement_id="s1")
    _labelled(statement, people)
    proposal = of(lead, case, "number")
    assert proposal.edit.passage_id is None
    response = save(lead, form(case), filled(case, proposal.key))
    assert response.status_code == 302
    a, b = exchange.records_of([the(pumps, "pump-a"), the(pumps, "pump-b")])
    assert (a.pair_id, b.pair_id, a.pair_kind, b.pair_kind) == (
        "pump", "pump", "number_shift", "number_shift",
    )  # fmt: skip
    assert a.statements == exchange.records_of([case])[0].statements
    assert b.answer == ANSWER[:14] + proposal.edit.new + ANSWER[16:]
    for one in b.statements:
        assert one.span is not None
        assert b.answer[slice(*one.span)] == one.text
    assert [one.expected.verdict for one in b.statements] == ["contradictory", "supported"]
    assert Label.objects.live().filter(statement__case=the(pumps)).count() == 1


def test_a_partner_whose_passage_is_changed_carries_its_quotes_along(lead, pumps):
    case = the(pumps)
    shown = lead.get(page(case, "?kind=number")).context["page"]
    key = next(one.proposal.key for one in shown if one.proposal.edit.passage_id == "p1")
    assert save(lead, form(case), filled(case, key)).status_code == 302
    (b,) = exchange.records_of([the(pumps, "pump-b")])
    assert b.answer == ANSWER
    assert b.context[0].text != PASSAGE
    quotes = [one.expected.evidence[0] for one in b.statements]
    assert [b.context[0].text[q.start : q.end] for q in quotes] == [q.quote for q in quotes]
    assert quotes[1].quote == "tested in May 2019"


def test_a_case_that_has_its_partner_is_proposed_no_other(lead, pumps):
    case = the(pumps)
    save(lead, form(case), filled(case, of(lead, case, "number").key))
    response = lead.get(page(the(pumps)))
    assert response.context["page"] is None
    assert "This case has its partner" in Page(response.content).plain
    assert "pump-b" in response.content.decode()
    older = lead.get(page(case))
    assert older["Location"] == page(the(pumps))


def test_a_statement_that_people_support_can_be_turned_though_its_author_said_nothing(
    lead, people, tmp_path
):
    bare = pump(case_id="bare")
    for one in bare["statements"]:
        one["expected"] = None
    made = imported("bare", [bare], tmp_path)
    accounts.join(made, people.lead, Role.LEAD)
    case = the(made, "bare")
    assert list(lead.get(page(case)).context["page"]) == []
    assert "Nothing is proposed" in Page(lead.get(page(case)).content).plain
    accounts.join(made, people.annotator, Role.ANNOTATOR)
    _labelled(Statement.objects.get(case=case, statement_id="s1"), people)
    shown = lead.get(page(case)).context["page"]
    assert {one.proposal.statement_id for one in shown} == {"s1"}


@pytest.mark.parametrize("query", ["?seed=x", "?seed=-1", "?seed=123456", "?kind=nothing", "?x=1"])
def test_nonsense_in_the_address_is_refused(lead, pumps, query):
    assert lead.get(page(the(pumps), query)).status_code == 400


def test_a_proposal_that_is_no_longer_made_is_not_found_and_none_leads_to_the_list(lead, pumps):
    case = the(pumps)
    assert lead.get(form(case, "?seed=1&key=0123456789abcdef")).status_code == 404
    assert lead.get(form(case))["Location"] == page(case)


def test_names_that_are_taken_are_not_given_again(lead, people, tmp_path):
    other = plain_case(1, case_id="Pump-b")
    third = plain_case(2, case_id="x", pair_id="PUMP")
    made = imported("taken", [pump(), other, third], tmp_path)
    accounts.join(made, people.lead, Role.LEAD)
    case = the(made)
    record, proposal = proposal_of(case, 1, of(lead, case, "number").key)
    given = named(case, record, proposal)
    assert (given.case_id, given.pair_id) == ("pump-a-b", "pump-2")


def _labelled(statement: Statement, people: Cast) -> None:
    values = LabelValues(
        claim_class=ClaimClass.SUBJECT_SPECIFIC,
        verdict=Verdict.SUPPORTED,
        claim_type=None,
        speech_act=SpeechAct.ASSERTION,
        rationale="Stated.",
        evidence=(Evidence(passage_id="p1", quote="Pump A weighs 40 kg"),),
        confidence=None,
    )
    labels.submit(handed(statement, people.annotator), values, submission=uuid4())
