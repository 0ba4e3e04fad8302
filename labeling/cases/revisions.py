"""What came into a set with one of its revisions. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from grounding.errors import NotFound
from labeling.cases import checks
from labeling.cases.checks import Finding
from labeling.models import CalibrationSet, Case, Label


@dataclass(frozen=True)
class Arrival:
    """A case that came, the revision of it that it took the place of, and that one's labels."""

    case: Case
    older: Case | None
    labels: int
    carried: int

    @property
    def staying(self) -> int:
        return self.labels - self.carried


def cases_of(calibration_set: CalibrationSet, revision: int) -> QuerySet[Case]:
    """The cases that came with ``revision``; NotFound where the set never had it."""
    if not 1 <= revision <= calibration_set.revision:
        raise NotFound("there is no such revision of this set")
    return Case.objects.filter(set=calibration_set, added_in=revision).order_by("position", "pk")


def arrivals(cases: Sequence[Case]) -> list[Arrival]:
    """``cases``, all of one revision, each with what it superseded."""
    if not cases:
        return []
    superseded = {
        row.case_id: row
        for row in Case.objects.filter(
            set=cases[0].set_id,
            superseded_in=cases[0].added_in,
            case_id__in=[case.case_id for case in cases],
        ).defer("context", "retrieved", "answer", "question")
    }
    labels = _labels_of([case.pk for case in superseded.values()], superseded_at__isnull=True)
    # Replaced since or not: it was carried.
    carried = _labels_of([case.pk for case in cases], carried_from__isnull=False)
    return [
        Arrival(case, older, labels.get(older.pk, 0) if older else 0, carried.get(case.pk, 0))
        for case in cases
        for older in (superseded.get(case.case_id),)
    ]


def findings_on(calibration_set: CalibrationSet, cases: Sequence[Case]) -> list[Finding]:
    """What the checks find now on those of ``cases`` that are live."""
    ids = {case.case_id for case in cases if case.superseded_in is None}
    if not ids:
        return []
    return [one for one in checks.lint(calibration_set, minimum=0) if one.case_id in ids]


def _labels_of(case_pks: Sequence[int], **conditions: object) -> Mapping[int, int]:
    rows = Label.objects.filter(statement__case__in=case_pks, **conditions).order_by()
    return dict(rows.values_list("statement__case_id").annotate(Count("pk")))
