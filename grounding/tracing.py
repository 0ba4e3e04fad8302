"""Where the fact was that an ungrounded answer lacks: a failure of generation, budget or retrieval.

In the admitted context, and the model did not keep to it: generation. In the retrieved pool alone,
and truncation or reranking dropped it: budget. In neither: retrieval, or there was nothing to find.
They have different owners and different fixes.

What people stated comes first: whether context and pool answer the question, and what the
references say of the failing statements. Only where both are silent, the words of the passages
that were retrieved and not admitted are compared with the statement's, by the lexical judge.
It reads words and not meanings: what it does not find may be there in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from grounding.contract import ClaimClass, SpeechAct, Verdict
from grounding.interchange.models import Passage
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Judge,
    StatementFailure,
    StatementView,
)
from grounding.rubrics import RubricDefinition
from grounding.waiting import finish


class Stage(StrEnum):
    """Where the fact was lost, or why nobody can tell."""

    GENERATION = "generation"
    BUDGET = "budget"
    RETRIEVAL = "retrieval"
    EXTERNAL = "external"
    """Only claims about the world fail, which rest on approved sources and not on retrieval."""
    POOL_NOT_CAPTURED = "pool_not_captured"
    NOT_SEARCHED = "not_searched"
    """The passages were too many to look through."""


TRACED: Final = (Stage.GENERATION, Stage.BUDGET, Stage.RETRIEVAL)
UNTRACED: Final = (Stage.POOL_NOT_CAPTURED, Stage.EXTERNAL, Stage.NOT_SEARCHED)


class Basis(StrEnum):
    """Who says so."""

    STATED = "stated"
    """Whoever wrote the case says what context and pool hold."""
    REFERENCE = "reference"
    """The references: a contradiction has its fact in the context, an unsupported claim has not."""
    LEXICAL = "lexical"
    """The lexical judge, over the passages that were retrieved and not admitted."""


class Trace(NamedTuple):
    """``basis`` is None where the stage is one of `UNTRACED`."""

    stage: Stage
    basis: Basis | None = None


@dataclass(frozen=True, slots=True)
class Failing:
    """A statement that fails by its reference, itself or in a premise."""

    text: str
    contradictory: bool
    external: bool = False
    speech_act: SpeechAct = SpeechAct.ASSERTION


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a case: whether admitted context and retrieved pool answer its question,
    and the passages that were retrieved and not admitted. None where nobody said, and where the
    pool was not captured."""

    answerable: bool | None = None
    answerable_from_retrieved: bool | None = None
    beyond: Sequence[Passage] | None = None


Search = Callable[[Failing, Sequence[Passage]], bool | None]
"""Whether the passages speak of what the statement states; None where it did not look."""

# Furthest from the model first: were all that comes after it mended, the answer would still fail.
_FURTHEST: Final = (
    *(Stage.RETRIEVAL, Stage.POOL_NOT_CAPTURED, Stage.NOT_SEARCHED),
    *(Stage.BUDGET, Stage.GENERATION),
)


def trace(failing: Sequence[Failing], known: Known, search: Search) -> Trace:
    """Where the fact was that an answer with these failing statements lacks.

    Of several, the one that was lost furthest from the model decides.
    """
    about = [one for one in failing if not one.external]
    if not about:
        return Trace(Stage.EXTERNAL)
    if known.answerable:
        return Trace(Stage.GENERATION, Basis.STATED)
    if known.answerable is False and known.answerable_from_retrieved is not None:
        dropped = known.answerable_from_retrieved
        return Trace(Stage.BUDGET if dropped else Stage.RETRIEVAL, Basis.STATED)
    return min(
        (_of(one, known, search) for one in about), key=lambda one: _FURTHEST.index(one.stage)
    )


def settled(failing: Sequence[Failing], known: Known) -> bool:
    """Whether `trace` would not search."""
    looked: list[Failing] = []

    def note(one: Failing, beyond: Sequence[Passage]) -> None:
        looked.append(one)

    trace(failing, known, note)
    return not looked


def _of(one: Failing, known: Known, search: Search) -> Trace:
    if one.contradictory and known.answerable is not False:
        return Trace(Stage.GENERATION, Basis.REFERENCE)
    if known.beyond is None:
        return Trace(Stage.POOL_NOT_CAPTURED)
    if not known.beyond:
        return Trace(Stage.RETRIEVAL, Basis.REFERENCE)
    found = search(one, known.beyond)
    if found is None:
        return Trace(Stage.NOT_SEARCHED)
    return Trace(Stage.BUDGET if found else Stage.RETRIEVAL, Basis.LEXICAL)


def speaks_of(
    one: Failing,
    passages: Sequence[Passage],
    question: str | None,
    judge: Judge,
    definition: RubricDefinition,
) -> bool | None:
    """Whether ``judge`` finds in ``passages`` what the statement states, as it states it or
    otherwise: what contradicts it is the fact that it should have stated. A refusal is spoken of
    where the question is answered. None where the judge failed."""
    assignment = Assignment(
        StatementView("s", one.text, None),
        ClaimClass.SUBJECT_SPECIFIC,
        None,
        one.speech_act,
        definition.contract.evidence[ClaimClass.SUBJECT_SPECIFIC],
        passages=tuple(passages),
    )
    view = CaseView("case", question, tuple(passages), "")
    (answer,) = finish(judge.verify(view, [assignment])).answers
    if isinstance(answer, StatementFailure):
        return None
    verdict = definition.verdict_mapping[answer.raw_verdict]
    if one.speech_act is SpeechAct.REFUSAL:
        return verdict is Verdict.CONTRADICTORY
    return verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTORY)
