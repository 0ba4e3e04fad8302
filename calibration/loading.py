"""A run's planned judgments and their references, loaded as columns by three queries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np
from django.db.models import Q, TextField
from django.db.models.functions import Cast
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
from labeling.numbers import code_of, documents, numbers, places_of, truth_of

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
    answers: Sequence[Reference]
    """The different references, the last of them none at all."""
    which: Codes
    """The place in ``answers`` of each row's, `NOTHING` for the last."""
    judge_claim_type: Codes
    judge_speech_act: Codes
    """What the judge states, `NOTHING` where it states none."""

    stood: _Stood

    @cached_property
    def references(self) -> Sequence[Reference]:
        """Of each row."""
        return [self.answers[one] for one in self.which.tolist()]


@dataclass(frozen=True)
class Beside:
    """What few judgments state beside their answer, by row: how sure the judge says it is, nan
    where it does not say, and what it split off."""

    confidence: Confidences
    premises: Mapping[int, Sequence[Mapping[str, Any]]]


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


class _Stood(NamedTuple):
    """A set at a revision: its statements, and its cases in the set's order."""

    statements: _Stated
    cases: Codes
    pairs: Sequence[str | None]
    kinds: Sequence[str | None]


def load(run: Run, references: Frozen, like: Loaded | None = None) -> Loaded:
    """The judgments of ``run`` with their references; three queries, or one where ``like`` is of
    a run on the same revision, whose statements and cases are the same."""
    stood = _stood(run.set_id, run.revision) if like is None else like.stood
    return _load(run, stood, references)


def load_each(runs: Sequence[Run], references: Frozen) -> list[Loaded]:
    """`load` of several runs: a query each, and two for every revision among them."""
    stood = {key: _stood(*key) for key in {(run.set_id, run.revision) for run in runs}}
    return [_load(run, stood[run.set_id, run.revision], references) for run in runs]


def beside(run: Run, loaded: Loaded) -> Beside:
    """One query, which reads the rows that state something alone."""
    told = run.judgments.filter(Q(confidence__isnull=False) | ~Q(premises=[]), repeat=0)
    written = Cast("premises", TextField())
    pks, sure, premises = documents(told, "pk", "confidence", written)
    places = places_of(np.array(loaded.judgments, dtype=np.int64), np.array(pks, dtype=np.int64))
    confidence = np.full(len(loaded.judgments), np.nan)
    confidence[places] = np.array(sure, dtype=np.float64)
    split = zip(places.tolist(), premises, strict=True)
    return Beside(confidence, {row: json.loads(each) for row, each in split if each != "[]"})


def _stood(set_pk: int, revision: int) -> _Stood:
    cases = Case.objects.at(revision).filter(set=set_pk).order_by()
    stated = numbers(Statement.objects.filter(case__in=cases.values("pk")), *_STATED)
    position, pk, *names = documents(cases, "position", "pk", "pair_id", "pair_kind")
    order = np.lexsort((np.array(pk, dtype=np.int64), np.array(position, dtype=np.int64)))
    pks, pairs, kinds = ([each[at] for at in order.tolist()] for each in (pk, *names))
    return _Stood(_Stated(*stated), np.array(pks, dtype=np.int64), pairs, kinds)


def _load(run: Run, stood: _Stood, references: Frozen) -> Loaded:
    judged = _Judged(*numbers(run.judgments.filter(repeat=0), *_JUDGED))
    every = stood.statements
    told = _Stated(*_rows(every, places_of(every.pk, judged.statement)))
    held = _cases(stood, told.case)
    place = places_of(held.pk, told.case)
    order = np.lexsort((told.position, place))
    return _loaded(
        stood,
        _Judged(*_rows(judged, order)),
        _Stated(*_rows(told, order)),
        place[order],
        held,
        references,
    )


def _rows(columns: Iterable[Codes], places: Codes) -> Iterator[Codes]:
    return (column[places] for column in columns)


def _cases(stood: _Stood, judged: Codes) -> _Cases:
    there = np.isin(stood.cases, judged)
    pairs, kinds = (list(compress(each, there.tolist())) for each in (stood.pairs, stood.kinds))
    names = tuple(sorted({kind for kind in kinds if kind}))
    return _Cases(
        stood.cases[there],
        coded(pairs, numbered(pairs)),
        coded(kinds, numbered(names)),
        tuple(dict.fromkeys(name for name in pairs if name)),
        names,
    )


def _loaded(
    stood: _Stood,
    judged: _Judged,
    stated: _Stated,
    place: Codes,
    held: _Cases,
    references: Frozen,
) -> Loaded:
    which = references.of_statements(judged.statement)
    answers = answers_of(references)
    judgments, statements = judged.pk.tolist(), judged.statement.tolist()
    columns = Columns(
        outcome=judged.outcome,
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
        answers=answers,
        which=which,
        judge_claim_type=judged.claim_type,
        judge_speech_act=judged.speech_act,
        stood=stood,
    )


def answers_of(references: Frozen) -> list[Reference]:
    """The different answers by their places; last, where `NOTHING` leads, that there is none."""
    return [*(Reference(*answer) for answer in references.answers), NO_REFERENCE]


def numbered(names: Iterable[str | None]) -> dict[str | None, int]:
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
