"""The second pass: what the judge is told to verify by, and its answers.

A request holds the texts of one evidence policy and the statements under it: whatever is cited,
a statement cannot rest on a text that its policy does not admit. The verdicts are the rubric's
own words; what they stand for the judge is told, and the rubric maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Self

from pydantic import Field, model_validator

from grounding.contract import FAILING, EvidenceOrigin, Verdict
from grounding.errors import BadInput, Refused
from grounding.interchange.fields import Confidence, Text
from grounding.interchange.models import Evidence
from grounding.judges.llm.asking import Question
from grounding.judges.llm.chunks import Piece
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
from grounding.judges.protocol import Assignment, CaseView, Verification
from grounding.rubrics import LlmSpec, RubricDefinition

TASK: Final = """\
You decide whether statements that were taken from an answer are borne out by the passages that \
stand in the same document, and by nothing else. Question and answer are there so that you \
understand the statement (who "it" is, what "the second one" means); neither is evidence, and \
what you know yourself is none either.

- supported: the passages, read plainly, say it or leave no other conclusion, with every part of \
it: each number with its unit, date, name, negation, quantity word (all, most, only), condition \
and cause, and how certain it is. What is claimed with more certainty than a passage has it is not \
supported.
- contradictory: a passage says something that cannot be true together with it.
- unsupported: neither. That the passages do not speak of it, however plausible it is, is this.

Where a statement's "speech_act" is refusal, the question is whether declining was warranted: \
supported where the passages do not hold what was asked for, contradictory where they do. Where it \
is retrieval_statement, hold what it says of the search against the passages that are there.

A quote is copied from one passage letter for letter, no word left out or changed, and long enough \
to occur only once in it. Quote what your verdict rests on, from each passage that is needed."""

COMMON: Final = """\
A statement with "common_knowledge": true is a stable definition that may also rest on what is \
generally known; if so it needs no quote. All other statements may not."""
_ADMITTED: Final = {
    EvidenceOrigin.ADMITTED_CONTEXT: "what the answer was given to rest on",
    EvidenceOrigin.APPROVED_SOURCES: "approved sources, the only ones that count here",
    EvidenceOrigin.NOTHING: "none",
}
_GRADED: Final = (Verdict.SUPPORTED, *sorted(FAILING))

_EVIDENCE: Final = an_object(
    {
        "passage_id": text(),
        "quote": text(),
        "start": nullable({"type": "integer"}),
        "end": nullable({"type": "integer"}),
    }
)


class _Quote(Strict):
    passage_id: str
    quote: Text
    start: Annotated[int, Field(ge=0)] | None = None
    end: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if (self.start is None) != (self.end is None):
            raise ValueError("start and end are given together or not at all")
        return self


class Verified(Item):
    """One answer of this pass."""

    explanation: str
    evidence: Annotated[tuple[_Quote, ...], Field(strict=False, max_length=50)]
    verdict: str


class VerifiedSurely(Verified):
    """One answer where the rubric asks how sure the judge is."""

    confidence: Confidence


def prompt_of(definition: RubricDefinition, spec: LlmSpec) -> Prompt:
    """This pass's prompt under a rubric; Refused where its mapping leaves nothing to say."""
    return assembled(
        definition,
        spec,
        name="verdicts",
        task=TASK if definition.common_knowledge.exempt == "nothing" else f"{TASK}\n\n{COMMON}",
        own=definition.prompts.verify or "",
        examples=list(_examples(definition)),
        fields=_fields(definition, spec),
    )


def menu_of(definition: RubricDefinition) -> Mapping[str, Verdict]:
    """The rubric's words for what this pass can find, supported first.

    In an order of our own: a store may give a mapping's keys in any.
    """
    words = sorted(definition.verdict_mapping.items(), key=lambda pair: pair[0])
    menu = {word: verdict for one in _GRADED for word, verdict in words if verdict is one}
    if not menu:
        raise Refused(f"{definition.reference} maps no word to supported or unsupported")
    return menu


