"""The judge that asks a language model, over HTTP, in two passes of their own prompts.

- `planning`: which requests a case takes; `chunks`: contexts longer than a request may hold;
- `classifying`, `verifying`: what each pass is told, and how its answers are read;
- `prompting`: what both prompts are made of; `fencing`: how untrusted text stands in them;
- `asking`: one question, its tries, its attempts; `reading`: how strictly an answer is read, and
  what is asked again;
- `estimating`: what a case will cost, beforehand;
- `calls`: the protocol of whoever carries requests; `carrier` and what it rests on: over HTTP.

An external claim for which there is no approved source, and which the rubric does not let rest on
common knowledge, is unsupported whatever a model would say, so none is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Self, TypeVar

from grounding.contract import EvidenceOrigin, SpeechAct, Verdict
from grounding.errors import Refused
from grounding.interchange.models import Outcome
from grounding.judges.llm import verifying
from grounding.judges.llm.asking import Asker, Heard, Question
from grounding.judges.llm.calls import Carrier
from grounding.judges.llm.chunks import joined
from grounding.judges.llm.planning import Planner
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    PassAttempt,
    PassResult,
    StatementFailure,
    StatementView,
    Verification,
)
from grounding.rubrics import RubricDefinition

NAME: Final = "llm"
LIMITS: Final = (
    "It is a language model: it can be talked into a verdict by what it reads, give another one "
    "when asked again, and change when its provider changes it, which only the model's reported "
    "name may show. Its explanation is written beside its verdict and need not be why; its "
    "confidence is no probability. It knows things, and may let what it knows pass for what the "
    "passages say. In long contexts it overlooks what stands in the middle. Where a context is "
    "asked about in groups, what two distant passages say together is seen by no request."
)
IMPLEMENTATION: Final = 1
"""Raise it whenever a prompt's scaffold, a schema, or a rule of reading changes."""

_SETTINGS: Final = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_NO_SOURCE: Final = (
    "There is no approved source to hold it against, and the rubric does not let it rest on what "
    "is commonly known. No model was asked."
)

AnswerT = TypeVar("AnswerT", bound=Classification | Verification)


class LlmJudge:
    """The judge as one rubric version sets it; keeps nothing between calls."""

    name = NAME
    implementation = IMPLEMENTATION

    def __init__(self, planner: Planner, carrier: Carrier, *, fresh: bool = False) -> None:
        self._planner = planner
        self._asker = Asker(planner.spec, carrier, fresh)

    @classmethod
    def of(cls, definition: RubricDefinition, carrier: Carrier | None, *, fresh: bool) -> Self:
        """The judge of ``definition``.

        Refused where that names another kind, and where nothing carries requests here.
        """
        planner = Planner.of(definition)
        if carrier is None:
            raise Refused(
                f"no provider is set up here that {definition.reference} could ask for "
                f"{planner.spec.model}: set {_SETTINGS[planner.spec.dialect]}"
            )
        return cls(planner, carrier, fresh=fresh)

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        questions = self._planner.classifications(case, statements)
        heard = await asyncio.gather(*map(self._asked, questions))
        return _result(heard, [one.statement_id for one in statements])

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        decided = [self._without_asking(one) for one in assignments]
        known = Heard(tuple(one for one in decided if one is not None))
        rest = [one for one, done in zip(assignments, decided, strict=True) if done is None]
        batches = self._planner.batches(rest)
        heard = await asyncio.gather(*(self._verified(case, one) for one in batches))
        return _result([known, *heard], [one.statement.statement_id for one in assignments])

    async def _asked(self, question: Question[AnswerT]) -> Heard[AnswerT]:
        if not self._planner.fits(question):
            return Heard(self._planner.too_long(question))
        return await self._asker.ask(question)

    async def _verified(self, case: CaseView, batch: Sequence[Assignment]) -> Heard[Verification]:
        questions = self._planner.verifications(case, batch)
        heard = await asyncio.gather(*map(self._asked, questions))
        return heard[0] if len(heard) == 1 else self._joined(batch, heard)

    def _joined(
        self, batch: Sequence[Assignment], heard: Sequence[Heard[Verification]]
    ) -> Heard[Verification]:
        """One answer for each statement out of those of all groups of passages."""
        by_group = [{answer.statement_id: answer for answer in one.answers} for one in heard]
        rules = self._planner.definition.contract.speech_acts
        answers = (
            joined(
                one.statement.statement_id,
                [group.get(one.statement.statement_id) for group in by_group],
                self._planner.definition.verdict_mapping,
                quotable=rules[one.speech_act].quotable,
            )
            for one in batch
        )
        return Heard(
            tuple(answers),
            tuple(dict.fromkeys(key for one in heard for key in one.unknown)),
            tuple(attempt for one in heard for attempt in one.attempts),
        )

    def _without_asking(self, assignment: Assignment) -> Verification | None:
        """Unsupported by the contract alone: an approved source is needed, and there is none."""
        needs_source = (
            assignment.policy.origin is EvidenceOrigin.APPROVED_SOURCES
            and assignment.policy.supported_needs_quote
            and assignment.speech_act is SpeechAct.ASSERTION
        )
        if not needs_source or assignment.sources or assignment.knowledge:
            return None
        menu = verifying.menu_of(self._planner.definition)
        words = [word for word, verdict in menu.items() if verdict is Verdict.UNSUPPORTED]
        if not words:
            return None
        return Verification(assignment.statement.statement_id, words[0], explanation=_NO_SOURCE)


def _result(heard: Iterable[Heard[AnswerT]], asked: Collection[str]) -> PassResult[AnswerT]:
    """All that was heard. An answer about a statement that another request asked about does not
    become an answer for it: it keeps a name that shows where it came from."""
    answers: list[AnswerT | StatementFailure] = []
    attempts: list[PassAttempt] = []
    for one in heard:
        answers += one.answers
        attempts += one.attempts
        for key in one.unknown:
            name = f"{key} (asked elsewhere)" if key in asked else key
            answers.append(StatementFailure(name, Outcome.INVALID, "was not asked about"))
    return PassResult(tuple(answers), tuple(attempts))
