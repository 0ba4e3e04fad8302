"""The lists behind a report's numbers: exactly the statements that a cell of its tables counts.
Reads only, by the report's own frozen references."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np
from django.db.models import Count, F, Q, Value

from calibration.agreement import confidences
from calibration.agreement.columns import (
    CLAIM_TYPES,
    CLASSES,
    NOTHING,
    SPEECH_ACTS,
    VERDICTS,
    Flags,
)
from calibration.agreement.evidence import BOTH, CITED_BY_BOTH, NEITHER, STATES
from calibration.loading import NO_REFERENCE, Reference, evidence_rows
from calibration.models import Judgment, JudgmentQuerySet, Report
from calibration.reports import rating_sheets
from calibration.runs.rounds import AsOf
from grounding.contract import FAILING, SpeechAct, Verdict
from labeling.cases.caselists import HoldsTag
from labeling.columns.frozen import Frozen
from labeling.columns.numbers import code_of, flag_of, numbers
from labeling.references import TIERS
from labeling.web.parameters import ANY

STATED: Final = "stated"
"""Of a class, or a confidence: whichever it is, but one is stated."""
NONE: Final = "none"
"""Of a class, or a confidence: none is stated. Of a tier: the report took no reference."""
FAILS: Final = "failing"
"""Of a verdict: unsupported or contradictory."""
GRADABLE, NOT_SUPPORTED = "gradable", "not_supported"
"""Of a verdict: any but not applicable; any but supported."""
GRADED, PLANNED, FAILED = "graded", "planned", "failed"
"""Among which judgments to look, where not among the compared ones alone."""
SEVERAL, SAME, DIFFER, FEW = "several", "same", "differ", "few"
"""Of repeats: graded at least twice, and then all alike or not; graded less often."""
RATED, RATED_TWICE, RATED_ONCE = "several", "two", "one"
"""Of ratings by people: how many a statement has; several are two or more."""

_YES_NO: Final = ["yes", "no"]
_SEVERAL_VERDICTS: Final[Mapping[str, Sequence[str]]] = {
    FAILS: sorted(FAILING),
    GRADABLE: [word.value for word in VERDICTS if word is not Verdict.NOT_APPLICABLE],
    NOT_SUPPORTED: [word.value for word in VERDICTS if word is not Verdict.SUPPORTED],
}
_VERDICTS: Final = [*(word.value for word in VERDICTS), *_SEVERAL_VERDICTS]
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
    "tag": ANY,
    "tier": [*TIERS, NONE],
    "confidence": [STATED, NONE],
    "evidence": [BOTH, *STATES],
    "repeats": [SEVERAL, SAME, DIFFER, FEW],
    "class_repeats": [SEVERAL, SAME, DIFFER],
    "rated": [RATED, RATED_TWICE, RATED_ONCE],
}
FILTER_LABELS: Final[Mapping[str, str]] = {
    "among": "Among",
    "human_class": "Reference's class",
    "human_verdict": "Reference's verdict",
    "judge_class": "Judge's class",
    "judge_verdict": "Judge's verdict",
    "right": "Class and verdict right",
    "verdict_right": "Verdict right",
    "class_right": "Class right",
    "claim_type": "Claim type",
    "speech_act": "Speech act",
    "human_act": "Reference's speech act",
    "judge_act": "Judge's speech act",
    "act_right": "Speech act right",
    "kind": "Pair kind",
    "tag": "Tag of the case",
    "tier": "Reference",
    "confidence": "Judge's confidence",
    "evidence": "Evidence",
    "repeats": "Verdict on repeats",
    "class_repeats": "Class on repeats",
    "rated": "Blind ratings",
}


def filters_of(report: Report) -> Mapping[str, Sequence[str] | None]:
    """What the statements of this report are narrowed by: its own bins of confidence too."""
    bins = report.figures.get("confidence", {}).get("bins", ())
    named = [confidences.name_of(one["low"], one["high"]) for one in bins]
    return {**STATEMENT_FILTERS, "confidence": [STATED, NONE, *named]}


@dataclass(frozen=True)
class Compared:
    """One judgment beside the reference that its report froze."""

    judgment: Judgment
    reference: Reference


class ComparedList:
    """The compared statements that pass ``filters``, as a paginator wants them."""

    def __init__(self, report: Report, filters: Mapping[str, str]) -> None:
        self.report = report
        self.filters = filters

    def count(self) -> int:
        return len(self._found)

    def __getitem__(self, part: slice) -> Sequence[Compared]:
        return beside(self._then.shown(_shown(self._found[part])), self._frozen)

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
        if "evidence" in self.filters:
            met = evidence_rows.states_of(self.report)
            asked = self.filters["evidence"]
            wanted = CITED_BY_BOTH if asked == BOTH else {asked}
            return [pk for pk in self._spoken if met.get(pk, NEITHER) in wanted]
        return self._spoken

    @cached_property
    def _spoken(self) -> list[int]:
        """Those of which the speech acts pass as well."""
        if not {"human_act", "act_right"} & self.filters.keys():
            return self._answered
        fields = ("pk", "statement_id", "speech_act", "statement__speech_act", "round")
        acts = {pk: rest for pk, *rest in self._rows().values_list(*fields).iterator()}
        rows = [acts[pk] for pk in self._answered]
        references = references_of(self._frozen, [statement for statement, *_ in rows])
        return [
            pk
            for pk, (_, *row), one in zip(self._answered, rows, references, strict=True)
            if self._meant(one.speech_act, *row)
        ]

    def _meant(self, said: str | None, judged: str | None, stated: str | None, since: int) -> bool:
        """Whether the speech acts on both sides pass; what was judged since counts for nothing."""
        human = said or stated or SpeechAct.ASSERTION.value
        act = judged if since <= self.report.round else None
        asked = self.filters.get("act_right")
        return self.filters.get("human_act", human) == human and (
            asked is None or (act is not None and _is(asked, human == act))
        )

    @cached_property
    def _answered(self) -> list[int]:
        """Those of which class and verdict pass; what was judged since counts for nothing."""
        since = flag_of(Q(round__gt=self.report.round))
        pks, statements, *said, later = numbers(self._rows(), *_ANSWER, since)
        claim_class, verdict = (np.where(later == NOTHING, side, NOTHING) for side in said)
        which = self._frozen.of_statements(statements)
        passing = self._passing[which, (claim_class - NOTHING) * _WIDTH + verdict - NOTHING]
        if self._rated is not None:
            passing &= np.isin(statements, list(self._rated))
        found: list[int] = np.sort(pks[passing]).tolist()
        return found

    @property
    def _passing(self) -> Flags:
        """Whether the filters let it pass, by place of the reference's answer, of which the last
        stands for none, and of the judge's."""
        table = [
            [_passes(answer, *judged, self.filters) for judged in _JUDGED]
            for answer in (*self._frozen.answers, None)
        ]
        return np.array(table, dtype=np.bool_)

    @cached_property
    def _rated(self) -> Collection[int] | None:
        """The statements that have so many ratings in the report; None if that was not asked."""
        if "rated" not in self.filters:
            return None
        sheet = rating_sheets.sheet_of(self.report)
        return frozenset() if sheet is None else sheet.with_ratings(self.filters["rated"])

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


