"""The first pass: what the judge is told to classify by, and its answers.

It is not shown the passages. A claim's class depends on what it speaks of, not on whether
anything bears it out; and so an instruction that was planted in a passage cannot talk a claim
out of the class that has to be attributed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from grounding.contract import ClaimClass, ClaimType, Contract, SpeechAct, Topic
from grounding.errors import BadInput
from grounding.judges.llm.asking import Question
from grounding.judges.llm.prompting import (
    Prompt,
    Schema,
    a_list,
    an_object,
    assembled,
    nullable,
    one_of,
    text,
)
from grounding.judges.llm.reading import Item, Strict
from grounding.judges.protocol import CaseView, Classification, HiddenPremise, StatementView
from grounding.rubrics import LlmSpec, RubricDefinition

TASK: Final = """\
You classify statements that were taken from an answer. You do not decide whether they are true or \
borne out by anything; somebody else does that afterwards, by rules that depend on your class. So \
class by what a statement speaks of, never by whether it seems right.

Classes:
- subject_specific: it says something about the very subject at hand: this user, account, \
document, record, product, event or transaction, or what was found about it. In doubt between \
this class and another, it is this one.
- external: it says something of the world beyond that subject, which would be just as true or \
false for anyone who asks: a definition, a general fact, a price on the market, how a kind of \
thing works.
- interpretation: a recommendation, an opinion, a question, a transition. It claims no fact, once \
the facts that hide in it are taken out.

Speech acts:
- assertion: it claims something, or weighs or recommends something. Most statements.
- refusal: it says that the question cannot be answered, or not from what is at hand. Always \
subject_specific.
- retrieval_statement: it speaks of what was searched, found or not found. Always subject_specific.
- clarification: it asks something back. Always interpretation.
- procedural: it only leads on ("Here is a summary."). Always interpretation.
A statement that does one of these and asserts something besides is an assertion."""

_CLASSED: Final = (ClaimClass.SUBJECT_SPECIFIC, ClaimClass.EXTERNAL, ClaimClass.INTERPRETATION)
_FACTUAL: Final = _CLASSED[:2]

FIELDS: Final[Mapping[str, tuple[str, Schema]]] = {
    "statement_id": ("the statement's id", text()),
    "explanation": ("one sentence: what the statement speaks of", text()),
    "claim_class": ("its class", one_of(_CLASSED)),
    "speech_act": ("its speech act", one_of(SpeechAct)),
    "claim_type": (
        "what it turns on, or null where none fits; of several, the earliest in the order given "
        "under Claim types",
        nullable(one_of(ClaimType)),
    ),
    "premises": (
        'for an interpretation, each factual claim that hides in it ("because your error rate '
        'fell by half" hides one), else []. "text": the claim as a sentence of its own; "quote": '
        "the words of the answer that make it, copied exactly, or null where no words do; "
        '"claim_class": subject_specific or external',
        a_list(
            an_object({"text": text(), "quote": nullable(text()), "claim_class": one_of(_FACTUAL)})
        ),
    ),
    "stable": (
        "true only for an external statement that is a definition or a convention which has not "
        "changed in years and by which nobody is harmed if it is wrong; else false",
        {"type": "boolean"},
    ),
    "topic": (
        "what it touches: prices (what anything costs, now or usually), security (how something "
        "behaves when attacked, what is encrypted, who has access), medical (health, drugs, "
        "dosage, the body under treatment), product_capabilities (what a product, service, "
        "version or model can do or has), current_affairs (what is newest, who holds a position, "
        "anything that changes with the news); general only where it touches none of these",
        one_of(Topic),
    ),
}


class _Premise(Strict):
    text: Annotated[str, Field(min_length=1)]
    quote: str | None
    claim_class: Literal["subject_specific", "external"]


class Classified(Item):
    """One answer of this pass."""

    explanation: str
    claim_class: Annotated[ClaimClass, Field(strict=False)]
    speech_act: Annotated[SpeechAct, Field(strict=False)]
    claim_type: Annotated[ClaimType | None, Field(strict=False)]
    premises: Annotated[tuple[_Premise, ...], Field(strict=False, max_length=20)]
    stable: bool
    topic: Annotated[Topic, Field(strict=False)]


def prompt_of(definition: RubricDefinition, spec: LlmSpec) -> Prompt:
    """This pass's prompt under a rubric."""
    order = ", ".join(definition.claim_types.precedence)
    return assembled(
        definition,
        spec,
        name="classifications",
        task=f"{TASK}\n\nClaim types, in order of precedence: {order}.",
        own=definition.prompts.classify or "",
        examples=list(_examples(definition)),
        fields=FIELDS,
    )


def question(
    prompt: Prompt, case: CaseView, statements: Sequence[StatementView], contract: Contract
) -> Question[Classification]:
    """One request of this pass, about ``statements``."""
    by_id = {one.statement_id: one for one in statements}

    def answered(row: Any, _model: str | None) -> Classification:
        said = Classified.model_validate(row)
        _require_route(said, contract)
        return _classification(said, by_id[said.statement_id], case.answer)

    return Question(
        "classify",
        prompt,
        shared={"question": case.question, "answer": case.answer},
        statements=tuple({"statement_id": key, "text": one.text} for key, one in by_id.items()),
        answered=answered,
    )


def _examples(definition: RubricDefinition) -> Iterator[Mapping[str, Any]]:
    for one in definition.examples:
        yield {"statement": one.statement, "claim_class": one.claim_class}


def _require_route(said: Classified, contract: Contract) -> None:
    """A slip between two fields of one answer, so it is asked about again; the pipeline holds
    every judge to the same rule."""
    required = contract.speech_acts[said.speech_act].claim_class
    if required is not None and required is not said.claim_class:
        raise BadInput(f"a {said.speech_act} is {required}", field="claim_class")


def _classification(said: Classified, statement: StatementView, answer: str) -> Classification:
    return Classification(
        statement_id=said.statement_id,
        claim_class=said.claim_class,
        claim_type=said.claim_type,
        speech_act=said.speech_act,
        premises=tuple(
            HiddenPremise(one.text, _place(one.quote, statement, answer), one.claim_class)
            for one in said.premises
        ),
        stable=said.stable,
        topic=said.topic,
        explanation=said.explanation or None,
    )


def _place(quote: str | None, statement: StatementView, answer: str) -> tuple[int, int] | None:
    """Where the quote stands in the answer, within the statement's own span if it has one; None
    where it does not occur there exactly once."""
    start, end = statement.span or (0, len(answer))
    found = answer.find(quote, start, end) if quote else -1
    if found < 0 or answer.find(quote or "", found + 1, end) >= 0:
        return None
    return found, found + len(quote or "")
