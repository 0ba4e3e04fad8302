"""Cases into a set: added, met again unchanged, or superseding an older revision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, Max

from grounding.interchange import models as interchange
from grounding.interchange.checking import PAIR_SIZE, CaseChecker, checked
from labeling.cases import records
from labeling.cases.intake import carrying
from labeling.cases.intake.batches import Numbered, batches, refused
from labeling.cases.sources import SourceTexts
from labeling.models import CalibrationSet, Case, Expectation, Statement


@dataclass
class CaseCounts:
    added: int = 0
    unchanged: int = 0
    superseded: int = 0
    lone_pairs: list[str] = field(default_factory=list)
    """Pairs of which the set holds one side only."""

    @property
    def read(self) -> int:
        """How many cases there were. A case that supersedes another is not added."""
        return self.added + self.unchanged + self.superseded


class _Live(NamedTuple):
    case_id: str
    pk: int
    digest: str
    content_digest: str
    position: int


class _New(NamedTuple):
    """A case to be stored, and the live revision that it supersedes."""

    row: Case
    record: interchange.Case
    older: _Live | None


def take(
    calibration_set: CalibrationSet,
    stream: Iterable[Numbered[interchange.Case]],
    *,
    revision: int,
    supersede: bool,
    source: str,
) -> CaseCounts:
    """Store the cases of one file, those that change something as of ``revision``."""
    intake = _Intake(calibration_set, revision, supersede, source)
    numbered = checked(stream, intake.checker, source=source)
    for batch in batches(numbered):
        intake.take(batch)
    intake.counts.lone_pairs = _lone(calibration_set, intake.checker.unpaired())
    return intake.counts


class _Intake:
    """One file's worth of cases; between batches it holds ids and counts, no texts."""

    def __init__(
        self, calibration_set: CalibrationSet, revision: int, supersede: bool, source: str
    ) -> None:
        self.set, self.revision = calibration_set, revision
        self.supersede, self.source = supersede, source
        cases = Case.objects.filter(set=calibration_set)
        self.stored = set(cases.values_list("case_id", flat=True).order_by())
        last = cases.aggregate(last=Max("position"))["last"]
        self.position = 0 if last is None else last + 1
        self.checker = CaseChecker(SourceTexts(calibration_set.pk), known=self.stored)
        self.counts = CaseCounts()

    def take(self, batch: list[Numbered[interchange.Case]]) -> None:
        live = self._live(batch)
        new = []
        for line, record in batch:
            one = self._new(line, record, live.get(record.case_id))
            if one is None:
                self.counts.unchanged += 1
            else:
                new.append(one)
        self._store(new)
        self._require_pairs(batch)

    def _live(self, batch: list[Numbered[interchange.Case]]) -> dict[str, _Live]:
        ids = [record.case_id for _, record in batch if record.case_id in self.stored]
        if not ids:
            return {}
        rows = Case.objects.live().filter(set=self.set, case_id__in=ids)
        return {row[0]: _Live(*row) for row in rows.values_list(*_Live._fields)}

    def _new(self, line: int, record: interchange.Case, older: _Live | None) -> _New | None:
        digest = records.case_digest(record)
        if older is not None and older.digest == digest:
            return None
        if older is not None and not self.supersede:
            message = (
                f"case {record.case_id!r} is in the set with other content;"
                " superseding makes a new revision of it"
            )
            raise refused(message, source=self.source, line=line, field="case_id")
        row = records.case_row(
            record,
            set=self.set,
            added_in=self.revision,
            position=older.position if older else self._next_position(),
            digest=digest,
            content_digest=records.content_digest(record),
        )
        return _New(row, record, older)

    def _next_position(self) -> int:
        self.position += 1
        return self.position - 1

    def _store(self, new: list[_New]) -> None:
        older = [one.older.pk for one in new if one.older]
        if older:
            Case.objects.filter(pk__in=older).update(superseded_in=self.revision)
        Case.objects.bulk_create(one.row for one in new)
        statements = [
            (records.statement_row(record, one.row, position), record.expected)
            for one in new
            for position, record in enumerate(one.record.statements)
        ]
        Statement.objects.bulk_create(statement for statement, _ in statements)
        Expectation.objects.bulk_create(
            records.expectation_row(expected, statement)
            for statement, expected in statements
            if expected is not None
        )
        carrying.carry(_unchanged(new))
        self.counts.superseded += len(older)
        self.counts.added += len(new) - len(older)

    def _require_pairs(self, batch: list[Numbered[interchange.Case]]) -> None:
        """A pair is two, also with what the set held before this file."""
        lines = {record.pair_id: line for line, record in batch if record.pair_id}
        if not self.stored or not lines:
            return
        sides = Case.objects.live().filter(set=self.set, pair_id__in=list(lines)).order_by()
        for pair_id, count in sides.values_list("pair_id").annotate(Count("pk")):
            if count > PAIR_SIZE:
                message = f"pair {pair_id!r} has two cases in the set already; a pair is two"
                raise refused(message, source=self.source, line=lines[pair_id], field="pair_id")


def _unchanged(new: list[_New]) -> dict[int, int]:
    """By the older revision the newer one, where annotators see the same in both."""
    return {
        one.older.pk: one.row.pk
        for one in new
        if one.older and one.older.content_digest == one.row.content_digest
    }


def _lone(calibration_set: CalibrationSet, pair_ids: list[str]) -> list[str]:
    """Of ``pair_ids``, those with one live side in the set."""
    asked = set(pair_ids)
    if not asked:
        return []
    sides = Case.objects.live().filter(set=calibration_set, pair_id__isnull=False).order_by()
    counted = dict(sides.values_list("pair_id").annotate(Count("pk")))
    return [pair_id for pair_id in pair_ids if counted.get(pair_id, 0) < PAIR_SIZE]
