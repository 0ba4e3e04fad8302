"""What labels and authors say of each statement of a set, read as columns.

Statements are many, and what is said of them is mostly alike: each combination stands once, and
whoever decides something from it decides it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from django.db.models import Q, QuerySet

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import LabelRole
from labeling import countable
from labeling.models import Case, CaseQuerySet, Expectation, Label, LabelQuerySet
from labeling.numbers import NOTHING, Codes, code_of, different, documents, flag_of, listed, numbers

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


@dataclass(frozen=True)
class Opinions:
    """Of each statement which of ``alike`` is said: its countable labels, and what its author
    expects."""

    statements: Codes
    case_ids: Sequence[str]
    statement_ids: Sequence[str]
    which: Codes
    alike: Sequence[tuple[tuple[Said, ...], Expected | None]]


def opinions(
    cases: CaseQuerySet, contract_major: int, labels: LabelQuerySet | None = None
) -> Opinions:
    """What is said of every statement of ``cases``.

    Three queries whatever their number, and one for labels that say more than words; ``cases``
    stays a sub-query. ``labels`` may be more than those of these cases, where that is quicker to
    find.
    """
    chosen = cases.order_by().values("pk")
    if labels is None:
        labels = Label.objects.filter(statement__case__in=chosen)
    # By way of the cases, which are joined once so.
    each = cases.filter(statements__isnull=False)
    pks, case_ids, statement_ids = documents(
        each, "statements__pk", "case_id", "statements__statement_id"
    )
    statements = np.array(pks, dtype=np.int64)
    labelled, kinds, known = _labels(labels, contract_major)
    expecting, expected = _expected(chosen, contract_major)
    table = np.column_stack(
        [_side_by_side(statements, expecting, expected), _side_by_side(statements, labelled, kinds)]
    )
    rows_alike, which = different(table)
    alike = [_opinion(row, known) for row in rows_alike.tolist()]
    return Opinions(statements, case_ids, statement_ids, which, alike)


def by_statement(labels: LabelQuerySet, contract_major: int) -> dict[int, tuple[Said, ...]]:
    """What the countable ones among ``labels`` say."""
    statements, kinds, known = _labels(labels, contract_major)
    said: dict[int, tuple[Said, ...]] = {}
    for statement, kind in zip(statements.tolist(), kinds.tolist(), strict=True):
        said[statement] = (*said.get(statement, ()), known[kind])
    return said


def _opinion(row: Sequence[int], known: Sequence[Said]) -> tuple[tuple[Said, ...], Expected | None]:
    expected, *labels = row
    said = tuple(known[kind] for kind in labels if kind != NOTHING)
    return said, None if expected == NOTHING else _EXPECTED[expected]


def _side_by_side(statements: Codes, of: Codes, codes: Codes) -> Codes:
    """The codes of each statement in a row, ascending and followed by `NOTHING`, in as many
    columns as any of them takes. What is of no such statement is left out."""
    order = np.argsort(statements)
    at = np.searchsorted(statements, of, sorter=order) % max(1, statements.size)
    there = statements[order[at]] == of if statements.size else np.zeros(of.size, dtype=np.bool_)
    place, code = order[at[there]], codes[there]
    sorted_ = np.lexsort((code, place))
    place, code = place[sorted_], code[sorted_]
    many = np.bincount(place, minlength=statements.size)
    rank = np.arange(place.size) - np.repeat(np.cumsum(many) - many, many)
    rows = np.full((statements.size, max(1, many.max(initial=0))), NOTHING, dtype=np.int64)
    rows[place, rank] = code
    return rows


def _labels(labels: LabelQuerySet, contract_major: int) -> tuple[Codes, Codes, list[Said]]:
    """Of each countable label its statement, and its place in what labels say."""
    counted = countable.among(labels, contract_major)
    codes = (code_of(name, words) for name, words in _WORDS.items())
    split = flag_of(~Q(premises=[]))
    statements, pks, split_off, *columns = numbers(counted, "statement_id", "pk", split, *codes)
    rows, kinds = different(np.column_stack(columns))
    known = [_plain(row) for row in rows.tolist()]
    apart = (split_off != NOTHING) | _several(statements, columns[0])
    more = _more(pks[apart])
    for place in np.flatnonzero(apart).tolist():
        at, premises = more[int(pks[place])]
        known.append(known[kinds[place]]._replace(at=at, premises=premises))
        kinds[place] = len(known) - 1
    return statements, kinds, known


def _plain(codes: Sequence[int]) -> Said:
    """What a label says in words alone."""
    role, claim_class, verdict, claim_type, speech_act = (
        None if code == NOTHING else words[code].value
        for words, code in zip(_WORDS.values(), codes, strict=True)
    )
    return Said(str(role), claim_class, str(verdict), None, claim_type, speech_act)


def _several(statements: Codes, roles: Codes) -> np.typing.NDArray[np.bool_]:
    """Flags the adjudications of statements that have more than one: the latest decides."""
    decided: np.typing.NDArray[np.bool_] = roles == _ADJUDICATION
    found, counts = np.unique(statements[decided], return_counts=True)
    return decided & np.isin(statements, found[counts > 1])


def _more(labels: Codes) -> dict[int, tuple[datetime | None, tuple[str, ...]]]:
    """When these labels were made, and the verdicts of what they split off."""
    if not labels.size:
        return {}
    rows = Label.objects.filter(pk__in=listed(labels.tolist())).order_by()
    return {
        pk: (at, tuple(sorted(one["verdict"] for one in premises if one.get("verdict"))))
        for pk, at, premises in rows.values_list("pk", "labeled_at", "premises")
    }


_EXPECTED: Final[Sequence[Expected]] = [
    (claim_class, verdict.value)
    for claim_class, verdict in product([None, *(word.value for word in _CLASSES)], _VERDICTS)
]


def _expected(cases: QuerySet[Case, Any], contract_major: int) -> tuple[Codes, Codes]:
    """Of each statement of which the author states a verdict, its place in `_EXPECTED`."""
    rows = Expectation.objects.filter(
        statement__case__in=cases, verdict__isnull=False, contract_major=contract_major
    )
    pks, claim_class, verdict = numbers(
        rows, "pk", code_of("claim_class", _CLASSES), code_of("verdict", _VERDICTS)
    )
    return pks, (claim_class + 1) * len(_VERDICTS) + verdict
