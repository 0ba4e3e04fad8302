"""Labels submitted in the browser: the contract, conflicts, double clicks, races (row L6)."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection

from grounding.contract import ClaimClass, SpeechAct, Verdict
from grounding.errors import BadInput, ContractViolation, Refused
from grounding.interchange.models import Evidence
from labeling import labels
from labeling.labels import LabelConflict, LabelValues
from labeling.models import CalibrationSet, Case, Label, Statement
from labeling.people import accounts
from labeling.sets import exposures
from tests import cast as casting
from tests.cast import Cast, handed

QUOTE = Evidence(passage_id="p1", quote="3 failed jobs")
SOURCE = Evidence(source_id="glossary", quote="run an operation")
SUPPORTED = LabelValues(
    claim_class=ClaimClass.SUBJECT_SPECIFIC,
    verdict=Verdict.SUPPORTED,
    rationale="The count is stated.",
    evidence=(QUOTE,),
)
UNSUPPORTED = replace(
    SUPPORTED, verdict=Verdict.UNSUPPORTED, rationale="Not these jobs.", evidence=()
)
INTERPRETATION = replace(
    UNSUPPORTED, claim_class=ClaimClass.INTERPRETATION, verdict=Verdict.NOT_APPLICABLE
)
EXTERNAL = replace(SUPPORTED, claim_class=ClaimClass.EXTERNAL, evidence=(SOURCE,))


def submit(
    statement: Statement, user: User, values: LabelValues = SUPPORTED, **options: Any
) -> Label:
    return labels.submit(handed(statement, user), values, **{"submission": uuid4(), **options})


@pytest.fixture
def statement(small_set: CalibrationSet) -> Statement:
    return Statement.objects.get(case__case_id="jobs-001-a", statement_id="s1")


def test_a_label_is_stored_with_its_quotes_located_and_its_origin_blind(
    people: Cast, statement: Statement
) -> None:
    label = submit(statement, people.annotator)
    label.refresh_from_db()
    (evidence,) = label.evidence
    passage = statement.case.context[0]["text"]
    assert passage[evidence["start"] : evidence["end"]] == evidence["quote"] == "3 failed jobs"
    assert (label.origin, label.role, label.speech_act) == ("blind", "label", "assertion")
    assert (label.contract_version, label.contract_major) == ("1.0.0", 1)
    assert label.annotator.user == people.annotator
    assert people.annotator.username not in label.annotator.code


@pytest.mark.parametrize("values", [SUPPORTED, UNSUPPORTED, INTERPRETATION, EXTERNAL])
def test_what_the_contract_allows_is_taken(
    people: Cast, statement: Statement, values: LabelValues
) -> None:
    assert submit(statement, people.annotator, values).verdict == values.verdict


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"claim_class": None}, "claim_class"),
        ({"verdict": None}, "verdict"),
        ({"claim_class": ClaimClass.INTERPRETATION}, "verdict"),
        ({"verdict": Verdict.NOT_APPLICABLE}, "verdict"),
        ({"evidence": ()}, "evidence"),
        ({"rationale": "  "}, "rationale"),
        ({"rationale": None}, "rationale"),
        ({"evidence": (SOURCE,)}, "evidence.0.source_id"),
        ({"claim_class": ClaimClass.EXTERNAL}, "evidence.0.passage_id"),
        ({"claim_class": ClaimClass.EXTERNAL, "speech_act": SpeechAct.REFUSAL}, "claim_class"),
        ({"speech_act": SpeechAct.PROCEDURAL}, "claim_class"),
    ],
)
def test_what_the_contract_forbids_is_refused_with_the_field_named(
    people: Cast, statement: Statement, change: dict[str, Any], field: str
) -> None:
    with pytest.raises(ContractViolation) as caught:
        submit(statement, people.annotator, replace(SUPPORTED, **change))
    assert caught.value.field == field
    assert not Label.objects.filter(annotator__user__isnull=False).exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"evidence": (Evidence(passage_id="p1", quote="4 failed jobs"),)}, "evidence.0.quote"),
        ({"evidence": (Evidence(passage_id="p7", quote="3"),)}, "evidence.0.passage_id"),
        ({"evidence": (QUOTE, Evidence(passage_id="p1", start=3, end=99))}, "evidence.1.start"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": 1.7}, "confidence"),
        ({"rationale": "a\x00b"}, "rationale"),
    ],
)
def test_what_is_not_there_or_cannot_be_kept_is_refused(
    people: Cast, statement: Statement, change: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadInput) as caught:
        submit(statement, people.annotator, replace(SUPPORTED, **change))
    assert caught.value.field == field


def test_a_warranted_refusal_needs_no_quote(people: Cast) -> None:
    statement = Statement.objects.get(case__case_id="manual-9")
    refusal = replace(SUPPORTED, speech_act=SpeechAct.REFUSAL, evidence=())
    assert submit(statement, people.annotator, refusal).evidence == []


def test_a_retrieved_passage_that_was_not_admitted_is_no_evidence(people: Cast) -> None:
    statement = Statement.objects.get(case__case_id="order-417-a")
    values = replace(SUPPORTED, evidence=(Evidence(passage_id="p9", quote="Склад"),))
    with pytest.raises(BadInput) as caught:
        submit(statement, people.annotator, values)
    assert caught.value.field == "evidence.0.passage_id"


def test_who_has_seen_a_run_makes_revealed_labels_from_then_on(
    people: Cast, statement: Statement
) -> None:
    first = submit(statement, people.annotator)
    exposures.record(people.set, people.annotator, "run")
    second = submit(statement, people.annotator, UNSUPPORTED, replaces=first.pk)
    first.refresh_from_db()
    assert (first.origin, second.origin) == ("blind", "revealed")
    assert submit(statement, people.second).origin == "blind"


def test_a_newer_label_supersedes_the_older_and_keeps_it(
    people: Cast, statement: Statement
) -> None:
    first = submit(statement, people.annotator)
    second = submit(statement, people.annotator, UNSUPPORTED, replaces=first.pk)
    assert list(labels.mine(people.set, people.annotator)) == [second, first]
    assert labels.live_of(handed(statement, people.annotator)) == second
    first.refresh_from_db()
    assert first.superseded_at is not None
    assert (first.verdict, first.rationale) == ("supported", "The count is stated.")


def test_the_same_form_twice_is_one_label(people: Cast, statement: Statement) -> None:
    token = uuid4()
    first = submit(statement, people.annotator, submission=token)
    assert submit(statement, people.annotator, submission=token) == first
    assert labels.mine(people.set, people.annotator).count() == 1


def test_a_form_that_was_sent_and_then_changed_is_a_conflict_and_not_dropped(
    people: Cast, statement: Statement
) -> None:
    token = uuid4()
    first = submit(statement, people.annotator, submission=token)
    with pytest.raises(LabelConflict) as refused:
        submit(statement, people.annotator, UNSUPPORTED, submission=token)
    assert refused.value.live == first
    assert refused.value.proposed.verdict == "unsupported"
    assert labels.mine(people.set, people.annotator).count() == 1


def test_a_retry_of_an_edit_is_that_edit_and_no_conflict(
    people: Cast, statement: Statement
) -> None:
    first = submit(statement, people.annotator)
    edit: dict[str, Any] = {"submission": uuid4(), "replaces": first.pk}
    second = submit(statement, people.annotator, UNSUPPORTED, **edit)
    assert submit(statement, people.annotator, UNSUPPORTED, **edit) == second


def test_a_token_of_another_person_or_statement_is_refused(
    people: Cast, statement: Statement
) -> None:
    token = uuid4()
    submit(statement, people.annotator, submission=token)
    other = Statement.objects.get(case__case_id="jobs-001-b", statement_id="s1")
    with pytest.raises(Refused):
        submit(statement, people.second, submission=token)
    with pytest.raises(Refused):
        submit(other, people.annotator, submission=token)


@pytest.mark.parametrize("replaces", ["nothing", "the older", "another's"])
def test_a_stale_edit_is_a_conflict_that_carries_both(
    people: Cast, statement: Statement, replaces: str
) -> None:
    first = submit(statement, people.annotator)
    second = submit(statement, people.annotator, replaces=first.pk)
    others = submit(statement, people.second)
    given = {"nothing": None, "the older": first.pk, "another's": others.pk}[replaces]
    with pytest.raises(LabelConflict) as caught:
        submit(statement, people.annotator, UNSUPPORTED, replaces=given)
    assert caught.value.live == second
    assert caught.value.proposed.rationale == "Not these jobs."
    assert labels.live_of(handed(statement, people.annotator)) == second


def test_a_late_submit_on_a_superseded_case_is_kept_with_it(
    people: Cast, statement: Statement
) -> None:
    handed(statement, people.annotator)
    Case.objects.filter(pk=statement.case_id).update(superseded_in=2)
    assert submit(statement, people.annotator).statement == statement


def test_someone_who_left_keeps_their_labels(people: Cast, statement: Statement) -> None:
    label = submit(statement, people.annotator)
    accounts.leave(people.set, people.annotator)
    assert list(Label.objects.live().filter(annotator__user=people.annotator)) == [label]


@pytest.mark.django_db(transaction=True)
def test_a_double_click_that_races_is_one_label() -> None:
    people, statement = _committed()
    token = uuid4()
    made = _at_once(lambda _: submit(statement, people.annotator, submission=token))
    assert len({label.pk for label in made if isinstance(label, Label)}) == 1
    assert all(isinstance(label, Label) for label in made)
    assert Label.objects.filter(annotator__user=people.annotator).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_race_give_one_label_and_one_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people, statement = _committed()
    _store_together(monkeypatch)
    made = _at_once(lambda at: submit(statement, people.annotator, (SUPPORTED, UNSUPPORTED)[at]))
    assert sorted(type(one).__name__ for one in made) == ["Label", "LabelConflict"]
    assert Label.objects.live().filter(annotator__user=people.annotator).count() == 1


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_the_two_tabs_would_meet_the_constraint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people, statement = _committed()
    _store_together(monkeypatch)
    monkeypatch.setattr(labels, "_held", lambda annotator: annotator)
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", "DEFERRED")
    made = _at_once(lambda at: submit(statement, people.annotator, (SUPPORTED, UNSUPPORTED)[at]))
    assert sorted(type(one).__name__ for one in made) in (
        ["IntegrityError", "Label"],
        ["Label", "OperationalError"],
    )


def _store_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each submit that is about to store waits for the other, for as long as a lock allows."""
    both = threading.Barrier(2, timeout=1)
    stored = labels._stored

    def waiting(*arguments: Any) -> Label:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait()
        return stored(*arguments)

    monkeypatch.setattr(labels, "_stored", waiting)


def _committed() -> tuple[Cast, Statement]:
    people = casting.assemble(casting.small())
    statement = Statement.objects.get(case__case_id="jobs-001-a", statement_id="s1")
    # There before the race: making it would already put one submit behind the other.
    handed(statement, people.annotator)
    return people, statement


def _at_once(act: Callable[[int], Label], many: int = 2) -> list[Any]:
    """What each of ``many`` threads that start together returned or raised."""
    start = threading.Barrier(many)
    results: list[Any] = [None] * many

    def run(at: int) -> None:
        start.wait()
        try:
            results[at] = act(at)
        except Exception as error:
            results[at] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(at,)) for at in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
