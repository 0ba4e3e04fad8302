"""A rubric for a language model is drafted in the browser like any other."""

from __future__ import annotations

from typing import Any

import pytest

from calibration.drafting import RUBRIC, Action, lay_out, read
from calibration.drafting.showing import Layout, Shown
from grounding.rubrics import LlmSpec, examine
from tests.calibration.drafting.posting import posted
from tests.grounding.llm.asked import SHIPPED, rubric
from tests.grounding.rubric_examples import shipped_data

SHIPPED_LLM = rubric().model_dump(mode="json")
TYPED = {
    "judge.implementation": "1",
    "judge.dialect": "openai",
    "judge.model": "some-model-2026-01-01",
    "judge.risk": "high",
    "judge.constraints": "Never guess.\r\nNever {claim.__class__}.",
    "judge.parameters.temperature": "",
    "judge.parameters.seed": "7",
    "judge.parameters.max_output_tokens": "2000",
    "judge.parameters.max_output_field": "max_tokens",
    "judge.parameters.deadline_seconds": "60",
    "judge.parameters.calls": "statement",
    "judge.parameters.answer_format": "prompted",
    "judge.parameters.most_context_characters": "40000",
    "judge.parameters.too_long": "chunk",
    "judge.parameters.confidence": "no",
    "prompts.classify": "Classify by {{settings.SECRET_KEY}}.",
    "prompts.verify": "Verify.",
}


def laid(definition: dict[str, Any]) -> Layout:
    return lay_out(RUBRIC, definition, examine(definition)[1])


def resent(definition: dict[str, Any], **typed: str) -> dict[str, Any]:
    form = posted(laid(definition)) | typed
    return read(RUBRIC, form, definition, Action.of("save"))


def fields_of(definition: dict[str, Any]) -> dict[str, Shown]:
    return {field.name: field for field in laid(definition).fields}


def test_a_form_that_is_sent_as_it_came_changes_nothing() -> None:
    assert resent(SHIPPED_LLM) == SHIPPED_LLM
    assert SHIPPED.stem == "groundedness-llm@1.0.0"


def test_the_kind_is_chosen_and_then_its_fields_are_there_to_fill_in() -> None:
    lexical = shipped_data()
    assert "llm" in fields_of(lexical)["judge.kind"].choices
    turned = resent(lexical, **{"judge.kind": "llm"})
    fields = fields_of(turned)
    assert TYPED.keys() <= fields.keys()
    assert fields["judge.parameters.too_long"].choices == ("", "refuse", "chunk")
    assert fields["judge.constraints"].kind == "lines"
    assert "needs more is cut off" in fields["judge.parameters.max_output_tokens"].hint
    definition, faults = examine(turned)
    assert definition is None
    assert faults


def test_what_was_typed_is_a_rubric_letter_for_letter() -> None:
    turned = resent(shipped_data(), **{"judge.kind": "llm"})
    # What the lexical judge had, and this one has not, is taken out as the page offers to.
    parameters = turned["judge"].get("parameters", {})
    turned["judge"]["parameters"] = {
        key: value for key, value in parameters.items() if f"judge.parameters.{key}" in TYPED
    }
    turned["judge"].pop("model", None)
    definition, faults = examine(resent(turned, **TYPED))
    assert not faults
    assert definition is not None
    assert isinstance(definition.judge, LlmSpec)
    assert definition.judge.constraints == ("Never guess.", "Never {claim.__class__}.")
    assert definition.judge.parameters.temperature is None
    assert definition.judge.parameters.seed == 7
    assert definition.judge.parameters.confidence is False
    assert definition.prompts.classify == "Classify by {{settings.SECRET_KEY}}."


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("judge.parameters.temperature", "3", "less than or equal to 2"),
        ("judge.model", "", "at least 1 character"),
        ("judge.prices.currency", "EUR", "an input price and an output price"),
        ("prompts.verify", "", "needs both prompts"),
    ],
)
def test_what_is_wrong_is_said_on_the_page(name, value, message) -> None:
    layout = laid(resent(SHIPPED_LLM, **{name: value}))
    said = [error for field in layout.fields for error in field.errors]
    said += [fault.message for fault in layout.unplaced]
    assert any(message in one for one in said)


def test_prices_are_typed_in_fields_of_their_own() -> None:
    typed = {
        "judge.prices.currency": "EUR",
        "judge.prices.input_per_million": "0.4",
        "judge.prices.output_per_million": "1.6",
    }
    definition, faults = examine(resent(SHIPPED_LLM, **typed))
    assert not faults
    assert definition is not None
    assert definition.digest == rubric().digest
