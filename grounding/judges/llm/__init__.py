"""The judge that asks a language model, over HTTP, in two passes of their own prompts.

- `classifying`, `verifying`: what each pass is told, and how its answers are read;
- `prompting`: what both prompts are made of, and the body of a request in each dialect;
- `fencing`: how untrusted text stands in a prompt;
- `reading`: how strictly an answer is read, and what is asked again;
- `asking`: one question, its tries, its attempts;
- `chunks`: contexts that are longer than a request may hold;
- `estimating`: what a case will cost, beforehand;
- `calls`: the protocol of whoever carries requests.

Before anything is sent it is measured: what a request may not hold is too_long, or asked about in
groups of passages, as the rubric says, and never cut. An external claim for which there is no
approved source, and which the rubric does not let rest on common knowledge, is unsupported
whatever a model would say, so none is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Self, TypeVar

from grounding.contract import EvidenceOrigin, SpeechAct, Verdict
from grounding.errors import Refused
from grounding.interchange.models import Outcome
from grounding.judges.llm import classifying, verifying
from grounding.judges.llm.asking import Asker, Heard, Question
from grounding.judges.llm.calls import Carrier
from grounding.judges.llm.chunks import LEAST, Piece, joined, sliding
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
from grounding.rubrics import LlmSpec, RubricDefinition

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
ItemT = TypeVar("ItemT", StatementView, Assignment)


class LlmJudge:
    """The judge as one rubric version sets it; keeps nothing between calls."""

    name = NAME
    implementation = IMPLEMENTATION

    def __init__(self, definition: RubricDefinition, spec: LlmSpec, asker: Asker) -> None:
        self._definition = definition
        self._spec = spec
        self._asker = asker
        self._classify = classifying.prompt_of(definition, spec)
        self._verify = verifying.prompt_of(definition, spec)

    @classmethod
    def of(cls, definition: RubricDefinition, carrier: Carrier | None, *, fresh: bool) -> Self:
        """The judge of ``definition``.

        Refused where that names another kind, and where nothing carries requests here.
        """
        spec = definition.judge
        if not isinstance(spec, LlmSpec):
            raise Refused(f"{definition.reference} does not name an llm judge")
        if carrier is None:
            raise Refused(
                f"{definition.reference} asks {spec.model}, and no provider is set up here: "
                f"set {_SETTINGS[spec.dialect]}"
            )
        return cls(definition, spec, Asker(spec, carrier, fresh))

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        heard = await asyncio.gather(*map(self._fitting, self.classifications(case, statements)))
        return _result(heard, [one.statement_id for one in statements])

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        decided = [self._without_asking(one) for one in assignments]
        known = Heard(tuple(one for one in decided if one is not None))
        open_ones = [one for one, done in zip(assignments, decided, strict=True) if done is None]
        batches = self._batches(open_ones)
        heard = await asyncio.gather(*(self._verified(case, one) for one in batches))
        return _result([known, *heard], [one.statement.statement_id for one in assignments])

    def classifications(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> list[Question[Classification]]:
        """The requests of the first pass."""
        contract = self._definition.contract
        batches = self._divided(statements)
        return [classifying.question(self._classify, case, one, contract) for one in batches]

    def verifications(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> list[Question[Verification]]:
        """The requests of the second pass about ``assignments``, which share a policy: one, or
        one for each group of passages, none where nothing may be sent, since it is too long."""
        pieces = _pieces(assignments[0])
        whole = self._question(case, assignments, pieces)
        parameters = self._spec.parameters
        if whole.length <= parameters.most_context_characters:
            return [whole]
        rest = self._question(case, assignments, ()).length
        room = parameters.most_context_characters - rest
        if parameters.too_long == "refuse" or room < 2 * LEAST:
            return []
        return [self._question(case, assignments, group) for group in sliding(pieces, room)]

    def _question(
        self, case: CaseView, assignments: Sequence[Assignment], pieces: Sequence[Piece]
    ) -> Question[Verification]:
        return verifying.question(
            self._verify, case, assignments, pieces, self._definition, self._spec
        )

    def _divided(self, items: Sequence[ItemT]) -> list[Sequence[ItemT]]:
        """All in one request, or each in its own, as the rubric says."""
        if self._spec.parameters.calls == "statement":
            return [[one] for one in items]
        return [items] if items else []

    def _batches(self, assignments: Sequence[Assignment]) -> list[Sequence[Assignment]]:
        """Those that are asked about together: under one policy, so over the same texts."""
        by_origin: dict[EvidenceOrigin, list[Assignment]] = {}
        for one in assignments:
            by_origin.setdefault(one.policy.origin, []).append(one)
        return [batch for group in by_origin.values() for batch in self._divided(group)]

    async def _fitting(self, question: Question[Classification]) -> Heard[Classification]:
        most = self._spec.parameters.most_context_characters
        if question.length > most:
            return Heard(_too_long(question.ids, question.length, most))
        return await self._asker.ask(question)

    async def _verified(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> Heard[Verification]:
        questions = self.verifications(case, assignments)
        if not questions:
            length = self._question(case, assignments, _pieces(assignments[0])).length
            ids = [one.statement.statement_id for one in assignments]
            most = self._spec.parameters.most_context_characters
            return Heard(_too_long(ids, length, most))
        heard = await asyncio.gather(*map(self._asker.ask, questions))
        return heard[0] if len(heard) == 1 else self._joined(assignments, heard)

    def _joined(
        self, assignments: Sequence[Assignment], heard: Sequence[Heard[Verification]]
    ) -> Heard[Verification]:
        by_group = [{answer.statement_id: answer for answer in one.answers} for one in heard]
        rules = self._definition.contract.speech_acts
        answers = (
            joined(
                one.statement.statement_id,
                [group.get(one.statement.statement_id) for group in by_group],
                self._definition.verdict_mapping,
                quotable=rules[one.speech_act].quotable,
            )
            for one in assignments
        )
        return Heard(
            tuple(one for one in answers if one is not None),
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
        words = [
            word
            for word, verdict in verifying.menu_of(self._definition).items()
            if verdict is Verdict.UNSUPPORTED
        ]
        if not words:
            return None
        return Verification(assignment.statement.statement_id, words[0], explanation=_NO_SOURCE)


def _pieces(assignment: Assignment) -> list[Piece]:
    passages = [Piece(one.id, one.text) for one in assignment.passages]
    return passages + [Piece(one.id, one.text) for one in assignment.sources]


def _too_long(ids: Iterable[str], length: int, most: int) -> tuple[StatementFailure, ...]:
    error = f"{length} characters, and the rubric allows {most} in a request"
    return tuple(StatementFailure(key, Outcome.TOO_LONG, error) for key in ids)


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
