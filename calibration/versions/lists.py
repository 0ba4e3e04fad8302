"""The lists behind the numbers of the Versions page: made anew when they are opened, by the same
rules, of the runs that the link names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from calibration.agreement.columns import (
    CLASSES,
    NOTHING,
    VERDICTS,
    Codes,
    Columns,
    Flags,
    codebook,
)
from calibration.agreement.comparison import FAILS, UNSTATED
from calibration.models import FINISHED, Judgment, Run
from calibration.readings.comparisons import DIFFER, FEW, SAME, SEVERAL
from calibration.versions import drift, family, tellings
from calibration.versions.book import opened
from calibration.versions.group import Group
from grounding.contract import FAILING
from grounding.errors import NotFound
from labeling.models import CalibrationSet, Statement
from labeling.references import NONE

ASKED: Final = "asked"
_YES_NO: Final = ["yes", "no"]
_VERDICTS: Final = [*(word.value for word in VERDICTS), FAILS]
_ALIKE: Final = [SEVERAL, SAME, DIFFER, FEW]

FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "among": [ASKED, "failed", "not_planned"],
    "human_class": [*(word.value for word in CLASSES), UNSTATED],
    "human_verdict": _VERDICTS,
    "judge_verdict": _VERDICTS,
    "verdict_right": _YES_NO,
    "right": _YES_NO,
    "classed": ["yes"],
    "class_right": _YES_NO,
    "repeats": _ALIKE,
    "class_repeats": _ALIKE,
}
FILTER_LABELS: Final[Mapping[str, str]] = {
    "among": "Among",
    "human_class": "Reference's class",
    "human_verdict": "Reference's verdict",
    "judge_verdict": "Judge's verdict",
    "verdict_right": "Verdict right",
    "right": "Class too where all state one",
    "classed": "Class stated by all",
    "class_right": "Class right",
    "repeats": "Verdict of the runs",
    "class_repeats": "Class of the runs",
}
MOVES: Final = ("differ", "gained", "lost", "before", "after")


@dataclass(frozen=True)
class Said:
    """What one run said of a statement; ``judgment`` is None where it did not plan it."""

    run: Run
    judgment: Judgment | None


@dataclass(frozen=True)
class Row:
    statement: Statement
    claim_class: str | None
    verdict: str | None
    tier: str
    said: Sequence[Said]


class StatementList:
    """The statements that pass ``filters`` among those of a group of runs, as a paginator wants
    them. ``run`` is the one that the filters about a judge are of."""

    def __init__(self, group: Group, run: Run | None, filters: Mapping[str, str]) -> None:
        self._group, self._shown = group, [run] if run else list(group.runs)
        self.digest = group.held.digest
        self._rows = _rows(group, run or group.runs[0], filters)

    def count(self) -> int:
        return self._rows.size

    def __getitem__(self, part: slice) -> list[Row]:
        places = self._rows[part].tolist()
        held = self._group.held
        ground = self._group.book.ground
        texts = _texts([int(ground.statements[at]) for at in places])
        said = _said(self._shown, list(texts))
        return [
            Row(
                texts[int(ground.statements[at])],
                _word(CLASSES, int(held.claim_class[at])),
                _word(VERDICTS, int(held.verdict[at])),
                held.tiers[at] if held.verdict[at] != NOTHING else NONE,
                [Said(run, said.get((run.pk, int(ground.statements[at])))) for run in self._shown],
            )
            for at in places
        ]


@dataclass(frozen=True)
class MovedRow:
    statement: Statement
    earlier: Judgment
    later: Judgment


class MovedList:
    """The statements of two tellings that moved so, as a paginator wants them."""

    def __init__(
        self, calibration_set: CalibrationSet, pair: Pairing, move: str | None, verdict: str | None
    ) -> None:
        book = opened(calibration_set, pair.runs)
        told = tellings.of(book, pair.runs)
        each = zip(pair.runs, pair.models, strict=True)
        both = drift.Pair(*(_told(told, run, model) for run, model in each))
        self.pair, self._runs = both, pair.runs
        flags = drift.moved(both, verdict or VERDICTS[0].value)[move or "common"]
        self._found = book.ground.statements[flags]

    def count(self) -> int:
        return self._found.size

    def __getitem__(self, part: slice) -> list[MovedRow]:
        pks = self._found[part].tolist()
        texts, said = _texts(pks), _said(self._runs, pks)
        earlier, later = self._runs[0].pk, self._runs[-1].pk
        return [MovedRow(texts[pk], said[earlier, pk], said[later, pk]) for pk in pks]


@dataclass(frozen=True)
class Pairing:
    """Two runs and the model of each that is meant."""

    runs: Sequence[Run]
    models: tuple[str | None, str | None]


def _told(told: Sequence[drift.Telling], run: Run, model: str | None) -> drift.Telling:
    """What the model said in the run; where none is named, the one that reported no name, or the
    only one."""
    of_run = [one for one in told if one.run == run.pk]
    if model is None and len(of_run) == 1:
        return of_run[0]
    found = next((one for one in of_run if one.model == model), None)
    if found is None:
        raise NotFound("no model of that name answered in that run")
    return found


def runs_named(calibration_set: CalibrationSet, name: str, numbers: Sequence[str]) -> list[Run]:
    """In the order given; NotFound for a run that is not a finished one of the rubric on the set,
    and for runs of several scopes, which are never read together."""
    if not all(one.isascii() and one.isdigit() and len(one) < 10 for one in numbers):
        raise NotFound("there is no such run")
    rows = Run.objects.filter(FINISHED, set=calibration_set, rubric_version__name=name)
    rows = rows.filter(pk__in=numbers).select_related("rubric_version", "set")
    by_pk = {run.pk: run for run in rows.defer("rubric_version__definition")}
    if set(map(int, numbers)) != by_pk.keys() or len(by_pk) > family.MOST_POINTS:
        raise NotFound("there are no such finished runs of this rubric on this set")
    if len({run.rubric_version.scope_digest for run in by_pk.values()}) > 1:
        raise NotFound("runs of several scopes are not read together")
    return [by_pk[int(one)] for one in numbers]


def _rows(group: Group, run: Run, filters: Mapping[str, str]) -> Codes:
    """Their places in the set's order."""
    steady = {name: filters[name] for name in ("repeats", "class_repeats") if name in filters}
    if steady:
        return _alike(group, steady)
    flags = _among(group, run, filters.get("among"))
    chosen = _passing(group.columns(run, flags), group.classed[flags], filters)
    return np.flatnonzero(flags)[chosen].astype(np.int64)


