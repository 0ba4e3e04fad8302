"""What became of the pairs: two near-identical cases that must land on opposite sides of a rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from calibration.agreement.columns import NOTHING, Codes, Columns, Flags, failing
from calibration.stats.rates import rate
from calibration.stats.results import RateJSON

OUTCOMES: Final = (
    "both_right",
    "lenient_collapse",
    "strict_collapse",
    "inverted",
    "other",
    "incomplete",
)
INCOMPLETE: Final = "incomplete"

_NO_PAIR: Final = "no case belongs to a pair"
_NOT_COMPLETE: Final = "no pair is complete"


def outcomes(columns: Columns) -> dict[str, int]:
    """Count the pairs, ``n``, and those of each outcome, which add up to n.

    A side (case) is right if each of its statements is; it passes if none of them is
    unsupported or contradictory. The first that fits, in this order:

    - ``incomplete``: a statement that was not graded or has no reference, on either side; a
      pair of which not exactly two sides were planned;
    - ``both_right``;
    - where, by the human, one side passes and the other does not: ``lenient_collapse``, the
      judge passes both; ``strict_collapse``, neither; ``inverted``, the wrong one;
    - ``other``.
    """
    outcome = outcome_of_each(columns.where(columns.pair != NOTHING))
    return {"n": len(outcome), **{name: int((outcome == name).sum()) for name in OUTCOMES}}


def shares(counts: Mapping[str, int]) -> dict[str, RateJSON]:
    """Each outcome of `outcomes` as a share of the complete pairs, and ``incomplete`` of all, with
    Wilson's interval: pairs are independent of each other, so each is worth one."""
    complete = counts["n"] - counts[INCOMPLETE]
    return {
        name: (
            rate(counts[name], counts["n"], reason=_NO_PAIR)
            if name == INCOMPLETE
            else rate(counts[name], complete, reason=_NOT_COMPLETE)
        ).as_json()
        for name in OUTCOMES
    }


def outcome_of_each(paired: Columns) -> np.typing.NDArray[np.str_]:
    """The outcome of each pair, by ascending pair code. Every row must belong to a pair."""
    _, first, side_of = np.unique(paired.case, return_index=True, return_inverse=True)
    names, pair_of = np.unique(paired.pair[first], return_inverse=True)

    def sides(rows: Flags) -> Codes:
        """How many sides of each pair have that true of all their rows."""
        whole = np.bincount(side_of, weights=~rows, minlength=len(first)) == 0
        return np.bincount(pair_of[whole], minlength=len(names))

    human, judge = ~failing(paired.reference_verdict), ~failing(paired.judge_verdict)
    human_sides, judge_sides = sides(human), sides(judge)
    opposed = human_sides == 1
    # One side each, and no side that passes by both: the two are not the same side.
    crossed = (judge_sides == 1) & (sides(human & judge) == 0)
    planned = np.bincount(pair_of, minlength=len(names))
    return np.select(
        [
            (planned != 2) | (sides(paired.compared) != 2),
            sides(paired.right) == 2,
            opposed & (judge_sides == 2),
            opposed & (judge_sides == 0),
            opposed & crossed,
        ],
        ["incomplete", "both_right", "lenient_collapse", "strict_collapse", "inverted"],
        "other",
    )
