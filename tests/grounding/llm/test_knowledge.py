"""External claims: against approved sources, or against what is commonly known where the rubric
says so and the topic allows it; whatever the model says."""

from __future__ import annotations

from typing import Any

import pytest

from grounding.contract import VOLATILE, Topic, Verdict
from grounding.grades import Grade
from grounding.interchange.models import Case, Outcome, Passage, Source, Statement
from tests.grounding.llm.asked import document_in, graded, rubric
from tests.provider import Provider, ReadsSchema

STRICT = rubric()
LAX = rubric(common_knowledge__exempt="stable_definitions")
TEXT = "A knot is one nautical mile an hour."
CASE = Case(
    case_id="c1",
    question="How fast?",
    context=(Passage(id="p1", text="The ferry left at 9."),),
    answer=TEXT,
    statements=(Statement(statement_id="s1", text=TEXT),),
)
SOURCES = (Source(id="w1", text="Speeds: a knot is one nautical mile an hour."),)


def external(**says: Any) -> ReadsSchema:
    own = {"claim_class": "external", "stable": True, "topic": "general"}
    return ReadsSchema(says={"s1": own | says})


def judged(definition: Any, answerer: ReadsSchema, sources: Any = ()) -> tuple[Grade, list[Any]]:
    with Provider(answerer=answerer) as provider:
        (found,) = graded(provider, CASE, definition, sources=sources)
    asked = [document_in(one.json["messages"][-1]["content"]) for one in provider.received]
    return found, asked


def test_an_external_claim_is_held_against_the_approved_sources_alone() -> None:
    found, asked = judged(STRICT, external(), SOURCES)
    assert found.verdict is Verdict.SUPPORTED
    assert (found.evidence[0].source_id, found.evidence[0].passage_id) == ("w1", None)
    assert [one["passage_id"] for one in asked[1]["passages"]] == ["w1"]
    assert asked[1]["passages_are"].startswith("approved sources")
    assert asked[1]["statements"][0]["common_knowledge"] is False


def test_without_a_source_an_external_claim_is_unsupported_and_no_model_is_asked() -> None:
    found, asked = judged(STRICT, external())
    assert (found.outcome, found.verdict) == (Outcome.GRADED, Verdict.UNSUPPORTED)
    assert "no approved source" in (found.explanation or "")
    assert len(asked) == 1


def test_a_stable_definition_may_rest_on_knowledge_where_the_rubric_says_so() -> None:
    found, asked = judged(LAX, external(verdict="supported", evidence=[]))
    assert (found.verdict, found.without_evidence) == (Verdict.SUPPORTED, True)
    assert asked[1]["statements"][0]["common_knowledge"] is True
    assert asked[1]["passages"] == []


@pytest.mark.parametrize("topic", sorted(VOLATILE))
def test_a_volatile_topic_without_a_source_is_unsupported_though_the_model_calls_it_stable(
    topic,
) -> None:
    found, asked = judged(LAX, external(topic=topic.value, verdict="supported", evidence=[]))
    assert (found.outcome, found.verdict) == (Outcome.GRADED, Verdict.UNSUPPORTED)
    assert len(asked) == 1


@pytest.mark.parametrize("topic", sorted(VOLATILE))
def test_with_a_source_a_volatile_claim_still_needs_its_quote(topic) -> None:
    said = external(topic=topic.value, verdict="supported", evidence=[])
    found, asked = judged(LAX, said, SOURCES)
    assert found.outcome is Outcome.INVALID
    assert "no quote is cited from approved_sources" in (found.error or "")
    assert asked[1]["statements"][0]["common_knowledge"] is False


def test_what_is_not_stable_is_not_exempt() -> None:
    found, _ = judged(LAX, external(stable=False, verdict="supported", evidence=[]))
    assert found.verdict is Verdict.UNSUPPORTED


def test_every_topic_but_one_is_volatile() -> None:
    assert set(Topic) - VOLATILE == {Topic.GENERAL}


@pytest.mark.parametrize("topic", ["General", "weather", None])
def test_a_topic_off_the_menu_is_asked_about_again_and_then_invalid(topic) -> None:
    found, asked = judged(LAX, external(topic=topic))
    assert found.outcome is Outcome.INVALID
    assert "topic" in (found.error or "")
    assert len(asked) == 2


def test_the_policy_is_told_in_both_passes_and_the_exception_only_where_there_is_one() -> None:
    told = []
    for definition in (STRICT, LAX):
        with Provider(answerer=external()) as provider:
            graded(provider, CASE, definition, sources=SOURCES)
        told += [one.json["messages"][0]["content"] for one in provider.received]
    statement = STRICT.common_knowledge.statement
    assert all(f"# Common knowledge\n{statement}\n" in one for one in told)
    exception = 'A statement with "common_knowledge": true'
    assert [exception in one for one in told] == [False, False, False, True]


# Hidden premises.


def advice(premise: dict[str, Any], before: str = "Well. ") -> Grade:
    text = "Replace it, since the chain lost 5 mm."
    span = (len(before), len(before + text))
    one = Case(
        case_id="c1",
        context=(Passage(id="p1", text="Log: the chain lost 5 mm."),),
        answer=f"{before}{text}",
        statements=(Statement(statement_id="s1", text=text, span=span),),
    )
    says = {"s1": {"claim_class": "interpretation", "premises": [premise]}}
    with Provider(answerer=ReadsSchema(says=says)) as provider:
        (found,) = graded(provider, one, STRICT)
    return found


def test_a_premise_is_placed_by_its_quote_and_graded_against_the_context() -> None:
    found = advice(
        {
            "text": "The chain lost 5 mm.",
            "quote": "the chain lost 5 mm",
            "claim_class": "subject_specific",
        }
    )
    assert (found.claim_class, found.verdict) == ("interpretation", Verdict.NOT_APPLICABLE)
    (premise,) = found.premises
    assert premise.verdict is Verdict.SUPPORTED
    assert premise.span == (24, 43)


def test_a_premise_is_looked_for_in_its_own_statement_alone() -> None:
    premise = {
        "text": "The chain lost 5 mm.",
        "quote": "the chain lost 5 mm",
        "claim_class": "subject_specific",
    }
    found = advice(premise, before="They say the chain lost 5 mm. ")
    assert found.premises[0].span == (48, 67)


@pytest.mark.parametrize("quote", [None, "", "words that stand nowhere", "e"])
def test_a_premise_whose_quote_is_not_there_exactly_once_has_no_place(quote) -> None:
    found = advice(
        {"text": "The chain lost 5 mm.", "quote": quote, "claim_class": "subject_specific"}
    )
    assert found.premises[0].span is None


def test_a_premise_that_claims_nothing_is_a_slip_of_form() -> None:
    found = advice({"text": "", "quote": None, "claim_class": "subject_specific"})
    assert found.outcome is Outcome.INVALID
    found = advice({"text": "Do it.", "quote": None, "claim_class": "interpretation"})
    assert found.outcome is Outcome.INVALID


def test_a_speech_act_that_the_contract_classes_otherwise_is_asked_about_again() -> None:
    found, asked = judged(STRICT, external(speech_act="refusal"))
    assert found.outcome is Outcome.INVALID
    assert "a refusal is subject_specific" in (found.error or "")
    assert len(asked) == 2
