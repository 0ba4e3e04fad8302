"""The lead's pages of disputes: listed, decided alone and in bulk, splits promoted (row L14)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from grounding.contract import ClaimClass, Verdict
from labeling import adjudications, labels
from labeling.adjudications import disputes
from labeling.adjudications.disputes import State
from labeling.authoring.caseforms import fields, opening, promoting
from labeling.labels import LabelValues
from labeling.models import Case, Expectation, Exposure, Label, Remark, Statement
from labeling.sets import annotators, exposures
from tests.calibration.bundles.test_bundles_roundtrip import again, read
from tests.cast import Cast, handed
from tests.labeling.pages.cast import quote

SignIn = Callable[[User], Client]
VIEW = LabelValues(ClaimClass.INTERPRETATION, Verdict.NOT_APPLICABLE, rationale="A view of mine.")


@pytest.fixture
def lead(people: Cast, signed_in: SignIn) -> Client:
    return signed_in(people.lead)


@pytest.fixture
def disputed(people: Cast) -> Statement:
    """Two of three say supported."""
    return named("jobs-001-a", "s1")


def named(case_id: str, statement_id: str) -> Statement:
    return Statement.objects.get(
        case__case_id=case_id, statement_id=statement_id, case__superseded_in__isnull=True
    )


def page_of(statement: Statement, query: str = "") -> str:
    return reverse("adjudicate", args=["small", statement.key]) + query


def listed(**query: str) -> str:
    return f"{reverse('adjudication', args=['small'])}?{urlencode(query)}"


def text(answer: HttpResponse) -> str:
    return answer.content.decode()


def form(statement: Statement, **changes: Any) -> dict[str, Any]:
    dispute = disputes.of_statement(statement)
    return {
        "statement": str(statement.key),
        "submission": str(uuid4()),
        "over": ",".join(map(str, dispute.over)),
        "replaces": dispute.decision.label if dispute.decision else "",
        "claim_class": "subject_specific",
        "verdict": "supported",
        "evidence": [] if "evidence" in changes else [_count(statement)],
        "rationale": "The count is stated.",
    } | changes


def _count(statement: Statement) -> str:
    return quote("3 failed jobs", within=statement.case.context[0]["text"])


def label(statement: Statement, user: User, values: LabelValues = VIEW) -> Label:
    return labels.submit(handed(statement, user), values, submission=uuid4())


# ---- The list


def test_the_list_counts_each_state_and_shows_the_one_asked_for(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    page = text(lead.get(listed()))
    assert re.findall(r'(Open|Reopened|Decided) <span class="count">(\d+)', page) == [
        ("Open", "2"), ("Reopened", "0"), ("Decided", "1"),
    ]  # fmt: skip
    # Of 3 + 1 + 1 pairs of labels only one agrees.
    assert "<strong>1 of 5</strong>" in page
    assert disputed.text in page
    assert named("jobs-001-b", "s1").text not in page
    assert named("jobs-001-b", "s1").text in text(lead.get(listed(state="decided")))
    label(named("jobs-001-b", "s1"), people.annotator)
    assert named("jobs-001-b", "s1").text in text(lead.get(listed(state="reopened")))


def test_the_list_is_filtered_by_what_they_differ_in_and_by_queue(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    torn = named("silent-3", "s1")
    page = text(lead.get(listed(pattern="splits")))
    assert torn.text in page
    assert disputed.text not in page
    made = label(disputed, people.annotator)
    page = text(lead.get(listed(queue=str(made.queue_id))))
    assert disputed.text in page
    assert torn.text not in page
    assert "No statement passes" in text(lead.get(listed(queue="999")))
    for unknown in ({"state": "agreed"}, {"order": "pk"}):
        assert lead.get(listed(**unknown)).status_code == 400


def test_the_set_s_page_says_how_many_wait(people: Cast, lead: Client) -> None:
    assert "Adjudication (2 open)" in text(lead.get(reverse("set", args=["small"])))
    label(named("jobs-001-b", "s1"), people.annotator)
    assert "Adjudication (3 open)" in text(lead.get(reverse("set", args=["small"])))


def test_a_set_without_disputes_says_how_they_arise(people: Cast, lead: Client) -> None:
    Label.objects.update(origin="revealed")
    assert "let a queue ask for two labels" in text(lead.get(listed()))


# ---- One dispute


def test_what_each_said_stands_side_by_side_and_nobody_is_named(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    made = label(disputed, people.annotator)
    Remark.objects.create(assignment=made.assignment, kind="unsure", reason="Is it graded?")
    page = text(lead.get(page_of(disputed)))
    votes = list(Label.objects.filter(statement=disputed))
    assert all(vote.rationale in page for vote in votes)
    assert "Is it graded?" in page
    assert not [vote for vote in votes if vote.annotator.code in page]
    shown = text(lead.get(page_of(disputed, "?names=1")))
    assert all(vote.annotator.code in shown for vote in votes)


def test_cited_words_are_marked_with_the_letters_of_those_who_cite_them(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    page = text(lead.get(page_of(disputed)))
    (letters,) = re.findall(r"<mark>3 failed jobs</mark>.*?</span>([A-C], [A-C])</span>", page)
    (against,) = {"A", "B", "C"} - set(letters.split(", "))
    card = page.split(f'id="ballot-{against}"')[1].split("</article>")[0]
    assert "Jobs may be other jobs." in card


def test_neither_what_the_author_expects_nor_what_judges_said_is_on_the_pages(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    Expectation.objects.update(rationale="expected-canary")
    Case.objects.update(pair_kind="kind-canary", tags=["tag-canary"])
    bulk = reverse("adjudicate-bulk", args=["small"])
    for url in (listed(), page_of(disputed), bulk):
        assert "canary" not in text(lead.get(url))


def test_opening_a_page_is_recorded_and_makes_later_labels_revealed_but_no_decision(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    lead.get(page_of(disputed))
    assert list(Exposure.objects.values_list("user__username", "to")) == [("lead", "adjudication")]
    assert exposures.exposed(people.set, people.lead)
    assert "kept as revealed" not in text(lead.get(page_of(disputed)))
    lead.post(page_of(disputed), form(disputed))
    assert adjudications.standing(disputes.of_statement(disputed)).origin == "blind"


def test_deciding_goes_on_to_the_next_one_of_the_list(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    torn = named("silent-3", "s1")
    answer = lead.post(page_of(disputed), form(disputed))
    assert (answer.status_code, answer["Location"]) == (302, page_of(torn))
    assert disputes.of_statement(disputed).state is State.DECIDED
    answer = lead.post(page_of(torn), form(torn, verdict="unsupported", evidence=[]))
    assert answer["Location"] == reverse("adjudication", args=["small"])
    label(disputed, people.annotator)
    page = text(lead.get(page_of(disputed)))
    assert "Reopened: labels changed after this decision" in page
    assert "stands as the reference until" in page


def test_taking_a_label_fills_the_form_and_stores_nothing(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    first = Label.objects.get(statement=disputed, annotator__code="ann-1")
    blank = form(disputed, claim_class="", verdict="", evidence=[], rationale="")
    page = text(lead.post(page_of(disputed), blank | {"take": str(first.pk)}))
    assert re.search(r'name="verdict" value="supported" checked', page)
    assert re.search(r'name="evidence" value="[^"]*3 failed jobs[^"]*" checked', page)
    assert f">\n{first.rationale}</textarea>" in page
    kept = text(lead.post(page_of(disputed), blank | {"take": first.pk, "rationale": "My own."}))
    assert ">\nMy own.</textarea>" in kept
    assert disputes.of_statement(disputed).state is State.OPEN
    assert lead.post(page_of(disputed), blank | {"take": "999999"}).status_code == 404


def test_a_refused_form_keeps_what_was_written(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    answer = lead.post(page_of(disputed), form(disputed, evidence=[], rationale="Kept words."))
    assert answer.status_code == 422
    assert "Kept words." in text(answer)
    assert "quote what it rests on" in text(answer)
    damaged = lead.post(page_of(disputed), form(disputed, over="1;2"))
    assert damaged.status_code == 422
    assert disputes.of_statement(disputed).state is State.OPEN


def test_a_conflict_shows_both_and_either_can_be_chosen(
    people: Cast, lead: Client, signed_in: SignIn, disputed: Statement
) -> None:
    mine = form(disputed, rationale="Mine, sent late.")
    signed_in(people.admin).post(page_of(disputed), form(disputed, rationale="Theirs, sent first."))
    answer = lead.post(page_of(disputed), mine)
    page = text(answer)
    assert answer.status_code == 409
    assert "Mine, sent late." in page
    assert "Theirs, sent first." in page
    sent = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    again = mine | {name: sent[name] for name in ("submission", "over", "replaces")}
    assert lead.post(page_of(disputed), again).status_code == 302
    assert adjudications.standing(disputes.of_statement(disputed)).rationale == "Mine, sent late."


def test_a_lead_who_disagreed_is_told_that_the_decision_is_marked(
    people: Cast, lead: Client, signed_in: SignIn, disputed: Statement
) -> None:
    label(disputed, people.lead)
    assert "one of those who disagree:" not in text(signed_in(people.admin).get(page_of(disputed)))
    assert "one of those who disagree:" in text(lead.get(page_of(disputed)))
    lead.post(page_of(disputed), form(disputed))
    assert "by one of those who disagreed" in text(lead.get(listed(state="decided")))


def test_who_saw_judges_is_warned_before_deciding(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    exposures.record(people.set, people.lead, "report")
    assert "kept as revealed" in text(lead.get(page_of(disputed)))
    lead.post(page_of(disputed), form(disputed))
    assert "revealed, so no reference" in text(lead.get(listed(state="decided")))


def test_the_case_s_page_leads_to_the_dispute(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    page = text(lead.get(reverse("case", args=["small", disputed.case_id])))
    assert page_of(disputed) in page
    assert page_of(named("jobs-001-a", "s2")) not in page


# ---- Many at once


def test_what_is_ticked_is_decided_as_the_majority_says(
    people: Cast, lead: Client, disputed: Statement
) -> None:
    url = reverse("adjudicate-bulk", args=["small"])
    page = text(lead.get(url))
    assert "Jobs may be other jobs." in page
    assert named("silent-3", "s1").text not in page
    (chosen,) = re.findall(r'name="chosen" value="([^"]+)"', page)
    body = {"submission": str(uuid4()), "chosen": chosen, "rationale": "It is counted there."}
    for lacking in ("chosen", "rationale"):
        refused = lead.post(url, {k: v for k, v in body.items() if k != lacking})
        assert refused.status_code == 422, lacking
    assert disputes.of_statement(disputed).state is State.OPEN
    answer = lead.post(url, body, follow=True)
    assert "1 decided as the majority says" in text(answer)
    assert "No easy ones" in text(answer)
    stands = adjudications.standing(disputes.of_statement(disputed))
    assert (stands.verdict, stands.rationale) == ("supported", "It is counted there.")


# ---- A split becomes a statement


def test_a_split_is_promoted_to_a_new_revision_of_its_case(people: Cast, lead: Client) -> None:
    parent = named("silent-3", "s1")
    (split,) = [one for one in Label.objects.filter(statement=parent) if one.premises]
    url = reverse("promote", args=["small", split.pk, 0])
    assert url in text(lead.get(page_of(parent)))
    opened = lead.get(url)
    page = text(opened)
    # s1.1 is taken; two labels of s1 do not carry over, because the statements changed.
    assert 'value="s1.2"' in page
    assert "2 live labels stay with the revision before" in page
    typed, _ = opening.open_cases([parent.case])
    place = promoting.add_part(typed.sides["a"], split, 0)
    assert f'href="#row-a-statements-{place}"' in page
    assert f'id="row-a-statements-{place}"' in page
    token = opened.context["answer"].check.token
    sent = fields.posted_of(typed) | {"do": "save", "checked": token}
    answer = lead.post(url, sent)
    assert answer.status_code == 302, text(answer)
    made = named("silent-3", "s1.2")
    assert (made.text, made.parent_id) == (split.premises[0]["text"], "s1")
    assert (made.span_start, made.span_end) == (0, 10)
    assert not made.labels.exists()
    assert getattr(made, "expectation", None) is None
    told = lead.get(url, follow=True)
    assert "is a statement of silent-3 already" in text(told)


def test_a_part_that_is_not_there_cannot_be_promoted(people: Cast, lead: Client) -> None:
    whole = Label.objects.filter(premises=[])[0]
    assert lead.get(reverse("promote", args=["small", whole.pk, 0])).status_code == 404
    assert lead.get(reverse("promote", args=["small", 999_999, 0])).status_code == 404


# ---- Out of the product and in again


@pytest.mark.parametrize("origin", ["blind", "revealed"])
def test_a_decision_made_in_the_browser_survives_export_and_import(
    people: Cast, lead: Client, disputed: Statement, tmp_path: Path, origin: str
) -> None:
    if origin == "revealed":
        exposures.record(people.set, people.lead, "report")
    assert lead.post(page_of(disputed), form(disputed)).status_code == 302
    code = annotators.of(people.set, people.lead).code
    first, second = again("small", tmp_path)
    assert (first / "labels.jsonl").read_bytes() == (second / "labels.jsonl").read_bytes()
    (kept,) = [one for one in read(second / "labels.jsonl") if one["annotator"] == code]
    assert (kept["role"], kept["origin"], kept["rationale"]) == (
        "adjudication", origin, "The count is stated.",
    )  # fmt: skip
    assert disputes.of_statement(named("jobs-001-a", "s1")).state is State.DECIDED
