"""Grades as the fields of the rows that keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from calibration.runs.claims import Result, Row
from grounding.grades import Grade
from grounding.interchange.fields import MAX_EXCHANGED
from grounding.judges.protocol import PassAttempt

Call: TypeAlias = tuple[str, int, datetime | None]


def of_grades(rows: Sequence[Row], grades: Sequence[Grade]) -> list[Result]:
    """What is to be written on a case's rows; there is a grade for each.

    Each call counts by one of its attempts, however many statements it was for.
    """
    by_statement = {grade.statement_id: grade for grade in grades}
    counted: set[Call] = set()
    return [_result(row, by_statement[row.statement_id], counted) for row in rows]


def call_of(attempt: Mapping[str, Any]) -> Call | None:
    """What tells the call of an attempt's fields from any other; None where there was none."""
    if attempt["request_digest"] is None:
        return None
    return attempt["request_digest"], attempt["retry"], attempt["started_at"]


def _result(row: Row, grade: Grade, counted: set[Call]) -> Result:
    values = [attempt_values(one) for one in grade.attempts]
    attempts = [one | {"counts": counts_now(call_of(one), counted)} for one in values]
    sent = {
        one.request_digest: one.sent
        for one in grade.attempts
        if one.request_digest is not None
        and one.sent is not None
        and len(one.sent) <= MAX_EXCHANGED
    }
    return Result(row.pk, judgment_values(grade), attempts, sent)


def counts_now(call: Call | None, counted: set[Call]) -> bool:
    """Whether this is the first that is seen of a call; it is noted in ``counted``."""
    if call is None or call in counted:
        return False
    counted.add(call)
    return True


def judgment_values(grade: Grade) -> dict[str, Any]:
    """A grade as the fields of the row that keeps it."""
    return {
        "outcome": grade.outcome.value,
        "claim_class": grade.claim_class,
        "verdict": grade.verdict,
        "raw_verdict": grade.raw_verdict,
        "claim_type": grade.claim_type,
        "speech_act": grade.speech_act,
        "premises": [premise.model_dump(mode="json") for premise in grade.premises],
        "evidence": [item.model_dump(mode="json") for item in grade.evidence],
        "evidence_repaired": grade.evidence_repaired,
        "without_evidence": grade.without_evidence,
        "explanation": grade.explanation,
        "error": "; ".join(filter(None, (grade.error, *grade.notes))) or None,
        "confidence": grade.confidence,
        "judge_model": grade.judge_model,
    }


def attempt_values(attempt: PassAttempt) -> dict[str, Any]:
    """An attempt as the fields of the row that keeps it."""
    return {
        "number": attempt.number,
        "judge_pass": attempt.judge_pass,
        "outcome": attempt.outcome.value,
        "raw": attempt.raw,
        "error": attempt.error,
        "judge_model": attempt.judge_model,
        "started_at": attempt.started_at,
        "seconds": attempt.seconds,
        "request_digest": attempt.request_digest,
        "http_status": attempt.http_status,
        "retry": attempt.retry,
        "input_tokens": attempt.input_tokens,
        "output_tokens": attempt.output_tokens,
        "cost": attempt.cost,
        "cached": attempt.cached,
    }
