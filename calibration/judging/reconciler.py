"""Putting right what a dead worker or a restarted broker dropped.

Runs whenever a worker starts and every few seconds while one lives. It reads what is true
from the database and rings again; a ring too many finds nothing to claim.
"""

from __future__ import annotations

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from calibration.models import Judgment, Run
from calibration.runs import PARALLEL
from calibration.runs.counting import mark_finished
from calibration.workers import beats, doorbell


def reconcile(*, worker: str) -> None:
    """Note that ``worker`` lives, ring for every run with waiting work, and mark those whose
    count is even."""
    beats.beat(worker)
    beats.forget()
    now = timezone.now()
    rows = Judgment.objects.filter(run=OuterRef("pk"))
    unfinished = Run.objects.filter(finished_at__isnull=True, cancelled_at__isnull=True).annotate(
        waits=Exists(rows.waiting(now)),
        leased=Exists(rows.filter(outcome__isnull=True, lease_until__gte=now)),
    )
    for run in unfinished:
        if run.waits:
            # Where someone is at work the rings that brought them there go on by themselves.
            times = 1 if run.leased else PARALLEL
            doorbell.ring(run.pk, times=times, expires=settings.RECONCILE_SECONDS)
        elif not run.leased:
            mark_finished(run.pk, now)
