"""Calibration sets: found and made by slug, locked while their cases change."""

from __future__ import annotations

import re

from grounding.errors import BadInput, NotFound, Refused
from grounding.interchange.models import IDENTIFIER, MAX_ID
from labeling.models import CalibrationSet


def get(slug: str) -> CalibrationSet:
    """The set of that slug; NotFound where there is none."""
    found = CalibrationSet.objects.filter(slug=slug).first()
    if found is None:
        raise NotFound(f"there is no calibration set {slug!r}")
    return found


def get_or_create(slug: str) -> CalibrationSet:
    """The set of that slug, made empty (revision 0) where there is none yet.

    A slug follows the rule for ids; one that differs from a set's only by letter
    case is refused, because file names made from the two could be one.
    """
    found = CalibrationSet.objects.filter(slug=slug).first()
    if found is not None:
        return found
    _require_slug(slug)
    created, _ = CalibrationSet.objects.get_or_create(slug=slug)
    return created


def locked(calibration_set: CalibrationSet) -> CalibrationSet:
    """The set as it is now, held until the transaction ends: one writer of cases at a time.

    On SQLite the transaction itself is that lock, since it begins IMMEDIATE.
    """
    return CalibrationSet.objects.select_for_update().get(pk=calibration_set.pk)


def _require_slug(slug: str) -> None:
    if len(slug) > MAX_ID or not re.fullmatch(IDENTIFIER.strip("^$"), slug):
        raise BadInput(
            f"a set's slug is 1 to {MAX_ID} characters of A-Z a-z 0-9 . _ : -", field="slug"
        )
    other = CalibrationSet.objects.filter(slug__iexact=slug).first()
    if other is not None:
        raise Refused(f"{slug!r} differs from the set {other.slug!r} only by letter case")
