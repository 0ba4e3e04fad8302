"""What labels and authors say of each statement of a set, read as columns.

Statements are many, and what is said of them is mostly alike: each combination stands once, and
whoever decides something from it decides it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from django.db.models import Q

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import LabelRole
from labeling.columns.numbers import (
    NOTHING,
    Coded,
    Codes,
    Flags,
    code_of,
    different,
    flag_of,
    found_in,
    listed,
    numbers,
)
from labeling.models import CalibrationSet, Label, LabelQuerySet
from labeling.references import countable, stood
from labeling.references.stood import Stood

_WORDS: Final[Mapping[str, tuple[StrEnum, ...]]] = {
    "role": tuple(LabelRole),
    "claim_class": tuple(ClaimClass),
    "verdict": tuple(Verdict),
    "claim_type": tuple(ClaimType),
    "speech_act": tuple(SpeechAct),
}
"""What of a label is a word, of which vocabulary."""
_CLASSES: Final = _WORDS["claim_class"]
_VERDICTS: Final = _WORDS["verdict"]
_ADJUDICATION: Final = _WORDS["role"].index(LabelRole.ADJUDICATION)

Expected = tuple[str | None, str | None]
"""The author's class and verdict."""


class Said(NamedTuple):
    """What one countable label says; ``at`` may be left out where nothing depends on it."""

    role: str
    claim_class: str | None
    verdict: str
    at: datetime | None = None
    claim_type: str | None = None
    speech_act: str | None = None
    premises: tuple[str, ...] = ()


class Labels(NamedTuple):
    """The countable ones of some labels, an entry a label: primary keys, places in the contract's
    vocabularies, and whether it split anything off and cites anything, 1 or `NOTHING`."""

    pk: Codes
    statement: Codes
    annotator: Codes
    split_off: Codes
    cites: Codes
    role: Codes
    claim_class: Codes
    verdict: Codes
    claim_type: Codes
    speech_act: Codes

    def where(self, chosen: Codes | Flags) -> Labels:
        return Labels(*(column[chosen] for column in self))


@dataclass(frozen=True)
class Told:
    """All that people say of a set's statements under a contract, read once for whoever decides
    something from it: ``labels`` may be of other revisions as well."""

    set: CalibrationSet
    revision: int
    contract_major: int
    stood: Stood
    labels: Labels

    @cached_property
    def place(self) -> Codes:
        """Of each label which statement of the revision it is of, `NOTHING` for one of another."""
        return found_in(self.stood.statements, self.labels.statement)

    @cached_property
    def opinions(self) -> Opinions:
        """Of each statement of the revision."""
        kinds, known = _kinds(self.labels)
        here = self.place != NOTHING
        each = _side_by_side(len(self.stood), self.place[here], kinds[here])
        table = np.column_stack([self._expected, each])
        rows_alike, which = different(table)
        return Opinions(which, [_opinion(row, known) for row in rows_alike.tolist()])

    @property
    def _expected(self) -> Codes:
        """The place in `_EXPECTED` of what each one's author says."""
        claim_class, verdict = self.stood.expected(self.contract_major)
        codes = (claim_class + 1) * len(_VERDICTS) + verdict
        return np.where(verdict == NOTHING, NOTHING, codes)


@dataclass(frozen=True)
class Opinions:
    """Of each statement which of ``alike`` is said: its countable labels, and what its author
    expects."""

    which: Codes
    alike: Sequence[tuple[tuple[Said, ...], Expected | None]]


def told_of(calibration_set: CalibrationSet, revision: int, contract_major: int) -> Told:
    """What is said of the statements that made up the set at ``revision``. Two queries, whatever
    their number."""
    return Told(
        calibration_set,
        revision,
        contract_major,
        stood.of(calibration_set, revision),
        labels_among(Label.objects.filter(annotator__set=calibration_set), contract_major),
    )


def labels_among(labels: LabelQuerySet, contract_major: int) -> Labels:
    """The countable ones of ``labels``, by one query."""
    return Labels(*numbers(countable.among(labels, contract_major), *_COLUMNS))


def by_statement(labels: LabelQuerySet, contract_major: int) -> dict[int, tuple[Said, ...]]:
    """What the countable ones among ``labels`` say."""
    counted = labels_among(labels, contract_major)
    kinds, known = _kinds(counted)
    said: dict[int, tuple[Said, ...]] = {}
    for statement, kind in zip(counted.statement.tolist(), kinds.tolist(), strict=True):
        said[statement] = (*said.get(statement, ()), known[kind])
    return said


def _opinion(row: Sequence[int], known: Sequence[Said]) -> tuple[tuple[Said, ...], Expected | None]:
    expected, *labels = row
    said = tuple(known[kind] for kind in labels if kind != NOTHING)
    return said, None if expected == NOTHING else _EXPECTED[expected]


def _side_by_side(statements: int, place: Codes, codes: Codes) -> Codes:
    """The codes at each place in a row, ascending and followed by `NOTHING`, in as many columns
    as any of them takes."""
    sorted_ = np.lexsort((codes, place))
    place, codes = place[sorted_], codes[sorted_]
    many = np.bincount(place, minlength=statements)
    rank = np.arange(place.size) - np.repeat(np.cumsum(many) - many, many)
    rows = np.full((statements, max(1, many.max(initial=0))), NOTHING, dtype=np.int64)
    rows[place, rank] = codes
    return rows


def _kinds(labels: Labels) -> tuple[Codes, list[Said]]:
    """Of each label its place in what labels say."""
    rows, kinds = different(np.column_stack([getattr(labels, name) for name in _WORDS]))
    known = [_plain(row) for row in rows.tolist()]
    apart = (labels.split_off != NOTHING) | _several(labels.statement, labels.role)
    more = _more(labels.pk[apart])
    for place in np.flatnonzero(apart).tolist():
        at, premises = more[int(labels.pk[place])]
        known.append(known[kinds[place]]._replace(at=at, premises=premises))
        kinds[place] = len(known) - 1
    return kinds, known


def _plain(codes: Sequence[int]) -> Said:
    """What a label says in words alone."""
    role, claim_class, verdict, claim_type, speech_act = (
        None if code == NOTHING else words[code].value
        for words, code in zip(_WORDS.values(), codes, strict=True)
    )
    return Said(str(role), claim_class, str(verdict), None, claim_type, speech_act)


def _several(statements: Codes, roles: Codes) -> Flags:
    """Flags the adjudications of statements that have more than one: the latest decides."""
    decided: Flags = roles == _ADJUDICATION
    found, counts = np.unique(statements[decided], return_counts=True)
    return decided & np.isin(statements, found[counts > 1])


def _more(labels: Codes) -> dict[int, tuple[datetime | None, tuple[str, ...]]]:
    """When these labels were made, and the verdicts of what they split off."""
    if not labels.size:
        return {}
    rows = Label.objects.filter(listed(labels.tolist())).order_by()
    return {
        pk: (at, tuple(sorted(one["verdict"] for one in premises if one.get("verdict"))))
        for pk, at, premises in rows.values_list("pk", "labeled_at", "premises")
    }


_EXPECTED: Final[Sequence[Expected]] = [
    (claim_class, verdict.value)
    for claim_class, verdict in product([None, *(word.value for word in _CLASSES)], _VERDICTS)
]
_COLUMNS: Final[Sequence[str | Coded]] = (
    "pk",
    "statement_id",
    "annotator_id",
    flag_of(~Q(premises=[])),
    flag_of(~Q(evidence=[])),
    *(code_of(name, words) for name, words in _WORDS.items()),
)
"""In the order of `Labels`."""
