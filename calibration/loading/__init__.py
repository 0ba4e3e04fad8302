"""A run's planned judgments and their references, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from calibration.agreement.columns import (
    CLASSES,
    NOTHING,
    SPEECH_ACTS,
    VERDICTS,
    Codes,
    Columns,
    codebook,
)
from calibration.loading import judged
from calibration.loading.judged import Judged
from calibration.models import Run
from grounding.contract import SpeechAct
from labeling.columns.frozen import Frozen
from labeling.references import stood
from labeling.references.stood import Stood

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
    statements: Codes
    """Primary keys."""
    answers: Sequence[Reference]
    """The different references, the last of them none at all."""
    which: Codes
    """The place in ``answers`` of each row's, `NOTHING` for the last."""
    judged: Judged
    """The same rows as they were judged."""
    stood: Stood

    @property
    def judgments(self) -> Codes:
        """Primary keys."""
        return self.judged.rows.pk

    @cached_property
    def references(self) -> Sequence[Reference]:
        """Of each row."""
        return [self.answers[one] for one in self.which.tolist()]


def load(run: Run, references: Frozen, like: Loaded | None = None) -> Loaded:
    """The judgments of ``run`` with their references. ``like`` is of a run on the same revision,
    whose statements and cases are the same. Two queries, or one, where sheets are kept."""
    held = stood.of(run.set_id, run.revision) if like is None else like.stood
    return _loaded(judged.of(run, held), held, references)


def load_each(runs: Sequence[Run], references: Frozen) -> list[Loaded]:
    """`load` of several runs: a query each, and one for every revision among them."""
    held = {key: stood.of(*key) for key in {(run.set_id, run.revision) for run in runs}}
    each = [(run, held[run.set_id, run.revision]) for run in runs]
    return [_loaded(judged.of(run, one), one, references) for run, one in each]


def _loaded(found: Judged, held: Stood, references: Frozen) -> Loaded:
    rows = found.rows
    statements, case = held.statements[rows.place], held.case_of[rows.place]
    which, answers = references.of_statements(statements), answers_of(references)
    pair, pairs = _used(held.pair[case], held.pairs)
    kind, kinds = _used(held.kind[case], held.kinds)
    act = held.speech_act[rows.place]
    columns = Columns(
        outcome=rows.outcome,
        reference_class=coded([each.claim_class for each in answers], codebook(CLASSES))[which],
        reference_verdict=coded([each.verdict for each in answers], codebook(VERDICTS))[which],
        judge_class=rows.claim_class,
        judge_verdict=rows.verdict,
        case=held.cases[case],
        pair=pair,
        claim_type=held.claim_type[rows.place],
        # A statement without a speech act is read as an assertion.
        speech_act=np.where(act == NOTHING, _ASSERTION, act),
        pair_kind=kind,
        without_evidence=rows.without_evidence == 1,
    )
    return Loaded(columns, kinds, pairs, statements, answers, which, found, held)


def _used(codes: Codes, names: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """The codes anew, of the names that occur alone, in their order."""
    there = np.flatnonzero(np.bincount(codes - NOTHING)[-NOTHING:])
    anew = np.full(len(names) + 1, NOTHING, dtype=np.int64)
    anew[there] = np.arange(there.size)
    return anew[codes], tuple(names[code] for code in there.tolist())


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


def in_common(first: Codes, second: Codes) -> tuple[Codes, Codes]:
    """Where each has the statements of both, in the first's order."""
    if np.array_equal(first, second):
        return np.arange(first.size), np.arange(first.size)
    _, at_first, at_second = np.intersect1d(first, second, return_indices=True)
    order = np.argsort(at_first)
    return at_first[order], at_second[order]
