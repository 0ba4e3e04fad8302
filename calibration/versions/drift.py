"""Whether what a judge says of the very same statements moves, while its rubric stands still.

A *telling* is what one reported model said in one run. Two tellings of one rubric version are
compared on the statements that both graded: for each verdict, how many newly got it and how many
no longer do, and exactly how surprising the excess is if either were as likely, with pairs, else
cases, as wholes. No reference is needed. Each telling is held against the first of its version,
which sees slow drift, and against the one before, which sees a jump. All tests together are one
family for Holm's correction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np

from calibration.agreement.columns import NOTHING, VERDICTS, Codes, Flags
from calibration.stats.multiplicity import holm
from calibration.stats.paired_clusters import sign_flip
from calibration.stats.rates import clustered_rate

Figures = dict[str, Any]

LEVEL: Final = 0.05
"""At most this p-value, after Holm, raises an alarm."""
LEAST: Final = 6
"""Clusters in common below which no outcome could: were all of them to move one way, the exact
two-sided p would still be 2 / 2^5 = 0.0625."""

ALARM, QUIET, TOO_LITTLE = "alarm", "quiet", "too_little"
_NONE: Final = "no statement was graded"


@dataclass(frozen=True)
class Telling:
    """``verdicts`` is `NOTHING` where the model graded nothing in that run; ``model`` is None
    where it did not report its name."""

    version: str
    run: int
    model: str | None
    at: datetime
    verdicts: Codes


@dataclass(frozen=True)
class Pair:
    earlier: Telling
    later: Telling


def in_order(tellings: Sequence[Telling]) -> list[Telling]:
    return sorted(tellings, key=lambda one: (one.at, one.run, one.model or ""))


def shares(one: Telling, clusters: Codes) -> Figures:
    """Of the statements that it graded, how many got each verdict."""
    graded = one.verdicts != NOTHING
    return {
        word.value: clustered_rate(
            (one.verdicts == code)[graded], clusters[graded], reason=_NONE
        ).as_json()
        for code, word in enumerate(VERDICTS)
    }


def pairs(tellings: Sequence[Telling]) -> Iterator[Pair]:
    """Of each version each later telling with the first, and with the one before."""
    by_version: dict[str, list[Telling]] = {}
    for one in in_order(tellings):
        by_version.setdefault(one.version, []).append(one)
    for told in by_version.values():
        for at, later in enumerate(told[1:], start=1):
            for place in sorted({0, at - 1}):
                yield Pair(told[place], later)


def compared(tellings: Sequence[Telling], clusters: Codes) -> list[tuple[Pair, Figures]]:
    """Each pair with its figures, p-values adjusted over all tests of all pairs."""
    found = [(pair, _compared(pair, clusters)) for pair in pairs(tellings)]
    tested = [
        test
        for _, figures in found
        for test in figures["verdicts"].values()
        if test["p"] is not None
    ]
    for test, adjusted in zip(tested, holm([test["p"] for test in tested]), strict=True):
        test["p_holm"] = float(adjusted)
    for _, figures in found:
        figures["result"] = _result(figures)
    return found


def moved(pair: Pair, verdict: str) -> dict[str, Flags]:
    """The statements of a pair: those in ``common``, and among them those that ``gained`` or
    ``lost`` the verdict."""
    code = [word.value for word in VERDICTS].index(verdict)
    earlier, later = pair.earlier.verdicts, pair.later.verdicts
    common = (earlier != NOTHING) & (later != NOTHING)
    return {
        "common": common,
        "gained": common & (earlier != code) & (later == code),
        "lost": common & (earlier == code) & (later != code),
        "before": common & (earlier == code),
        "after": common & (later == code),
        "differ": common & (earlier != later),
    }


def _compared(pair: Pair, clusters: Codes) -> Figures:
    earlier, later = pair.earlier.verdicts, pair.later.verdicts
    common = (earlier != NOTHING) & (later != NOTHING)
    one, two, names = earlier[common], later[common], clusters[common]
    several = int(np.unique(names).size)
    return {
        "statements": one.size,
        "clusters": several,
        "differ": int((one != two).sum()),
        "verdicts": {
            word.value: _tested(one == code, two == code, names, several)
            for code, word in enumerate(VERDICTS)
        },
    }


def _tested(before: Flags, after: Flags, names: Codes, several: int) -> Figures:
    test = sign_flip(after, before, names, alternative="two-sided")
    enough = several >= LEAST
    too_few = f"fewer than {LEAST} pairs or cases in common"
    return {
        "before": int(before.sum()),
        "after": int(after.sum()),
        "gained": int((after & ~before).sum()),
        "lost": int((before & ~after).sum()),
        "p": test.p if enough else None,
        "p_holm": None,
        "reason": test.reason if enough else too_few,
    }


def _result(figures: Figures) -> str:
    if figures["clusters"] < LEAST:
        return TOO_LITTLE
    adjusted = [test["p_holm"] for test in figures["verdicts"].values()]
    return ALARM if any(p is not None and p <= LEVEL for p in adjusted) else QUIET
