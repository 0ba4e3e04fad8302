"""The lists behind what a report says of people: ratings, pairs of ratings, annotators.

All by the sheet that the report froze, narrowed by what `humans` counts with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from calibration.agreement import humans
from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS, Codes, Flags, codebook
from calibration.agreement.rated import Rated
from calibration.agreement.rating_pairs import pairs_of_units
from calibration.models import Judgment
from labeling.web.parameters import ANY

_YES_NO: Final = ["yes", "no"]
STATES: Final = ["answered", "failed", "ties", "compared", "class_not_stated"]
"""Of ratings, by what became of them in the ceiling; answered are all but the failed."""
RATING_FILTERS: Final[Mapping[str, Sequence[str] | None]] = {
    "annotator": ANY,
    "state": STATES,
    "of": list(humans.PASSES),
    "human": _YES_NO,
    "judge": _YES_NO,
    "others_verdict": [word.value for word in VERDICTS],
    "others_class": [word.value for word in CLASSES],
    "judge_as_good": _YES_NO,
    "annotator_as_good": _YES_NO,
}
RATING_LABELS: Final[Mapping[str, str]] = {
    "annotator": "Annotator",
    "state": "Held against the others",
    "of": "Compared in",
    "human": "Annotator says what the others say",
    "judge": "Judge says what the others say",
    "others_verdict": "Others' verdict",
    "others_class": "Others' class",
    "judge_as_good": "Judge at least as good as the annotator",
    "annotator_as_good": "Annotator at least as good as the judge",
}
PAIR_FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "of": ["verdict", "class"],
    "alike": _YES_NO,
}


@dataclass(frozen=True)
class Said:
    """A class and a verdict, as far as they are stated."""

    claim_class: str | None
    verdict: str | None


@dataclass(frozen=True)
class RatingRow:
    """One rating beside what the others of its statement say, and the judge."""

    judgment: Judgment
    annotator: str
    said: Said
    others: Said
    judge: Said


@dataclass(frozen=True)
class PairOfRatings:
    judgment: Judgment
    first: tuple[str, Said]
    second: tuple[str, Said]


class RatingList:
    """The ratings that pass ``filters``, in the set's order, as a paginator wants them."""

    def __init__(self, rated: Rated, filters: Mapping[str, str]) -> None:
        self.rated = rated
        self.filters = filters

    def count(self) -> int:
        return int(self._rows.size)

    def __getitem__(self, part: slice) -> Sequence[RatingRow]:
        rows = self._rows[part].tolist()
        judgments = _judgments(self.rated, rows)
        return [self._row(row, judgment) for row, judgment in zip(rows, judgments, strict=True)]

    def _row(self, row: int, judgment: Judgment) -> RatingRow:
        rated, place = self.rated, self.rated.place[row]
        return RatingRow(
            judgment=judgment,
            annotator=rated.annotators[rated.annotator[row]],
            said=_said(rated.claim_class[row], rated.verdict[row]),
            others=_said(self.others.claim_class[row], self.others.verdict[row]),
            judge=_said(rated.judge_class[place], rated.judge_verdict[place]),
        )

    @cached_property
    def others(self) -> humans.Others:
        return humans.others(self.rated)

    @cached_property
    def _rows(self) -> Codes:
        kept = np.ones(len(self.rated), dtype=np.bool_)
        for name, value in self.filters.items():
            kept &= _PASSES[name](self, value)
        found = np.flatnonzero(kept)
        return found[np.lexsort((self.rated.annotator[found], self.rated.place[found]))]

    def in_pass(self, which: str) -> humans.Compared:
        return humans.compared(self.rated, self.others, which)

    @property
    def asked(self) -> humans.Compared:
        """The pass that is asked for; that of verdicts if none is."""
        return self.in_pass(self.filters.get("of", "verdict"))


def _by_annotator(listed: RatingList, value: str) -> Flags:
    codes = list(listed.rated.annotators)
    flags: Flags = listed.rated.annotator == (codes.index(value) if value in codes else NOTHING)
    return flags


def _in_state(listed: RatingList, value: str) -> Flags:
    answered, held = listed.rated.answered, listed.in_pass("verdict").counted
    each = {
        "answered": answered,
        "failed": ~answered,
        "ties": answered & ~held,
        "compared": held,
        "class_not_stated": held & ~listed.in_pass("class").counted,
    }
    return each[value]


