"""Claiming planned judgments, and writing results only while the claim holds.

A claim is a lease on rows, taken and used by conditional updates alone, so that it holds
among any number of workers: who finds the condition no longer true has lost, and writes
nothing. A lease that runs out (its worker died, or was stopped too long) leaves its rows
waiting for the next claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Value
from django.utils import timezone

from calibration.models import Attempt, Judgment, JudgmentQuerySet, Run, SentRequest
from grounding.interchange.models import Outcome

BATCH_CASES: Final = 20

# Rows that were claimed so often and never came back have a case that takes its worker
# down with it, or that no lease is long enough for.
MAX_CLAIMS: Final = 3

# How many cases that came back without a result are judged side by side the next time, and
# the time after that: so that by its last claim a case is alone, and fails alone.
SUSPECTS: Final = (5, 1)


class Row(NamedTuple):
    """What a worker needs of one claimed judgment."""

    pk: int
    case_pk: int
    repeat: int
    statement_id: str


@dataclass(frozen=True)
class Claim:
    """Rows of one run that are this worker's own until ``token`` loses its lease.

    ``suspect`` says that they were claimed before and never came back: nothing else is to
    be judged by the same process beside them.
    """

    run: Run
    token: UUID
    rows: tuple[Row, ...]
    suspect: bool = False


@dataclass(frozen=True)
class Result:
    """What is to be written on one claimed row: its fields, its attempts' fields, and what was
    sent in them, by its digest."""

    judgment_pk: int
    values: Mapping[str, Any]
    attempts: Sequence[Mapping[str, Any]] = ()
    sent: Mapping[str, str] = field(default_factory=dict)


@transaction.atomic
def claim(
    run_pk: int, *, cases: int = BATCH_CASES, token: UUID | None = None, suspects: bool = True
) -> Claim | None:
    """The next ``cases`` cases of a run, all their waiting rows; None where nothing waits.

    With ``token`` they come under a claim that is held already. ``suspects`` says whether
    cases that came back without a result may be among them.
    """
    run = _held(run_pk)
    if run is None:
        return None
    now = timezone.now()
    waiting = Judgment.objects.filter(run=run).waiting(now)
    if suspects:
        _give_up(waiting, now)
    chosen, suspect = _next_cases(waiting, cases, suspects=suspects)
    if not chosen:
        return None
    token = token or uuid4()
    waiting.filter(case_pk__in=chosen).update(
        lease=token, lease_until=_lease_end(now), claims=F("claims") + 1
    )
    rows = Judgment.objects.filter(run=run, lease=token, case_pk__in=chosen, outcome__isnull=True)
    fields = ("pk", "case_pk", "repeat", "statement__statement_id")
    in_order = rows.order_by("case_pk", "repeat", "pk").values_list(*fields)
    claimed = tuple(Row(*row) for row in in_order)
    return Claim(run, token, claimed, suspect) if claimed else None


def waits(run_pk: int) -> bool:
    """Whether a run under way has rows that nobody holds."""
    return _waiting(timezone.now()).filter(run=run_pk).exists()


def others_wait(run_pk: int) -> bool:
    """Whether runs other than this one have rows that nobody holds."""
    return _waiting(timezone.now()).exclude(run=run_pk).exists()


def goes_on(run_pk: int) -> bool:
    """Whether the run was not cancelled."""
    return Run.objects.filter(pk=run_pk, cancelled_at__isnull=True).exists()


def answered_before(claim: Claim) -> set[int]:
    """Those of the rows that failed in an earlier round by what the judge answered."""
    if claim.run.round == 1:
        return set()
    last = Attempt.objects.filter(
        judgment__in=[row.pk for row in claim.rows], number=F("judgment__attempts")
    )
    silent = [Outcome.UNAVAILABLE.value, Outcome.TIMEOUT.value]
    return set(last.exclude(outcome__in=silent).values_list("judgment", flat=True))


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


def release(token: UUID, judgment_pks: Iterable[int] | None = None) -> int:
    """Give rows back unjudged, by default all, as if they had never been claimed."""
    mine = held_by(token)
    if judgment_pks is not None:
        mine = mine.filter(pk__in=list(judgment_pks))
    return mine.update(lease=None, lease_until=None, claims=F("claims") - 1)


@transaction.atomic
def record(token: UUID, results: Sequence[Result]) -> list[int]:
    """Write results on the rows that are still this claim's own; which those were.

    What comes too late is refused row by row, attempts and all.
    """
    by_pk = {result.judgment_pk: result for result in results}
    mine = list(held_by(token).filter(pk__in=by_pk).select_for_update(no_key=True, of=("self",)))
    attempts = [one for row in mine for one in _attempts(row, by_pk[row.pk])]
    _keep_sent(by_pk[row.pk] for row in mine)
    _write(mine, by_pk)
    Attempt.objects.bulk_create(attempts)
    return [row.pk for row in mine]


def _attempts(row: Judgment, result: Result) -> list[Attempt]:
    """The attempts of this round, numbered on from those of the rounds before."""
    before = row.attempts or 0
    return [
        Attempt(judgment=row, round=row.round, **{**attempt, "number": before + attempt["number"]})
        for attempt in result.attempts
    ]


def on_its_own(text: str) -> Any:
    """A long text, to be inserted with others as a value of its own. In an array, in which many
    rows are sent otherwise, each quotation mark would be escaped in Python, and there are many
    in what is sent and comes back."""
    return Value(text)


def _keep_sent(results: Iterable[Result]) -> None:
    sent = {digest: body for result in results for digest, body in result.sent.items()}
    # In one order, so that writers who keep the same at once wait for each other in turn.
    rows = [
        SentRequest(digest=digest, body=on_its_own(body)) for digest, body in sorted(sent.items())
    ]
    SentRequest.objects.bulk_create(rows, ignore_conflicts=True)


def _write(mine: Sequence[Judgment], by_pk: Mapping[int, Result]) -> None:
    """All rows by one statement: each is there, so that inserting it updates it."""
    now = timezone.now()
    for row in mine:
        result = by_pk[row.pk]
        before = row.attempts or 0
        for name, value in result.values.items():
            setattr(row, name, value)
        row.attempts = before + len(result.attempts)
        row.judged_at, row.lease_until = now, None
    written = {name for row in mine for name in by_pk[row.pk].values}
    Judgment.objects.bulk_create(
        mine,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=sorted(written | {"attempts", "judged_at", "lease_until"}),
    )


def _waiting(now: datetime) -> JudgmentQuerySet:
    under_way = Judgment.objects.filter(
        run__finished_at__isnull=True, run__cancelled_at__isnull=True
    )
    return under_way.waiting(now)


def _held(run_pk: int) -> Run | None:
    """The run, if it is under way, held while a batch is chosen: so that workers who claim at
    once choose different cases. That no row is claimed twice does not rest on this."""
    return (
        Run.objects.select_for_update(no_key=True)
        .filter(pk=run_pk, finished_at__isnull=True, cancelled_at__isnull=True)
        .first()
    )


def _next_cases(waiting: JudgmentQuerySet, cases: int, *, suspects: bool) -> tuple[list[int], bool]:
    """Fresh cases by the batch; then, few at a time and at last one, those that were claimed
    before and never came back, so that the one that takes its worker down takes no other case
    along. Whether they are of the latter kind."""
    fresh = waiting.filter(claims=0).order_by("case_pk").values_list("case_pk", flat=True)
    batch = list(fresh.distinct()[:cases])
    if batch or not suspects:
        return batch, False
    for claims, most in enumerate(SUSPECTS, 1):
        again = waiting.filter(claims=claims).order_by("case_pk").values_list("case_pk", flat=True)
        if batch := list(again.distinct()[: min(most, cases)]):
            return batch, True
    return [], False


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
