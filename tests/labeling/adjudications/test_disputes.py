"""Open, decided, reopened: derived from votes and the labels that a decision was made over."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from grounding.contract import ClaimClass, Verdict
from labeling import labels
from labeling.adjudications import disputes
from labeling.adjudications.adjudication_sheets import lettered
from labeling.adjudications.disputes import Agreement, Decision, Dispute, State, Vote
from labeling.labels import LabelValues
from labeling.models import CalibrationSet, Label, Statement
from tests.cast import Cast, handed

SUBJECT, EXTERNAL, INTERPRETATION = map(str, ClaimClass)
SUPPORTED, UNSUPPORTED, CONTRADICTORY, NOT_APPLICABLE = map(str, Verdict)
PART = frozenset({("a part", EXTERNAL, SUPPORTED)})


def votes(*said: tuple[str | None, str] | tuple[str | None, str, frozenset]) -> list[Vote]:
    return [
        Vote(number, 100 + number, one[0], one[1], one[2] if len(one) > 2 else frozenset(), None)
        for number, one in enumerate(said, 1)
    ]


def decided(*over: int) -> Decision:
    return Decision(9, SUBJECT, SUPPORTED, "blind", None, list(over), False)


ALIKE = votes((SUBJECT, SUPPORTED), (SUBJECT, SUPPORTED))
APART = votes((SUBJECT, SUPPORTED), (SUBJECT, UNSUPPORTED))


@pytest.mark.parametrize(
    ("said", "decision", "state"),
    [
        ([], None, State.AGREED),
        (ALIKE[:1], None, State.AGREED),
        (ALIKE, None, State.AGREED),
        (APART, None, State.OPEN),
        (APART, decided(1, 2), State.DECIDED),
        # One more, one fewer, another in its place; and where nothing says over which.
        (APART, decided(1), State.REOPENED),
        (APART, decided(1, 2, 3), State.REOPENED),
        (APART, decided(1, 3), State.REOPENED),
        (APART, Decision(9, SUBJECT, SUPPORTED, "blind", None, None, None), State.REOPENED),
        # They agree now, but not on what was weighed.
        (ALIKE, decided(1, 3), State.REOPENED),
        ([], decided(1), State.REOPENED),
    ],
)
def test_the_state_follows_from_the_votes_and_the_decision(
    said: list[Vote], decision: Decision | None, state: State
) -> None:
    assert Dispute(1, said, decision).state is state


@pytest.mark.parametrize(
    ("said", "patterns"),
    [
        (ALIKE, []),
        (APART, ["verdict:supported+unsupported"]),
        (votes((SUBJECT, SUPPORTED), (EXTERNAL, SUPPORTED)), ["class:external+subject_specific"]),
        (
            votes((SUBJECT, SUPPORTED), (INTERPRETATION, NOT_APPLICABLE)),
            ["verdict:not_applicable+supported", "class:interpretation+subject_specific"],
        ),
        (votes((SUBJECT, SUPPORTED), (SUBJECT, SUPPORTED, PART)), ["splits"]),
        # A class that is not stated disagrees with none.
        (votes((SUBJECT, SUPPORTED), (None, SUPPORTED)), []),
    ],
)
def test_votes_differ_in_class_verdict_or_split(said: list[Vote], patterns: list[str]) -> None:
    assert disputes.patterns(said) == patterns
    assert disputes.disagree(said) == bool(patterns)


@pytest.mark.parametrize(
    ("said", "against", "leading"),
    [
        (APART, None, None),
        (votes(*[(SUBJECT, SUPPORTED)] * 3), None, None),
        (votes((SUBJECT, SUPPORTED), (SUBJECT, UNSUPPORTED), (SUBJECT, SUPPORTED)), 2, 1),
        (votes((SUBJECT, UNSUPPORTED), *[(SUBJECT, SUPPORTED)] * 3), 1, 2),
        # Two against two, and three that all differ, are no majority with one dissent.
        (votes(*[(SUBJECT, SUPPORTED)] * 2, *[(SUBJECT, UNSUPPORTED)] * 2), None, None),
        (votes(*[(SUBJECT, v) for v in (SUPPORTED, UNSUPPORTED, CONTRADICTORY)]), None, None),
        # Who states no class stands with either side: nobody is alone.
        (votes((None, SUPPORTED), (SUBJECT, SUPPORTED), (EXTERNAL, SUPPORTED)), None, None),
        # The first that states a class speaks for the majority.
        (votes((None, SUPPORTED), (SUBJECT, SUPPORTED), (SUBJECT, UNSUPPORTED)), 3, 2),
        (votes((SUBJECT, SUPPORTED, PART), (SUBJECT, SUPPORTED, PART), (SUBJECT, SUPPORTED)), 3, 1),
    ],
)
def test_a_majority_with_one_dissent(
    said: list[Vote], against: int | None, leading: int | None
) -> None:
    found, lead = disputes.dissent(said), disputes.leading(said)
    assert (found.label if found else None) == against
    assert (lead.label if lead else None) == leading


def test_agreement_counts_pairs_of_votes_on_one_statement() -> None:
    """Three votes are three pairs, of which two of three supported give one; two alike give one."""
    three = votes((SUBJECT, SUPPORTED), (SUBJECT, SUPPORTED), (SUBJECT, UNSUPPORTED))
    found = [Dispute(1, three, None), Dispute(2, ALIKE, None), Dispute(3, ALIKE[:1], None)]
    assert disputes.agreement(found) == Agreement(2, 4)
    assert disputes.agreement([]) == Agreement(0, 0)


def test_a_letter_is_stable_on_a_statement_and_nobody_s_own_across_statements() -> None:
    three = votes(*[(SUBJECT, SUPPORTED)] * 3)
    first = [lettered(pk, three) for pk in range(20)]
    assert first == [lettered(pk, reversed(three)) for pk in range(20)]
    assert all(sorted(one.values()) == ["A", "B", "C"] for one in first)
    assert {one[1] for one in first} == {"A", "B", "C"}


def test_the_small_set_in_one_query(
    small_set: CalibrationSet, django_assert_num_queries: object
) -> None:
    # As the tiers of the small set are derived in test_references: 001-a s1 is 2 against 1,
    # silent-3 s1 is 1 against 1, and 001-b s1 came with an adjudication beside its two labels.
    with django_assert_num_queries(1):  # type: ignore[operator]
        found = disputes.of_set(small_set)
    assert {_named(one.statement): (one.state, len(one.votes)) for one in found} == {
        "jobs-001-a s1": (State.OPEN, 3),
        "jobs-001-b s1": (State.DECIDED, 2),
        "silent-3 s1": (State.OPEN, 2),
    }


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "revealed"},
        {"origin": "model"},
        {"selected": "production_risk"},
        {"contract_major": 2},
    ],
)
def test_labels_that_do_not_count_are_no_votes(
    small_set: CalibrationSet, change: dict[str, object]
) -> None:
    statement = Statement.objects.get(case__case_id="silent-3", statement_id="s1")
    Label.objects.filter(statement=statement, annotator__code="ann-2").update(**change)
    dispute = disputes.of_statement(statement)
    assert (dispute.state, len(dispute.votes)) == (State.AGREED, 1)


def test_a_label_that_is_added_replaced_or_taken_back_reopens(people: Cast) -> None:
    statement = Statement.objects.get(case__case_id="jobs-001-b", statement_id="s1")
    assert disputes.of_statement(statement).state is State.DECIDED
    mine = handed(statement, people.annotator)
    values = LabelValues(ClaimClass.INTERPRETATION, Verdict.NOT_APPLICABLE, rationale="A view.")
    labels.submit(mine, values, submission=uuid4())
    assert disputes.of_statement(statement).state is State.REOPENED
    labels.take_back(mine)
    # As it was, label by label: what was decided was decided over these.
    assert disputes.of_statement(statement).state is State.DECIDED
    again = replace(values, rationale="Still a view.")
    labels.submit(mine, again, submission=uuid4())
    assert disputes.of_statement(statement).state is State.REOPENED


def _named(pk: int) -> str:
    statement = Statement.objects.select_related("case").get(pk=pk)
    return f"{statement.case.case_id} {statement.statement_id}"
