"""Decisions over disputed labels: kept, superseded, in conflict, carried along (row L14)."""

from __future__ import annotations

import contextlib
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection

from calibration import bundles
from grounding.contract import CONTRACT, ClaimClass, Verdict
from grounding.errors import BadInput, ContractViolation, Refused
from grounding.interchange.models import Evidence
from labeling import adjudications, labels, references
from labeling.adjudications import AdjudicationConflict, Opened, disputes
from labeling.adjudications.disputes import State
from labeling.labels import LabelValues
from labeling.models import Adjudication, Case, Label, Statement
from labeling.sets import annotators, exposures
from tests import cast as casting
from tests.cast import SMALL, Cast, handed
from tests.labeling.test_labels import _at_once

SUPPORTED = LabelValues(
    claim_class=ClaimClass.SUBJECT_SPECIFIC,
    verdict=Verdict.SUPPORTED,
    rationale="The count is stated.",
    evidence=(Evidence(passage_id="p1", quote="3 failed jobs"),),
)
UNSUPPORTED = replace(SUPPORTED, verdict=Verdict.UNSUPPORTED, evidence=(), rationale="Not these.")


def opened(statement: Statement) -> Opened:
    dispute = disputes.of_statement(statement)
    return Opened(dispute.over, dispute.decision.label if dispute.decision else None)


def decide(
    statement: Statement, user: User, values: LabelValues = SUPPORTED, **options: Any
) -> Label:
    given = {"submission": uuid4(), "opened": opened(statement)} | options
    return adjudications.decide(statement, user, values, **given)


@pytest.fixture
def statement(people: Cast) -> Statement:
    """Two of three say supported."""
    return Statement.objects.get(case__case_id="jobs-001-a", statement_id="s1")


def state(statement: Statement) -> State:
    return disputes.of_statement(statement).state


def reference(statement: Statement) -> Any:
    return references.of_statements([statement], CONTRACT.major)[statement.pk]


def test_a_decision_is_its_own_record_and_the_reference(people: Cast, statement: Statement) -> None:
    before = list(Label.objects.values_list("pk", flat=True))
    label = decide(statement, people.lead, UNSUPPORTED)
    label.refresh_from_db()
    assert (label.role, label.origin, label.queue) == ("adjudication", "blind", None)
    assert (label.contract_version, label.contract_major) == (CONTRACT.version, CONTRACT.major)
    assert label.annotator.user == people.lead
    assert label.adjudication.over == disputes.of_statement(statement).over
    assert not label.adjudication.by_party
    assert state(statement) is State.DECIDED
    assert reference(statement) == ("adjudicated", "subject_specific", "unsupported")
    assert Label.objects.live().filter(pk__in=before).count() == len(before)


def test_quotes_are_located_and_what_the_contract_forbids_is_refused(
    people: Cast, statement: Statement
) -> None:
    (quote,) = decide(statement, people.lead).evidence
    text = statement.case.context[0]["text"]
    assert text[quote["start"] : quote["end"]] == quote["quote"] == "3 failed jobs"
    for change, field in (
        ({"evidence": ()}, "evidence"),
        ({"rationale": " "}, "rationale"),
        ({"verdict": Verdict.NOT_APPLICABLE}, "verdict"),
    ):
        with pytest.raises(ContractViolation) as refused:
            decide(statement, people.lead, replace(SUPPORTED, **change))
        assert refused.value.field == field
    assert Adjudication.objects.filter(label__statement=statement).count() == 1


@pytest.mark.parametrize(
    ("seen", "origin"),
    [
        ("adjudication", "blind"),
        ("pair", "blind"),
        ("cases", "blind"),
        ("run", "revealed"),
        ("case", "revealed"),
        ("report", "revealed"),
    ],
)
def test_it_is_revealed_only_where_the_lead_saw_what_judges_said(
    people: Cast, statement: Statement, seen: str, origin: str
) -> None:
    exposures.record(people.set, people.lead, seen)
    assert decide(statement, people.lead).origin == origin
    assert state(statement) is State.DECIDED
    assert reference(statement)[0] == ("adjudicated" if origin == "blind" else "consensus")


