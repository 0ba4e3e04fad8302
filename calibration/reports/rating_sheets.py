"""What a report says of people beside its judge: measured once with it, kept beside it.

The ratings are read from labels as they are when the report is made, and frozen with it; the
report's key holds their digest, so that ratings which have changed since make another report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F

from calibration import loading
from calibration.agreement import humans
from calibration.agreement.columns import NOTHING, Codes
from calibration.agreement.rated import Rated, read
from calibration.loading import Loaded
from calibration.models import RatingSheet, Report, Run
from calibration.stats.alt_test import DEFAULT_EPSILON
from grounding.errors import BadInput, Refused
from labeling.columns.frozen import Frozen
from labeling.columns.numbers import found_in
from labeling.models import CalibrationSet
from labeling.references import ratings, said
from labeling.references.ratings import Ratings
from labeling.references.said import Told


def told_of(run: Run) -> Told:
    """All that people say now of the statements that the run judges."""
    return said.told_of(run.set, run.revision, run.rubric_version.contract_major)


def figures(
    rated: Rated, digest: str, *, seed: int, epsilon: float = DEFAULT_EPSILON
) -> dict[str, Any]:
    """`humans.figures` with the digest of the ratings that they are of."""
    told = humans.figures(rated, seed=seed, epsilon=epsilon)
    return {**told, "humans": {**told["humans"], "digest": digest}}


def now(run: Run, *, seed: int, epsilon: float = DEFAULT_EPSILON) -> dict[str, Any]:
    """What a report on a finished run would say of people beside its judge. Nothing is kept of it.

    Refused where nothing was graded.
    """
    if not 0 <= epsilon <= 1:
        raise BadInput("an advantage is a share, 0 to 1", field="epsilon")
    loaded, found = loading.load(run, Frozen.of({})), ratings.of(told_of(run))
    if not loaded.columns.graded.any():
        raise Refused(f"nothing was graded in run {run.pk}")
    return figures(beside(found, loaded), found.digest, seed=seed, epsilon=epsilon)


@dataclass(frozen=True)
class JudgeBeside:
    """The latest report on a judge that holds people beside it, and its answers in short."""

    report: Report
    verdict: Mapping[str, Any]
    stands_in: bool | None


def judges(calibration_set: CalibrationSet) -> list[JudgeBeside]:
    """Of each rubric version the latest such report on the set, by name and version. Two queries,
    which read no report as a whole."""
    held = Report.objects.filter(run__set=calibration_set).exclude(ratings_digest="")
    of_version = held.order_by("pk").values_list("run__rubric_version", "pk")
    latest = (
        held.filter(pk__in=dict(of_version).values())
        .defer("figures")
        .annotate(
            people=F("figures__humans__ceiling__verdict"),
            stands_in=F("figures__alternative_annotator__stands_in"),
        )
    )
    named = latest.select_related("run__rubric_version").order_by(
        "run__rubric_version__name", "run__rubric_version__version"
    )
    # What SQLite takes out of a document has no booleans.
    return [
        JudgeBeside(one, one.people, None if one.stands_in is None else bool(one.stands_in))
        for one in named
    ]


def sheet_of(report: Report) -> Rated | None:
    """None for a report of before."""
    kept = RatingSheet.objects.filter(report=report).first()
    return None if kept is None else read(kept.columns)


def beside(ratings: Ratings, loaded: Loaded) -> Rated:
    """The ratings of statements that were planned, with what the judge says of these."""
    row = found_in(loaded.statements, ratings.statements)
    once = found_in(loaded.statements, ratings.rated_once)
    kept, place = np.unique(row[row != NOTHING], return_inverse=True)
    raters, annotator = _raters(ratings)
    columns = loaded.columns
    return Rated(
        statement=loaded.statements[kept],
        judgment=loaded.judgments[kept],
        cluster=columns.cluster[kept],
        judge_class=columns.judge_class[kept],
        judge_verdict=columns.judge_verdict[kept],
        place=place.astype(np.int64),
        annotator=annotator[row != NOTHING],
        claim_class=ratings.claim_classes[row != NOTHING],
        verdict=ratings.verdicts[row != NOTHING],
        annotators=raters,
        rated_once=ratings.rated_once[once != NOTHING],
    )


def _raters(ratings: Ratings) -> tuple[list[str], Codes]:
    """The codes of those who rated, in their order, and who of them made each rating."""
    pks, which = np.unique(ratings.annotators, return_inverse=True)
    codes = [ratings.codes[pk] for pk in pks.tolist()]
    order = sorted(range(len(codes)), key=codes.__getitem__)
    rank = np.empty(len(codes), dtype=np.int64)
    rank[order] = np.arange(len(codes))
    return [codes[at] for at in order], rank[which]
