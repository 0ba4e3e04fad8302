"""Two rubric versions on the same statements: a functional core that only processes columns.

Compared are the statements that both versions graded and that have a reference. Right is the
verdict, and the class too where the reference and both versions state one, so that neither is
held to more than the other. Every difference is first minus second; intervals and the test of
leniency are as sure as what is right or wrong together (pairs, else cases) makes them, while
McNemar's test takes each statement by itself. The counts add up::

    n = both_right + only_first + only_second + neither
    statements in common = n + first_failed + second_failed + both_failed + without_reference
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

import numpy as np

from calibration import agreement
from calibration.agreement import Disagreements, Figures
from calibration.agreement.columns import (
    CLASSES,
    NOTHING,
    SUPPORTED,
    VERDICTS,
    Codes,
    Columns,
    Flags,
    codebook,
    failing,
)
from calibration.stats.multiplicity import holm
from calibration.stats.paired import mcnemar_exact
from calibration.stats.paired_clusters import clustered_difference, sign_flip
from calibration.stats.rates import clustered_rate
from grounding.contract import FAILING, VALID_VERDICTS

LEFT_OUT: Final = ("first_failed", "second_failed", "both_failed", "without_reference")
COMMON: Final = "common"
UNSTATED: Final = "none"
FAILS: Final = "failing"
FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "among": [COMMON, *LEFT_OUT],
    "human_class": [*(word.value for word in CLASSES), UNSTATED],
    "human_verdict": [*(word.value for word in VERDICTS), FAILS],
    **{
        f"{which}_{what}": ["yes", "no"]
        for what in ("right", "passed", "refused")
        for which in ("first", "second")
    },
}
"""What the statements of a comparison are narrowed by. ``among`` is for those that are not
compared; ``…_passed`` is judged supported, ``…_refused`` unsupported or contradictory."""

HEADLINES: Final = ("verdict", "right", "lenient", "strict", "class_escape")
NOT_COMPARED: Final = "no statement was compared"
_NONE_FAILING: Final = "no compared statement is unsupported or contradictory by its reference"
_NONE_SUPPORTED: Final = "no compared statement is supported by its reference"


class Fourfold(NamedTuple):
    """How many statements have a property under both versions, one, or neither."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def n(self) -> int:
        return sum(self)


def figures(first: Columns, second: Columns) -> Figures:
    """Everything in a comparison that is computed.

    Both hold the same statements, row for row, against the same references.
    """
    counted = first.compared & second.compared
    one, two = first.where(counted), second.where(counted)
    right = _fourfold(*rights(one, two))
    return {
        "n": right.n,
        "both_right": right.both,
        "only_first": right.only_first,
        "only_second": right.only_second,
        "neither": right.neither,
        "difference": clustered_difference(*rights(one, two), one.cluster).as_json(),
        "mcnemar": mcnemar_exact(right.only_first, right.only_second).as_json(),
        "lenient": leniency(one, two),
        "strict": _strictness(one, two),
        "cells": _cells(one, two),
        "left_out": _left_out(first, second),
    }


def rights(first: Columns, second: Columns) -> tuple[Flags, Flags]:
    """On which compared rows each is right."""
    classed = first.classed & second.classed

    def right(rows: Columns) -> Flags:
        flags: Flags = rows.compared & rows.verdict_right & (rows.class_right | ~classed)
        return flags

    return right(first), right(second)


def fixed(first: Columns, second: Columns) -> Disagreements:
    """Rows on which the second alone is right, each with the direction of the first's error."""
    right_first, right_second = rights(first, second)
    return _turned(first, second.compared & first.compared & right_second & ~right_first)


def broke(first: Columns, second: Columns) -> Disagreements:
    """Rows on which the first alone is right, each with the direction of the second's error."""
    right_first, right_second = rights(first, second)
    return _turned(second, second.compared & first.compared & right_first & ~right_second)


def newly_lenient(first: Columns, second: Columns) -> Disagreements:
    """Failing rows that the second alone judges supported. The first need not be right there:
    it may have caught them under the wrong verdict or class."""
    compared = first.compared & second.compared
    return _turned(second, compared & agreement.lenient(second) & ~agreement.lenient(first))


def chosen(first: Columns, second: Columns, filters: Mapping[str, str]) -> Codes:
    """The rows that pass all of ``filters``, which are some of `FILTERS`: exactly those that the
    figure with these properties counts."""
    rights_of = dict(zip(("first", "second"), rights(first, second), strict=True))
    sides = {"first": first.judge_verdict, "second": second.judge_verdict}
    properties = {
        **{f"{which}_right": flags for which, flags in rights_of.items()},
        **{f"{which}_passed": verdicts == SUPPORTED for which, verdicts in sides.items()},
        **{f"{which}_refused": failing(verdicts) for which, verdicts in sides.items()},
    }
    flags = _among(first, second, filters.get("among"))
    for name, value in filters.items():
        if name in properties:
            flags &= properties[name] == (value == "yes")
    if "human_class" in filters:
        flags &= first.reference_class == codebook(CLASSES).get(filters["human_class"], NOTHING)
    if "human_verdict" in filters:
        flags &= np.isin(first.reference_verdict, _verdicts(filters["human_verdict"]))
    return np.flatnonzero(flags).astype(np.int64)


def _among(first: Columns, second: Columns, asked: str | None) -> Flags:
    if asked == COMMON:
        return np.ones(len(first), dtype=np.bool_)
    return _uncompared(first, second)[asked] if asked else first.compared & second.compared


