"""Signs of life of workers."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max
from django.utils import timezone

from calibration.models import WorkerBeat

_REMEMBERED = timedelta(days=1)


def beat(worker: str) -> None:
    """Note that this worker is at work."""
    name, now = worker[:200], timezone.now()
    if not WorkerBeat.objects.filter(worker=name).update(seen_at=now):
        WorkerBeat.objects.get_or_create(worker=name, defaults={"seen_at": now})


def forget() -> None:
    """Forget workers that were not heard of for a day."""
    WorkerBeat.objects.filter(seen_at__lt=timezone.now() - _REMEMBERED).delete()


def last_seen() -> datetime | None:
    """When any worker was last heard of."""
    seen: datetime | None = WorkerBeat.objects.aggregate(seen=Max("seen_at"))["seen"]
    return seen