def _shared(case: CaseView, origin: EvidenceOrigin, pieces: Sequence[Piece]) -> Mapping[str, Any]:
    return {
        "question": case.question,
        "answer": case.answer,
        "passages_are": _ADMITTED[origin],
        "passages": [one.shown for one in pieces],
    }


def question(
    prompt: Prompt,
    case: CaseView,
    assignments: Sequence[Assignment],
    pieces: Sequence[Piece],
    definition: RubricDefinition,
    spec: LlmSpec,
) -> Question[Verification]:
    """One request of this pass, about ``assignments`` under one policy and over ``pieces``."""
    menu, origin = menu_of(definition), assignments[0].policy.origin
    item = VerifiedSurely if spec.parameters.confidence else Verified

    def answered(row: Any, model: str | None) -> Verification:
        said = item.model_validate(row)
        if said.verdict not in menu:
            raise BadInput(f"is none of {', '.join(menu)}", field="verdict")
        return replace(_verification(said, pieces, origin), judge_model=model)

    return Question(
        "verify",
        prompt,
        shared=_shared(case, origin, pieces),
        statements=tuple(_shown(one) for one in assignments),
        answered=answered,
    )


def _shown(assignment: Assignment) -> Mapping[str, Any]:
    return {
        "statement_id": assignment.statement.statement_id,
        "text": assignment.statement.text,
        "speech_act": assignment.speech_act,
        "common_knowledge": assignment.knowledge,
    }


def _fields(definition: RubricDefinition, spec: LlmSpec) -> Mapping[str, tuple[str, Schema]]:
    menu = menu_of(definition)
    meanings = "; ".join(
        word if word == verdict else f"{word} (which counts as {verdict})"
        for word, verdict in menu.items()
    )
    fields = {
        "statement_id": ("the statement's id", text()),
        "explanation": ("what decides it, in one or two sentences, before you decide", text()),
        "evidence": (
            'the quotes, else []. "passage_id": the passage\'s id; "quote": the words; "start" and '
            '"end": null, unless you know at which characters of the passage the quote stands',
            a_list(_EVIDENCE),
        ),
        "verdict": (f"one of: {meanings}", one_of(menu)),
    }
    if spec.parameters.confidence:
        meaning = "how sure you are of the verdict, from 0 (a guess) to 1 (certain)"
        fields["confidence"] = (meaning, {"type": "number"})
    return fields


def _examples(definition: RubricDefinition) -> Iterator[Mapping[str, Any]]:
    """Those that this pass can find, with the rubric's word; with its words, where it has several
    for one verdict."""
    menu = menu_of(definition)
    for one in definition.examples:
        words = [word for word, verdict in menu.items() if verdict is one.verdict]
        if words:
            yield {
                "passages": [{"passage_id": each.id, "text": each.text} for each in one.context],
                "statement": one.statement,
                "explanation": one.rationale,
                "verdict": " or ".join(words),
            }


def _verification(said: Verified, pieces: Sequence[Piece], origin: EvidenceOrigin) -> Verification:
    return Verification(
        statement_id=said.statement_id,
        raw_verdict=said.verdict,
        evidence=tuple(_evidence(one, pieces, origin) for one in said.evidence),
        explanation=said.explanation or None,
        confidence=said.confidence if isinstance(said, VerifiedSurely) else None,
    )


def _evidence(said: _Quote, pieces: Sequence[Piece], origin: EvidenceOrigin) -> Evidence:
    """The quote as evidence, offsets counted from the beginning of the whole passage.

    Whether it is there is looked at afterwards, for every judge alike.
    """
    kind = "source_id" if origin is EvidenceOrigin.APPROVED_SOURCES else "passage_id"
    start, end = said.start, said.end
    if start is not None and end is not None:
        by = _offset(said, pieces)
        start, end = start + by, end + by
    return Evidence.model_validate(
        {kind: said.passage_id, "quote": said.quote, "start": start, "end": end}
    )


def _offset(said: _Quote, pieces: Sequence[Piece]) -> int:
    own = [one for one in pieces if one.key == said.passage_id]
    exact = (one for one in own if one.text[said.start : said.end] == said.quote)
    found = next(exact, own[0] if own else None)
    return found.offset if found else 0