def _verdicts(asked: str) -> list[int]:
    words = FAILING if asked == FAILS else (asked,)
    return [codebook(VERDICTS)[word] for word in words]


def headlines(rows: Columns) -> Figures:
    """`HEADLINES` of one run by itself. ``right``: the verdict, and the class too where the
    reference and the run state one; the others are the rates that a report has by these names."""
    compared = rows.where(rows.compared)
    found = agreement.rates(compared, ())
    right = clustered_rate(compared.right, compared.cluster, reason=NOT_COMPARED).as_json()
    return {name: right if name == "right" else found[name] for name in HEADLINES}


def nothing(reason: str) -> Figures:
    """What a refused comparison has to show: the figures of no statements at all, each undefined
    for the reason of the refusal."""
    none: dict[str, Any] = {each.name: np.array([], dtype=np.int64) for each in fields(Columns)}
    return {**_because(reason, figures(Columns(**none), Columns(**none))), "cells": []}


def _because(reason: str, told: Any) -> Any:
    """``told`` with every reason for an undefined figure replaced."""
    if not isinstance(told, dict):
        return told
    return {
        name: reason if name == "reason" and value else _because(reason, value)
        for name, value in told.items()
    }


def _turned(wrong: Columns, chosen: Flags) -> Disagreements:
    """Most harmful direction first and otherwise in the columns' order."""
    rows = np.flatnonzero(chosen)
    directions = agreement.directions(wrong.where(rows))
    order = np.argsort(directions, kind="stable")
    return Disagreements(rows[order], directions[order])


def _fourfold(first: Flags, second: Flags) -> Fourfold:
    return Fourfold(
        int((first & second).sum()),
        int((first & ~second).sum()),
        int((second & ~first).sum()),
        int((~first & ~second).sum()),
    )


def leniency(first: Columns, second: Columns) -> Figures:
    """Of the compared rows that fail by their reference, those that each judged supported.

    ``p_more_lenient`` is one-sided: how likely is it that so many more are passed by the second
    alone than by the first alone, could the two be exchanged in each pair, else case?
    """
    rows = failing(first.reference_verdict)
    one, two = agreement.lenient(first.where(rows)), agreement.lenient(second.where(rows))
    names = first.cluster[rows]
    passed = _fourfold(one, two)
    test = sign_flip(two, one, names, alternative="greater")
    return {
        **_rates(one, two, names, _NONE_FAILING),
        "only_first": passed.only_first,
        "only_second": passed.only_second,
        "p_more_lenient": test.p,
        "reason": test.reason,
    }


def _strictness(first: Columns, second: Columns) -> Figures:
    """Of the compared rows that are supported by their reference, those that each refused."""
    rows = first.reference_verdict == SUPPORTED
    one, two = agreement.strict(first.where(rows)), agreement.strict(second.where(rows))
    return _rates(one, two, first.cluster[rows], _NONE_SUPPORTED)


def _rates(first: Flags, second: Flags, clusters: Codes, reason: str) -> Figures:
    return {
        "first": clustered_rate(first, clusters, reason=reason).as_json(),
        "second": clustered_rate(second, clusters, reason=reason).as_json(),
    }


def _cells(first: Columns, second: Columns) -> list[dict[str, Any]]:
    """Every cell that the contract allows and any other that occurs, so that their n add up;
    ``p_holm`` is adjusted over the cells that have a p-value."""
    cells = [
        _cell(first.where(rows), second.where(rows), claim_class, verdict)
        for claim_class, verdict, rows in split(first)
    ]
    tested = [cell for cell in cells if cell["p"] is not None]
    for cell, adjusted in zip(tested, holm([cell["p"] for cell in tested]), strict=True):
        cell["p_holm"] = float(adjusted)
    return cells


def split(rows: Columns) -> Iterable[tuple[int, int, Flags]]:
    """Class and verdict of each cell, as codes, with its rows; last those without a class."""
    for claim_class in (*range(len(CLASSES)), NOTHING):
        valid = VALID_VERDICTS[CLASSES[claim_class]] if claim_class != NOTHING else ()
        for verdict, word in enumerate(VERDICTS):
            inside = (rows.reference_class == claim_class) & (rows.reference_verdict == verdict)
            if word in valid or inside.any():
                yield claim_class, verdict, inside


def _cell(first: Columns, second: Columns, claim_class: int, verdict: int) -> dict[str, Any]:
    both = rights(first, second)
    right = _fourfold(*both)
    test = mcnemar_exact(right.only_first, right.only_second)
    fails = VERDICTS[verdict] in FAILING
    return {
        "claim_class": None if claim_class == NOTHING else CLASSES[claim_class].value,
        "verdict": VERDICTS[verdict].value,
        "n": right.n,
        **_rates(*both, first.cluster, NOT_COMPARED),
        "difference": clustered_difference(*both, first.cluster).as_json(),
        "p": test.p,
        "p_holm": None,
        "reason": test.reason,
        "lenient": leniency(first, second) if fails else None,
    }


def _left_out(first: Columns, second: Columns) -> dict[str, int]:
    """Why statements that both planned are not compared, each once."""
    return {reason: int(rows.sum()) for reason, rows in _uncompared(first, second).items()}


def _uncompared(first: Columns, second: Columns) -> dict[str, Flags]:
    graded = first.graded & second.graded
    reasons = (
        ~first.graded & second.graded,
        first.graded & ~second.graded,
        ~first.graded & ~second.graded,
        graded & (first.reference_verdict == NOTHING),
    )
    return dict(zip(LEFT_OUT, reasons, strict=True))
