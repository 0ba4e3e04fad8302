"""What a rubric says reaches the model letter for letter, and what it does not say does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounding.digests import digest
from grounding.errors import BadInput, Refused
from grounding.interchange.models import Outcome
from grounding.judges import llm
from grounding.judges.llm import classifying, verifying
from grounding.judges.registry import FACTORIES, LIMITS, Services, create_judge
from grounding.rubrics import RubricDefinition, load_rubric
from tests.grounding.llm.asked import SHIPPED, anthropic, graded, rubric, rubric_data
from tests.grounding.rubric_examples import SHIPPED as LEXICAL
from tests.grounding.rubric_examples import case
from tests.provider import Provider, ReadsSchema, in_order

ONE = case("The printer uses port 9100.", context=("The printer uses port 9100.",))
TWO = case("It hums.", "It is warm.", context=("It hums, and it is warm.",))
TEMPLATES = (
    "{claim.__class__}",
    "{{settings.SECRET_KEY}}",
    "{% debug %}",
    "%(name)s %s",
    "${HOME} $(id)",
    "{0} {} {{}}",
)


def systems(definition: RubricDefinition) -> list[str]:
    """What the model is told in either pass, as it came over the wire."""
    with Provider() as provider:
        graded(provider, ONE, definition)
    bodies = [one.json for one in provider.received]
    return [body.get("system") or body["messages"][0]["content"] for body in bodies]


@pytest.mark.parametrize("text", TEMPLATES)
def test_what_looks_like_a_template_in_a_rubric_is_sent_letter_for_letter(text) -> None:
    marked = rubric(
        prompts={"classify": f"First {text}", "verify": f"Then {text}"},
        judge__constraints=[f"Never {text}"],
        common_knowledge__statement=f"Known {text}",
        examples=[_example(f"Said {text}")],
    )
    classify, verify = systems(marked)
    assert f"# The rubric\nFirst {text}\n\n# Constraints\n- Never {text}\n" in classify
    assert f"# The rubric\nThen {text}\n\n# Constraints\n- Never {text}\n" in verify
    for told in (classify, verify):
        assert f"# Common knowledge\nKnown {text}\n" in told
        assert f'"statement": "Said {text}"' in told


@pytest.mark.parametrize("text", [*TEMPLATES, "<script>alert(1)</script>", '"><img src=x>'])
def test_what_a_model_writes_is_kept_letter_for_letter(text) -> None:
    says = {"s1": {"explanation": text}}
    with Provider(answerer=ReadsSchema(says=says)) as provider:
        (found,) = graded(provider, ONE, rubric())
    assert found.outcome is Outcome.GRADED
    assert found.explanation == text


def _example(statement: str, **more: Any) -> dict[str, Any]:
    return {
        "statement": statement,
        "context": [{"id": "p1", "text": "A passage of the example.", "source": None}],
        "claim_class": "subject_specific",
        "verdict": "unsupported",
        "rationale": "Because it is not there.",
        "case_id": "secret-case",
        "pair_id": "secret-pair",
    } | more


def test_each_pass_has_its_own_prompt_and_both_are_told_risk_and_constraints() -> None:
    classify, verify = systems(rubric(judge__risk="high"))
    data = rubric_data()
    assert data["prompts"]["classify"] in classify
    assert data["prompts"]["classify"] not in verify
    assert data["prompts"]["verify"] in verify
    assert data["prompts"]["verify"] not in classify
    for told in (classify, verify):
        assert "Where you are in doubt, it is not supported." in told
        assert all(f"- {one}\n" in told for one in data["judge"]["constraints"])


def test_an_example_is_shown_without_the_case_that_it_was_taken_from() -> None:
    classify, verify = systems(rubric(examples=[_example("An example.")]))
    assert '"statement": "An example.", "claim_class": "subject_specific"' in classify
    assert '"explanation": "Because it is not there.", "verdict": "unsupported"' in verify
    assert "secret" not in classify + verify


def test_finer_verdicts_are_the_rubrics_words_and_the_raw_one_is_kept() -> None:
    finer = {
        "grounded": "supported",
        "partially_grounded": "unsupported",
        "ungrounded": "unsupported",
        "contradicted": "contradictory",
        "opinion": "not_applicable",
    }
    definition = rubric(verdict_mapping=finer, examples=[_example("An example.")])
    with Provider(answerer=ReadsSchema(says={"s1": {"verdict": "partially_grounded"}})) as provider:
        (found,) = graded(provider, ONE, definition)
    assert (found.raw_verdict, found.verdict) == ("partially_grounded", "unsupported")
    body = provider.received[1].json
    (item,) = _found(body["response_format"], "verdict")
    # What has no place in this pass is not offered in it.
    assert item["enum"] == ["grounded", "contradicted", "partially_grounded", "ungrounded"]
    told = body["messages"][0]["content"]
    assert '"verdict": "partially_grounded or ungrounded"' in told


def _found(value: Any, key: str) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value[key]] if isinstance(value, dict) and key in value else []
    return own + [found for one in inner for found in _found(one, key)]


def test_the_order_in_which_a_store_gives_a_mapping_changes_nothing_that_is_sent() -> None:
    words = {"a": "unsupported", "b": "supported", "c": "contradictory", "d": "unsupported"}
    turned = dict(reversed(words.items()))
    first, second = rubric(verdict_mapping=words), rubric(verdict_mapping=turned)
    assert first.digest == second.digest
    assert systems(first) == systems(second)


def test_openai_is_asked_for_a_strict_schema_at_the_rubrics_temperature_and_seed() -> None:
    with Provider() as provider:
        graded(provider, ONE, rubric())
    for body, name in zip(_bodies(provider), ("classifications", "verdicts"), strict=True):
        asked = body.pop("response_format")
        assert asked["type"] == "json_schema"
        assert (asked["json_schema"]["name"], asked["json_schema"]["strict"]) == (name, True)
        _require_strict(asked["json_schema"]["schema"])
        assert [one["role"] for one in body.pop("messages")] == ["system", "user"]
        assert body == {
            "model": "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
            "temperature": 0.0,
            "seed": 20261101,
            "max_completion_tokens": 4000,
        }


def test_anthropic_is_asked_for_an_output_format_and_is_sent_no_seed() -> None:
    with Provider() as provider:
        graded(provider, ONE, anthropic())
    for body in _bodies(provider):
        asked = body.pop("output_config")
        assert asked["format"]["type"] == "json_schema"
        _require_strict(asked["format"]["schema"])
        assert body.pop("system")
        assert [one["role"] for one in body.pop("messages")] == ["user"]
        assert body == {
            "model": "claude-sonnet-4-5-20250929",
            "temperature": 0.0,
            "max_tokens": 4000,
        }


def _bodies(provider: Provider) -> list[dict[str, Any]]:
    return [one.json for one in provider.received]


def _require_strict(schema: Any) -> None:
    """Every object names all its keys as required and allows no other; no bounds, which one
    of the providers refuses."""
    if isinstance(schema, list):
        for one in schema:
            _require_strict(one)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object":
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
    assert not schema.keys() & {"minimum", "maximum", "minLength", "maxLength", "pattern"}
    for one in schema.values():
        _require_strict(one)


def test_a_bounded_schema_ends_every_list_and_every_text() -> None:
    with Provider() as provider:
        graded(provider, TWO, rubric(judge__parameters__answer_format="bounded"))
    for body in _bodies(provider):
        schema = body["response_format"]["json_schema"]["schema"]
        answers = schema["properties"]["answers"]
        assert (answers["minItems"], answers["maxItems"]) == (2, 2)
        assert _endless(schema) == []


def _endless(schema: Any, at: str = "") -> list[str]:
    """Where a list or a free text has no end."""
    if isinstance(schema, list):
        return [one for n, part in enumerate(schema) for one in _endless(part, f"{at}.{n}")]
    if not isinstance(schema, dict):
        return []
    bound = {"array": "maxItems", "string": "maxLength"}.get(schema.get("type", ""))
    open_here = bound is not None and bound not in schema and "enum" not in schema
    inside = [one for key, part in schema.items() for one in _endless(part, f"{at}.{key}")]
    return [at, *inside] if open_here else inside


def test_the_anthropic_dialect_is_asked_for_no_bounds() -> None:
    with pytest.raises(BadInput, match="no bounds in a schema"):
        anthropic(judge__parameters__answer_format="bounded")


def test_what_is_not_set_is_not_sent() -> None:
    bare = rubric(
        judge__parameters__temperature=None,
        judge__parameters__seed=None,
        judge__parameters__max_output_field="max_tokens",
        judge__parameters__confidence=False,
        judge__parameters__answer_format="prompted",
    )
    says = {"answers": []}
    with Provider(answerer=_Says(says)) as provider:
        graded(provider, ONE, bare)
    (body,) = _bodies(provider)
    assert body.keys() == {"model", "messages", "max_tokens"}
    told = body["messages"][0]["content"]
    # The schema stands in the prompt then, and is the same.
    schema = json.loads(told.split("# The same as a JSON schema\n")[1])
    assert schema == prompting_schema(bare)
    assert "confidence" not in verifying.prompt_of(bare, bare.judge).system  # type: ignore[arg-type]


def prompting_schema(definition: RubricDefinition) -> Any:
    schema = classifying.prompt_of(definition, definition.judge).schema  # type: ignore[arg-type]
    return json.loads(json.dumps(schema))


class _Says:
    """Answers the same, whatever it is asked."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def read(self, body: Any) -> Any:
        return ReadsSchema().read(body)

    def answer(self, asked: Any) -> Any:
        return self._value


