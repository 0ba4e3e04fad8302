"""The lists behind a report's numbers: exactly the statements that a cell of its tables counts,
exactly the pairs that had an outcome. Reads only, by the report's own frozen references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, Final

import numpy as np
from django.db.models import Count, Q

from calibration import pairs, selfcheck
from calibration.columns import CLAIM_TYPES, CLASSES, NOTHING, SPEECH_ACTS, VERDICTS, Flags
from calibration.loading import NO_REFERENCE, Reference
from calibration.models import Judgment, JudgmentQuerySet, Report
from calibration.pair_sheets import Outcomes
from calibration.rounds import AsOf
from grounding.contract import FAILING, SpeechAct
from labeling.frozen import Frozen
from labeling.models import Case
from labeling.numbers import code_of, numbers
from labeling.parameters import ANY
from labeling.references import TIERS

STATED: Final = "stated"
"""Of a class: whichever it is, but one is stated."""
NONE: Final = "none"
"""Of a class: none is stated. Of a tier: the report took no reference."""
FAILS: Final = "failing"
"""Of a verdict: unsupported or contradictory."""
GRADED, PLANNED, FAILED = "graded", "planned", "failed"
"""Among which judgments to look, where not among the compared ones alone."""
SEVERAL, SAME, DIFFER, FEW = "several", "same", "differ", "few"
"""Of repeats: graded at least twice, and then all alike or not; graded less often."""
FLIPPED, TOLD, TWINS = "flipped", "told", "twins"
"""Of twins: either flip; those whose clean side is right; all that are twins."""

_YES_NO: Final = ["yes", "no"]
_VERDICTS: Final = [*(word.value for word in VERDICTS), FAILS]
_CLASSES: Final = [*(word.value for word in CLASSES), STATED, NONE]

STATEMENT_FILTERS: Final[Mapping[str, Sequence[str] | None]] = {
    "among": [GRADED, PLANNED, FAILED],
    "human_class": _CLASSES,
    "human_verdict": _VERDICTS,
    "judge_class": _CLASSES,
    "judge_verdict": _VERDICTS,
    "right": _YES_NO,
    "verdict_right": _YES_NO,
    "class_right": _YES_NO,
    "claim_type": [word.value for word in CLAIM_TYPES],
    "speech_act": [word.value for word in SPEECH_ACTS],
    "human_act": [word.value for word in SPEECH_ACTS],
    "judge_act": [*(word.value for word in SPEECH_ACTS), STATED, NONE],
    "act_right": _YES_NO,
    "kind": ANY,
    "tier": [*TIERS, NONE],
    "repeats": [SEVERAL, SAME, DIFFER, FEW],
    "class_repeats": [SEVERAL, SAME, DIFFER],
}
FILTER_LABELS: Final[Mapping[str, str]] = {
    "among": "Among",
    "human_class": "Human’s class",
    "human_verdict": "Human’s verdict",
    "judge_class": "Judge’s class",
    "judge_verdict": "Judge’s verdict",
    "right": "Class and verdict right",
    "verdict_right": "Verdict right",
    "class_right": "Class right",
    "claim_type": "Claim type",
    "speech_act": "Speech act",
    "human_act": "Human’s speech act",
    "judge_act": "Judge’s speech act",
    "act_right": "Speech act right",
    "kind": "Pair kind",
    "tier": "Reference",
    "repeats": "Verdict on repeats",
    "class_repeats": "Class on repeats",
}
_FLIPS: Final = [selfcheck.LENIENT_FLIP, selfcheck.STRICT_FLIP]
_FATES: Final[Mapping[str, Sequence[str]]] = {
    **{fate: [fate] for fate in selfcheck.FATES},
    FLIPPED: _FLIPS,
    TOLD: [*_FLIPS, selfcheck.RESISTED],
    TWINS: selfcheck.FATES,
}
PAIR_FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "outcome": pairs.OUTCOMES,
    "twin": list(_FATES),
}


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
    twin: str | None
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
        shown = self._then.shown(_in_full(self._found[part]))
        return [_beside(one, self._frozen) for one in shown]

    @property
    def _then(self) -> AsOf:
        return AsOf(self.report.run, self.report.round)

    @property
    def _frozen(self) -> Frozen:
        frozen: Frozen = self.report.snapshot.frozen
        return frozen

    @cached_property
    def _found(self) -> list[int]:
        """Primary keys of the judgments, in the set's order."""
        if not {"human_act", "act_right"} & self.filters.keys():
            return self._answered
        fields = ("pk", "statement_id", "speech_act", "statement__speech_act", "round")
        acts = {pk: rest for pk, *rest in self._rows().values_list(*fields).iterator()}
        return [pk for pk in self._answered if self._meant(*acts[pk])]

    def _meant(self, statement: int, judged: str | None, stated: str | None, since: int) -> bool:
        """Whether the speech acts on both sides pass; what was judged since counts for nothing."""
        said = reference_of(self._frozen, statement).speech_act
        human = said or stated or SpeechAct.ASSERTION.value
        act = judged if since <= self.report.round else None
        asked = self.filters.get("act_right")
        return self.filters.get("human_act", human) == human and (
            asked is None or (act is not None and _is(asked, human == act))
        )

    @cached_property
    def _answered(self) -> list[int]:
        """Those of which class and verdict pass; what was judged since counts for nothing."""
        codes = code_of("claim_class", CLASSES), code_of("verdict", VERDICTS)
        pks, statements, *judged, since = numbers(
            self._rows(), "pk", "statement_id", *codes, "round"
        )
        claim_class, verdict = (
            np.where(since <= self.report.round, one, NOTHING) for one in judged
        )
        which = self._frozen.of_statements(statements)
        found: list[int] = np.sort(pks[self._passing[which, claim_class, verdict]]).tolist()
        return found

    @property
    def _passing(self) -> Flags:
        """Whether the filters let it pass, by place of the reference's answer, class and verdict of
        the judge; the last of each stands for none."""
        table = [
            [
                [_passes(answer, claim_class, verdict, self.filters) for verdict in _OR_NONE[1]]
                for claim_class in _OR_NONE[0]
            ]
            for answer in (*self._frozen.answers, None)
        ]
        return np.array(table, dtype=np.bool_)

    def _rows(self) -> JudgmentQuerySet:
        """What the database can tell: all but what the frozen references say."""
        rows = Judgment.objects.filter(run=self.report.run_id, repeat=0)
        if self.filters.get("among") == FAILED:
            rows = self._then.failed(rows)
        elif self.filters.get("among") != PLANNED:
            rows = self._then.graded(rows)
        for name, value in self.filters.items():
            if name in _STORED:
                rows = rows.filter(_STORED[name](value))
            elif name in _REPEATED:
                rows = self._repeated(rows, _REPEATED[name], value)
        return rows

    def _repeated(self, rows: JudgmentQuerySet, column: str, value: str) -> JudgmentQuerySet:
        """Those whose statement was given the same in this column, or not, on all repeats."""
        graded = self._then.graded(Judgment.objects.filter(run=self.report.run_id))
        counted = graded.order_by().values("statement")
        counted = counted.annotate(n=Count(column), kinds=Count(column, distinct=True))
        several = counted.filter(n__gt=1)
        if value == FEW:
            return rows.exclude(statement__in=several.values("statement"))
        if value != SEVERAL:
            several = several.filter(kinds=1) if value == SAME else several.filter(kinds__gt=1)
        return rows.filter(statement__in=several.values("statement"))


