"""Claiming planned judgments, and writing results only while the claim holds.

A claim is a lease on rows, taken and used by conditional updates alone, so that it holds
among any number of workers: who finds the condition no longer true has lost, and writes
nothing. A lease that runs out (its worker died, or was stopped too long) leaves its rows
waiting for the next claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from calibration.models import Attempt, Judgment, JudgmentQuerySet, Run
from grounding.interchange.models import Outcome

BATCH_CASES: Final = 20

# Rows that were claimed so often and never came back have a case that takes its worker
# down with it, or that no lease is long enough for.
MAX_CLAIMS: Final = 3


@dataclass(frozen=True)
class Claim:
    """Rows of one run that are this worker's own until ``token`` loses its lease."""

    run: Run
    token: UUID
    rows: tuple[Judgment, ...]


@dataclass(frozen=True)
class Result:
    """What is to be written on one claimed row: its fields, and its attempts' fields."""

    judgment_pk: int
    values: Mapping[str, Any]
    attempts: Sequence[Mapping[str, Any]] = ()


@transaction.atomic
def claim(run_pk: int) -> Claim | None:
    """The next batch of cases of a run, all their waiting rows; None where nothing waits."""
    run = _held(run_pk)
    if run is None:
        return None
    now = timezone.now()
    waiting = Judgment.objects.filter(run=run).waiting(now)
    _give_up(waiting, now)
    token = uuid4()
    waiting.filter(case_pk__in=_next_cases(waiting)).update(
        lease=token, lease_until=_lease_end(now), claims=F("claims") + 1
    )
    rows = Judgment.objects.filter(run=run, lease=token).select_related("statement")
    claimed = tuple(rows.order_by("case_pk", "repeat", "pk"))
    return Claim(run, token, claimed) if claimed else None


def waits(run_pk: int) -> bool:
    """Whether a run under way has rows that nobody holds."""
    rows = Judgment.objects.filter(
        run=run_pk, run__finished_at__isnull=True, run__cancelled_at__isnull=True
    )
    return rows.waiting(timezone.now()).exists()


def held_by(token: UUID) -> JudgmentQuerySet:
    """Rows that a claim may still write on: the lease is its own and has not run out, and
    there is no result yet."""
    return Judgment.objects.filter(
        lease=token, lease_until__gte=timezone.now(), outcome__isnull=True
    )


def renew(token: UUID) -> int:
    """Extend the lease; how many rows are still this claim's to judge. None of a cancelled run."""
    going_on = held_by(token).filter(run__cancelled_at__isnull=True)
    return going_on.update(lease_until=_lease_end(timezone.now()))


@transaction.atomic
def record(token: UUID, results: Sequence[Result]) -> int:
    """Write results on the rows that are still this claim's own; how many that were.

    What comes too late is refused row by row, attempts and all.
    """
    accepted = [result for result in results if _write(token, result)]
    Attempt.objects.bulk_create(
        Attempt(judgment_id=result.judgment_pk, **attempt)
        for result in accepted
        for attempt in result.attempts
    )
    return len(accepted)


def _write(token: UUID, result: Result) -> bool:
    mine = held_by(token).filter(pk=result.judgment_pk)
    return bool(mine.update(**result.values, judged_at=timezone.now(), lease_until=None))


def _held(run_pk: int) -> Run | None:
    """The run, if it is under way, held while a batch is chosen: so that workers who claim at
    once choose different cases. That no row is claimed twice does not rest on this."""
    return (
        Run.objects.select_for_update(no_key=True, of=("self",))
        .select_related("rubric_version", "set")
        .filter(pk=run_pk, finished_at__isnull=True, cancelled_at__isnull=True)
        .first()
    )


def _next_cases(waiting: JudgmentQuerySet) -> list[int]:
    """Fresh cases by the batch; then, one at a time, those that were claimed before and never
    came back, so that the one that takes its worker down takes no other case along."""
    fresh = waiting.filter(claims=0).order_by("case_pk").values_list("case_pk", flat=True)
    batch = list(fresh.distinct()[:BATCH_CASES])
    if batch:
        return batch
    return list(waiting.order_by("claims", "case_pk").values_list("case_pk", flat=True)[:1])


def _give_up(waiting: JudgmentQuerySet, now: datetime) -> None:
    waiting.filter(claims__gte=MAX_CLAIMS).update(
        outcome=Outcome.UNAVAILABLE.value,
        error=f"claimed {MAX_CLAIMS} times, and no worker came back with a result",
        lease=None,
        lease_until=None,
        judged_at=now,
    )


def _lease_end(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.JUDGMENT_LEASE_SECONDS)