def _human(listed: RatingList, value: str) -> Flags:
    asked = listed.asked
    flags: Flags = asked.counted & (asked.human == (value == "yes"))
    return flags


def _judge(listed: RatingList, value: str) -> Flags:
    asked = listed.asked
    flags: Flags = asked.counted & (asked.judge == (value == "yes"))
    return flags


def _as_good(side: str) -> Callable[[RatingList, str], Flags]:
    def passes(listed: RatingList, value: str) -> Flags:
        flags: Flags = getattr(humans.wins(listed.rated), side) == (value == "yes")
        return listed.rated.answered & flags

    return passes


def _others_say(which: str, codes: Mapping[str | None, int]) -> Callable[[RatingList, str], Flags]:
    def passes(listed: RatingList, value: str) -> Flags:
        flags: Flags = getattr(listed.others, which) == codes[value]
        return flags

    return passes


_PASSES: Final[Mapping[str, Callable[[RatingList, str], Flags]]] = {
    "annotator": _by_annotator,
    "state": _in_state,
    "of": lambda listed, _: listed.asked.counted,
    "human": _human,
    "judge": _judge,
    "others_verdict": _others_say("verdict", codebook(VERDICTS)),
    "others_class": _others_say("claim_class", codebook(CLASSES)),
    "judge_as_good": _as_good("judge"),
    "annotator_as_good": _as_good("annotator"),
}


class RatingPairList:
    """The pairs of ratings of one statement, as `humans` counts them in ``pairwise``."""

    def __init__(self, rated: Rated, filters: Mapping[str, str]) -> None:
        self.rated = rated
        self.filters = filters

    def count(self) -> int:
        return len(self._pairs)

    def __getitem__(self, part: slice) -> Sequence[PairOfRatings]:
        shown = self._pairs[part].tolist()
        judgments = _judgments(self.rated, [first for first, _ in shown])
        return [
            PairOfRatings(judgment, *(self._one(row) for row in two))
            for two, judgment in zip(shown, judgments, strict=True)
        ]

    def _one(self, row: int) -> tuple[str, Said]:
        rated = self.rated
        said = _said(rated.claim_class[row], rated.verdict[row])
        return rated.annotators[rated.annotator[row]], said

    @cached_property
    def _pairs(self) -> Codes:
        of_class = self.filters.get("of") == "class"
        codes = self.rated.claim_class if of_class else self.rated.verdict
        found = pairs_of_units(self.rated.place)
        pairs = np.stack([found.first, found.second], axis=1)
        said = codes[pairs]
        kept = (said != NOTHING).all(axis=1)
        if "alike" in self.filters:
            kept &= (said[:, 0] == said[:, 1]) == (self.filters["alike"] == "yes")
        pairs = pairs[kept]
        order = np.lexsort((pairs[:, 1], pairs[:, 0], self.rated.place[pairs[:, 0]]))
        ordered: Codes = pairs[order]
        return ordered


def annotators(test: Mapping[str, Any], result: str | None) -> list[Mapping[str, Any]]:
    """The rows of the alternative annotator test that came out so; all without ``result``."""
    chosen = _RESULTS[result] if result else (True, False, None)
    return [one for one in test["annotators"] if one["won"] in chosen]


_RESULTS: Final[Mapping[str, tuple[bool | None, ...]]] = {
    "won": (True,),
    "lost": (False,),
    "tested": (True, False),
    "untested": (None,),
}
RESULTS: Final[Mapping[str, str]] = {
    "won": "against whom the judge wins",
    "lost": "against whom the judge does not win",
    "tested": "who were tested",
    "untested": "who were not tested",
}


def _judgments(rated: Rated, rows: Sequence[int]) -> list[Judgment]:
    """The judgment on the statement of each of these ratings. One query."""
    pks = rated.judgment[rated.place[rows]].tolist() if rows else []
    found = Judgment.objects.select_related("statement__case").defer(
        "statement__case__context", "statement__case__retrieved", "statement__case__answer"
    )
    by_pk = found.in_bulk(pks)
    return [by_pk[pk] for pk in pks]


def _said(claim_class: int, verdict: int) -> Said:
    return Said(
        None if claim_class == NOTHING else CLASSES[claim_class].value,
        None if verdict == NOTHING else VERDICTS[verdict].value,
    )