def test_a_confidence_that_nobody_asked_for_is_a_slip_of_form() -> None:
    quiet = rubric(judge__parameters__confidence=False)
    with Provider() as provider:
        (found,) = graded(provider, ONE, quiet)
    assert (found.outcome, found.confidence) == (Outcome.GRADED, None)

    class Sure(ReadsSchema):
        def answer(self, asked: Any) -> Any:
            value = super().answer(asked)
            if asked.passages:
                value["answers"][0]["confidence"] = 0.5
            return value

    with Provider(answerer=Sure()) as provider:
        (found,) = graded(provider, ONE, quiet)
    assert found.outcome is Outcome.INVALID
    assert "confidence: is not a key of this format" in (found.error or "")


# What a rubric may not be.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompts__verify": None}, "needs both prompts"),
        ({"prompts__classify": ""}, "needs both prompts"),
        ({"judge__parameters__temperature": 2.5}, "less than or equal to 2"),
        ({"judge__parameters__too_long": "cut"}, "'refuse' or 'chunk'"),
        ({"judge__constraints": ["two\nlines"]}, "pattern"),
        ({"judge__prices__currency": "EUR"}, "an input price and an output price"),
        ({"judge__prices__currency": "euros"}, "pattern"),
    ],
)
def test_what_no_judge_could_be_set_to_is_no_rubric(change, message) -> None:
    with pytest.raises(BadInput, match=message):
        rubric(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"judge__parameters__seed": 1}, "has no seed"),
        ({"judge__parameters__max_output_field": "max_completion_tokens"}, "max_tokens"),
    ],
)
def test_what_a_dialect_does_not_have_is_not_written_into_a_rubric(change, message) -> None:
    with pytest.raises(BadInput, match=message):
        anthropic(**change)


