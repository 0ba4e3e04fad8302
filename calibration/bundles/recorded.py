"""Results recorded elsewhere, kept as finished runs: checked like any judge's, all or nothing.

The same results again are recognised by their run's key, which a record states or which is
made from what the records say, and add nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import BinaryIO, Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from calibration import rubrics
from calibration.bundles.recorded_reading import (
    AttemptsByKey,
    Numbered,
    NumberedAttempt,
    Place,
    Results,
    attempts_by_key,
    by_run,
    one_run,
    require_matched,
)
from calibration.bundles.recorded_rows import (
    JUDGMENT_VALUES,
    Filled,
    attempt_records,
    attempt_values,
    filled,
    judgment_records,
    runs_in,
)
from calibration.models import Attempt, Judgment, RubricVersion, Run, SentRequest
from calibration.rubrics import leaks
from calibration.runs import plan, planned_statements
from calibration.runs.results import Call, call_of, counts_now
from grounding.contract import CONTRACT, Contract
from grounding.errors import BadInput
from grounding.interchange import models as interchange
from grounding.interchange.reading import read_records
from labeling import sets
from labeling.models import CalibrationSet, Case, Statement

__all__ = [
    "Imported",
    "attempt_records",
    "import_judgments",
    "judgment_records",
    "runs_in",
    "store",
]

_ROWS_AT_ONCE: Final = 2000
_FAILURE_CEILING: Final = 0.05


@dataclass(frozen=True)
class Imported:
    """A run of recorded results; ``added`` is false where it was there already.

    ``judgments`` is the number of records that it was read from.
    """

    run: Run
    added: bool
    judgments: int


@transaction.atomic
def import_judgments(calibration_set: CalibrationSet, stream: BinaryIO, *, source: str) -> Imported:
    """One file of judgments, all of one rubric version, as one finished run.

    The plan is every statement of the revision. Raises BadInput with file, line and field;
    nothing is stored then.
    """
    records = list(read_records(stream, interchange.Judgment, source=source))
    if not records:
        raise BadInput("holds no judgments", source=source)
    held = sets.locked(calibration_set)
    return _stored(held, one_run(records, source=source), {}, whole=True)


@transaction.atomic
def store(
    calibration_set: CalibrationSet,
    judgments: Iterable[Numbered],
    attempts: Iterable[NumberedAttempt] = (),
    *,
    source: str = "judgments.jsonl",
    attempts_source: str = "attempts.jsonl",
) -> list[Imported]:
    """A bundle's judgments and attempts, as one finished run for each run that they name.

    Takes pairs of line number and record, as `read_records` gives them. The bundle's cases
    must be stored and its rubrics released already. Of a run on an earlier revision a bundle
    brings what still stands, so no more than that is planned.
    """
    held = sets.locked(calibration_set)
    tried = attempts_by_key(attempts, source=attempts_source)
    imported = [
        _stored(held, results, tried, whole=results.head.set_revision in (None, held.revision))
        for results in by_run(judgments, source=source)
    ]
    if tried:
        _, rubric, version, (case_id, statement_id, repeat) = next(iter(tried))
        raise BadInput(
            f"has an attempt of {rubric}@{version} on {case_id}/{statement_id}, repeat {repeat}, "
            "and no judgment goes with it",
            source=attempts_source,
        )
    return imported


def _stored(
    calibration_set: CalibrationSet, results: Results, tried: AttemptsByKey, *, whole: bool
) -> Imported:
    """The results as a run, or the run that holds them already."""
    version = _version(results)
    run = _unsaved(calibration_set, version, results)
    statements = planned_statements(calibration_set, run.revision)
    places = _places(calibration_set, run.revision)
    require_matched(results, set(places.values()), str(calibration_set))
    if not whole:
        brought = {key[:2] for key in results.records}
        statements = [pair for pair in statements if places[pair[0]] in brought]
    _require_no_leak(version, calibration_set, {case_pk for _, case_pk in statements})
    run.planned = len(statements) * run.repeats
    head = (results.head.run, results.head.rubric, results.head.version)
    attempts = {key: tried.pop((*head, key), []) for key in results.records}
    rows = filled(
        plan(run, statements),
        results.records,
        attempts,
        places,
        _contract(version),
        timezone.now(),
    )
    there = Run.objects.filter(set=calibration_set, key=run.key).first()
    if there is not None:
        _require_same(there, run, rows, results, whole=whole)
        return Imported(there, False, len(results.records))
    _insert(run, rows)
    return Imported(run, True, len(results.records))


def _version(results: Results) -> RubricVersion:
    """The released version, if its digest is what the results state, or a recorded one."""
    head = results.head
    version = RubricVersion.objects.filter(name=head.rubric, version=head.version).first()
    if head.rubric_digest is None:
        if version is not None and not version.recorded:
            raise results.refusal(
                f"must be stated: {version} was released here, and only its digest shows that "
                "these are results of that very version",
                field="rubric_digest",
            )
        return version or rubrics.register_recorded(head.rubric, head.version)
    if version is None or version.recorded:
        raise results.refusal(
            f"states a digest, but {head.rubric}@{head.version} was never released here",
            field="rubric_digest",
        )
    if version.digest != head.rubric_digest:
        raise results.refusal(
            f"is not the digest of {version} as released here, {version.digest}",
            field="rubric_digest",
        )
    return version


def _unsaved(calibration_set: CalibrationSet, version: RubricVersion, results: Results) -> Run:
    stated = results.head.set_revision
    revision = calibration_set.revision if stated is None else stated
    if not 0 < revision <= calibration_set.revision:
        raise results.refusal(
            f"the set {calibration_set} is at revision {calibration_set.revision}",
            field="set_revision",
        )
    ceiling = _FAILURE_CEILING
    if not version.recorded:
        ceiling = rubrics.verified_definition(version).gate.failure_ceiling
    return Run(
        set=calibration_set,
        revision=revision,
        rubric_version=version,
        repeats=results.repeats,
        failure_ceiling=ceiling,
        key=results.head.run or f"recorded-{revision}-{results.digest[:40]}",
        finished_at=timezone.now(),
    )


def _require_no_leak(
    version: RubricVersion, calibration_set: CalibrationSet, case_pks: Collection[int]
) -> None:
    """Results of a released version are held to what a run of it here would be."""
    if not version.recorded:
        scored = Case.objects.filter(pk__in=case_pks)
        leaks.require_none(rubrics.verified_definition(version), calibration_set, scored)


def _contract(version: RubricVersion) -> Contract:
    return CONTRACT if version.recorded else rubrics.verified_definition(version).contract


def _places(calibration_set: CalibrationSet, revision: int) -> dict[int, Place]:
    """(case id, statement id) of each statement of the revision, by primary key."""
    cases = Case.objects.at(revision).filter(set=calibration_set)
    rows = Statement.objects.filter(case__in=cases).order_by("case__position", "position")
    return {
        pk: (case_id, statement_id)
        for pk, case_id, statement_id in rows.values_list("pk", "case__case_id", "statement_id")
    }


def _require_same(there: Run, run: Run, rows: Filled, results: Results, *, whole: bool) -> None:
    """The run of this key holds the very same results; else they are refused by its name.

    Where a bundle brought only what still stands, the rest of the run is not compared.
    """
    stored = Judgment.objects.filter(run=there)
    if not whole:
        stored = stored.filter(statement__case__superseded_in__isnull=True)
    same = (
        there.rubric_version_id == run.rubric_version_id
        and there.revision == run.revision
        and _said(stored) == _said(rows.rows)
        and _same_attempts(stored, rows)
    )
    if not same:
        raise results.refusal(f"run {run.key!r} is here already, with other results", field="run")


def _said(rows: Iterable[Judgment]) -> dict[tuple[int, int], list[object]]:
    return {
        (row.statement_id, row.repeat): [getattr(row, name) for name in JUDGMENT_VALUES]
        for row in rows
    }


def _same_attempts(stored: QuerySet[Judgment], rows: Filled) -> bool:
    """Whether the attempts that are given are those that are there; none given is no claim."""
    if not any(rows.attempts):
        return True
    there = {
        (row.statement_id, row.repeat): [attempt_values(one) for one in row.attempt_rows.all()]
        for row in stored.prefetch_related("attempt_rows")
    }
    given = zip(rows.rows, rows.attempts, strict=True)
    return there == {(row.statement_id, row.repeat): list(made) for row, made in given}


def _insert(run: Run, rows: Filled) -> None:
    run.round = rows.round
    run.save()
    for row in rows.rows:
        row.run = run
    Judgment.objects.bulk_create(rows.rows, batch_size=_ROWS_AT_ONCE)
    counted: set[Call] = set()
    Attempt.objects.bulk_create(
        (
            Attempt(judgment=row, counts=counts_now(call_of(values), counted), **values)
            for row, attempts in zip(rows.rows, rows.attempts, strict=True)
            for values in attempts
        ),
        batch_size=_ROWS_AT_ONCE,
    )
    SentRequest.objects.bulk_create(
        (SentRequest(digest=digest, body=body) for digest, body in sorted(rows.sent.items())),
        batch_size=_ROWS_AT_ONCE,
        ignore_conflicts=True,
    )
