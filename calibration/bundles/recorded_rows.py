"""Judgments as records of the interchange format, and records as judgments.

Both directions stand side by side, field by field, because an export that is imported and
exported again must come out byte for byte the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final, TypeVar

from calibration.bundles.recorded_reading import Key, Place
from calibration.models import FINISHED, Attempt, Judgment, Run, SentRequest
from grounding.contract import Contract
from grounding.grades import Grade
from grounding.interchange import models as interchange
from grounding.interchange.models import Outcome
from grounding.judges.recorded import RecordedResults
from labeling.cases.records import case_record, source_record
from labeling.models import CalibrationSet, Case, Source, Statement

T = TypeVar("T")

_CASES_AT_ONCE: Final = 500
_ROWS_AT_ONCE: Final = 2000
_AS_STATED: Final = (
    "raw_verdict",
    "claim_type",
    "speech_act",
    "explanation",
    "confidence",
    "judge_model",
    "attempts",
)
_ATTEMPT: Final = (
    "number",
    "judge_pass",
    "outcome",
    "raw",
    "error",
    "judge_model",
    "started_at",
    "seconds",
    "request_digest",
    "http_status",
    "retry",
    "input_tokens",
    "output_tokens",
    "cost",
    "cached",
    "round",
)
JUDGMENT_VALUES: Final = (
    *("outcome", "claim_class", "verdict", "premises", "evidence"),
    *_AS_STATED,
)
"""What two judgments are compared by: all that a record states of one."""


@dataclass(frozen=True)
class Filled:
    """A run's rows with their results, the attempts of each by its place in ``rows``, and what
    was sent in them by its digest."""

    rows: Sequence[Judgment]
    attempts: Sequence[Sequence[dict[str, Any]]]
    sent: Mapping[str, str]

    @property
    def round(self) -> int:
        """The last of which anything tells."""
        return max((row.round for row in self.rows), default=1)


def filled(
    rows: Iterable[Judgment],
    records: Mapping[Key, interchange.Judgment],
    attempts: Mapping[Key, Sequence[interchange.Attempt]],
    places: Mapping[int, Place],
    contract: Contract,
    now: datetime,
) -> Filled:
    """Planned rows of one run, case by case within each repeat, with what was recorded.

    Evidence is held against the texts as any judge's is; a row without a record is missing.
    """
    planned = list(rows)
    results = RecordedResults(records.values(), contract=contract)
    grades = _grades(planned, results)
    tried: list[Sequence[dict[str, Any]]] = []
    for row in planned:
        key = (*places[row.statement_id], row.repeat)
        grade, record = grades[key], records.get(key)
        _fill(row, grade, record)
        row.judged_at = now
        tried.append(_attempts(grade, record, attempts.get(key, ())))
        row.round = max((one["round"] for one in tried[-1]), default=1)
        if tried[-1] and row.outcome != Outcome.GRADED.value:
            row.error = tried[-1][-1]["error"]
    sent = {
        one.request_digest: one.sent
        for made in attempts.values()
        for one in made
        if one.request_digest is not None and one.sent is not None
    }
    return Filled(planned, tried, sent)


def attempt_values(attempt: interchange.Attempt | Attempt) -> dict[str, Any]:
    return {name: getattr(attempt, name) for name in _ATTEMPT}


def judgment_records(calibration_set: CalibrationSet) -> Iterator[interchange.Judgment]:
    """Every judgment of finished runs on the live case revisions: run by run, each in the
    order of its plan."""
    for row in _exported(calibration_set).iterator(chunk_size=_ROWS_AT_ONCE):
        yield _judgment_record(row)


def attempt_records(calibration_set: CalibrationSet) -> Iterator[interchange.Attempt]:
    """The attempts of `judgment_records`, in the same order, each judgment's by number."""
    rows = _exported(calibration_set).prefetch_related("attempt_rows")
    for batch in _batches(rows.iterator(chunk_size=_CASES_AT_ONCE)):
        tried = [(row, attempt) for row in batch for attempt in row.attempt_rows.all()]
        sent = sent_of(attempt for _, attempt in tried)
        for row, attempt in tried:
            body = {"sent": sent.get(attempt.request_digest)}
            yield interchange.Attempt.model_validate(_key(row) | attempt_values(attempt) | body)


def sent_of(attempts: Iterable[Attempt]) -> dict[str | None, str]:
    """What was sent in these attempts, by its digest."""
    digests = {one.request_digest for one in attempts if one.request_digest is not None}
    rows = SentRequest.objects.filter(digest__in=digests)
    return dict(rows.values_list("digest", "body"))


