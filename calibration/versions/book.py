"""What several runs answered, over one order of all the statements of their set.

An answer is one small number, so that ten runs of a hundred thousand statements are ten arrays and
one query, whatever the texts beside them weigh.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.agreement.columns import (
    CLASSES,
    NOTHING,
    OUTCOMES,
    VERDICTS,
    Codes,
    Columns,
    Flags,
    codebook,
)
from calibration.loading import answers_of, coded, numbered
from calibration.models import Judgment, Run
from grounding.interchange.models import Outcome
from labeling import references
from labeling.columns.numbers import code_of, numbers, places_of
from labeling.models import CalibrationSet, Statement

ABSENT: Final = -2
"""The run did not plan the statement."""
FAILED: Final = -1
"""It planned it, and the judgment failed, whichever way."""

_GRADED: Final = OUTCOMES.index(Outcome.GRADED)
# Nothing here tells one failure from another; `Columns` asks for one of them.
_A_FAILURE: Final = OUTCOMES.index(Outcome.MISSING)


@dataclass(frozen=True)
class Ground:
    """Every statement of a set, of whatever revision, in the set's order."""

    statements: Codes
    case: Codes
    pair: Codes

    def __len__(self) -> int:
        return self.statements.size

    def places(self, statements: Codes) -> Codes:
        """Where each stands, by primary key; all of them must be there."""
        return places_of(self.statements, statements)

    @property
    def cluster(self) -> Codes:
        """What is right or wrong together, as `Columns.cluster` has it."""
        return _columns(self, *([np.full(len(self), NOTHING)] * 4), answered=None).cluster


@dataclass(frozen=True)
class Held:
    """The references of one revision on a `Ground`: `NOTHING` where there is none."""

    claim_class: Codes
    verdict: Codes
    tiers: Sequence[str]
    digest: str


@dataclass(frozen=True)
class Book:
    """``answers`` of each run, by its primary key, row for row with ``ground``: class and verdict
    in one number, `FAILED` or `ABSENT`. Repeat 0 alone, which makes headlines."""

    calibration_set: CalibrationSet
    ground: Ground
    answers: dict[int, Codes]
    minimum: str
    _held: dict[tuple[int, int], Held]

    def planned(self, run: Run) -> Flags:
        flags: Flags = self.answers[run.pk] != ABSENT
        return flags

    def graded(self, run: Run) -> Flags:
        flags: Flags = self.answers[run.pk] >= 0
        return flags

    def verdicts(self, run: Run) -> Codes:
        """`NOTHING` where the run graded nothing."""
        return np.where(self.graded(run), self.answers[run.pk] % len(VERDICTS), NOTHING)

    def classes(self, run: Run) -> Codes:
        """`NOTHING` where the run graded nothing or states no class."""
        return np.where(self.graded(run), self.answers[run.pk] // len(VERDICTS) - 1, NOTHING)

    def references(self, runs: Iterable[Run]) -> Held:
        """As they are now, of the latest revision among the runs; they share a contract."""
        latest = max(runs, key=lambda run: run.revision)
        key = latest.revision, latest.rubric_version.contract_major
        if key not in self._held:
            found = references.resolve(self.calibration_set, *key, self.minimum)
            self._held[key] = _held(self.ground, found)
        return self._held[key]

    def columns(self, run: Run, held: Held, rows: Flags | Codes) -> Columns:
        """What a comparison takes, of these rows."""
        verdicts, classes = self.verdicts(run), self.classes(run)
        whole = _columns(
            self.ground,
            held.claim_class,
            held.verdict,
            classes,
            verdicts,
            answered=self.graded(run),
        )
        return whole.where(rows)


def opened(
    calibration_set: CalibrationSet, runs: Collection[Run], minimum: str = references.AUTHOR
) -> Book:
    """Two queries, however many runs; references are looked up when they are first asked for."""
    ground = _ground(calibration_set)
    return Book(calibration_set, ground, _answers(ground, runs), minimum, {})


def _ground(calibration_set: CalibrationSet) -> Ground:
    rows = Statement.objects.filter(case__set=calibration_set)
    in_order = rows.order_by("case__position", "case_id", "position")
    columns = in_order.values_list("pk", "case_id", "case__pair_id").iterator(chunk_size=10_000)
    pks, cases, pairs = list(zip(*columns, strict=True)) or [(), (), ()]
    return Ground(_whole(pks), _whole(cases), coded(pairs, numbered(pairs)))


def _answers(ground: Ground, runs: Collection[Run]) -> dict[int, Codes]:
    planned = Judgment.objects.filter(run__in=runs, repeat=0)
    run_of, statements, outcome, claim_class, verdict = numbers(
        planned,
        "run_id",
        "statement_id",
        code_of("outcome", OUTCOMES),
        code_of("claim_class", CLASSES),
        code_of("verdict", VERDICTS),
    )
    said_of = (claim_class - NOTHING) * len(VERDICTS) + verdict
    answers = np.where(outcome == _GRADED, said_of, FAILED)
    found = {run.pk: np.full(len(ground), ABSENT, dtype=np.int64) for run in runs}
    places = ground.places(statements)
    for pk, said in found.items():
        of_run = run_of == pk
        said[places[of_run]] = answers[of_run]
    return found


def _held(ground: Ground, found: references.Resolved) -> Held:
    answers = answers_of(found.frozen)
    which = found.frozen.of_statements(ground.statements)
    return Held(
        claim_class=coded([one.claim_class for one in answers], codebook(CLASSES))[which],
        verdict=coded([one.verdict for one in answers], codebook(VERDICTS))[which],
        tiers=[answers[place].tier for place in which.tolist()],
        digest=found.digest,
    )


def _columns(
    ground: Ground,
    reference_class: Codes,
    reference_verdict: Codes,
    judge_class: Codes,
    judge_verdict: Codes,
    *,
    answered: Flags | None,
) -> Columns:
    nothing = np.full(len(ground), NOTHING)
    graded = np.zeros(len(ground), dtype=np.bool_) if answered is None else answered
    return Columns(
        outcome=np.where(graded, _GRADED, _A_FAILURE),
        reference_class=reference_class,
        reference_verdict=reference_verdict,
        judge_class=judge_class,
        judge_verdict=judge_verdict,
        case=ground.case,
        pair=ground.pair,
        claim_type=nothing,
        speech_act=nothing,
        pair_kind=nothing,
        without_evidence=np.zeros(len(ground), dtype=np.bool_),
    )


def _whole(numbers: Iterable[int]) -> Codes:
    return np.fromiter(numbers, dtype=np.int64)
