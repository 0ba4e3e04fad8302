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
from django.db.models import Q

from grounding.contract import ClaimClass, Verdict
from grounding.digests import digest
from grounding.interchange.models import LabelRole
from labeling import countable
from labeling.models import Annotator, CalibrationSet, Label
from labeling.numbers import Codes, code_of, numbers


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
    labels = Label.objects.filter(_at(revision), annotator__set=calibration_set)
    counted = countable.among(labels.filter(role=LabelRole.LABEL.value), contract_major)
    table = np.column_stack(numbers(counted, *_COLUMNS))
    table = table[np.lexsort(table[:, :3].T[::-1])]
    several, once = _parted(table[:, 3])
    _, _, annotators, statements, class_codes, verdict_codes = table[several].T.tolist()
    claim_classes = [_CLASSES[code] for code in class_codes]
    verdicts = [str(_VERDICTS[code]) for code in verdict_codes]
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


# Nothing is -1, hence the last.
_CLASSES: Final = (*(word.value for word in ClaimClass), None)
_VERDICTS: Final = tuple(word.value for word in Verdict)
_COLUMNS: Final = (
    "statement__case__position",
    "statement__position",
    "annotator_id",
    "statement_id",
    code_of("claim_class", tuple(ClaimClass)),
    code_of("verdict", tuple(Verdict)),
)


def _at(revision: int) -> Q:
    """`CaseQuerySet.at` of the labels' cases, which are joined for their order anyway."""
    case = "statement__case__"
    gone = Q(**{f"{case}superseded_in__isnull": False, f"{case}superseded_in__lte": revision})
    return Q(**{f"{case}added_in__lte": revision}) & ~gone


def _parted(statements: Codes) -> tuple[Codes, list[int]]:
    """The places of ratings whose statement has several, and the statements that have one."""
    found, place, sizes = np.unique(statements, return_inverse=True, return_counts=True)
    return np.flatnonzero(sizes[place] > 1), found[sizes == 1].tolist()
