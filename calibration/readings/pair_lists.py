"""The lists behind a report's pairs: exactly those that had an outcome. Reads only, by the report's
own frozen references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from calibration.agreement import pairs, selfcheck
from calibration.models import Judgment, Report
from calibration.readings.comparisons import Compared, beside
from calibration.reports.pair_sheets import Outcomes
from calibration.runs.rounds import AsOf
from labeling.columns.frozen import Frozen
from labeling.models import Case

FLIPPED, TOLD, TWINS = "flipped", "told", "twins"
"""Of twins: either flip; those whose clean side is right; all that are twins."""

_FLIPS: Final = [selfcheck.LENIENT_FLIP, selfcheck.STRICT_FLIP]
_FATES: Final[Mapping[str, Sequence[str]]] = {
    **{fate: [fate] for fate in selfcheck.FATES},
    FLIPPED: _FLIPS,
    TOLD: [*_FLIPS, selfcheck.RESISTED],
    TWINS: selfcheck.FATES,
}
COMPLETE: Final = "complete"
"""Of pairs: all but the incomplete ones."""

_OUTCOMES: Final[Mapping[str, Sequence[str]]] = {
    **{outcome: [outcome] for outcome in pairs.OUTCOMES},
    COMPLETE: [outcome for outcome in pairs.OUTCOMES if outcome != pairs.INCOMPLETE],
}
PAIR_FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "outcome": list(_OUTCOMES),
    "twin": list(_FATES),
}


@dataclass(frozen=True)
class PairSide:
    case: Case
    compared: Sequence[Compared]


@dataclass(frozen=True)
class PairRow:
    pair_id: str
    outcome: str
    twin: str | None
    sides: Sequence[PairSide]

    @property
    def live(self) -> bool:
        """Whether the pair's own page, which shows the set as it is now, still has it."""
        return any(side.case.superseded_in is None for side in self.sides)

    @property
    def kind(self) -> str | None:
        return self.sides[0].case.pair_kind if self.sides else None


class PairList:
    """A report's pairs, or those of one outcome, as a paginator wants them."""

    def __init__(self, report: Report, outcome: str | None, twin: str | None = None) -> None:
        self.report = report
        outcomes = _OUTCOMES[outcome] if outcome else None
        self.rows = Outcomes(report, outcomes, _FATES[twin] if twin else None)

    def count(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice) -> Sequence[PairRow]:
        shown = self.rows[part]
        sides = self._sides([row.pair_id for row in shown])
        return [
            PairRow(row.pair_id, row.outcome, row.twin, sides.get(row.pair_id, [])) for row in shown
        ]

    def _sides(self, pair_ids: Sequence[str]) -> dict[str, list[PairSide]]:
        run, frozen = self.report.run, self.report.snapshot.frozen
        cases = Case.objects.at(run.revision).filter(set=run.set_id, pair_id__in=pair_ids)
        shown = ("case_id", "pair_id", "pair_kind", "tags", "superseded_in")
        held = list(cases.only(*shown).order_by("position", "pk"))
        judged = _judged(AsOf(run, self.report.round), frozen, held)
        sides: dict[str, list[PairSide]] = {}
        for case in held:
            sides.setdefault(str(case.pair_id), []).append(PairSide(case, judged.get(case.pk, [])))
        return sides


def _judged(then: AsOf, frozen: Frozen, cases: Sequence[Case]) -> dict[int, list[Compared]]:
    """Each case's judgments of repeat 0 in their order. By its statements, whose judgments have
    an index: of the cases of a whole run there is none once it is judged."""
    found = Judgment.objects.filter(
        run=then.run, repeat=0, statement__case__in=[case.pk for case in cases]
    ).select_related("statement")
    rows = found.order_by("case_pk", "statement__position").only(
        *("case_pk", "outcome", "claim_class", "verdict", "round"),
        *("statement__statement_id", "statement__text"),
    )
    shown = beside(then.shown(rows), frozen)
    return {pk: list(group) for pk, group in groupby(shown, key=lambda one: one.judgment.case_pk)}
