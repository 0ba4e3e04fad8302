"""Ratings: what annotators said of the same statements, each for themselves.

A rating is a label that counts (`countable`) by an annotator; adjudicators are no raters. Of a
statement with one rating alone nothing can be told, so it is only named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np

from grounding.digests import digest
from grounding.interchange.models import LabelRole
from labeling.columns.numbers import NOTHING, Codes
from labeling.models import Annotator
from labeling.references.said import Told


@dataclass(frozen=True)
class Ratings:
    """Columns of one length: statements and annotators by primary key, classes and verdicts as
    places in the contract's vocabularies, `NOTHING` for no class.

    ``codes`` are those of the set's annotators. ``rated_once`` are the statements with one rating,
    which are not in the columns. ``digest`` is of what was said by whom, here, and of the labels
    that cite evidence, adjudications among them: it is by primary key.
    """

    statements: Codes
    annotators: Codes
    claim_classes: Codes
    verdicts: Codes
    codes: Mapping[int, str]
    rated_once: Codes
    digest: str


def of(told: Told) -> Ratings:
    """The ratings of the statements of a revision, in the set's order. One query."""
    order = np.lexsort((told.labels.annotator, told.place))
    here = (told.labels.role == _LABEL) & (told.place != NOTHING)
    labels = told.labels.where(order[here[order]])
    several, once = _parted(labels.statement)
    rated = labels.where(several)
    columns = rated.statement, rated.annotator, rated.claim_class, rated.verdict
    codes = Annotator.objects.filter(set=told.set).values_list("pk", "code")
    return Ratings(
        *columns,
        codes=dict(codes),
        rated_once=once,
        digest=digest([told.contract_major, once.size, *map(_fingerprint, columns), *_cited(told)]),
    )


def _cited(told: Told) -> Iterator[str]:
    """Which labels cite anything, where any does: what they cite can change while all else that
    they say stays."""
    chosen = (told.place != NOTHING) & (told.labels.cites != NOTHING)
    if chosen.any():
        yield _fingerprint(np.sort(told.labels.pk[chosen]))


def _fingerprint(numbers: Codes) -> str:
    """Of all together, since a digest looks at every number of a list by itself."""
    return sha256(numbers.astype("<i8").tobytes()).hexdigest()


_LABEL: Final = tuple(LabelRole).index(LabelRole.LABEL)


def _parted(statements: Codes) -> tuple[Codes, Codes]:
    """The places of ratings whose statement has several, and the statements that have one."""
    found, place, sizes = np.unique(statements, return_inverse=True, return_counts=True)
    return np.flatnonzero(sizes[place] > 1), found[sizes == 1]