_JUDGED: Final = list(product((None, *CLASSES), (None, *VERDICTS)))
_WIDTH: Final = len(VERDICTS) + 1
_ANSWER: Final = (
    *("pk", "statement_id"),
    code_of("claim_class", CLASSES),
    code_of("verdict", VERDICTS),
)
_REPEATED: Final = {"repeats": "verdict", "class_repeats": "claim_class"}


def _by_class(value: str) -> Q:
    if value in (STATED, NONE):
        return Q(claim_class__isnull=value == NONE)
    return Q(claim_class=value)


def _by_verdict(value: str) -> Q:
    return Q(verdict__in=_SEVERAL_VERDICTS.get(value, [value]))


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


def _by_tag(value: str) -> Q:
    return Q(HoldsTag(F("statement__case__tags"), Value(value)))


def _by_confidence(value: str) -> Q:
    if value in (STATED, NONE):
        return Q(confidence__isnull=value == NONE)
    low, high = confidences.bounds(value)
    return Q(confidence__gte=low, confidence__lte=high)


_STORED: Final[Mapping[str, Callable[[str], Q]]] = {
    "judge_class": _by_class,
    "judge_verdict": _by_verdict,
    "judge_act": _by_judge_act,
    "claim_type": _by_claim_type,
    "speech_act": _by_speech_act,
    "kind": _by_kind,
    "tag": _by_tag,
    "confidence": _by_confidence,
}


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
    return asked is None or verdict in _SEVERAL_VERDICTS.get(asked, [asked])


def _is_class(asked: str | None, claim_class: str | None) -> bool:
    if asked in (STATED, NONE):
        return (claim_class is None) == (asked == NONE)
    return asked is None or asked == claim_class


def _shown(pks: Sequence[int]) -> list[Judgment]:
    """With what a page shows of them: objects of all columns would take longer than the query."""
    found = Judgment.objects.filter(pk__in=pks).select_related("statement__case").order_by("pk")
    return list(
        found.only(
            *("outcome", "claim_class", "verdict", "confidence", "explanation", "round"),
            *("statement__statement_id", "statement__text", "statement__case"),
            "statement__case__case_id",
        )
    )


def references_of(frozen: Frozen, statements: Sequence[int]) -> list[Reference]:
    """Each statement's, as it was frozen."""
    places = frozen.of_statements(np.array(statements, dtype=np.int64)).tolist()
    return [
        NO_REFERENCE if place == NOTHING else Reference(*frozen.answers[place]) for place in places
    ]


def beside(judgments: Sequence[Judgment], frozen: Frozen) -> list[Compared]:
    """Each judgment with what ``frozen``, the references of a snapshot, say of its statement."""
    found = references_of(frozen, [one.statement_id for one in judgments])
    return list(map(Compared, judgments, found))
