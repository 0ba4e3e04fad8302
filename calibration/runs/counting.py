"""What is true of a run, by counting its judgments; nothing here keeps a tally."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from django.conf import settings
from django.db.models import Count, Exists, F, Min, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from calibration.models import Judgment, Run
from calibration.workers import beats
from grounding.interchange.models import Outcome

Status = Literal["running", "complete", "partial", "cancelled"]

RATE_OVER = timedelta(seconds=30)

# Three missed turns of the reconciler: a worker that lives has shown itself by then.
_AWAY_AFTER_TURNS = 3


@dataclass(frozen=True)
class Progress:
    """A run at one moment: planned = the outcomes + ``waiting`` + ``leased``."""

    status: Status
    outcomes: dict[str, int]
    waiting: int
    leased: int
    rate: float | None
    """Judgments a second over the last half minute; None where nothing is under way."""
    waiting_since: datetime | None
    """When the work that has waited longest began to wait."""
    worker_seen_at: datetime | None
    worker_away: bool
    """Work waits, and no worker has shown itself for a while."""
    now: datetime

    @property
    def planned(self) -> int:
        return self.outcomes["planned"]

    @property
    def done(self) -> int:
        return self.planned - self.waiting - self.leased


def outcomes(run: Run) -> dict[str, int]:
    """``planned`` and the count of every outcome, each key always there.

    They add up once the run is finished; until then the rest waits or is leased.
    """
    return _outcomes(run, _counted(run, timezone.now()))


def status(run: Run) -> Status:
    """``complete`` iff every planned judgment has an outcome and the failures among them are
    within the run's ceiling, as a share of what was planned; else ``partial``."""
    return _status(run, _counted(run, timezone.now()))


def progress(run: Run) -> Progress:
    """All that the page of a run shows, in two queries whatever its size."""
    now = timezone.now()
    counted = _counted(run, now)
    seen = beats.last_seen()
    return Progress(
        status=_status(run, counted),
        outcomes=_outcomes(run, counted),
        waiting=counted["waiting"],
        leased=counted["leased"],
        rate=_rate(run, counted, now),
        waiting_since=counted["waiting_since"],
        worker_seen_at=seen,
        worker_away=bool(counted["waiting"]) and _away(run, seen, now),
        now=now,
    )


def each(runs: Sequence[Run]) -> list[tuple[Run, Status, dict[str, int]]]:
    """The status and outcomes of several runs, counted by one query."""
    judgments = Judgment.objects.filter(run__in=runs).order_by()
    rows = judgments.values("run").annotate(**_counts(timezone.now()))
    counted: dict[int, dict[str, Any]] = {row["run"]: {**row} for row in rows}
    return [(run, _status(run, counted[run.pk]), _outcomes(run, counted[run.pk])) for run in runs]


def complete(runs: Sequence[Run]) -> dict[Run, bool]:
    """Whether each of several finished runs is complete, in their order, by one query."""
    graded = Judgment.objects.filter(run__in=runs, outcome=Outcome.GRADED.value).order_by()
    counted = dict(graded.values_list("run").annotate(Count("pk")))
    return {
        run: within_ceiling(run.planned, counted.get(run.pk, 0), run.failure_ceiling)
        for run in runs
    }


def judge_models(run: Run, repeat: int | None = None) -> list[str]:
    """Which models said that they had judged; more than one makes the run a mixed one.

    Failures are left out: what did not answer reported no name.
    """
    graded = Judgment.objects.filter(run=run, outcome=Outcome.GRADED.value)
    if repeat is not None:
        graded = graded.filter(repeat=repeat)
    named = graded.order_by().values_list("judge_model", flat=True).distinct()
    return sorted(name for name in named if name is not None)


def ended_as(run: Run, outcomes: Mapping[str, Any]) -> Literal["complete", "partial"]:
    """What a run came to that was neither cancelled nor has anything left to judge."""
    graded = outcomes[Outcome.GRADED.value]
    return "complete" if within_ceiling(run.planned, graded, run.failure_ceiling) else "partial"


def within_ceiling(planned: int, graded: int, ceiling: float) -> bool:
    # Divided, not multiplied: 29 / 100 is 0.29 to the last bit, 0.29 * 100 is less than 29.
    return (planned - graded) / planned <= ceiling


def mark_finished(run_pk: int, now: datetime) -> bool:
    """Remember when the count came out even; whether it did so now, for the first time."""
    planned = Judgment.objects.filter(run=OuterRef("pk"), outcome__isnull=True)
    return bool(
        Run.objects.filter(pk=run_pk, finished_at__isnull=True, cancelled_at__isnull=True)
        .filter(~Exists(planned))
        .update(finished_at=now)
    )


def _counted(run: Run, now: datetime) -> dict[str, Any]:
    return Judgment.objects.filter(run=run).aggregate(**_counts(now))


def _counts(now: datetime) -> dict[str, Any]:
    pending = Q(outcome__isnull=True)
    free = pending & (Q(lease_until__isnull=True) | Q(lease_until__lt=now))
    each = {outcome.value: Count("pk", filter=Q(outcome=outcome.value)) for outcome in Outcome}
    return {
        "waiting": Count("pk", filter=free),
        "leased": Count("pk", filter=pending & Q(lease_until__gte=now)),
        "waiting_since": Min(Coalesce("lease_until", F("run__started_at")), filter=free),
        "lately": Count("pk", filter=Q(judged_at__gte=now - RATE_OVER)),
        **each,
    }


def _outcomes(run: Run, counted: dict[str, Any]) -> dict[str, int]:
    return {"planned": run.planned} | {outcome.value: counted[outcome.value] for outcome in Outcome}


def _status(run: Run, counted: dict[str, Any]) -> Status:
    if run.cancelled_at is not None:
        return "cancelled"
    if counted["waiting"] or counted["leased"]:
        return "running"
    return ended_as(run, counted)


def _rate(run: Run, counted: dict[str, Any], now: datetime) -> float | None:
    if not counted["waiting"] and not counted["leased"]:
        return None
    seconds = min(RATE_OVER, now - run.started_at).total_seconds()
    return float(counted["lately"] / seconds) if seconds > 0 else None


def _away(run: Run, seen: datetime | None, now: datetime) -> bool:
    patience = timedelta(seconds=settings.RECONCILE_SECONDS * _AWAY_AFTER_TURNS)
    return now - max(seen or run.started_at, run.started_at) > patience
