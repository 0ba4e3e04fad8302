"""Which requests a case takes: how many, about which statements, over which passages.

Before anything is sent it is measured. What one request may not hold is too long, or is asked
about in groups of passages, as the rubric says, and never cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, TypeVar

from grounding.contract import EvidenceOrigin
from grounding.errors import Refused
from grounding.interchange.models import Outcome
from grounding.judges.llm import classifying, verifying
from grounding.judges.llm.asking import Question
from grounding.judges.llm.chunks import LEAST, Piece, sliding
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    StatementFailure,
    StatementView,
    Verification,
)
from grounding.rubrics import LlmSpec, RubricDefinition

ItemT = TypeVar("ItemT", StatementView, Assignment)


class Planner:
    """What one rubric version asks; its prompts are put together once."""

    def __init__(self, definition: RubricDefinition, spec: LlmSpec) -> None:
        self.definition = definition
        self.spec = spec
        self._classify = classifying.prompt_of(definition, spec)
        self._verify = verifying.prompt_of(definition, spec)

    @classmethod
    def of(cls, definition: RubricDefinition) -> Self:
        """Refused where the definition names another kind of judge."""
        if not isinstance(definition.judge, LlmSpec):
            raise Refused(f"{definition.reference} does not name an llm judge")
        return cls(definition, definition.judge)

    def classifications(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> list[Question[Classification]]:
        """The first pass's questions, whatever their length."""
        contract = self.definition.contract
        batches = self._divided(statements)
        return [classifying.question(self._classify, case, one, contract) for one in batches]

    def batches(self, assignments: Sequence[Assignment]) -> list[Sequence[Assignment]]:
        """Those that are asked about together: under one policy, so over the same texts."""
        by_origin: dict[EvidenceOrigin, list[Assignment]] = {}
        for one in assignments:
            by_origin.setdefault(one.policy.origin, []).append(one)
        return [batch for group in by_origin.values() for batch in self._divided(group)]

    def verifications(
        self, case: CaseView, batch: Sequence[Assignment]
    ) -> list[Question[Verification]]:
        """The second pass's questions about one batch: one, whatever its length where it may
        not be divided, or one for each group of passages."""
        pieces = _pieces(batch[0])
        whole = self._verification(case, batch, pieces)
        if self.fits(whole) or self.spec.parameters.too_long == "refuse":
            return [whole]
        rest = self._verification(case, batch, ()).length
        room = self.spec.parameters.most_context_characters - rest
        if room < 2 * LEAST:
            return [whole]
        return [self._verification(case, batch, group) for group in sliding(pieces, room)]

    def fits(self, question: Question[Any]) -> bool:
        return question.length <= self.spec.parameters.most_context_characters

    def too_long(self, question: Question[Any]) -> tuple[StatementFailure, ...]:
        """What becomes of the statements of a question that does not fit."""
        most = self.spec.parameters.most_context_characters
        error = f"{question.length} characters, and the rubric allows {most} in a request"
        return tuple(StatementFailure(key, Outcome.TOO_LONG, error) for key in question.ids)

    def _verification(
        self, case: CaseView, batch: Sequence[Assignment], pieces: Sequence[Piece]
    ) -> Question[Verification]:
        return verifying.question(self._verify, case, batch, pieces, self.definition, self.spec)

    def _divided(self, items: Sequence[ItemT]) -> list[Sequence[ItemT]]:
        """All in one request, or each in its own, as the rubric says."""
        if self.spec.parameters.calls == "statement":
            return [[one] for one in items]
        return [items] if items else []


def _pieces(assignment: Assignment) -> list[Piece]:
    passages = [Piece(one.id, one.text) for one in assignment.passages]
    return passages + [Piece(one.id, one.text) for one in assignment.sources]
