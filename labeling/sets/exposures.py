"""Who has seen what a blind annotator must not: judges' output, the answer key, pairs, what
others said."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import User

from labeling.models import CalibrationSet, Exposure

WITHOUT_JUDGES: Final = frozenset(
    {
        "cases",
        "pair",
        "checks",
        "revision",
        "writing",
        "partner",
        "adjudication",
        "revealed",
        "queue",
        "queue-list",
        "quality",
        "gold",
        "labels",
        "plan",
    }
)
"""Pages that show expectations, pairs or labels, and nothing that a judge said."""


def record(calibration_set: CalibrationSet, user: User, to: str) -> None:
    """Note that ``user`` is now shown ``to`` (such as ``"report"``); only the first time counts.

    Called before the page is rendered, so that no answer leaves ahead of its record.
    """
    seen = Exposure.objects.filter(set=calibration_set, user_id=user.pk, to=to)
    if not seen.exists():
        Exposure.objects.bulk_create(
            [Exposure(set=calibration_set, user_id=user.pk, to=to)], ignore_conflicts=True
        )


def exposed(calibration_set: CalibrationSet, user: User) -> bool:
    """Whether labels that ``user`` makes on this set from now on are `revealed`."""
    return Exposure.objects.filter(set=calibration_set, user_id=user.pk).exists()


def saw_judges(calibration_set: CalibrationSet, user: User) -> bool:
    """Whether adjudications that ``user`` makes on this set from now on are `revealed`."""
    seen = Exposure.objects.filter(set=calibration_set, user_id=user.pk)
    return seen.exclude(to__in=WITHOUT_JUDGES).exists()
