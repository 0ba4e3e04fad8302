"""A whole set in and out: cases, sources, labels, rubrics, judgments, attempts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from calibration import rubrics
from calibration.bundles import card, recorded
from calibration.models import RubricVersion, Run
from grounding.contract import CONTRACT
from grounding.digests import canonical_json
from grounding.errors import BadInput
from grounding.interchange.bundle import Bundle, Watch, open_bundle
from grounding.interchange.models import Manifest
from grounding.interchange.packing import write_bundle
from grounding.rubrics import RubricDefinition, load_rubric
from labeling import exchange, sets
from labeling.models import CalibrationSet, Case, Statement


@dataclass(frozen=True)
class Imported:
    """What an import did; statements and pairs count the set afterwards."""

    slug: str
    revision: int
    taken: exchange.Taken
    statements: int
    pairs: int
    judgments: Counter[str]

    def as_json(self) -> dict[str, Any]:
        cases, labels = self.taken.cases, self.taken.labels
        return {
            "set": self.slug,
            "revision": self.revision,
            "cases": {
                "added": cases.added,
                "unchanged": cases.unchanged,
                "superseded": cases.superseded,
            },
            "statements": self.statements,
            "pairs": self.pairs,
            "labels": {"added": labels.added, "unchanged": labels.unchanged},
            "judgments": {
                "added": self.judgments["added"],
                "unchanged": self.judgments["unchanged"],
            },
            "warnings": list(self.taken.warnings),
        }


def import_set(
    slug: str,
    path: str | Path,
    *,
    dry_run: bool = False,
    supersede: bool = False,
    watch: Watch | None = None,
) -> Imported:
    """Bring a bundle, or a cases file of any name, into the set; all of it or nothing.

    ``dry_run`` does everything, reports it and takes it back. ``supersede`` makes new
    revisions of cases that differ from the set's, and puts labels in the place of others;
    without it both are refused by name. ``watch`` is told now and then how far it is.
    """
    with open_bundle(path) as bundle, transaction.atomic():
        bundle.watch = watch
        held = sets.locked(sets.get_or_create(slug))
        imported = _import(bundle, held, supersede=supersede)
        if dry_run:
            transaction.set_rollback(True)
        return imported


def export_bundle(calibration_set: CalibrationSet, path: str | Path) -> Manifest:
    """Write the set's live revision with all that belongs to it, as of one moment."""
    with one_moment():
        now = sets.get(calibration_set.slug)
        return write_bundle(
            path,
            parts={
                "cases": exchange.case_records(now),
                "sources": exchange.source_records(now),
                "labels": exchange.label_records(now),
                "judgments": recorded.judgment_records(now),
                "attempts": recorded.attempt_records(now),
            },
            set_slug=now.slug,
            revision=now.revision,
            contract_version=CONTRACT.version,
            rubrics=_definitions(now),
            readme=card.write(now),
        )


@contextmanager
def one_moment() -> Iterator[None]:
    """A transaction in which every query sees the same state of the database."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        # Only the first statement of a transaction may say so.
        if connection.vendor == "postgresql" and outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _import(bundle: Bundle, calibration_set: CalibrationSet, *, supersede: bool) -> Imported:
    taken = exchange.take(bundle, calibration_set, supersede=supersede)
    for definition in _bundled_rubrics(bundle):
        rubrics.release(definition)
    judgments = _take_judgments(bundle, calibration_set)
    live = Case.objects.live().filter(set=calibration_set)
    return Imported(
        slug=calibration_set.slug,
        revision=calibration_set.revision,
        taken=taken,
        statements=Statement.objects.filter(case__in=live.order_by().values("pk")).count(),
        pairs=live.filter(pair_id__isnull=False).order_by().values("pair_id").distinct().count(),
        judgments=judgments,
    )


def _take_judgments(bundle: Bundle, calibration_set: CalibrationSet) -> Counter[str]:
    counts: Counter[str] = Counter()
    if not bundle.has("judgments"):
        return counts
    runs = recorded.store(
        calibration_set,
        bundle.records("judgments"),
        bundle.records("attempts"),
        source=bundle.source("judgments"),
        attempts_source=bundle.source("attempts"),
    )
    for imported in runs:
        counts["added" if imported.added else "unchanged"] += imported.judgments
    return counts


def _bundled_rubrics(bundle: Bundle) -> list[RubricDefinition]:
    """Lowest version first, as they were released: each is measured against those below it."""
    definitions = [_definition(name, value) for name, value in bundle.rubrics()]
    return sorted(definitions, key=lambda one: (one.name, one.version_parts))


def _definition(name: str, value: dict[str, Any]) -> RubricDefinition:
    try:
        definition = load_rubric(json.dumps(value, ensure_ascii=False))
    except BadInput as error:
        raise error.at(source=name) from None
    if name != f"rubrics/{definition.reference}.json":
        raise BadInput(f"holds {definition.reference}", source=name, field="name")
    return definition


def _definitions(calibration_set: CalibrationSet) -> dict[str, dict[str, Any]]:
    """The released versions that ran on the set, as they were released."""
    used = (
        Run.objects.filter(set=calibration_set, probe__isnull=True)
        .order_by()
        .values("rubric_version")
    )
    released = RubricVersion.objects.filter(pk__in=used, recorded=False)
    return {
        # In one order of keys: not every database keeps the order of a document.
        str(version): json.loads(
            canonical_json(rubrics.verified_definition(version).model_dump(mode="json"))
        )
        for version in released
    }
