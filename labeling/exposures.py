"""Who has seen what a blind annotator must not: judges' output, the answer key, pairs."""

from __future__ import annotations

from django.contrib.auth.models import User

from labeling.models import CalibrationSet, Exposure


def record(calibration_set: CalibrationSet, user: User, to: str) -> None:
    """Note that ``user`` is now shown ``to`` (such as ``"report"``); only the first time counts.

    Called before the page is rendered, so that no answer leaves ahead of its record.
    """
    if not exposed(calibration_set, user):
        Exposure.objects.bulk_create(
            [Exposure(set=calibration_set, user_id=user.pk, to=to)], ignore_conflicts=True
        )


def exposed(calibration_set: CalibrationSet, user: User) -> bool:
    """Whether labels that ``user`` makes on this set from now on are `revealed`."""
    return Exposure.objects.filter(set=calibration_set, user_id=user.pk).exists()