_OR_NONE: Final = [*CLASSES, None], [*VERDICTS, None]
_REPEATED: Final = {"repeats": "verdict", "class_repeats": "claim_class"}


def _by_class(value: str) -> Q:
    if value in (STATED, NONE):
        return Q(claim_class__isnull=value == NONE)
    return Q(claim_class=value)


def _by_verdict(value: str) -> Q:
    return Q(verdict__in=sorted(FAILING) if value == FAILS else [value])


def _by_speech_act(value: str) -> Q:
    """A statement without a speech act is read as an assertion."""
    unstated = Q(statement__speech_act__isnull=True) if value == SpeechAct.ASSERTION else Q()
    return Q(statement__speech_act=value) | unstated


def _by_judge_act(value: str) -> Q:
    if value in (STATED, NONE):
        return Q(speech_act__isnull=value == NONE)
    return Q(speech_act=value)


def _by_claim_type(value: str) -> Q:
    return Q(statement__claim_type=value)


def _by_kind(value: str) -> Q:
    return Q(statement__case__pair_kind=value)


_STORED: Final[Mapping[str, Callable[[str], Q]]] = {
    "judge_class": _by_class,
    "judge_verdict": _by_verdict,
    "judge_act": _by_judge_act,
    "claim_type": _by_claim_type,
    "speech_act": _by_speech_act,
    "kind": _by_kind,
}


