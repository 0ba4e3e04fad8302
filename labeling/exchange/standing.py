"""How each label stands: whether it is used, and why not; for one annotator or for all.

Every version of a label is there, adjudications among them. One is ``used`` if it counts
(`references.countable`) on a live case whose statement has a reference made of labels; ``why`` is
then that reference's tier, and ``agrees`` says whether the label has its verdict, and its class
where both state one. Else ``why`` is the reason that it does not count, or `disputed`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TextIO

from django.db.models import QuerySet

from grounding.contract import CONTRACT
from labeling import references
from labeling.cases import records
from labeling.exchange import tables
from labeling.models import Annotator, CalibrationSet, Label
from labeling.references import DISPUTED, Reference, countable

COLUMNS: Final = (
    *tables.LABEL_COLUMNS, "case_revision", "queue", "recorded_at", "superseded_at",
    "active_seconds", "used", "why", "agrees",
)  # fmt: skip

Row = dict[str, Any]


def rows(calibration_set: CalibrationSet, annotator: Annotator | None = None) -> Iterator[Row]:
    """Every label that the annotator, or anyone, made in the set, oldest version first within a
    statement. A constant number of queries."""
    resolved = references.resolve(calibration_set, calibration_set.revision, CONTRACT.major)
    found = Label.objects.filter(statement__case__set=calibration_set)
    if annotator is not None:
        found = found.filter(annotator=annotator)
    listed: QuerySet[Any] = (
        found.annotate(excluded=countable.reason_now(CONTRACT.major))
        .select_related("annotator", "statement__case", "queue")
        .defer(*_UNUSED)
        .order_by("statement__case__position", "statement__position", "statement_id", "pk")
    )
    for label in listed.iterator(chunk_size=1_000):
        yield _row(label) | stands(label, label.excluded, resolved.references)


def stands(label: Label, excluded: str | None, resolved: Mapping[int, Reference]) -> Row:
    """``used``, ``why`` and ``agrees`` of a label, of which ``excluded`` says why it does not
    count."""
    if excluded is not None:
        return {"used": False, "why": excluded, "agrees": None}
    reference = resolved.get(label.statement_id)
    if reference is None:
        return {"used": False, "why": DISPUTED, "agrees": None}
    return {"used": True, "why": reference.tier, "agrees": _agrees(label, reference)}


def write_csv(found: Iterator[Row], file: TextIO) -> None:
    tables.write_csv(file, COLUMNS, found)


def write_jsonl(found: Iterator[Row], file: TextIO) -> None:
    for row in found:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


FORMATS: Final[Mapping[str, tuple[str, Callable[[Iterator[Row], TextIO], None]]]] = {
    "csv": ("text/csv", write_csv),
    "jsonl": ("application/jsonl", write_jsonl),
}
"""Each format's media type and writer."""

_UNUSED: Final = (
    "statement__case__context",
    "statement__case__retrieved",
    "statement__case__answer",
    "queue__contract",
    "queue__guideline",
)


def _row(label: Label) -> Row:
    record = records.label_record(label, label.statement, label.statement.case)
    return record.model_dump(mode="json") | {
        "case_revision": label.statement.case.added_in,
        "queue": str(label.queue) if label.queue else None,
        "recorded_at": label.recorded_at.isoformat(),
        "superseded_at": label.superseded_at.isoformat() if label.superseded_at else None,
        "active_seconds": label.active_seconds,
    }


def _agrees(label: Label, reference: Reference) -> bool:
    same_class = label.claim_class == reference.claim_class
    return label.verdict == reference.verdict and (
        same_class or label.claim_class is None or reference.claim_class is None
    )