def _among(group: Group, run: Run, asked: str | None) -> Flags:
    if asked is None:
        return group.common
    return group.asked if asked == ASKED else group.lacking(run)[asked]


def _passing(rows: Columns, classed: Flags, filters: Mapping[str, str]) -> Flags:
    flags: Flags = np.ones(len(rows), dtype=np.bool_)
    if "human_class" in filters:
        flags &= rows.reference_class == codebook(CLASSES).get(filters["human_class"], NOTHING)
    for name, codes in (
        ("human_verdict", rows.reference_verdict),
        ("judge_verdict", rows.judge_verdict),
    ):
        if name in filters:
            flags &= np.isin(codes, _codes(filters[name]))
    properties = {
        "verdict_right": rows.verdict_right,
        "right": rows.right,
        "class_right": rows.class_right,
        "classed": classed,
    }
    for name, values in properties.items():
        if name in filters:
            flags &= values == (filters[name] == "yes")
    return flags


def _alike(group: Group, filters: Mapping[str, str]) -> Codes:
    flags: Flags = np.ones(group.planned.size, dtype=np.bool_)
    for name, asked in filters.items():
        several, same = group.alike(classes=name == "class_repeats")
        each = {SEVERAL: several, SAME: several & same, DIFFER: several & ~same, FEW: ~several}
        flags &= each[asked]
    return group.planned[flags]


def _codes(asked: str) -> list[int]:
    return [codebook(VERDICTS)[word] for word in (FAILING if asked == FAILS else (asked,))]


def _word(vocabulary: Sequence[Any], code: int) -> str | None:
    return None if code == NOTHING else str(vocabulary[code].value)


def _texts(pks: Sequence[int]) -> dict[int, Statement]:
    """With the case's id, without its long texts, in the order given."""
    rows = Statement.objects.filter(pk__in=pks).select_related("case")
    found = {
        one.pk: one for one in rows.only("statement_id", "text", "case__case_id", "case__position")
    }
    return {pk: found[pk] for pk in pks}


def _said(runs: Iterable[Run], pks: Sequence[int]) -> dict[tuple[int, int], Judgment]:
    rows = Judgment.objects.filter(run__in=list(runs), repeat=0, statement__in=pks)
    return {(row.run_id, row.statement_id): row for row in rows}
