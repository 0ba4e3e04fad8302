"""Annotators: known by a code that tells nothing of the account behind it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from django.contrib.auth.models import User

from grounding.errors import BadInput
from grounding.interchange.resolving import Ids
from labeling.models import Annotator, CalibrationSet


def of(calibration_set: CalibrationSet, user: User) -> Annotator:
    """The user's annotator record in this set, made with a fresh code at the first label."""
    annotator, _ = Annotator.objects.get_or_create(
        set=calibration_set, user=user, defaults={"code": _new_code()}
    )
    return annotator


class Roll:
    """The annotators of a set while labels are imported: found by code, made without sign-in."""

    def __init__(self, calibration_set: CalibrationSet) -> None:
        self._set = calibration_set
        stored = Annotator.objects.filter(set=calibration_set).order_by("pk")
        self._pks: dict[str, int] = dict(stored.values_list("code", "pk"))
        self._ids = Ids("annotator", self._pks)

    def call(self, codes: Iterable[tuple[int, str]], *, source: str) -> None:
        """Make whoever of ``codes`` (with line numbers) is not there yet."""
        fresh: dict[str, None] = {}
        for line, code in codes:
            self._meet(code, source, line)
            if code not in self._pks:
                fresh[code] = None
        made = Annotator.objects.bulk_create(Annotator(set=self._set, code=c) for c in fresh)
        self._pks |= {annotator.code: annotator.pk for annotator in made}

    def pk(self, code: str) -> int:
        return self._pks[code]

    def _meet(self, code: str, source: str, line: int) -> None:
        try:
            self._ids.meet(code, field="annotator")
        except BadInput as error:
            raise error.at(source=source, line=line) from None


def _new_code() -> str:
    return f"ann-{secrets.token_hex(6)}"
