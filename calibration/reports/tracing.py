"""Each ungrounded answer of a run traced to the stage at which its fact was lost.

Cases and statements are read only where their pool has to be searched, and no more of them than
`MOST_CHARACTERS` of passages: a report is made while somebody waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from calibration import rubrics
from calibration.agreement.answering import Answers, Reading
from calibration.agreement.columns import CLASSES, NOTHING, SPEECH_ACTS, VERDICTS, Codes, failing
from calibration.agreement.stages import BASES, STAGES, Pools
from calibration.loading import Loaded
from grounding.contract import FAILING, ClaimClass, SpeechAct, Verdict
from grounding.interchange.models import Passage
from grounding.judges.lexical import LexicalJudge
from grounding.rubrics import RubricDefinition, load_rubric
from grounding.tracing import Failing, Known, Search, Trace, settled, speaks_of, trace
from labeling.columns.numbers import different, places_of
from labeling.models import Case, Statement
from labeling.references.stood import beyond

MOST_CHARACTERS: Final = 4_000_000
"""Of passages to search for one report: a few seconds' work. What is left is counted as not
searched."""

_CASES_AT_ONCE: Final = 200
_SHIPPED: Final = Path(rubrics.__file__).with_name("groundedness@1.0.0.yaml")
_CONTRADICTORY: Final = VERDICTS.index(Verdict.CONTRADICTORY)
_EXTERNAL: Final = CLASSES.index(ClaimClass.EXTERNAL)
_FAILING: Final = frozenset(VERDICTS.index(verdict) for verdict in FAILING)
# Stands for any pool with more in it than was admitted.
_SOME: Final = (Passage(id="some", text="some"),)


@dataclass(frozen=True)
class CaseFacts:
    """What is known of each answer's case: 1, 0 or `NOTHING` whether context and pool hold the
    answer to its question, and whether the pool was captured."""

    answerable: Codes
    from_retrieved: Codes
    captured: Codes

    @cached_property
    def known(self) -> Codes:
        """Side by side, shape (answers, 3)."""
        return np.column_stack([self.answerable, self.from_retrieved, self.captured])


class _Fails(NamedTuple):
    """The rows that fail of the answers that their references do not ground: which answer each is
    of, the row, and what it is (`_kinds`)."""

    answer: Codes
    row: Codes
    kind: Codes


@dataclass(frozen=True)
class _Open:
    """An answer whose pool has to be searched, with its failing rows."""

    answer: int
    case_pk: int
    rows: Sequence[int]
    failing: Sequence[Failing]
    known: Known


def facts_of(loaded: Loaded, found: Answers) -> CaseFacts:
    held = loaded.stood
    places = places_of(held.cases, found.case)
    stated = held.answerable, held.from_retrieved, held.captured
    return CaseFacts(*(column[places] for column in stated))


def pools_of(loaded: Loaded, found: Answers) -> Pools:
    """Passages dropped and admitted, over the cases whose pool was captured."""
    held = loaded.stood
    places = places_of(held.cases, found.case)
    captured = held.captured[places] == 1
    kept = places[captured]
    return Pools(found.cluster[captured], held.dropped[kept], held.admitted[kept])


def traced(loaded: Loaded, found: Answers, human: Reading, facts: CaseFacts) -> tuple[Codes, Codes]:
    """Stage and basis of each answer that its references do not ground; `NOTHING` of others."""
    stages, bases = (np.full(len(found), NOTHING, dtype=np.int64) for _ in range(2))
    places = np.flatnonzero(found.human.ungrounded)
    fails = _failing_rows(loaded, found, human)
    kinds = np.zeros(len(found), dtype=np.int64)
    np.bitwise_or.at(kinds, fails.answer, 1 << fails.kind)
    alike, which = different(np.column_stack([kinds, facts.known])[places])
    told = [_at_once(*row) for row in alike.tolist()]
    codes = np.array([_codes(one) for one in told], dtype=np.int64).reshape(-1, 2)
    stages[places], bases[places] = codes[which].T
    unsettled = np.array([one is None for one in told], dtype=np.bool_)[which]
    for answer, one in _searched(loaded, _open(places[unsettled], fails, facts, found)):
        stages[answer], bases[answer] = _codes(one)
    return stages, bases


def searched_by() -> str:
    """The judge that compares words where people said nothing."""
    definition, _ = _lexical()
    return str(definition.judge.judge_model)


def _codes(one: Trace | None) -> tuple[int, int]:
    if one is None:
        return NOTHING, NOTHING
    return STAGES.index(one.stage), NOTHING if one.basis is None else BASES.index(one.basis)


@lru_cache(maxsize=4096)
def _at_once(kinds: int, answerable: int, from_retrieved: int, captured: int) -> Trace | None:
    """The trace that takes no search, if none does. It does not matter how often a kind occurs,
    and there are few kinds of answer in a run."""
    known = _known(answerable, from_retrieved, captured)
    failing = [_failing(kind) for kind in range(kinds.bit_length()) if kinds >> kind & 1]
    return trace(failing, known, _never) if settled(failing, known) else None


def _never(one: Failing, passages: Sequence[Passage]) -> None:
    """Looks nowhere."""


def _failing_rows(loaded: Loaded, found: Answers, human: Reading) -> _Fails:
    fails = failing(human.verdict)
    fails[[row for row, codes in human.premises.items() if _FAILING & set(codes)]] = True
    rows = np.flatnonzero(fails)
    answers = places_of(found.case, loaded.columns.case[rows])
    wanted = found.human.ungrounded[answers]
    rows = rows[wanted]
    return _Fails(answers[wanted], rows, _kinds(loaded, human)[rows])


def _open(places: Codes, fails: _Fails, facts: CaseFacts, found: Answers) -> list[_Open]:
    """The answers at these places, whose pools have to be searched."""
    of: dict[int, list[tuple[int, int]]] = {place: [] for place in places.tolist()}
    for answer, row, kind in zip(*(column.tolist() for column in fails), strict=True):
        if answer in of:
            of[answer].append((row, kind))
    return [
        _Open(
            answer=place,
            case_pk=int(found.case[place]),
            rows=[row for row, _ in these],
            failing=[_failing(kind) for _, kind in these],
            known=_known(*facts.known[place].tolist()),
        )
        for place, these in of.items()
    ]


def _kinds(loaded: Loaded, human: Reading) -> Codes:
    """What `_failing` needs of each row, in one number."""
    contradictory = human.verdict == _CONTRADICTORY
    contradictory[[row for row, codes in human.premises.items() if _CONTRADICTORY in codes]] = True
    external = loaded.columns.reference_class == _EXTERNAL
    kinds: Codes = human.speech_act * 4 + external * 2 + contradictory
    return kinds


@lru_cache(maxsize=256)
def _failing(kind: int) -> Failing:
    return Failing(
        text="",
        contradictory=bool(kind & 1),
        external=bool(kind & 2),
        speech_act=SpeechAct(SPEECH_ACTS[kind >> 2]),
    )


def _known(answerable: int, from_retrieved: int, captured: int) -> Known:
    """Before its passages are read: any pool stands for one that holds more than was admitted."""
    holds, pool_holds = (
        None if code == NOTHING else bool(code) for code in (answerable, from_retrieved)
    )
    return Known(holds, pool_holds, _SOME if captured else None)


def _searched(loaded: Loaded, left: Sequence[_Open]) -> Iterator[tuple[int, Trace]]:
    budget = MOST_CHARACTERS
    for start in range(0, len(left), _CASES_AT_ONCE):
        chunk = left[start : start + _CASES_AT_ONCE]
        texts = _texts(loaded, chunk) if budget > 0 else {}
        cases = _pools(chunk) if budget > 0 else {}
        for one in chunk:
            question, beyond = cases.get(one.case_pk, (None, _SOME))
            cost = sum(len(passage.text) for passage in beyond)
            search: Search = _search_of(question) if budget >= cost and cases else _never
            budget -= cost
            stated = [replace(f, text=texts.get(row, "")) for f, row in _paired(one)]
            yield one.answer, trace(stated, replace(one.known, beyond=beyond), search)


def _paired(one: _Open) -> Iterator[tuple[Failing, int]]:
    return zip(one.failing, one.rows, strict=True)


def _texts(loaded: Loaded, chunk: Sequence[_Open]) -> dict[int, str]:
    """The text of each row's statement."""
    rows = {int(loaded.statements[row]): row for one in chunk for row in one.rows}
    held = Statement.objects.filter(pk__in=rows.keys()).order_by()
    return {rows[pk]: text for pk, text in held.values_list("pk", "text")}


def _pools(chunk: Sequence[_Open]) -> Mapping[int, tuple[str | None, tuple[Passage, ...]]]:
    """Each case's question, and its passages that were retrieved and not admitted."""
    held = Case.objects.filter(pk__in=[one.case_pk for one in chunk]).order_by()
    return {
        pk: (question, tuple(map(Passage.model_validate, beyond(context, retrieved))))
        for pk, question, context, retrieved in held.values_list(
            "pk", "question", "context", "retrieved"
        )
    }


def _search_of(question: str | None) -> Search:
    definition, judge = _lexical()
    return lambda one, passages: speaks_of(one, passages, question, judge, definition)


@lru_cache(maxsize=1)
def _lexical() -> tuple[RubricDefinition, LexicalJudge]:
    definition = load_rubric(_SHIPPED.read_text(encoding="utf-8"))
    return definition, LexicalJudge.of(definition)
