"""Labels into a set: added or met again; another label in the place of one is refused by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from grounding.interchange import models as interchange
from grounding.interchange.checking import LabelChecker, checked
from labeling.cases import records
from labeling.cases.intake.batches import Numbered, batches, refused
from labeling.cases.intake.shelf import Shelf
from labeling.cases.sources import SourceTexts
from labeling.models import CalibrationSet, Label
from labeling.sets.annotators import Roll

_Key = tuple[int, int, str, int]
_KEY = ("statement_id", "annotator_id", "role", "contract_major")


@dataclass
class LabelCounts:
    added: int = 0
    unchanged: int = 0


def take(
    calibration_set: CalibrationSet,
    stream: Iterable[Numbered[interchange.Label]],
    *,
    supersede: bool,
    source: str,
) -> LabelCounts:
    """Store the labels of one file on the live case revisions."""
    intake = _Intake(calibration_set, supersede, source)
    for batch in batches(stream):
        intake.take(batch)
    return intake.counts


class _Intake:
    def __init__(self, calibration_set: CalibrationSet, supersede: bool, source: str) -> None:
        self.supersede, self.source = supersede, source
        self.shelf = Shelf(calibration_set)
        self.roll = Roll(calibration_set)
        self.checker = LabelChecker(self.shelf.find, SourceTexts(calibration_set.pk))
        self.counts = LabelCounts()

    def take(self, batch: list[Numbered[interchange.Label]]) -> None:
        self.shelf.load(record for _, record in batch)
        good = list(checked(batch, self.checker, source=self.source))
        codes = ((line, record.annotator) for line, record in good)
        self.roll.call(codes, source=self.source)
        rows = [(line, self._row(line, record)) for line, record in good]
        self._store(rows)

    def _row(self, line: int, record: interchange.Label) -> Label:
        statement_pk = self.shelf.statement(record.case_id, record.statement_id)
        return records.label_row(record, statement_pk, self.roll.pk(record.annotator))

    def _store(self, rows: list[tuple[int, Label]]) -> None:
        live = _live([row for _, row in rows])
        new, replaced = [], []
        for line, row in rows:
            older = live.get(_key(row))
            if older is not None and _same(older, row):
                self.counts.unchanged += 1
                continue
            if older is not None:
                self._require_supersede(line, row, older)
                replaced.append(older["pk"])
            new.append(row)
            live[_key(row)] = _values(row)
        if replaced:
            Label.objects.filter(pk__in=replaced).update(superseded_at=timezone.now())
        Label.objects.bulk_create(new)
        self.counts.added += len(new)

    def _require_supersede(self, line: int, row: Label, older: dict[str, Any]) -> None:
        # Without a primary key it stands in this very file, a few lines up.
        if not self.supersede or "pk" not in older:
            message = (
                f"another {row.role} of this statement by this annotator is in the set;"
                " superseding puts this one in its place and keeps the older"
            )
            raise refused(message, source=self.source, line=line, field="statement_id")


def _live(rows: list[Label]) -> dict[_Key, dict[str, Any]]:
    """What stands in the places that ``rows`` would take."""
    statements = {row.statement_id for row in rows}
    found = Label.objects.live().filter(statement__in=statements)
    return {
        tuple(values[name] for name in _KEY): values
        for values in found.values("pk", *_KEY, *records.LABEL_VALUES)
    }


def _key(row: Label) -> _Key:
    return (row.statement_id, row.annotator_id, row.role, row.contract_major)


def _values(row: Label) -> dict[str, Any]:
    return {name: getattr(row, name) for name in records.LABEL_VALUES}


def _same(older: dict[str, Any], row: Label) -> bool:
    return all(older[name] == getattr(row, name) for name in records.LABEL_VALUES)
