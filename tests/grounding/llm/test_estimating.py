"""What a case will cost is known before anything is sent, and near what it then does cost."""

from __future__ import annotations

import pytest

from grounding.errors import Refused
from grounding.judges.llm.estimating import Estimate, estimate, tokens_of, total
from grounding.rubrics import load_rubric
from tests.grounding.llm.asked import graded, rubric
from tests.grounding.llm.test_chunks import LONG, limited
from tests.grounding.llm.test_hostile_answers import CASE
from tests.grounding.rubric_examples import SHIPPED as LEXICAL
from tests.provider import Provider

PRICES = {"currency": "EUR", "input_per_million": 2.0, "output_per_million": 8.0}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("日本語", 3), ("дом", 2), ("ab 日本", 3)],
)
def test_tokens_are_guessed_by_script(text, tokens) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize("calls", ["case", "statement"])
def test_the_calls_are_those_that_are_then_made(calls) -> None:
    definition = rubric(judge__parameters__calls=calls)
    with Provider() as provider:
        graded(provider, CASE, definition)
    expected = estimate(definition, CASE)
    assert expected.calls == provider.calls
    sent = sum(len(one.body.decode()) for one in provider.received)
    assert expected.input_tokens == pytest.approx(sent / 4, rel=0.02)


def test_a_context_in_groups_is_counted_group_by_group() -> None:
    definition = limited(800, "chunk")
    with Provider() as provider:
        graded(provider, LONG, definition)
    assert estimate(definition, LONG).calls == provider.calls == 5


def test_what_will_not_be_sent_costs_nothing() -> None:
    assert estimate(limited(800, "refuse"), LONG).calls == 1


def test_the_cost_is_by_the_rubrics_prices_and_unknown_without() -> None:
    found = estimate(rubric(judge__prices=PRICES), CASE)
    by_hand = (found.input_tokens * 2 + found.output_tokens * 8) / 1_000_000
    assert found.cost == pytest.approx(by_hand)
    assert found.currency == "EUR"
    # Around the answers, and about three statements in each pass.
    assert found.output_tokens == 10 + 3 * 80 + 10 + 3 * 120
    assert estimate(rubric(), CASE).cost is None


def test_an_answer_never_counts_for_more_than_it_may_have() -> None:
    assert estimate(rubric(judge__parameters__max_output_tokens=100), CASE).output_tokens == 200


def test_a_run_is_the_sum_of_its_cases() -> None:
    one = estimate(rubric(judge__prices=PRICES), CASE)
    both = total([one, one])
    assert (both.calls, both.input_tokens) == (2 * one.calls, 2 * one.input_tokens)
    assert both.cost == pytest.approx(2 * (one.cost or 0))
    assert total([]) == Estimate()


def test_a_judge_that_asks_nobody_has_no_estimate() -> None:
    with pytest.raises(Refused, match="does not name an llm judge"):
        estimate(load_rubric(LEXICAL.read_text("utf-8")), CASE)
