"""A judge that compares words: deterministic, offline, without a model.

**First pass**, in this order:

1. Speech act, by its wording: refusal, retrieval statement, clarification (any question, too),
   procedural text; anything else is an assertion. The contract says which class an act has.
2. Interpretation, where the wording recommends, advises, weighs up or gives an opinion. A
   reason given with *because*, *since* or *given that* is split off as a hidden premise.
3. External, where the statement is general and the context has too few of its words. General:
   it looks like English, opens with *a*, a plural or an *-ing* word, is in the present tense,
   names nobody, counts nothing and points at nothing (*the*, *this*, *your*, *they* …).
4. Subject-specific, for all the rest. In doubt a claim is held to the context.

A statement of several sentences has a speech act or is an interpretation only if each sentence
shows it, so that no assertion rides along.

The claim type is the first in the rubric's precedence whose marks the statement shows.

**Second pass**, over windows of neighbouring sentences of the texts that the policy admits:

1. No window holds enough of the statement's content words: `not_stated`.
2. Else the best window counts. A number, year or month that stands nowhere while another of its
   kind stands there: `refuted`. One side negated and the other not: `refuted`. A name that
   stands nowhere, and another name there between the same neighbours: `refuted`.
3. Enough content words, with every number, every name and the word the statement opens with,
   in that window, or in it and a few more that each hold a good share: `entailed`, citing them.
4. Else `not_stated`. It never guesses.

A refusal is `entailed` (warranted) where no window holds enough of the question's content
words, and `refuted` where one does. A retrieval statement is `entailed` or `refuted` where it
counts the passages, and is verified as an assertion where it does not.

**What it cannot see**: synonyms and antonyms, who *he* or *she* is, lower-case words swapped
for one another, cause and effect turned round, hedges dropped, units converted, a name that
opens a sentence and looks like a plural, grammar of any language but English. It states no
confidence, because it has none to give.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final, Self

from grounding.contract import SpeechAct
from grounding.errors import Refused
from grounding.interchange.models import Evidence
from grounding.judges.lexical.classifying import classify
from grounding.judges.lexical.tokens import span_of
from grounding.judges.lexical.verifying import Finding, Place, Text, best_window, find
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    PassResult,
    StatementView,
    Verification,
)
from grounding.rubrics.definition import (
    ClaimTypeRules,
    LexicalParameters,
    LexicalSpec,
    RubricDefinition,
)

NAME: Final = "lexical"
IMPLEMENTATION: Final = 1
"""Raise it whenever any rule or word list could give any statement another outcome."""


class LexicalJudge:
    """The judge; its thresholds are the rubric's, its rules are this package's."""

    name = NAME
    implementation = IMPLEMENTATION

    def __init__(self, parameters: LexicalParameters, claim_types: ClaimTypeRules) -> None:
        self._parameters = parameters
        self._precedence = claim_types.precedence

    @classmethod
    def of(cls, definition: RubricDefinition) -> Self:
        """The judge as ``definition`` sets it; Refused where that names another kind."""
        if not isinstance(definition.judge, LexicalSpec):
            raise Refused(f"{definition.reference} does not name a lexical judge")
        return cls(definition.judge.parameters, definition.claim_types)

    def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        texts = [Text(passage.id, False, passage.text) for passage in case.context]
        return PassResult(
            tuple(
                classify(one, case.answer, texts, self._precedence, self._parameters)
                for one in statements
            )
        )

    def verify(self, case: CaseView, assignments: Sequence[Assignment]) -> PassResult[Verification]:
        return PassResult(tuple(self._verify(case, one) for one in assignments))

    def _verify(self, case: CaseView, assignment: Assignment) -> Verification:
        finding = self._found(case, assignment)
        quotable = assignment.speech_act is SpeechAct.ASSERTION or finding.raw == "refuted"
        return Verification(
            statement_id=assignment.statement.statement_id,
            raw_verdict=finding.raw,
            evidence=tuple(_cited(finding.places)) if quotable else (),
            explanation=finding.why,
        )

    def _found(self, case: CaseView, assignment: Assignment) -> Finding:
        texts = [Text(one.id, False, one.text) for one in assignment.passages]
        texts += [Text(one.id, True, one.text) for one in assignment.sources]
        match assignment.speech_act:
            case SpeechAct.REFUSAL:
                return self._warranted(case.question, texts)
            case SpeechAct.RETRIEVAL_STATEMENT:
                counted = _counted(assignment.statement.text, len(texts))
                return counted or find(span_of(assignment.statement.text), texts, self._parameters)
            case _:
                return find(span_of(assignment.statement.text), texts, self._parameters)

    def _warranted(self, question: str | None, texts: Sequence[Text]) -> Finding:
        content = span_of(question or "").content
        if not content:
            return Finding("not_stated", (), "there is no question to hold the refusal against")
        best = best_window(content, texts, self._parameters.window_sentences)
        if best is None or best[0] < self._parameters.answerable_overlap:
            return Finding("entailed", (), "no passage speaks of what was asked")
        return Finding("refuted", (Place(best[1], best[2]),), "a passage speaks of what was asked")


def _counted(statement: str, passages: int) -> Finding | None:
    span = span_of(statement)
    numbers = span.numbers or (frozenset({Decimal(0)}) if span.negations else frozenset())
    if len(numbers) != 1:
        return None
    said = next(iter(numbers))
    why = f"{passages} passages were admitted"
    return Finding("entailed" if said == passages else "refuted", (), why)


def _cited(places: Iterable[Place]) -> Iterable[Evidence]:
    for place in places:
        yield Evidence(
            passage_id=None if place.text.is_source else place.text.key,
            source_id=place.text.key if place.text.is_source else None,
            quote=place.span.text,
            start=place.span.start,
            end=place.span.end,
        )
