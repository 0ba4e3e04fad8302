"""Runs: one rubric version over one set revision, planned whole before anything is judged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from calibration import rubrics
from calibration.models import FINISHED, Judgment, RubricVersion, Run
from calibration.rubrics import leaks
from calibration.runs import probes
from calibration.runs.claims import BATCH_CASES
from calibration.runs.counting import Progress, Status, outcomes, progress, status, within_ceiling
from calibration.runs.probes import Probe
from calibration.runs.spending import Budget
from calibration.workers import doorbell
from grounding.errors import BadInput, NotFound, Refused
from grounding.interchange.models import Outcome
from labeling import sets
from labeling.models import CalibrationSet, Case, Statement

__all__ = [
    "Progress",
    "Status",
    "baseline",
    "cancel",
    "failures",
    "get",
    "latest_complete",
    "latest_finished",
    "outcomes",
    "plan",
    "planned_statements",
    "progress",
    "start",
    "status",
]

MAX_REPEATS = 100
NO_BUDGET = Budget()
# As many batches of one run as are judged side by side.
PARALLEL = 8
_ROWS_AT_ONCE = 2000


@transaction.atomic
def start(
    calibration_set: CalibrationSet,
    rubric_version: RubricVersion,
    *,
    repeats: int = 1,
    budget: Budget = NO_BUDGET,
    probe: Probe | None = None,
    user: User | None = None,
) -> Run:
    """Freeze the plan (each live statement, ``repeats`` times) and ring for a worker.

    The ring goes out when the transaction commits, and never if it does not. Refused for
    a set without statements, a rubric that cannot run here as it was released, and one
    whose examples give away a case that it would be scored on. Calls stop once they have
    taken what ``budget`` says.

    With ``probe`` the run is of the cases that it tells otherwise, and measures nothing.
    """
    if not 1 <= repeats <= MAX_REPEATS:
        raise BadInput(f"must be 1 to {MAX_REPEATS}", field="repeats")
    definition = rubrics.definition_of(rubric_version)
    budget.require_possible(definition)
    held = sets.locked(calibration_set)
    leaks.require_none(definition, held, Case.objects.live().filter(set=held))
    statements = planned_statements(held, held.revision)
    if not statements:
        raise Refused(f"the set {held} has no statements to judge")
    if probe is not None:
        probe = probes.drawn_up(probe, held)
        statements = probes.statements_of(probe, statements)
    run = Run.objects.create(
        set=held,
        revision=held.revision,
        rubric_version=rubric_version,
        repeats=repeats,
        planned=len(statements) * repeats,
        failure_ceiling=definition.gate.failure_ceiling,
        budget_calls=budget.calls,
        budget_tokens=budget.tokens,
        budget_cost=budget.cost,
        probe=None if probe is None else probe.frozen(),
        started_by=user,
    )
    _insert(plan(run, statements))
    cases = len({case_pk for _, case_pk in statements}) * repeats
    doorbell.ring(run.pk, times=min(PARALLEL, -(-cases // BATCH_CASES)))
    return run


def get(pk: int) -> Run:
    """NotFound where there is no such run."""
    found = Run.objects.select_related("rubric_version", "set").filter(pk=pk).first()
    if found is None:
        raise NotFound(f"there is no run {pk}")
    return found


def identity(run: Run) -> dict[str, Any]:
    """Which run this is, as what is published of several says of each."""
    return {
        "id": run.pk,
        "rubric": rubrics.identity(run.rubric_version),
        "revision": run.revision,
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
    }


def planned_statements(calibration_set: CalibrationSet, revision: int) -> list[tuple[int, int]]:
    """(statement, case) primary keys of every statement of that revision, in its order."""
    cases = Case.objects.at(revision).filter(set=calibration_set)
    statements = Statement.objects.filter(case__in=cases).order_by("case__position", "position")
    return list(statements.values_list("pk", "case_id"))


def plan(run: Run, statements: list[tuple[int, int]]) -> Iterator[Judgment]:
    """One planned row per statement and repeat."""
    for repeat in range(run.repeats):
        for statement_pk, case_pk in statements:
            yield Judgment(run=run, statement_id=statement_pk, case_pk=case_pk, repeat=repeat)


def cancel(run: Run) -> None:
    """No further judge calls: what is judged stays, what waits is left as it is.

    Once more changes nothing. Refused for a run that is finished.
    """
    unfinished = Run.objects.filter(pk=run.pk, finished_at__isnull=True)
    unfinished.filter(cancelled_at__isnull=True).update(cancelled_at=timezone.now())
    if not unfinished.exists():
        raise Refused(f"run {run.pk} is finished; there is nothing left to cancel")
    run.refresh_from_db(fields=["cancelled_at"])


def failures(run: Run) -> int:
    """How many judgments of a finished run failed; none of one that goes on or was cancelled."""
    if run.finished_at is None or run.cancelled_at is not None:
        return 0
    return sum(count for name, count in outcomes(run).items() if name not in ("planned", "graded"))


def latest_finished(rubric_version: RubricVersion, calibration_set: CalibrationSet) -> Run | None:
    """The run of this version on this set that was finished last, complete or partial."""
    runs = Run.objects.filter(rubric_version=rubric_version, set=calibration_set)
    return runs.filter(FINISHED).order_by("-finished_at", "-pk").first()


def latest_complete(rubric_version: RubricVersion, calibration_set: CalibrationSet) -> Run | None:
    """Of the finished runs of this version on this set the latest whose failures are within the
    ceiling."""
    finished = Run.objects.filter(FINISHED, rubric_version=rubric_version, set=calibration_set)
    in_order = finished.select_related("rubric_version", "set").order_by("-finished_at", "-pk")
    return next((run for run in in_order if _complete(run)), None)


def baseline(name: str, major: int, calibration_set: CalibrationSet) -> Run | None:
    """The first complete run of a released rubric's major version on the set.

    A recorded version has no major version, so its runs are never one.
    """
    finished = Run.objects.filter(
        FINISHED,
        set=calibration_set,
        rubric_version__name=name,
        rubric_version__major=major,
    )
    in_order = finished.select_related("rubric_version", "set").order_by("finished_at", "pk")
    # Counted one by one, since the first to be finished is nearly always complete.
    return next((run for run in in_order if _complete(run)), None)


def _complete(run: Run) -> bool:
    graded = Judgment.objects.filter(run=run, outcome=Outcome.GRADED.value).count()
    return within_ceiling(run.planned, graded, run.failure_ceiling)


def _insert(rows: Iterator[Judgment]) -> None:
    while chunk := list(islice(rows, _ROWS_AT_ONCE)):
        Judgment.objects.bulk_create(chunk)
