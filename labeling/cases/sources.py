"""Approved sources for external claims: added, never changed, because evidence rests on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from grounding.interchange import models as interchange
from grounding.interchange.checking import checked
from grounding.interchange.resolving import Ids
from labeling.cases import records
from labeling.cases.intake.batches import Numbered, batches, refused
from labeling.models import CalibrationSet, Source

_FEW = 64


class SourceTexts(Mapping[str, str]):
    """The texts of a set's sources by id, read when one is cited, a few kept."""

    def __init__(self, set_pk: int) -> None:
        self._sources = Source.objects.filter(set_id=set_pk)
        self._kept: dict[str, str] = {}

    def __getitem__(self, source_id: str) -> str:
        if source_id not in self._kept:
            if len(self._kept) >= _FEW:
                self._kept.clear()
            text = self._sources.filter(source_id=source_id).values_list("text", flat=True).first()
            if text is None:
                raise KeyError(source_id)
            self._kept[source_id] = text
        return self._kept[source_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources.order_by("pk").values_list("source_id", flat=True))

    def __len__(self) -> int:
        return self._sources.count()


def add(
    calibration_set: CalibrationSet,
    stream: Iterable[Numbered[interchange.Source]],
    *,
    source: str,
) -> None:
    """Store new sources; one that is there may come again, but not with another text."""
    stored = Source.objects.filter(set=calibration_set).values_list("source_id", flat=True)
    checker = _Known(stored)
    for batch in batches(checked(stream, checker, source=source), size=_FEW):
        _add_batch(calibration_set, batch, source)


class _Known:
    """No id twice in the file, nor one that differs by letter case from any in the set."""

    def __init__(self, stored: Iterable[str]) -> None:
        self._ids = Ids("source", stored)

    def check(self, record: interchange.Source) -> interchange.Source:
        self._ids.add(record.id, field="id")
        return record


def _add_batch(
    calibration_set: CalibrationSet, batch: list[Numbered[interchange.Source]], source: str
) -> None:
    ids = [record.id for _, record in batch]
    there = {
        row.source_id: row for row in Source.objects.filter(set=calibration_set, source_id__in=ids)
    }
    for line, record in batch:
        row = there.get(record.id)
        if row is not None and records.source_record(row) != record:
            message = f"source {record.id!r} is in the set with another text, uri or time"
            raise refused(message, source=source, line=line, field="id")
    Source.objects.bulk_create(
        records.source_row(record, calibration_set.pk)
        for _, record in batch
        if record.id not in there
    )
