"""The findings of a set's checks as a page lists them: counted by kind, linked to their cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labeling.cases import checks
from labeling.cases.checks import Finding
from labeling.models import CalibrationSet, Case


@dataclass(frozen=True)
class ShownFinding:
    """``case_pk`` is None for what concerns the set as a whole."""

    finding: Finding
    case_pk: int | None


class Findings:
    """What the checks find on a set, or those of one kind, as a paginator wants them."""

    def __init__(self, calibration_set: CalibrationSet, kind: str | None) -> None:
        found = checks.lint(calibration_set)
        self._set = calibration_set
        self._rows = [one for one in found if kind is None or one.kind == kind]
        # A plain dict: a template asks a counter for its key "items", and gets 0.
        self.kinds: Mapping[str, int] = dict(Counter(one.kind for one in found))

    def count(self) -> int:
        return len(self._rows)

    def __getitem__(self, part: slice, /) -> Sequence[ShownFinding]:
        rows = self._rows[part]
        names = {row.case_id for row in rows if row.case_id is not None}
        live = Case.objects.live().filter(set=self._set, case_id__in=names).order_by()
        pks = dict(live.values_list("case_id", "pk"))
        return [ShownFinding(row, pks.get(row.case_id or "")) for row in rows]
