"""Judging one batch of a run: claim, grade, record, ring for the next."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from time import monotonic
from typing import Any, Final

from django.utils import timezone

from calibration import beats, claims, doorbell, judges, rubrics
from calibration.claims import Claim, Result
from calibration.counting import mark_finished
from calibration.models import Judgment, Run
from grounding.errors import Refused
from grounding.grades import Grade
from grounding.interchange import models as interchange
from grounding.interchange.models import Outcome
from grounding.judges.protocol import Judge, PassAttempt
from grounding.passes import storable
from grounding.pipeline import grade_case
from grounding.rubrics import RubricDefinition
from labeling.models import Case, Expectation, Source, Statement
from labeling.records import case_record, source_record

logger = logging.getLogger(__name__)

# How long results may stay unwritten, and a lease or a cancelled run unlooked at.
FLUSH_SECONDS: Final = 0.5

Grader = Callable[[interchange.Case, int], Sequence[Grade]]


def judge_batch(run_pk: int, *, worker: str) -> None:
    """Judge one batch of the run's waiting rows, and ring again while any wait."""
    beats.beat(worker)
    claim = claims.claim(run_pk)
    if claim is not None:
        _judge(claim, worker)
    if claims.waits(run_pk):
        doorbell.ring(run_pk)
    else:
        mark_finished(run_pk, timezone.now())


def _judge(claim: Claim, worker: str) -> None:
    """Grade case by case. Every half second results are written, the lease is renewed and the
    worker shows itself; where nothing is left to renew, the rest is no longer its business."""
    grader = _grader(claim.run)
    results: list[Result] = []
    looked = monotonic()
    for case, repeat, rows in _work(claim):
        if monotonic() - looked > FLUSH_SECONDS:
            claims.record(claim.token, results)
            beats.beat(worker)
            results, looked = [], monotonic()
            if not claims.renew(claim.token):
                return
        results += _results(rows, grader(case, repeat))
    claims.record(claim.token, results)


def _work(claim: Claim) -> Iterator[tuple[interchange.Case, int, list[Judgment]]]:
    """Each claimed case and repeat with its rows."""
    cases = records_of({row.case_pk for row in claim.rows})
    for (case_pk, repeat), rows in groupby(claim.rows, lambda row: (row.case_pk, row.repeat)):
        yield cases[case_pk], repeat, list(rows)


def records_of(case_pks: Iterable[int]) -> dict[int, interchange.Case]:
    """Cases as records, without what their authors expect."""
    statements: dict[int, list[tuple[Statement, Expectation | None]]] = defaultdict(list)
    found = Statement.objects.filter(case_id__in=case_pks).order_by("case_id", "position")
    for statement in found:
        statements[statement.case_id].append((statement, None))
    return {
        case.pk: case_record(case, statements[case.pk])
        for case in Case.objects.filter(pk__in=case_pks)
    }


def _grader(run: Run) -> Grader:
    """Grades a case as the run's rubric was released, or, where that cannot be done here,
    says of every statement that it could not."""
    try:
        definition = rubrics.definition_of(run.rubric_version)
        judge = judges.create(definition)
    except Refused as refusal:
        logger.error("run %s: %s", run.pk, refusal)
        reason = str(refusal)
        return lambda case, repeat: _unavailable(case, repeat, reason)
    sources = [source_record(source) for source in Source.objects.filter(set=run.set)]
    return grader(definition, judge, sources, of=f"run {run.pk}")


def grader(
    definition: RubricDefinition, judge: Judge, sources: Sequence[interchange.Source], *, of: str
) -> Grader:
    """Grades a case; a fault in the judge's own code becomes the outcome of its statements.
    ``of`` is what the log calls the work."""

    def grade(case: interchange.Case, repeat: int) -> Sequence[Grade]:
        try:
            return grade_case(case, judge, definition, sources=sources, repeat=repeat)
        except Exception as error:
            # A fault in the judge's own code. Not a verdict, and no reason to ask again:
            # the same input would meet the same fault.
            logger.exception("%s: the judge broke on case %s", of, case.case_id)
            return _unavailable(case, repeat, f"the judge broke: {type(error).__name__}: {error}")

    return grade


def _unavailable(case: interchange.Case, repeat: int, reason: str) -> list[Grade]:
    attempt = PassAttempt(1, "classify", Outcome.UNAVAILABLE, error=storable(reason))
    return [
        Grade(
            case_id=case.case_id,
            statement_id=statement.statement_id,
            repeat=repeat,
            outcome=Outcome.UNAVAILABLE,
            error=storable(reason),
            attempts=(attempt,),
        )
        for statement in case.statements
    ]


def _results(rows: Sequence[Judgment], grades: Sequence[Grade]) -> list[Result]:
    by_statement = {grade.statement_id: grade for grade in grades}
    return [_result(row.pk, by_statement[row.statement.statement_id]) for row in rows]


def _result(judgment_pk: int, grade: Grade) -> Result:
    return Result(
        judgment_pk, judgment_values(grade), [attempt_values(one) for one in grade.attempts]
    )


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
        "attempts": len(grade.attempts),
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
    }
