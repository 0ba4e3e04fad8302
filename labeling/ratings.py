"""Ratings: what annotators said of the same statements, each for themselves.

A rating is a label that counts (`countable`) by an annotator; adjudicators are no raters. Of a
statement with one rating alone nothing can be told, so it is only named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from grounding.digests import digest
from grounding.interchange.models import LabelRole
from labeling import countable
from labeling.models import Annotator, CalibrationSet, Case, Label


@dataclass(frozen=True)
class Ratings:
    """Lists of one length, by statement and annotator, both primary keys.

    ``codes`` are those of the set's annotators. ``rated_once`` are the statements with one rating,
    which are not in the lists. ``digest`` is of what was said by whom, here: it is by primary key.
    """

    statements: list[int]
    annotators: list[int]
    claim_classes: list[str | None]
    verdicts: list[str]
    codes: Mapping[int, str]
    rated_once: list[int]
    digest: str


def read(calibration_set: CalibrationSet, revision: int, contract_major: int) -> Ratings:
    """The ratings of the statements that made up the set at ``revision``. Two queries, and one
    pass over the labels."""
    cases = Case.objects.at(revision).filter(set=calibration_set).order_by()
    labels = Label.objects.filter(
        statement__case__in=cases.values("pk"), role=LabelRole.LABEL.value
    ).order_by("statement", "annotator")
    counted = countable.among(labels, contract_major)
    rows = list(counted.values_list(*_COLUMNS).iterator(chunk_size=10_000))
    several, once = _parted([row[0] for row in rows])
    chosen = [rows[at] for at in several]
    statements, annotators, claim_classes, verdicts = (
        [row[at] for row in chosen] for at in range(len(_COLUMNS))
    )
    codes = Annotator.objects.filter(set=calibration_set).values_list("pk", "code")
    # As one text, since a digest looks at every number of a list by itself.
    said = json.dumps([statements, annotators, claim_classes, verdicts])
    return Ratings(
        statements,
        annotators,
        claim_classes,
        verdicts,
        codes=dict(codes),
        rated_once=once,
        digest=digest([contract_major, len(once), said]),
    )


_COLUMNS: Final = ("statement_id", "annotator_id", "claim_class", "verdict")


def _parted(statements: list[int]) -> tuple[list[int], list[int]]:
    """The places of ratings whose statement has several, and the statements that have one."""
    found, place, sizes = np.unique(
        np.array(statements, dtype=np.int64), return_inverse=True, return_counts=True
    )
    return np.flatnonzero(sizes[place] > 1).tolist(), found[sizes == 1].tolist()
