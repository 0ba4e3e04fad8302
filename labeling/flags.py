"""Flags as leads settle them: withdrawn, never deleted."""

from __future__ import annotations

from django.utils import timezone

from grounding.errors import Refused
from labeling.models import Remark


def settle(flag: Remark) -> None:
    """Take the flag off the list of what is open; it is kept, with the time."""
    open_still = Remark.objects.filter(pk=flag.pk, withdrawn_at__isnull=True)
    if not open_still.update(withdrawn_at=timezone.now()):
        raise Refused("this flag was settled before")
