"""Cases, sources and labels of a bundle, in and out.

Everything here runs inside the caller's transaction, which is what makes an
import all or nothing and an export of one moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from grounding.errors import BadInput
from grounding.interchange import models as interchange
from grounding.interchange.bundle import Bundle
from labeling import adjudications
from labeling.cases import records, sources
from labeling.cases.intake import cases, labels
from labeling.cases.intake.batches import BATCH, Numbered
from labeling.models import CalibrationSet, Case, Expectation, Label, Source, Statement

FIRST_REVISION = 1


@dataclass(frozen=True)
class Taken:
    """What an import did to sources, cases and labels."""

    cases: cases.CaseCounts
    labels: labels.LabelCounts
    warnings: tuple[str, ...]


def take(bundle: Bundle, calibration_set: CalibrationSet, *, supersede: bool) -> Taken:
    """Store a bundle's sources, cases and labels in ``calibration_set``, which is held locked.

    The set's revision grows by one where cases were added or superseded. A set that
    holds no case yet takes the revision of the manifest, so that the number survives
    a round trip; its cases then count as there since the first revision, because a
    bundle does not say when each was added and runs on earlier revisions need theirs.
    """
    sources.add(calibration_set, bundle.records("sources"), source=bundle.source("sources"))
    counts = take_cases(
        calibration_set,
        bundle.records("cases"),
        source=bundle.source("cases"),
        supersede=supersede,
        restored=bundle.manifest.revision if bundle.manifest else FIRST_REVISION,
    )
    if bundle.manifest is None and not counts.read:
        raise BadInput("holds no cases", source=bundle.source("cases"))
    label_counts = labels.take(
        calibration_set,
        bundle.records("labels"),
        supersede=supersede,
        source=bundle.source("labels"),
    )
    adjudications.record_over(calibration_set)
    return Taken(counts, label_counts, (*bundle.warnings, *_lonely(counts.lone_pairs)))


def take_cases(
    calibration_set: CalibrationSet,
    stream: Iterable[Numbered[interchange.Case]],
    *,
    source: str,
    supersede: bool,
    restored: int = FIRST_REVISION,
) -> cases.CaseCounts:
    """Store cases in ``calibration_set``, which is held locked, and let its revision grow by one
    where that changed anything; to ``restored`` in a set that holds no case yet."""
    revision = calibration_set.revision + 1
    counts = cases.take(
        calibration_set, stream, revision=revision, supersede=supersede, source=source
    )
    if counts.added or counts.superseded:
        empty = calibration_set.revision == 0
        calibration_set.revision = max(FIRST_REVISION, restored) if empty else revision
        calibration_set.save(update_fields=["revision"])
        adjudications.record_over(calibration_set)
    return counts


def records_of(some: Sequence[Case]) -> list[interchange.Case]:
    """These revisions of cases as records, in their order."""
    rows = _statements(some)
    return [records.case_record(case, rows[case.pk]) for case in some]


def case_records(calibration_set: CalibrationSet) -> Iterator[interchange.Case]:
    """The live revision of every case, by position."""
    live = Case.objects.live().filter(set=calibration_set).order_by("position", "pk")
    stream = live.iterator(chunk_size=BATCH)
    while batch := list(islice(stream, BATCH)):
        yield from records_of(batch)


def source_records(calibration_set: CalibrationSet) -> Iterator[interchange.Source]:
    """Every approved source, in the order in which they came."""
    rows = Source.objects.filter(set=calibration_set).order_by("pk")
    yield from map(records.source_record, rows.iterator(chunk_size=BATCH))


def label_records(calibration_set: CalibrationSet) -> Iterator[interchange.Label]:
    """Every live label of live statements, by case, statement, annotator's code and role."""
    for label in label_rows(calibration_set):
        yield records.label_record(label, label.statement, label.statement.case)


def label_rows(calibration_set: CalibrationSet) -> Iterator[Label]:
    """Ordered in Python within a statement: databases differ in how they order text."""
    rows = (
        Label.objects.live()
        .filter(statement__case__set=calibration_set, statement__case__superseded_in=None)
        .select_related("annotator", "statement__case")
        .defer("statement__case__context", "statement__case__retrieved")
        .order_by("statement__case__position", "statement__position", "statement_id")
    )
    stream = rows.iterator(chunk_size=BATCH)
    for _, group in groupby(stream, key=lambda label: label.statement_id):
        yield from sorted(group, key=_within_statement)


def _within_statement(label: Label) -> tuple[str, str, int]:
    return (label.annotator.code, label.role, label.contract_major)


def _statements(batch: Sequence[Case]) -> dict[int, list[tuple[Statement, Expectation | None]]]:
    by_case: dict[int, list[tuple[Statement, Expectation | None]]] = {c.pk: [] for c in batch}
    rows = Statement.objects.filter(case__in=by_case).select_related("expectation")
    for row in rows.order_by("case_id", "position"):
        by_case[row.case_id].append((row, getattr(row, "expectation", None)))
    return by_case


def _lonely(pair_ids: Iterable[str], *, most: int = 20) -> Iterator[str]:
    every = list(pair_ids)
    for pair_id in every[:most]:
        yield f"pair {pair_id!r} has one side only"
    if len(every) > most:
        yield f"{len(every) - most} other pairs have one side only as well"