def test_a_mapping_without_a_word_for_the_second_pass_is_refused() -> None:
    empty = rubric(verdict_mapping={"opinion": "not_applicable"})
    with pytest.raises(Refused, match="maps no word to supported or unsupported"):
        llm.LlmJudge.of(empty, object(), fresh=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("definition", "setting"),
    [(rubric(), "OPENAI_API_KEY"), (anthropic(), "ANTHROPIC_API_KEY")],
    ids=["openai", "anthropic"],
)
def test_without_a_carrier_it_is_refused_and_the_missing_setting_named(definition, setting) -> None:
    with pytest.raises(Refused, match=f"no provider is set up here .*: set {setting}"):
        create_judge(definition, Services())


def test_another_implementation_is_refused() -> None:
    with pytest.raises(Refused, match="llm implementation 99, and this installation has"):
        create_judge(rubric(judge__implementation=99), Services(carrier=object()))  # type: ignore[arg-type]


def test_every_kind_that_can_run_says_what_it_cannot_see() -> None:
    assert FACTORIES.keys() == LIMITS.keys()
    assert "talked into a verdict" in LIMITS["llm"]


# What ships.


def test_the_shipped_rubric_has_the_scope_of_the_lexical_one_so_that_they_can_be_compared() -> None:
    shipped = load_rubric(SHIPPED.read_text("utf-8"))
    lexical = load_rubric(LEXICAL.read_text("utf-8"))
    assert shipped.scope_digest == lexical.scope_digest
    assert shipped.digest != lexical.digest


def test_the_shipped_rubric_has_an_example_of_each_verdict_and_none_of_the_starter_set() -> None:
    shipped = load_rubric(SHIPPED.read_text("utf-8"))
    assert {one.verdict for one in shipped.examples} == {
        "supported",
        "unsupported",
        "contradictory",
        "not_applicable",
    }
    starter = (SHIPPED.parents[1] / "sets" / "starter" / "cases.jsonl").read_text("utf-8")
    for one in shipped.examples:
        assert one.statement not in starter
        assert all(passage.text not in starter for passage in one.context)


# By implementation number: the digest of all requests that a fixed rubric and case lead to.
REQUESTS = {
    1: "sha256:8423e6cae9950ac7160464ade6924022db3fcf3e6b77f86578d9474376551ff6",
}


def test_a_changed_request_raises_the_implementation_number() -> None:
    """Whoever changes a word of the scaffold changes what a rubric under the same digest finds."""
    fixed = {
        "prompts": {"classify": "First.", "verify": "Then."},
        "judge__constraints": ["Never."],
        "judge__model": "m",
        "common_knowledge": {"exempt": "stable_definitions", "statement": "Known."},
        "examples": [_example("An example.")],
    }
    settings: list[dict[str, Any]] = [
        {"judge__risk": "low"},
        {"judge__risk": "medium", "judge__parameters__answer_format": "prompted"},
        {"judge__risk": "high", "judge__parameters__confidence": False},
    ]
    sent = []
    for own in settings:
        for made in (rubric, anthropic):
            # The second call is asked again, in words of our own.
            with Provider(in_order(None, "fences")) as provider:
                graded(provider, ONE, made(**fixed, **own))
            sent += [one.body.decode() for one in provider.received]
    assert len(sent) >= 3 * 4
    assert REQUESTS[llm.IMPLEMENTATION] == digest(sent)
