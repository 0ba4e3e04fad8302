"""A rubric's versions on one set, read together: one labelling scope after another.

Within a scope all versions stand on the same statements: those that every version's latest
complete run graded, and each baseline's where that is another run, and that have a reference now.
Leniency is tested, one-sided, against the baseline, on all that the two have in common, by the
functions of `calibration.comparing`, so that its numbers are those of that comparison. Beside the
line stand what several runs of one version scatter, what each reported model said over time, and
how often the hold-out was looked at.

Nothing is stored: queries are a handful, however many runs; the digests of the references say
against what it was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calibration import rubrics, runs
from calibration.agreement import DEFAULT_SEED, comparison, require_seed
from calibration.models import RubricVersion, Run
from calibration.reports import looks
from calibration.stats.multiplicity import holm
from calibration.versions import drift, family, tellings
from calibration.versions.book import Book, opened
from calibration.versions.family import Block, Point, Version
from calibration.versions.group import Group, spread
from grounding.errors import NotFound
from labeling import references
from labeling.models import CalibrationSet

Figures = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """All that is read of a rubric's versions; ``full`` computes from it."""

    name: str
    calibration_set: CalibrationSet
    blocks: Sequence[Block]
    book: Book
    seed: int


def read(
    name: str,
    calibration_set: CalibrationSet,
    *,
    minimum: str = references.AUTHOR,
    seed: int = DEFAULT_SEED,
) -> Reading:
    """NotFound where no version has that name."""
    require_seed(seed)
    if not RubricVersion.objects.filter(name=name).exists():
        raise NotFound(f"there is no rubric {name}")
    blocks = family.blocks(name, calibration_set)
    runs = {run.pk: run for run in family.measuring(blocks)}
    return Reading(
        name, calibration_set, blocks, opened(calibration_set, [*runs.values()], minimum), seed
    )


def full(reading: Reading) -> Figures:
    """As ``versions --json`` prints it."""
    held = reading.calibration_set
    return {
        "rubric": reading.name,
        "set": {"slug": held.slug, "revision": held.revision},
        "reference": {"minimum": reading.book.minimum},
        "seed": reading.seed,
        "blocks": [_block(reading.book, block) for block in reading.blocks],
        "repeated": [
            _repeated(reading, one)
            for block in reading.blocks
            for one in block.line
            if len(one.runs) > 1
        ],
        "drift": _drift(reading),
        "holdout": looks.figures(looks.held_out(held)),
        "not_run": [str(version) for version in family.not_run(reading.name, held)],
    }


def _block(book: Book, block: Block) -> Figures:
    group = Group(book, [one.run for one in block.points])
    versions = [_version(group, block, one) for one in block.points]
    _adjust([one["against"] for one in versions if one["against"]])
    return {
        "scope_digest": block.first.scope_digest,
        "scope": "not stated" if block.recorded else "same",
        "baseline": runs.identity(block.origin) if block.origin else None,
        "apart": _apart(book, block),
        "reference": {"digest": group.held.digest} if group.runs else None,
        "runs": [run.pk for run in group.runs],
        "statements": {
            "common": int(group.common.sum()) if group.runs else 0,
            "asked": int(group.asked.sum()) if group.runs else 0,
        },
        "versions": versions,
        "left_off": block.left_off,
        "partial": [runs.identity(run) for one in block.versions for run in one.partial],
    }


def _apart(book: Book, block: Block) -> Figures | None:
    """Why the block is not compared with the one before, and both baselines, each by itself."""
    before, apart = block.before, block.apart
    if before is None or apart is None:
        return None
    return {
        "before": str(before.latest),
        "here": str(block.first),
        "baseline_before": _alone(book, before.origin),
        "baseline_here": _alone(book, block.origin),
        "comparable": False,
        "reason": apart.reason,
        "fields": [move.path for move in apart.moved],
        "moved": [
            {"field": move.path, "before": move.before, "here": move.after} for move in apart.moved
        ],
    }


def _alone(book: Book, run: Run | None) -> Figures | None:
    """A run on all that it graded itself."""
    if run is None:
        return None
    alone = Group(book, [run])
    return {**runs.identity(run), "digest": alone.held.digest, **alone.figures(run)}


def _version(group: Group, block: Block, one: Point) -> Figures:
    run, alone = one.run, Group(group.book, [one.run])
    return {
        **runs.identity(run),
        "latest": one.latest,
        "complete_runs": len(one.version.complete),
        "lacks": group.lacks(run),
        "own": alone.verdict(run),
        "own_digest": alone.held.digest,
        **group.figures(run),
        "cells": group.cells(run),
        "against": _against(group.book, block.against(run.rubric_version), run),
    }


def _against(book: Book, baseline: Run | None, run: Run) -> Figures | None:
    """How lenient the run is beside its baseline, on all that the two have in common; None for
    the baseline itself."""
    if baseline is None or baseline.pk == run.pk:
        return None
    both = Group(book, [baseline, run])
    first, second = (book.columns(each, both.held, both.common) for each in both.runs)
    return {
        "run": baseline.pk,
        "rubric": str(baseline.rubric_version),
        "digest": both.held.digest,
        "statements": len(first),
        **comparison.leniency(first, second),
        "p_holm": None,
    }


def _adjust(tested: Sequence[Figures]) -> None:
    """Holm over the versions of a scope that can be told from their baseline."""
    defined = [one for one in tested if one["p_more_lenient"] is not None]
    adjusted = holm([one["p_more_lenient"] for one in defined])
    for one, p in zip(defined, adjusted, strict=True):
        one["p_holm"] = float(p)


def _repeated(reading: Reading, one: Version) -> Figures:
    group = Group(reading.book, one.runs)
    each = [{**runs.identity(run), **group.figures(run)} for run in group.runs]
    return {
        "rubric": rubrics.identity(one.version),
        "complete_runs": len(one.complete),
        "statements": int(group.common.sum()),
        "reference": {"digest": group.held.digest},
        "runs": each,
        "spread": spread(each),
        "self_agreement": group.steadiness(reading.seed),
    }


def _drift(reading: Reading) -> Figures:
    """Over all complete runs that are read; shares of those on the latest revision that ran."""
    runs = {run.pk: run for block in reading.blocks for one in block.line for run in one.runs}
    told = drift.in_order(tellings.of(reading.book, [*runs.values()]))
    clusters = reading.book.ground.cluster
    revision = max((run.revision for run in runs.values()), default=None)
    of_revision = [one for one in told if runs[one.run].revision == revision]
    return {
        "revision": revision,
        "earlier_revisions": len(told) - len(of_revision),
        "level": drift.LEVEL,
        "tellings": [
            {
                **_telling(one),
                "n": int((one.verdicts != -1).sum()),
                "verdicts": drift.shares(one, clusters),
            }
            for one in of_revision
        ],
        "pairs": [
            {"earlier": _telling(pair.earlier), "later": _telling(pair.later), **figures}
            for pair, figures in drift.compared(told, clusters)
        ],
    }


def _telling(one: drift.Telling) -> Mapping[str, Any]:
    return {
        "rubric": one.version,
        "run": one.run,
        "model": one.model,
        "at": one.at.isoformat(),
    }
