"""A run's planned judgments and their references, loaded as columns by one query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
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

_FIELDS: Final = (
    "pk",
    "statement_id",
    "outcome",
    "claim_class",
    "verdict",
    "without_evidence",
    "claim_type",
    "speech_act",
    "confidence",
    "statement__claim_type",
    "statement__speech_act",
    "statement__case_id",
    "statement__case__pair_id",
    "statement__case__pair_kind",
)
_ORDER: Final = ("statement__case__position", "statement__case_id", "statement__position")


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
    confidence: NDArray[np.float64]
    """How sure the judge says it is, nan where it does not say."""


def load(run: Run, references: Mapping[str, Sequence[Any]]) -> Loaded:
    """``references`` maps a statement's primary key, as text, to tier, class and verdict."""
    planned = run.judgments.filter(repeat=0).order_by(*_ORDER).values_list(*_FIELDS)
    by_field = dict(zip(_FIELDS, _transposed(planned.iterator(chunk_size=10_000)), strict=True))
    matched = [_reference(references.get(str(pk))) for pk in by_field["statement_id"]]
    kinds = tuple(sorted({kind for kind in by_field["statement__case__pair_kind"] if kind}))
    return Loaded(
        columns=_columns(by_field, matched, kinds),
        pair_kinds=kinds,
        pairs=tuple(dict.fromkeys(name for name in by_field["statement__case__pair_id"] if name)),
        judgments=by_field["pk"],
        statements=by_field["statement_id"],
        references=matched,
        judge_claim_type=coded(by_field["claim_type"], codebook(CLAIM_TYPES)),
        judge_speech_act=coded(by_field["speech_act"], codebook(SPEECH_ACTS)),
        confidence=np.array(by_field["confidence"], dtype=np.float64),
    )


def _transposed(rows: Iterable[tuple[Any, ...]]) -> Sequence[Sequence[Any]]:
    return list(zip(*rows, strict=True)) or [()] * len(_FIELDS)


def _reference(frozen: Sequence[Any] | None) -> Reference:
    return NO_REFERENCE if frozen is None else Reference(*frozen)


def _columns(
    by_field: Mapping[str, Sequence[Any]],
    references: Sequence[Reference],
    kinds: tuple[str, ...],
) -> Columns:
    classes, verdicts = codebook(CLASSES), codebook(VERDICTS)
    pairs = by_field["statement__case__pair_id"]
    # A statement without a speech act is read as an assertion.
    acts = {**codebook(SPEECH_ACTS), None: SPEECH_ACTS.index(SpeechAct.ASSERTION)}
    return Columns(
        outcome=coded(by_field["outcome"], codebook(OUTCOMES)),
        reference_class=coded([each.claim_class for each in references], classes),
        reference_verdict=coded([each.verdict for each in references], verdicts),
        judge_class=coded(by_field["claim_class"], classes),
        judge_verdict=coded(by_field["verdict"], verdicts),
        case=np.array(by_field["statement__case_id"], dtype=np.int64),
        pair=coded(pairs, _numbered(pairs)),
        claim_type=coded(by_field["statement__claim_type"], codebook(CLAIM_TYPES)),
        speech_act=coded(by_field["statement__speech_act"], acts),
        pair_kind=coded(by_field["statement__case__pair_kind"], _numbered(kinds)),
        without_evidence=np.array(by_field["without_evidence"], dtype=np.bool_),
    )


def _numbered(names: Iterable[str | None]) -> dict[str | None, int]:
    """Each name's number in order of first appearance, and `NOTHING` for None."""
    named = dict.fromkeys(name for name in names if name is not None)
    return {None: NOTHING, **{name: number for number, name in enumerate(named)}}


def coded(words: Iterable[str | None], codes: Mapping[str | None, int]) -> Codes:
    """Each word's code."""
    return np.array([codes[word] for word in words], dtype=np.int64)
