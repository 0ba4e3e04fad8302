"""Whatever a model answers, each statement gets exactly one outcome, and none a verdict that the
model did not give in the form that was asked for. Over real HTTP, against a hostile provider."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounding.contract import Verdict
from grounding.grades import Grade
from grounding.interchange.models import Outcome
from tests.grounding.llm.asked import anthropic, document_in, graded, rubric
from tests.grounding.rubric_examples import case
from tests.provider import Provider, ReadsSchema, always, faults_of, in_order

RUBRIC = rubric()
CLAUDE = anthropic()
CONTEXT = (
    "Nightly report: 3 failed jobs, 2 skipped. The printer uses port 9100.",
    "Buoy 14 was lifted on 3 June.",
)
CASE = case(
    "The printer uses port 9100.",
    "Buoy 14 was lifted on 3 June.",
    "The cable is new.",
    context=CONTEXT,
)
VERDICTS = (Verdict.SUPPORTED, Verdict.SUPPORTED, Verdict.UNSUPPORTED)
CLASSIFY, VERIFY = 0, 1


def after(number: int, *faults: str | None, then: str | None = None) -> Any:
    """Nothing wrong with the first ``number`` calls."""
    return in_order(*(None,) * number, *faults, then=then)


def outcomes(grades: tuple[Grade, ...]) -> list[Outcome]:
    return [one.outcome for one in grades]


def no_verdicts(grades: tuple[Grade, ...]) -> bool:
    return all(one.verdict is None and one.claim_class is None for one in grades)


@pytest.mark.parametrize("definition", [RUBRIC, CLAUDE], ids=["openai", "anthropic"])
def test_an_honest_answer_is_graded_in_two_calls(definition) -> None:
    with Provider() as provider:
        grades = graded(provider, CASE, definition)
    assert tuple(one.verdict for one in grades) == VERDICTS
    assert [one.evidence[0].quote for one in grades[:2]] == [
        "The printer uses port 9100",
        "Buoy 14 was lifted on 3 June",
    ]
    assert grades[0].evidence[0].start == 42
    assert {one.confidence for one in grades} == {0.9}
    assert {one.judge_model for one in grades} == {definition.judge.model}
    assert provider.calls == 2
    assert [[one.judge_pass for one in each.attempts] for each in grades] == [
        ["classify", "verify"]
    ] * 3


@pytest.mark.parametrize("definition", [RUBRIC, CLAUDE], ids=["openai", "anthropic"])
@pytest.mark.parametrize("at", [CLASSIFY, VERIFY], ids=["classify", "verify"])
@pytest.mark.parametrize("fault", faults_of("D1"))
def test_a_text_that_is_no_answer_is_asked_about_once_more_and_then_unreadable(
    fault, at, definition
) -> None:
    with Provider(after(at, then=fault)) as provider:
        grades = graded(provider, CASE, definition)
    assert outcomes(grades) == [Outcome.UNREADABLE] * 3
    assert no_verdicts(grades)
    assert provider.calls == at + 2
    for one in grades:
        *_, first, second = one.attempts
        assert (first.outcome, second.outcome) == (Outcome.UNREADABLE, Outcome.UNREADABLE)
        assert first.error
        assert second.error == one.error
        assert first.raw
        assert first.request_digest != second.request_digest
    # The second question says what was wrong with the first answer.
    asked = provider.received[at + 1].json["messages"][-1]["content"]
    wrong = json.loads(asked.split("<data>\n")[2].split("\n</data>")[0])["wrong"]
    assert wrong == grades[0].attempts[-2].error


@pytest.mark.parametrize("at", [CLASSIFY, VERIFY], ids=["classify", "verify"])
@pytest.mark.parametrize("fault", [*faults_of("D1", "D2"), "truncated", "empty"])
def test_a_slip_of_form_that_is_mended_when_asked_again_is_graded(fault, at) -> None:
    with Provider(after(at, fault)) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert tuple(one.verdict for one in grades) == VERDICTS


@pytest.mark.parametrize("definition", [RUBRIC, CLAUDE], ids=["openai", "anthropic"])
@pytest.mark.parametrize("fault", faults_of("D2"))
def test_a_word_off_its_menu_or_a_confidence_beyond_one_is_invalid_after_one_more_question(
    fault, definition
) -> None:
    with Provider(after(VERIFY, then=fault)) as provider:
        grades = graded(provider, CASE, definition)
    assert outcomes(grades) == [Outcome.INVALID] * 3
    assert no_verdicts(grades)
    assert provider.calls == 3
    wrong = "confidence" if "confidence" in fault else "verdict"
    for one in grades:
        assert f"{one.statement_id}: {wrong}" in (one.error or "")
        *_, first, second = one.attempts
        assert (first.outcome, second.outcome) == (Outcome.INVALID, Outcome.INVALID)
        # Each statement's attempts speak of that statement.
        assert (first.statement_ids, second.statement_ids) == ((one.statement_id,),) * 2


@pytest.mark.parametrize("fault", ["off_menu", "wrong_case", "no_verdict", "null_verdict"])
def test_a_class_off_its_menu_is_invalid(fault) -> None:
    with Provider(always(fault)) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert outcomes(grades) == [Outcome.INVALID] * 3
    assert all("claim_class" in (one.error or "") for one in grades)
    assert provider.calls == 2


def test_what_was_sound_stands_and_only_the_rest_is_asked_again() -> None:
    says = {"s2": {"verdict": "Supported"}}
    with Provider(answerer=ReadsSchema(says=says)) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert outcomes(grades) == [Outcome.GRADED, Outcome.INVALID, Outcome.GRADED]
    assert [one.outcome for one in grades[0].attempts] == [Outcome.GRADED] * 2
    again = document_in(provider.received[2].json["messages"][-1]["content"])
    assert [one["statement_id"] for one in again["statements"]] == ["s2"]
    assert len(grades[0].attempts) == 2
    assert len(grades[1].attempts) == 3


def test_answers_are_matched_by_id_whatever_their_order() -> None:
    with Provider(always("reordered")) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert tuple(one.verdict for one in grades) == VERDICTS
    assert [one.statement_id for one in grades] == ["s1", "s2", "s3"]


@pytest.mark.parametrize("at", [CLASSIFY, VERIFY], ids=["classify", "verify"])
@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("id_missing", Outcome.MISSING),
        ("id_twice", Outcome.INVALID),
        ("id_unknown", Outcome.MISSING),
    ],
)
def test_an_id_left_out_doubled_or_made_up_costs_that_statement_and_no_other(
    fault, outcome, at
) -> None:
    with Provider(after(at, fault)) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert outcomes(grades) == [outcome, Outcome.GRADED, Outcome.GRADED]
    assert tuple(one.verdict for one in grades[1:]) == VERDICTS[1:]
    # Never asked again: that it leaves statements out is what there is to know of this judge.
    assert provider.calls == 2
    assert ("no-such-id" in " ".join(grades[0].notes)) == (fault == "id_unknown")


def test_an_answer_about_a_statement_of_another_request_does_not_become_one() -> None:
    class Meddler(ReadsSchema):
        def answer(self, asked: Any) -> Any:
            value = super().answer(asked)
            if "s1" in asked.statements:
                value["answers"].append(value["answers"][0] | {"statement_id": "s3"})
            return value

    with Provider(answerer=Meddler()) as provider:
        grades = graded(provider, CASE, rubric(judge__parameters__calls="statement"))
    assert tuple(one.verdict for one in grades) == VERDICTS
    assert any("'s3 (asked elsewhere)'" in note for note in grades[0].notes)
    assert provider.calls == 6


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("unknown_passage", "there is no passage 'no-such-id'"),
        ("false_quote", "the quote"),
    ],
)
def test_evidence_that_is_not_there_is_invalid_and_not_asked_about_again(fault, error) -> None:
    with Provider(after(VERIFY, then=fault)) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert outcomes(grades) == [Outcome.INVALID, Outcome.INVALID, Outcome.GRADED]
    assert error in (grades[0].error or "")
    assert grades[0].raw_verdict == "supported"
    assert provider.calls == 2


def test_a_wrong_offset_is_mended_where_the_quote_occurs_once_and_said_to_be() -> None:
    with Provider(after(VERIFY, then="wrong_offset")) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert grades[0].evidence_repaired
    assert (grades[0].evidence[0].start, grades[0].evidence[0].end) == (42, 68)


def test_a_wrong_offset_of_a_quote_that_occurs_twice_is_invalid() -> None:
    twice = case("The pump runs.", context=("The pump runs. On Monday the pump runs.",))
    says = {
        "s1": {
            "evidence": [{"passage_id": "p1", "quote": "pump runs", "start": 5, "end": 14}],
        }
    }
    with Provider(answerer=ReadsSchema(says=says)) as provider:
        (one,) = graded(provider, twice, RUBRIC)
    assert one.outcome is Outcome.INVALID
    assert "occurs more than once" in (one.error or "")


@pytest.mark.parametrize("definition", [RUBRIC, CLAUDE], ids=["openai", "anthropic"])
@pytest.mark.parametrize(
    ("fault", "outcome", "calls"),
    [
        ("truncated", Outcome.UNREADABLE, 3),
        ("empty", Outcome.UNREADABLE, 3),
        ("refusal", Outcome.REFUSED, 2),
        ("content_filter", Outcome.REFUSED, 2),
        ("refusal_in_words", Outcome.REFUSED, 2),
    ],
)
def test_an_answer_that_was_cut_off_is_asked_for_again_and_one_that_was_refused_is_not(
    fault, outcome, calls, definition
) -> None:
    with Provider(after(VERIFY, then=fault)) as provider:
        grades = graded(provider, CASE, definition)
    assert outcomes(grades) == [outcome] * 3
    assert no_verdicts(grades)
    assert provider.calls == calls
    last = grades[0].attempts[-1]
    assert (last.outcome, last.http_status) == (outcome, 200)


def test_a_provider_that_finds_the_context_too_long_makes_it_too_long() -> None:
    with Provider(after(VERIFY, then="too_long")) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert outcomes(grades) == [Outcome.TOO_LONG] * 3


def test_each_try_is_an_attempt_with_its_status_and_none_is_final_before_the_last() -> None:
    with Provider(after(VERIFY, "server_error", None)) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert tuple(one.verdict for one in grades) == VERDICTS
    tries = [
        (one.judge_pass, one.retry, one.http_status, one.outcome) for one in grades[0].attempts
    ]
    assert tries == [
        ("classify", 0, 200, Outcome.GRADED),
        ("verify", 0, 500, Outcome.UNAVAILABLE),
        ("verify", 1, 200, Outcome.GRADED),
    ]
    assert [one.number for one in grades[0].attempts] == [1, 2, 3]


def test_a_provider_that_is_away_fails_each_statement_as_unavailable_with_every_try() -> None:
    with Provider(after(VERIFY, then="away")) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert outcomes(grades) == [Outcome.UNAVAILABLE] * 3
    assert [one.http_status for one in grades[0].attempts] == [200, 503, 503]


def test_a_failure_of_the_second_question_leaves_the_first_answers_that_were_sound() -> None:
    says = {"s2": {"verdict": "maybe"}}
    plan = after(VERIFY, None, then="away")
    with Provider(plan, ReadsSchema(says=says)) as provider:
        grades = graded(provider, CASE, RUBRIC)
    assert outcomes(grades) == [Outcome.GRADED, Outcome.UNAVAILABLE, Outcome.GRADED]


def test_attempts_keep_what_was_sent_letter_for_letter_and_what_it_cost() -> None:
    priced = rubric(
        judge__prices={"currency": "EUR", "input_per_million": 2.0, "output_per_million": 8.0}
    )
    with Provider() as provider:
        grades = graded(provider, CASE, priced)
    for attempt, received in zip(grades[0].attempts, provider.received, strict=True):
        assert attempt.sent is not None
        assert attempt.sent.encode() == received.body
        assert attempt.input_tokens
        assert attempt.output_tokens
        by_hand = (attempt.input_tokens * 2 + attempt.output_tokens * 8) / 1_000_000
        assert attempt.cost == pytest.approx(by_hand)
        assert attempt.seconds is not None
        assert attempt.started_at is not None


def test_the_model_that_answered_is_kept_with_each_judgment() -> None:
    with Provider(after(VERIFY, then="model_changed")) as provider:
        grades = graded(provider, CASE, RUBRIC)
        again = graded(provider, CASE, RUBRIC)
    name = RUBRIC.judge.model
    assert {one.judge_model for one in grades} == {f"{name}-changed"}
    assert [one.judge_model for one in grades[0].attempts] == [name, f"{name}-changed"]
    assert {one.judge_model for one in again} == {f"{name}-changed"}


def test_a_repeat_is_marked_fresh_and_asks_the_same() -> None:
    with Provider() as provider:
        first = graded(provider, CASE, RUBRIC)
        second = graded(provider, CASE, RUBRIC, fresh=True)
    digests = [[one.request_digest for one in grades[0].attempts] for grades in (first, second)]
    assert digests[0] == digests[1]
    assert provider.calls == 4
