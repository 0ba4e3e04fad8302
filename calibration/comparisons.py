"""The lists behind a report's numbers: exactly the statements that a cell of its tables counts,
exactly the pairs that had an outcome. Reads only, by the report's own frozen references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, Final

from calibration import pairs
from calibration.columns import CLASSES, VERDICTS
from calibration.loading import NO_REFERENCE, Reference
from calibration.models import Judgment, PairOutcome, Report
from grounding.interchange.models import Outcome
from labeling.models import Case

STATED: Final = "stated"
"""Of a class: whichever it is, but one is stated."""

_VERDICTS: Final = [word.value for word in VERDICTS]
_CLASSES: Final = [*(word.value for word in CLASSES), STATED]

STATEMENT_FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "human_class": _CLASSES,
    "human_verdict": _VERDICTS,
    "judge_class": _CLASSES,
    "judge_verdict": _VERDICTS,
    "right": ["yes", "no"],
}
PAIR_FILTERS: Final[Mapping[str, Sequence[str]]] = {"outcome": pairs.OUTCOMES}


@dataclass(frozen=True)
class Compared:
    """One judgment beside the reference that its report froze."""

    judgment: Judgment
    reference: Reference


@dataclass(frozen=True)
class PairSide:
    case: Case
    compared: Sequence[Compared]


@dataclass(frozen=True)
class PairRow:
    pair_id: str
    outcome: str
    sides: Sequence[PairSide]

    @property
    def live(self) -> bool:
        """Whether the pair's own page, which shows the set as it is now, still has it."""
        return any(side.case.superseded_in is None for side in self.sides)

    @property
    def kind(self) -> str | None:
        return self.sides[0].case.pair_kind if self.sides else None


class ComparedList:
    """The compared statements that pass ``filters``, as a paginator wants them."""

    def __init__(self, report: Report, filters: Mapping[str, str]) -> None:
        self.report = report
        self.filters = filters

    def count(self) -> int:
        return len(self._found)

    def __getitem__(self, part: slice) -> Sequence[Compared]:
        shown = self._found[part]
        return [_beside(one, self._references) for one in _in_full(shown)]

    @cached_property
    def _references(self) -> Mapping[str, Sequence[Any]]:
        references: Mapping[str, Sequence[Any]] = self.report.snapshot.references
        return references

    @cached_property
    def _found(self) -> list[int]:
        """Primary keys of the judgments, in the set's order."""
        chosen = self.filters
        rows = Judgment.objects.filter(
            run=self.report.run_id, repeat=0, outcome=Outcome.GRADED.value
        )
        if "judge_verdict" in chosen:
            rows = rows.filter(verdict=chosen["judge_verdict"])
        if "judge_class" in chosen:
            stated = chosen["judge_class"] == STATED
            rows = rows.filter(
                **{"claim_class__isnull": False}
                if stated
                else {"claim_class": chosen["judge_class"]}
            )
        columns = rows.order_by("pk").values_list("pk", "statement_id", "claim_class", "verdict")
        return [
            pk
            for pk, statement, claim_class, verdict in columns.iterator(chunk_size=10_000)
            if _passes(self._references.get(str(statement)), claim_class, verdict, chosen)
        ]


class PairList:
    """A report's pairs, or those of one outcome, as a paginator wants them."""

    def __init__(self, report: Report, outcome: str | None) -> None:
        self.report = report
        rows = PairOutcome.objects.filter(report=report).order_by("position")
        self.rows = rows.filter(outcome=outcome) if outcome else rows

    def count(self) -> int:
        return self.rows.count()

    def __getitem__(self, part: slice) -> Sequence[PairRow]:
        shown = list(self.rows[part])
        sides = self._sides([row.pair_id for row in shown])
        return [PairRow(row.pair_id, row.outcome, sides.get(row.pair_id, [])) for row in shown]

    def _sides(self, pair_ids: Sequence[str]) -> dict[str, list[PairSide]]:
        run, references = self.report.run, self.report.snapshot.references
        cases = Case.objects.at(run.revision).filter(set=run.set_id, pair_id__in=pair_ids)
        held = list(cases.defer("context", "retrieved").order_by("position", "pk"))
        judged = _judged(run.pk, held)
        sides: dict[str, list[PairSide]] = {}
        for case in held:
            compared = [_beside(one, references) for one in judged.get(case.pk, [])]
            sides.setdefault(str(case.pair_id), []).append(PairSide(case, compared))
        return sides


def _judged(run_pk: int, cases: Sequence[Case]) -> dict[int, list[Judgment]]:
    """Each case's judgments of repeat 0 in their order."""
    found = Judgment.objects.filter(
        run=run_pk, repeat=0, case_pk__in=[case.pk for case in cases]
    ).select_related("statement")
    rows = found.order_by("case_pk", "statement__position")
    return {pk: list(group) for pk, group in groupby(rows, key=lambda row: row.case_pk)}


def _passes(
    reference: Sequence[Any] | None,
    judge_class: str | None,
    judge_verdict: str | None,
    chosen: Mapping[str, str],
) -> bool:
    if reference is None:
        return False
    _, human_class, human_verdict = reference
    right = human_verdict == judge_verdict and (
        human_class == judge_class or human_class is None or judge_class is None
    )
    return (
        chosen.get("human_verdict", human_verdict) == human_verdict
        and _is_class(chosen.get("human_class"), human_class)
        and chosen.get("right", "yes" if right else "no") == ("yes" if right else "no")
    )


def _is_class(asked: str | None, claim_class: str | None) -> bool:
    return asked is None or asked == claim_class or (asked == STATED and claim_class is not None)


def _in_full(pks: Sequence[int]) -> list[Judgment]:
    found = Judgment.objects.filter(pk__in=pks).select_related("statement__case").order_by("pk")
    return list(
        found.defer(
            "statement__case__context", "statement__case__retrieved", "statement__case__answer"
        )
    )


def _beside(judgment: Judgment, references: Mapping[str, Sequence[Any]]) -> Compared:
    frozen = references.get(str(judgment.statement_id))
    return Compared(judgment, Reference(*frozen) if frozen else NO_REFERENCE)
