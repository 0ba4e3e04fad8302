"""Rounds of a run: what failed is judged again, and what it was before can still be told.

A graded row is never touched. A failed one goes back to waiting; its attempts stay, those of
the next round are numbered on. A report is of one round, and its lists show each judgment as it
was then: failed, with the outcome of its last attempt up to that round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from calibration import rubrics
from calibration.models import Attempt, Judgment, JudgmentQuerySet, Run
from calibration.runs.spending import Budget
from calibration.workers import doorbell
from grounding.errors import Refused
from grounding.interchange.models import Outcome

_EMPTIED: Final[Mapping[str, Any]] = {
    "outcome": None,
    "raw_verdict": None,
    "claim_type": None,
    "speech_act": None,
    "premises": [],
    "evidence": [],
    "evidence_repaired": False,
    "without_evidence": False,
    "explanation": None,
    "error": None,
    "confidence": None,
    "judge_model": None,
    "judged_at": None,
    "claims": 0,
    "lease": None,
    "lease_until": None,
}


@transaction.atomic
def rerun(run: Run, budget: Budget | None = None) -> Run:
    """Judge again exactly what failed, in the run's next round.

    ``budget`` takes the place of the run's, and is for all rounds together. Refused for a run
    that is not finished, was cancelled or recorded elsewhere, in which nothing failed, or whose
    rubric cannot run here as it was released.
    """
    held = Run.objects.select_for_update(no_key=True, of=("self",)).get(pk=run.pk)
    failed = Judgment.objects.filter(_FAILED, run=held)
    _require_failures(held, failed)
    rubrics.definition_of(held.rubric_version)
    if budget is not None:
        budget.require_possible(rubrics.definition_of(held.rubric_version))
        held.budget_calls, held.budget_tokens, held.budget_cost = budget.parts
    _keep_outcomes(failed)
    held.round += 1
    failed.update(**_EMPTIED, round=held.round)
    held.finished_at = held.budget_spent = None
    held.save()
    doorbell.ring(held.pk)
    return held


_FAILED = Q(outcome__isnull=False) & ~Q(outcome=Outcome.GRADED.value)


def _require_failures(run: Run, failed: JudgmentQuerySet) -> None:
    if run.rubric_version.recorded:
        raise Refused(f"run {run.pk} was recorded elsewhere; there is no judge here to ask again")
    if run.cancelled_at is not None:
        raise Refused(f"run {run.pk} was cancelled, which is for good")
    if run.finished_at is None:
        raise Refused(f"run {run.pk} is not finished; what fails can be judged again when it is")
    if not failed.exists():
        raise Refused(f"nothing failed in run {run.pk}")


def _keep_outcomes(failed: JudgmentQuerySet) -> None:
    """An attempt for each failure that none tells of, such as a call that was not made."""
    told = Attempt.objects.filter(judgment=OuterRef("pk"), round=OuterRef("round"))
    silent = list(failed.filter(~Exists(told)))
    Attempt.objects.bulk_create(
        Attempt(
            judgment=row,
            number=(row.attempts or 0) + 1,
            outcome=str(row.outcome),
            error=row.error,
            round=row.round,
        )
        for row in silent
    )
    pks = [row.pk for row in silent]
    Judgment.objects.filter(pk__in=pks).update(attempts=Coalesce(F("attempts"), 0) + 1)


@dataclass(frozen=True)
class AsOf:
    """A run's judgments as they were in one of its rounds."""

    run: Run
    round: int

    @property
    def now(self) -> bool:
        return self.round >= self.run.round

    def graded(self, rows: JudgmentQuerySet) -> JudgmentQuerySet:
        return rows.filter(outcome=Outcome.GRADED.value, round__lte=self.round)

    def failed(self, rows: JudgmentQuerySet) -> JudgmentQuerySet:
        if self.now:
            return rows.filter(_FAILED)
        since = Q(round__gt=self.round)
        return rows.filter(since | (_FAILED & Q(round__lte=self.round)))

    def with_outcome(self, rows: JudgmentQuerySet, outcome: str) -> JudgmentQuerySet:
        """Rows that had this outcome then."""
        if outcome == Outcome.GRADED.value:
            return self.graded(rows)
        if self.now:
            return rows.filter(outcome=outcome)
        last = Attempt.objects.filter(judgment=OuterRef("pk"), round__lte=self.round)
        then = Subquery(last.order_by("-number").values("outcome")[:1])
        return rows.annotate(then=then).filter(
            Q(round__lte=self.round, outcome=outcome) | Q(round__gt=self.round, then=Value(outcome))
        )

    def shown(self, rows: Iterable[Judgment]) -> list[Judgment]:
        """The rows with what has been found since taken off; not to be saved."""
        found = list(rows)
        later = [row for row in found if row.round > self.round]
        if not later:
            return found
        attempts = Attempt.objects.filter(judgment__in=later, round__lte=self.round)
        last = {one.judgment_id: one for one in attempts.order_by("number")}
        for row in later:
            for name, value in {**_EMPTIED, "claim_class": None, "verdict": None}.items():
                setattr(row, name, value)
            row.outcome = last[row.pk].outcome
            row.error = last[row.pk].error
        return found