class PairList:
    """A report's pairs, or those of one outcome, as a paginator wants them."""

    def __init__(self, report: Report, outcome: str | None, twin: str | None = None) -> None:
        self.report = report
        outcomes = [outcome] if outcome else None
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
        held = list(cases.defer("context", "retrieved").order_by("position", "pk"))
        judged = _judged(AsOf(run, self.report.round), held)
        sides: dict[str, list[PairSide]] = {}
        for case in held:
            compared = [_beside(one, frozen) for one in judged.get(case.pk, [])]
            sides.setdefault(str(case.pair_id), []).append(PairSide(case, compared))
        return sides


def _judged(then: AsOf, cases: Sequence[Case]) -> dict[int, list[Judgment]]:
    """Each case's judgments of repeat 0 in their order."""
    found = Judgment.objects.filter(
        run=then.run, repeat=0, case_pk__in=[case.pk for case in cases]
    ).select_related("statement")
    rows = found.order_by("case_pk", "statement__position")
    shown = then.shown(rows)
    return {pk: list(group) for pk, group in groupby(shown, key=lambda row: row.case_pk)}


def _passes(
    reference: Sequence[Any] | None,
    judge_class: str | None,
    judge_verdict: str | None,
    chosen: Mapping[str, str],
) -> bool:
    if reference is None:
        asked = "human_verdict" in chosen or "human_class" in chosen
        return "among" in chosen and not asked and chosen.get("tier", NONE) == NONE
    tier, human_class, human_verdict = reference[:3]
    classed = human_class is not None and judge_class is not None
    verdict_right, class_right = human_verdict == judge_verdict, human_class == judge_class
    return (
        chosen.get("tier", tier) == tier
        and _is_verdict(chosen.get("human_verdict"), human_verdict)
        and _is_class(chosen.get("human_class"), human_class)
        and _is(chosen.get("right"), verdict_right and (class_right or not classed))
        and _is(chosen.get("verdict_right"), verdict_right)
        and ("class_right" not in chosen or (classed and _is(chosen["class_right"], class_right)))
    )


def _is(asked: str | None, true: bool) -> bool:
    return asked is None or (asked == "yes") == true


def _is_verdict(asked: str | None, verdict: str) -> bool:
    return asked is None or asked == verdict or (asked == FAILS and verdict in FAILING)


def _is_class(asked: str | None, claim_class: str | None) -> bool:
    if asked in (STATED, NONE):
        return (claim_class is None) == (asked == NONE)
    return asked is None or asked == claim_class


def _in_full(pks: Sequence[int]) -> list[Judgment]:
    found = Judgment.objects.filter(pk__in=pks).select_related("statement__case").order_by("pk")
    return list(
        found.defer(
            "statement__case__context", "statement__case__retrieved", "statement__case__answer"
        )
    )


def reference_of(frozen: Frozen, statement: int) -> Reference:
    """One statement's, as it was frozen."""
    place = int(frozen.of_statements(np.array([statement], dtype=np.int64))[0])
    return NO_REFERENCE if place == NOTHING else Reference(*frozen.answers[place])


def _beside(judgment: Judgment, frozen: Frozen) -> Compared:
    return Compared(judgment, reference_of(frozen, judgment.statement_id))
