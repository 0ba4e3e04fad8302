"""Results that were recorded elsewhere, replayed as grades.

A recorded result has been through someone else's passes and carries a verdict
already, so nothing is mapped and no class is made up. What it cites is checked
like any judge's evidence; what it does not cite or class is kept and marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grounding.contract import CONTRACT, ClaimClass, Contract, SpeechAct, Verdict
from grounding.errors import BadInput
from grounding.evidence import Texts
from grounding.grades import Grade
from grounding.interchange.models import Case, Judgment, Outcome, Source
from grounding.judges.protocol import PassAttempt
from grounding.passes import decided
from grounding.verdicts import Invalid, checked_evidence

Key = tuple[str, str, int]


class RecordedResults:
    """Recorded judgments of one rubric version, by case, statement and repeat.

    Raises BadInput where two records speak of the same one.
    """

    def __init__(self, judgments: Iterable[Judgment], *, contract: Contract = CONTRACT) -> None:
        self._contract = contract
        self._by_key: dict[Key, Judgment] = {}
        for one in judgments:
            key = (one.case_id, one.statement_id, one.repeat)
            if key in self._by_key:
                raise BadInput(
                    f"two judgments for case {one.case_id}, statement {one.statement_id}, "
                    f"repeat {one.repeat}",
                    field="statement_id",
                )
            self._by_key[key] = one

    def grade_case(
        self, case: Case, *, sources: Sequence[Source] = (), repeat: int = 0
    ) -> tuple[Grade, ...]:
        """One grade per statement of ``case``, in its order; what is absent is missing."""
        texts = Texts.of(case.context, sources)
        return tuple(
            self._grade(case.case_id, statement.statement_id, repeat, texts)
            for statement in case.statements
        )

    def unmatched(self, cases: Iterable[Case]) -> tuple[Key, ...]:
        """Keys of records that no statement of ``cases`` answers to, in recorded order."""
        known = {(case.case_id, one.statement_id) for case in cases for one in case.statements}
        return tuple(key for key in self._by_key if key[:2] not in known)

    def _grade(self, case_id: str, statement_id: str, repeat: int, texts: Texts) -> Grade:
        record = self._by_key.get((case_id, statement_id, repeat))
        if record is None:
            return _failure(
                case_id, statement_id, repeat, Outcome.MISSING, "no result was recorded"
            )
        if record.outcome is not Outcome.GRADED:
            return _failed_record(record, record.outcome, record.explanation or "recorded as such")
        try:
            return self._graded(record, texts)
        except Invalid as reason:
            return _failed_record(record, Outcome.INVALID, str(reason))

    def _graded(self, record: Judgment, texts: Texts) -> Grade:
        evidence, repaired = checked_evidence(record.evidence, texts)
        return Grade(
            case_id=record.case_id,
            statement_id=record.statement_id,
            repeat=record.repeat,
            outcome=Outcome.GRADED,
            claim_class=record.claim_class,
            verdict=record.verdict,
            raw_verdict=record.raw_verdict,
            claim_type=record.claim_type,
            speech_act=record.speech_act,
            premises=record.premises,
            evidence=evidence,
            evidence_repaired=repaired,
            without_evidence=not evidence and self._should_cite(record),
            explanation=record.explanation,
            confidence=record.confidence,
            judge_model=record.judge_model,
            attempts=(PassAttempt(1, "verify", Outcome.GRADED, judge_model=record.judge_model),),
        )

    def _should_cite(self, record: Judgment) -> bool:
        # Where no class is stated, it is held to the strictest.
        return self._contract.needs_quote(
            record.claim_class or ClaimClass.SUBJECT_SPECIFIC,
            record.verdict or Verdict.SUPPORTED,
            record.speech_act or SpeechAct.ASSERTION,
        )


def _failed_record(record: Judgment, outcome: Outcome, error: str) -> Grade:
    return _failure(
        record.case_id,
        record.statement_id,
        record.repeat,
        outcome,
        error,
        raw=record.model_dump_json(),
        raw_verdict=record.raw_verdict,
        judge_model=record.judge_model,
    )


def _failure(
    case_id: str,
    statement_id: str,
    repeat: int,
    outcome: Outcome,
    error: str,
    *,
    raw: str | None = None,
    raw_verdict: str | None = None,
    judge_model: str | None = None,
) -> Grade:
    return Grade(
        case_id=case_id,
        statement_id=statement_id,
        repeat=repeat,
        outcome=outcome,
        raw_verdict=raw_verdict,
        judge_model=judge_model,
        error=error,
        attempts=decided((), "verify", outcome, error, raw, judge_model),
    )
