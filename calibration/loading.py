"""A run's planned judgments and their references, loaded as columns by four queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from calibration.columns import (
    CLAIM_TYPES,
    CLASSES,
    NOTHING,
    OUTCOMES,
    SPEECH_ACTS,
    VERDICTS,
    Codes,
    Columns,
    codebook,
)
from calibration.models import Run
from grounding.contract import SpeechAct
from labeling.frozen import Frozen
from labeling.models import Case, Statement
from labeling.numbers import code_of, numbers, places_of, truth_of

_JUDGED: Final = (
    "pk",
    "statement_id",
    code_of("outcome", OUTCOMES),
    code_of("claim_class", CLASSES),
    code_of("verdict", VERDICTS),
    code_of("claim_type", CLAIM_TYPES),
    code_of("speech_act", SPEECH_ACTS),
    truth_of("without_evidence"),
)
_STATED: Final = (
    "pk",
    "case_id",
    "position",
    code_of("claim_type", CLAIM_TYPES),
    code_of("speech_act", SPEECH_ACTS),
)
Confidences = NDArray[np.float64]

_ASSERTION: Final = SPEECH_ACTS.index(SpeechAct.ASSERTION)


@dataclass(frozen=True)
class Reference:
    """The human answer for one statement, with the tier that it came from."""

    tier: str = "none"
    claim_class: str | None = None
    verdict: str | None = None
    claim_type: str | None = None
    speech_act: str | None = None
    premises: Sequence[str] = ()


NO_REFERENCE: Final = Reference()


@dataclass(frozen=True)
class Loaded:
    """Columns of the judgments of repeat 0 in the set's order, and whose rows they are."""

    columns: Columns
    pair_kinds: tuple[str, ...]
    pairs: tuple[str, ...]
    """Each pair's id at its code."""
    judgments: Sequence[int]
    statements: Sequence[int]
    references: Sequence[Reference]
    judge_claim_type: Codes
    judge_speech_act: Codes
    """What the judge states, `NOTHING` where it states none."""
    confidence: Confidences
    """How sure the judge says it is, nan where it does not say."""


class _Judged(NamedTuple):
    """The judgments of a run's repeat 0, a column a field."""

    pk: Codes
    statement: Codes
    outcome: Codes
    claim_class: Codes
    verdict: Codes
    claim_type: Codes
    speech_act: Codes
    without_evidence: Codes


class _Stated(NamedTuple):
    """Statements, a column a field."""

    pk: Codes
    case: Codes
    position: Codes
    claim_type: Codes
    speech_act: Codes


class _Cases(NamedTuple):
    """Cases in the set's order: ``pair`` and ``kind`` are places in the names beside them, which
    are those of these cases alone."""

    pk: Codes
    pair: Codes
    kind: Codes
    pairs: tuple[str, ...]
    kinds: tuple[str, ...]


def load(run: Run, references: Frozen) -> Loaded:
    """The judgments of ``run`` with their references; four queries."""
    judged = _Judged(*numbers(run.judgments.filter(repeat=0), *_JUDGED))
    cases = Case.objects.at(run.revision).filter(set=run.set_id).order_by()
    every = _Stated(*numbers(Statement.objects.filter(case__in=cases.values("pk")), *_STATED))
    told = _Stated(*_rows(every, places_of(every.pk, judged.statement)))
    held = _cases(cases, set(told.case.tolist()))
    place = places_of(held.pk, told.case)
    order = np.lexsort((told.position, place))
    return _loaded(
        _Judged(*_rows(judged, order)),
        _Stated(*_rows(told, order)),
        place[order],
        held,
        references,
        _confidence(run, judged.pk[order]),
    )


def _confidence(run: Run, judgments: Codes) -> Confidences:
    sure = run.judgments.filter(repeat=0, confidence__isnull=False).order_by()
    stated = dict(sure.values_list("pk", "confidence"))
    return np.array([stated.get(pk, np.nan) for pk in judgments.tolist()], dtype=np.float64)


def _rows(columns: Iterable[Codes], places: Codes) -> Iterator[Codes]:
    return (column[places] for column in columns)


def _cases(cases: QuerySet[Case], judged: Set[int]) -> _Cases:
    every = cases.values_list("position", "pk", "pair_id", "pair_kind")
    rows = sorted(row for row in every if row[1] in judged)
    _, pks, pairs, kinds = zip(*rows, strict=True) if rows else ((),) * 4
    names = tuple(sorted({kind for kind in kinds if kind}))
    return _Cases(
        np.array(pks, dtype=np.int64),
        coded(pairs, _numbered(pairs)),
        coded(kinds, _numbered(names)),
        tuple(dict.fromkeys(name for name in pairs if name)),
        names,
    )


def _loaded(
    judged: _Judged,
    stated: _Stated,
    place: Codes,
    held: _Cases,
    references: Frozen,
    confidence: Confidences,
) -> Loaded:
    which = references.of_statements(judged.statement)
    answers = [*(Reference(*answer) for answer in references.answers), NO_REFERENCE]
    judgments, statements = judged.pk.tolist(), judged.statement.tolist()
    columns = Columns(
        outcome=judged.outcome,
        # `NOTHING` is -1, hence the last answer, which is none.
        reference_class=coded([each.claim_class for each in answers], codebook(CLASSES))[which],
        reference_verdict=coded([each.verdict for each in answers], codebook(VERDICTS))[which],
        judge_class=judged.claim_class,
        judge_verdict=judged.verdict,
        case=stated.case,
        pair=held.pair[place],
        claim_type=stated.claim_type,
        # A statement without a speech act is read as an assertion.
        speech_act=np.where(stated.speech_act == NOTHING, _ASSERTION, stated.speech_act),
        pair_kind=held.kind[place],
        without_evidence=judged.without_evidence == 1,
    )
    return Loaded(
        columns=columns,
        pair_kinds=held.kinds,
        pairs=held.pairs,
        judgments=judgments,
        statements=statements,
        references=[answers[one] for one in which.tolist()],
        judge_claim_type=judged.claim_type,
        judge_speech_act=judged.speech_act,
        confidence=confidence,
    )


def _numbered(names: Iterable[str | None]) -> dict[str | None, int]:
    """Each name's number in order of first appearance, and `NOTHING` for None."""
    named = dict.fromkeys(name for name in names if name is not None)
    return {None: NOTHING, **{name: number for number, name in enumerate(named)}}


def coded(words: Iterable[str | None], codes: Mapping[str | None, int]) -> Codes:
    """Each word's code."""
    return np.array([codes[word] for word in words], dtype=np.int64)


def in_common(first: Sequence[int], second: Sequence[int]) -> tuple[Codes, Codes]:
    """Where each has the statements of both, in the first's order."""
    _, at_first, at_second = np.intersect1d(
        np.array(first, dtype=np.int64), np.array(second, dtype=np.int64), return_indices=True
    )
    order = np.argsort(at_first)
    return at_first[order], at_second[order]