def runs_in(calibration_set: CalibrationSet) -> list[Run]:
    """The runs whose judgments an export holds, in its order."""
    finished = Run.objects.filter(FINISHED, set=calibration_set)
    return list(finished.select_related("rubric_version").order_by("pk"))


def _exported(calibration_set: CalibrationSet) -> Any:
    return (
        Judgment.objects.filter(
            run__in=runs_in(calibration_set), statement__case__superseded_in__isnull=True
        )
        .select_related("run__rubric_version", "statement__case")
        .only(
            *JUDGMENT_VALUES,
            *("repeat", "run", "statement", "run__rubric_version", "statement__case"),
            *("run__key", "run__revision", "run__rubric_version__name"),
            *("run__rubric_version__version", "run__rubric_version__digest"),
            *("statement__statement_id", "statement__case__case_id"),
        )
        .order_by("run_id", "repeat", "statement__case__position", "statement__position")
    )


def _key(row: Judgment) -> dict[str, Any]:
    version = row.run.rubric_version
    return {
        "run": row.run.key,
        "rubric": version.name,
        "version": version.version,
        "rubric_digest": version.digest,
        "set_revision": row.run.revision,
        "case_id": row.statement.case.case_id,
        "statement_id": row.statement.statement_id,
        "repeat": row.repeat,
    }


def _judgment_record(row: Judgment) -> interchange.Judgment:
    return interchange.Judgment.model_validate(
        _key(row)
        | {name: getattr(row, name) for name in _AS_STATED}
        | {
            "outcome": row.outcome,
            "claim_class": row.claim_class,
            "verdict": row.verdict,
            "premises": row.premises,
            "evidence": row.evidence,
        }
    )


def _fill(row: Judgment, grade: Grade, record: interchange.Judgment | None) -> None:
    row.outcome = grade.outcome.value
    row.claim_class = grade.claim_class
    row.verdict = grade.verdict
    row.evidence_repaired = grade.evidence_repaired
    row.without_evidence = grade.without_evidence
    row.error = grade.error
    if record is None:
        return
    for name in _AS_STATED:
        setattr(row, name, getattr(record, name))
    # A failure keeps what it cited as it stood: nothing was made of it.
    cited = grade.evidence if grade.outcome is Outcome.GRADED else record.evidence
    row.evidence = [item.model_dump(mode="json") for item in cited]
    row.premises = [premise.model_dump(mode="json") for premise in record.premises]


def _attempts(
    grade: Grade, record: interchange.Judgment | None, given: Sequence[interchange.Attempt]
) -> list[dict[str, Any]]:
    """The attempts as recorded; a verdict that was refused here keeps its record as one more."""
    values = [attempt_values(one) for one in sorted(given, key=lambda one: one.number)]
    if record is not None and record.outcome is not grade.outcome:
        last = max((one.number for one in given), default=0)
        values.append(
            dict.fromkeys(_ATTEMPT)
            | {"retry": 0, "cached": False}
            | {
                "number": last + 1,
                "judge_pass": None,
                "outcome": grade.outcome.value,
                "raw": record.model_dump_json(),
                "error": grade.error,
                "judge_model": record.judge_model,
                "round": max((one.round for one in given), default=1),
            }
        )
    return values


def _grades(rows: Sequence[Judgment], results: RecordedResults) -> dict[Key, Grade]:
    """A grade for each row, cases read a few at a time."""
    repeats = {row.repeat for row in rows}
    sources: list[interchange.Source] | None = None
    grades: dict[Key, Grade] = {}
    for batch in _batches(dict.fromkeys(row.case_pk for row in rows)):
        cases = Case.objects.filter(pk__in=batch).select_related("set")
        statements = _statements(batch)
        for case in cases:
            if sources is None:
                sources = [source_record(one) for one in Source.objects.filter(set=case.set)]
            record = case_record(case, [(one, None) for one in statements[case.pk]])
            for repeat in repeats:
                for grade in results.grade_case(record, sources=sources, repeat=repeat):
                    grades[grade.case_id, grade.statement_id, grade.repeat] = grade
    return grades


def _statements(case_pks: Sequence[int]) -> dict[int, list[Statement]]:
    found: dict[int, list[Statement]] = {pk: [] for pk in case_pks}
    rows = Statement.objects.filter(case_id__in=case_pks)
    for statement in rows.order_by("case_id", "position"):
        found[statement.case_id].append(statement)
    return found


def _batches(items: Iterable[T], size: int = _CASES_AT_ONCE) -> Iterator[list[T]]:
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch
