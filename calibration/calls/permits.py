"""Permits for calls to a provider, for all workers together.

A provider's row is the lock: whoever changes what is held holds it. Each worker's row says how
many calls it may have in flight, and the sum of these never exceeds the limit. Permits are
taken and renewed now and then, not call by call; between those times a worker counts for
itself (`slots`), and only while its lease lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from time import monotonic
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from calibration.models import Holder, Provider, Run
from calibration.runs import spending
from calibration.runs.spending import Standing

# A start that was reserved for a moment may happen so long after it. Reserved starts stand as
# much farther apart as keeps any minute's below the limit, however late each is.
GRACE_SECONDS: Final = 1.0
# How far ahead a worker reserves starts: well beyond when it will ask again.
AHEAD_SECONDS: Final = 1.5


@dataclass(frozen=True)
class Starts:
    """Reserved moments for calls to start: ``first``, in the clock of `monotonic`, and so on."""

    first: float
    apart: float
    count: int


@dataclass(frozen=True)
class Leave:
    """What a worker may do until ``until``, in the clock of `monotonic`.

    ``held`` calls at once, which is not yet its share where this is not ``settled``: others have
    to land first, or its own. ``starts`` beside those it has reserved already, or None where
    there is no limit of rate; no call before ``quiet_until``. ``more`` calls beyond those that it
    was allowed already, or None where the run has no budget; ``spent`` says why never again.
    """

    until: float
    held: int
    settled: bool = True
    starts: Starts | None = None
    quiet_until: float = 0.0
    more: int | None = None
    spent: str | None = None


@dataclass(frozen=True)
class Asked:
    """What a worker asks for: so many calls at once, so many further starts.

    ``quiet_seconds`` is what the provider asked of it since it last said so.
    """

    wanted: int
    starts: int = 0
    quiet_seconds: float = 0.0


def provider(address: str) -> Provider:
    return Provider.objects.get_or_create(address=address)[0]


@transaction.atomic
def renew(
    provider: Provider,
    run: Run | None,
    token: UUID,
    asked: Asked,
    standing: Callable[[int], Standing],
    *,
    seconds: float | None = None,
) -> Leave:
    """Take, keep or give back permits, so that all who want some share them evenly.

    ``standing`` is told how many there are for this worker and answers with what it has in
    flight; from then on it begins no more than those until it gets its leave. That lasts for
    ``seconds``, by default as long as a worker's that renews it.
    """
    began, lease = monotonic(), seconds or settings.PERMIT_LEASE_SECONDS
    row = _locked(provider)
    now = timezone.now()
    everyone = _living(row, now)
    others = [one for one in everyone if one.token != token]
    free = max(0, int(settings.JUDGE_CONCURRENCY) - sum(other.held for other in others))
    share = _share(everyone, token, asked.wanted)
    held = min(free, share)
    stands = standing(held)
    allowed = _allowed(run, stands, others, 2 * held)
    fields = {
        "provider": row,
        "run": run,
        # What is in flight keeps its permit until it lands.
        "held": min(free, max(held, stands.busy)),
        "busy": stands.busy,
        "wanted": asked.wanted,
        "allowed": stands.allowed + (allowed.more or 0),
        "unwritten_calls": stands.calls,
        "unwritten_tokens": stands.tokens,
        "unwritten_cost": stands.cost,
        "lease_until": now + timedelta(seconds=lease),
    }
    if not Holder.objects.filter(token=token).update(**fields):
        Holder.objects.create(token=token, **fields)
    starts, quiet = _scheduled(row, asked, now, began)
    return Leave(
        until=began + lease,
        held=held,
        settled=held == share and stands.busy <= held,
        starts=starts,
        quiet_until=began + quiet,
        more=allowed.more,
        spent=allowed.spent,
    )


def give_back(token: UUID) -> None:
    Holder.objects.filter(token=token).delete()


def shares(limit: int, wants: Sequence[int]) -> list[int]:
    """``limit`` dealt out evenly, to nobody more than they want; what some leave, others get."""
    dealt, left = [0] * len(wants), limit
    in_order = sorted(range(len(wants)), key=lambda index: (wants[index], index))
    for position, index in enumerate(in_order):
        dealt[index] = min(wants[index], left // (len(wants) - position))
        left -= dealt[index]
    return dealt


@dataclass(frozen=True)
class InFlight:
    """What all workers together have in flight to a run's provider."""

    busy: int
    held: int
    quiet_until: datetime | None


def in_flight(run: Run) -> InFlight:
    """Of a run's own holders whose lease lasts; and whether its provider asked for quiet."""
    now = timezone.now()
    holders = Holder.objects.filter(run=run, lease_until__gte=now)
    found = holders.aggregate(busy=Sum("busy"), held=Sum("held"))
    quiet = Provider.objects.filter(holders__in=holders, quiet_until__gt=now)
    until = quiet.values_list("quiet_until", flat=True).first()
    return InFlight(found["busy"] or 0, found["held"] or 0, until)


@dataclass(frozen=True)
class _Allowed:
    more: int | None = None
    spent: str | None = None


def _locked(provider: Provider) -> Provider:
    """On SQLite the transaction itself is the lock."""
    return Provider.objects.select_for_update().get(pk=provider.pk)


def _living(provider: Provider, now: datetime) -> list[Holder]:
    """Who holds permits; those whose lease ran out hold none any more."""
    everyone = list(Holder.objects.filter(provider=provider))
    lapsed = [one.pk for one in everyone if one.lease_until < now]
    if lapsed:
        Holder.objects.filter(pk__in=lapsed).delete()
    return [one for one in everyone if one.pk not in lapsed]


def _share(everyone: Sequence[Holder], token: UUID, wanted: int) -> int:
    """What is this worker's part, whether or not others have let go of it yet."""
    wants = {one.token: one.wanted for one in everyone} | {token: wanted}
    dealt = shares(int(settings.JUDGE_CONCURRENCY), list(wants.values()))
    return dict(zip(wants, dealt, strict=True))[token]


def _allowed(run: Run | None, stands: Standing, others: Sequence[Holder], most: int) -> _Allowed:
    if run is None or not spending.has_budget(run):
        return _Allowed()
    mine = [other for other in others if other.run_id == run.pk]
    found = spending.allowance(run, stands, mine, most)
    return _Allowed(max(0, found.calls - stands.allowed), found.spent)


def _scheduled(
    row: Provider, asked: Asked, now: datetime, clock: float
) -> tuple[Starts | None, float]:
    """Reserved starts, and for how many seconds nobody is to start a call."""
    before = row.next_start, row.quiet_until
    starts = _reserved(row, asked.starts, now, clock)
    quiet = _quiet(row, asked.quiet_seconds, now)
    if (row.next_start, row.quiet_until) != before:
        row.save(update_fields=["next_start", "quiet_until"])
    return starts, quiet


def _reserved(held: Provider, count: int, now: datetime, clock: float) -> Starts | None:
    a_minute = settings.JUDGE_REQUESTS_PER_MINUTE
    if a_minute is None:
        return None
    apart = (60 + GRACE_SECONDS) / a_minute
    ahead = timedelta(seconds=max(apart, AHEAD_SECONDS))
    first = max(now, held.next_start or now)
    # Nobody reserves farther ahead than it will ask again, but each may have one.
    room = ceil((now + ahead - first).total_seconds() / apart)
    taken = min(count, max(1, room))
    held.next_start = first + taken * timedelta(seconds=apart)
    return Starts(clock + (first - now).total_seconds(), apart, taken)


def _quiet(held: Provider, seconds: float, now: datetime) -> float:
    """For how many seconds from now nobody is to start a call."""
    asked = now + timedelta(seconds=seconds)
    if seconds > 0 and (held.quiet_until is None or held.quiet_until < asked):
        held.quiet_until = asked
    return max(0.0, (held.quiet_until - now).total_seconds()) if held.quiet_until else 0.0