def test_by_one_of_those_who_disagree_it_is_marked_so(people: Cast, statement: Statement) -> None:
    labels.submit(handed(statement, people.lead), UNSUPPORTED, submission=uuid4())
    assert decide(statement, people.lead).adjudication.by_party
    assert not decide(statement, people.admin).adjudication.by_party


def test_a_newer_decision_takes_the_place_of_the_older_which_is_kept(
    people: Cast, statement: Statement
) -> None:
    first = decide(statement, people.lead)
    second = decide(statement, people.admin, UNSUPPORTED)
    first.refresh_from_db()
    assert first.superseded_at is not None
    assert disputes.of_statement(statement).decision.label == second.pk
    assert reference(statement)[2] == "unsupported"
    assert Adjudication.objects.filter(label__statement=statement).count() == 2


def test_the_same_form_twice_is_one_decision_and_says_one_thing(
    people: Cast, statement: Statement
) -> None:
    form = {"submission": uuid4(), "opened": opened(statement)}
    first = decide(statement, people.lead, **form)
    assert decide(statement, people.lead, **form) == first
    with pytest.raises(AdjudicationConflict) as conflict:
        decide(statement, people.lead, UNSUPPORTED, **form)
    assert (conflict.value.standing, conflict.value.proposed.verdict) == (first, "unsupported")
    other = Statement.objects.get(case__case_id="silent-3", statement_id="s1")
    with pytest.raises(Refused, match="something else"):
        decide(other, people.lead, UNSUPPORTED, **form)


def test_labels_that_changed_after_the_page_was_opened_are_a_conflict(
    people: Cast, statement: Statement
) -> None:
    stale = opened(statement)
    labels.submit(handed(statement, people.annotator), UNSUPPORTED, submission=uuid4())
    with pytest.raises(AdjudicationConflict) as conflict:
        decide(statement, people.lead, opened=stale)
    assert conflict.value.standing is None
    assert state(statement) is State.OPEN
    decide(statement, people.lead)
    assert state(statement) is State.DECIDED


def test_a_label_that_comes_after_it_reopens_it_and_it_stays_the_reference(
    people: Cast, statement: Statement
) -> None:
    decide(statement, people.lead, UNSUPPORTED)
    labels.submit(handed(statement, people.annotator), SUPPORTED, submission=uuid4())
    assert state(statement) is State.REOPENED
    assert reference(statement) == ("adjudicated", "subject_specific", "unsupported")


def test_nothing_is_decided_without_a_label_nor_on_a_superseded_case(
    people: Cast, statement: Statement
) -> None:
    bare = Statement.objects.get(case__case_id="jobs-001-a", statement_id="s2")
    with pytest.raises(Refused, match="nothing to decide"):
        decide(bare, people.lead, UNSUPPORTED)
    Case.objects.filter(pk=statement.case_id).update(superseded_in=2)
    with pytest.raises(Refused, match="newer revision"):
        decide(statement, people.lead)


def test_a_split_is_taken_over_from_one_of_the_labels(people: Cast) -> None:
    statement = Statement.objects.get(case__case_id="silent-3", statement_id="s1")
    (split,) = [one for one in Label.objects.filter(statement=statement) if one.premises]
    assert decide(statement, people.lead, UNSUPPORTED, split_as=split.pk).premises == split.premises
    assert decide(statement, people.lead, UNSUPPORTED).premises == []
    elsewhere = Label.objects.exclude(statement=statement)[0]
    with pytest.raises(BadInput) as refused:
        decide(statement, people.lead, UNSUPPORTED, split_as=elsewhere.pk)
    assert refused.value.field == "split_as"


# ---- Many at once


def test_majorities_are_followed_each_by_its_own_record(people: Cast, statement: Statement) -> None:
    torn = Statement.objects.get(case__case_id="silent-3", statement_id="s1")
    chosen = {one.key: disputes.of_statement(one).over for one in (statement, torn)}
    form = {"rationale": "Two of three.", "submission": uuid4()}
    found = adjudications.follow_majorities(people.set, people.lead, chosen, **form)
    (label,) = found.decided
    assert (label.statement, label.verdict, label.rationale) == (
        statement, "supported", "Two of three.",
    )  # fmt: skip
    first = Label.objects.get(statement=statement, annotator__code="ann-1")
    assert (label.evidence, label.confidence) == (first.evidence, None)
    assert [one for one, _ in found.left] == [torn]
    assert state(statement) is State.DECIDED
    assert state(torn) is State.OPEN
    again = adjudications.follow_majorities(people.set, people.lead, chosen, **form)
    assert again.decided == [label]


