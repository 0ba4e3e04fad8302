"""Ratings: what annotators said of the same statements, each for themselves.

A rating is a label that counts (`countable`) by an annotator; adjudicators are no raters. Of a
statement with one rating alone nothing can be told, so it is only named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from grounding.contract import ClaimClass, Verdict
from grounding.digests import digest
from grounding.interchange.models import LabelRole
from labeling.models import Annotator
from labeling.numbers import NOTHING, Codes
from labeling.said import Told


@dataclass(frozen=True)
class Ratings:
    """Lists of one length, by statement and annotator, both primary keys.

    ``codes`` are those of the set's annotators. ``rated_once`` are the statements with one rating,
    which are not in the lists. ``digest`` is of what was said by whom, here, and of the labels that
    cite evidence, adjudications among them: it is by primary key.
    """

    statements: list[int]
    annotators: list[int]
    claim_classes: list[str | None]
    verdicts: list[str]
    codes: Mapping[int, str]
    rated_once: list[int]
    digest: str


def of(told: Told) -> Ratings:
    """The ratings of the statements of a revision, in the set's order. One query."""
    order = np.lexsort((told.labels.annotator, told.place))
    here = (told.labels.role == _LABEL) & (told.place != NOTHING)
    labels = told.labels.where(order[here[order]])
    several, once = _parted(labels.statement)
    rated = labels.where(several)
    statements, annotators = rated.statement.tolist(), rated.annotator.tolist()
    claim_classes = [_CLASSES[code] for code in rated.claim_class.tolist()]
    verdicts = [_VERDICTS[code] for code in rated.verdict.tolist()]
    codes = Annotator.objects.filter(set=told.set).values_list("pk", "code")
    # As one text, since a digest looks at every number of a list by itself.
    said = json.dumps([statements, annotators, claim_classes, verdicts])
    return Ratings(
        statements,
        annotators,
        claim_classes,
        verdicts,
        codes=dict(codes),
        rated_once=once,
        digest=digest([told.contract_major, len(once), said, *_cited(told)]),
    )


def _cited(told: Told) -> Iterator[str]:
    """Which labels cite anything, where any does: what they cite can change while all else that
    they say stays."""
    chosen = (told.place != NOTHING) & (told.labels.cites != NOTHING)
    if chosen.any():
        yield json.dumps(np.sort(told.labels.pk[chosen]).tolist())


# Nothing is -1, hence the last.
_CLASSES: Final = (*(word.value for word in ClaimClass), None)
_VERDICTS: Final = tuple(word.value for word in Verdict)
_LABEL: Final = tuple(LabelRole).index(LabelRole.LABEL)


def _parted(statements: Codes) -> tuple[Codes, list[int]]:
    """The places of ratings whose statement has several, and the statements that have one."""
    found, place, sizes = np.unique(statements, return_inverse=True, return_counts=True)
    return np.flatnonzero(sizes[place] > 1), found[sizes == 1].tolist()
