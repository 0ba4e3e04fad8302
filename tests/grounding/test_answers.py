from dataclasses import replace

import pytest

from grounding.answers import (
    DEFAULT_POLICY,
    Behaviour,
    Counts,
    Decision,
    behaviour,
    decide,
    decision_of,
)
from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.grades import Grade
from grounding.interchange.models import Outcome, Premise
from grounding.rubrics import load_rubric
from tests.grounding.rubric_examples import SHIPPED

POLICY = load_rubric(SHIPPED.read_text(encoding="utf-8")).answer_policy
S, U, C, N = (
    Verdict.SUPPORTED,
    Verdict.UNSUPPORTED,
    Verdict.CONTRADICTORY,
    Verdict.NOT_APPLICABLE,
)


def graded(verdict, claim_type=ClaimType.QUALITATIVE, premises=()):
    claim_class = ClaimClass.INTERPRETATION if verdict is N else ClaimClass.SUBJECT_SPECIFIC
    return Grade(
        "c", "s", 0, Outcome.GRADED, claim_class, verdict, None, claim_type, None, premises
    )


def failed(outcome=Outcome.TIMEOUT):
    return Grade("c", "s", 0, outcome, error="away")


def test_all_supported_is_grounded():
    found = decide([graded(S), graded(S, ClaimType.DATE), graded(N)], POLICY)
    assert (found.decision, found.ratio, found.grounded) == (Decision.GROUNDED, 1.0, True)
    assert (found.supported, found.not_applicable, found.reasons) == (2, 1, ())


@pytest.mark.parametrize(("supported", "decision"), [(9, "grounded"), (8, "ungrounded")])
def test_qualitative_claims_count_in_proportion(supported, decision):
    # 9 of 10 reaches 0.9; 8 of 9 is 0.889.
    found = decide([graded(S)] * supported + [graded(U)], POLICY)
    assert found.decision == decision
    assert found.ratio == supported / (supported + 1)


@pytest.mark.parametrize(
    ("supported", "said"),
    [(0, "0 of 1 supported (0.0%), 90% needed"), (8, "8 of 9 supported (88.9%), 90% needed")],
)
def test_what_is_missing_is_said_in_percent_beside_the_counts(supported, said):
    assert decide([graded(S)] * supported + [graded(U)], POLICY).reasons == (said,)


def test_one_contradiction_fails_whatever_the_ratio():
    found = decide([graded(S)] * 99 + [graded(C)], POLICY)
    assert (found.decision, found.ratio) == (Decision.UNGROUNDED, 0.99)
    assert found.reasons == ("s is contradictory",)
    lax = POLICY.model_copy(update={"contradiction_fails": False})
    assert decide([graded(S)] * 99 + [graded(C)], lax).decision is Decision.GROUNDED


@pytest.mark.parametrize("kind", [kind for kind in ClaimType if kind != "qualitative"])
def test_one_unsupported_hard_claim_fails_the_answer(kind):
    found = decide([graded(S)] * 99 + [graded(U, kind)], POLICY)
    assert found.decision is Decision.UNGROUNDED
    assert found.failing == ("s",)


def test_a_failure_leaves_the_answer_undecided_and_never_grounded():
    found = decide([graded(S)] * 99 + [failed()], POLICY)
    assert (found.decision, found.grounded, found.failed) == (Decision.UNDECIDED, None, 1)


def test_a_low_ratio_beside_a_failure_is_undecided():
    # Had the failed one been among many supported, the ratio could still have been reached.
    found = decide([graded(S)] * 8 + [graded(U), failed()], POLICY)
    assert found.decision is Decision.UNDECIDED


def test_a_certain_failure_is_not_hidden_by_a_failed_judgment():
    assert decide([graded(C), failed()], POLICY).decision is Decision.UNGROUNDED


def test_nothing_gradable_is_undefined_with_the_reason():
    for grades in ([], [graded(N)]):
        found = decide(grades, POLICY)
        assert (found.decision, found.ratio, found.grounded) == (Decision.UNDEFINED, None, None)
        assert found.reasons == ("the answer holds no claim that can be graded",)


def test_only_failures_are_undecided_and_not_undefined():
    assert decide([failed()], POLICY).decision is Decision.UNDECIDED


def test_a_hidden_premise_counts_like_any_claim():
    premise = Premise(text="errors fell", claim_class=ClaimClass.SUBJECT_SPECIFIC, verdict=C)
    found = decide([graded(S), graded(N, premises=(premise,))], POLICY)
    assert (found.decision, found.contradictory, found.ratio) == (Decision.UNGROUNDED, 1, 0.5)


def test_without_a_policy_of_its_own_an_answer_is_held_to_the_one_that_ships():
    assert DEFAULT_POLICY == POLICY


def test_unsupported_and_contradictory_statements_are_listed_apart():
    premise = Premise(text="errors fell", claim_class=ClaimClass.SUBJECT_SPECIFIC, verdict=U)
    grades = [
        replace(graded(U), statement_id="s1"),
        replace(graded(C, premises=(premise,)), statement_id="s2"),
        replace(graded(S), statement_id="s3"),
    ]
    found = decide(grades, POLICY)
    assert (found.unsupported_in, found.contradictory_in) == (("s1", "s2"), ("s2",))
    assert found.failing == ("s1", "s2")


@pytest.mark.parametrize(
    ("counts", "decision"),
    [
        (Counts(supported=9, unsupported=1), "grounded"),
        (Counts(supported=8, unsupported=1), "ungrounded"),
        (Counts(supported=99, unsupported=1, strict=1), "ungrounded"),
        (Counts(supported=99, contradictory=1, failed=1), "ungrounded"),
        (Counts(supported=99, failed=1), "undecided"),
        (Counts(not_applicable=3), "undefined"),
        (Counts(), "undefined"),
    ],
)
def test_the_rule_decides_on_counts_alone(counts, decision):
    assert decision_of(counts, POLICY) == decision


def said(speech_act, verdict=S):
    return replace(graded(verdict), speech_act=speech_act)


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([said(SpeechAct.REFUSAL)], Behaviour.ABSTAINED),
        # A refusal that was not warranted is one all the same; an opinion states no fact.
        ([said(SpeechAct.REFUSAL, C), said(SpeechAct.ASSERTION, N)], Behaviour.ABSTAINED),
        ([said(SpeechAct.REFUSAL), said(SpeechAct.PROCEDURAL, N)], Behaviour.ABSTAINED),
        ([said(SpeechAct.REFUSAL), said(None, U)], Behaviour.MIXED),
        ([said(SpeechAct.ASSERTION, U)], Behaviour.ASSERTED),
        ([said(SpeechAct.CLARIFICATION, N), said(SpeechAct.RETRIEVAL_STATEMENT)], "neither"),
        ([], Behaviour.NEITHER),
        ([said(SpeechAct.REFUSAL), failed()], None),
    ],
)
def test_an_answer_abstains_where_it_refuses_and_states_no_fact_beside(grades, expected):
    assert behaviour(grades) == expected