def test_a_majority_whose_labels_changed_is_left_and_said_so(
    people: Cast, statement: Statement
) -> None:
    chosen = {statement.key: disputes.of_statement(statement).over}
    labels.submit(handed(statement, people.annotator), SUPPORTED, submission=uuid4())
    found = adjudications.follow_majorities(
        people.set, people.lead, chosen, rationale="Most.", submission=uuid4()
    )
    assert not found.decided
    assert "changed after" in found.left[0][1]
    with pytest.raises(BadInput):
        adjudications.follow_majorities(
            people.set, people.lead, chosen, rationale=" ", submission=uuid4()
        )


# ---- In and out of files, and onto a newer revision


def test_what_an_import_brings_is_over_the_labels_that_stand_beside_it(people: Cast) -> None:
    statement = Statement.objects.get(case__case_id="jobs-001-b", statement_id="s1")
    brought = Adjudication.objects.get(label__statement=statement)
    assert brought.over == disputes.of_statement(statement).over
    assert len(brought.over) == 2
    assert not brought.by_party


def test_a_newer_revision_of_an_unchanged_case_carries_decided_and_reopened_along(
    people: Cast, statement: Statement, tmp_path: Path
) -> None:
    other = Statement.objects.get(case__case_id="jobs-001-b", statement_id="s1")
    decide(statement, people.lead)
    labels.submit(handed(other, people.annotator), UNSUPPORTED, submission=uuid4())
    assert (state(statement), state(other)) == (State.DECIDED, State.REOPENED)
    lines = [json.loads(line) for line in (SMALL / "cases.jsonl").read_text().splitlines()]
    changed = tmp_path / "cases.jsonl"
    changed.write_text("".join(json.dumps(one | {"tags": ["new"]}) + "\n" for one in lines))
    bundles.import_set("small", changed, supersede=True)
    live = [
        Statement.objects.get(
            case__case_id=one, statement_id="s1", case__superseded_in__isnull=True
        )
        for one in ("jobs-001-a", "jobs-001-b")
    ]
    assert [one.case.added_in for one in live] == [2, 2]
    assert [state(one) for one in live] == [State.DECIDED, State.REOPENED]


# ---- At once


@pytest.mark.django_db(transaction=True)
def test_two_leads_who_decide_at_once_give_one_decision_and_one_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = _both_decide(monkeypatch)
    assert sorted(type(one).__name__ for one in made) == ["AdjudicationConflict", "Label"]
    assert Adjudication.objects.filter(label__statement__case__case_id="jobs-001-a").count() == 1


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_both_would_have_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control. SQLite, told not to lock at once, refuses the second writer by itself."""
    monkeypatch.setattr(adjudications, "_held", lambda statement: None)
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", "DEFERRED")
    made = _both_decide(monkeypatch)
    assert sorted(type(one).__name__ for one in made) in (
        ["Label", "Label"],
        ["Label", "OperationalError"],
    )


def _both_decide(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    people = casting.assemble(casting.small())
    statement = Statement.objects.get(case__case_id="jobs-001-a", statement_id="s1")
    for user in (people.lead, people.admin):
        annotators.of(people.set, user)
    page = opened(statement)
    _store_together(monkeypatch)
    return _at_once(
        lambda at: decide(
            statement,
            (people.lead, people.admin)[at],
            (SUPPORTED, UNSUPPORTED)[at],
            opened=page,
        )
    )


def _store_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each decision that is about to be stored waits for the other, as long as a lock allows."""
    both = threading.Barrier(2, timeout=1)
    stored = adjudications._stored

    def waiting(*arguments: Any) -> Label:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait()
        return stored(*arguments)

    monkeypatch.setattr(adjudications, "_stored", waiting)
