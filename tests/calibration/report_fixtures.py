"""Judgments and references in a few letters a row, as the columns that `agreement` takes.

Classes: S subject-specific, E external, I interpretation. Verdicts: s u c n. A dot is "not
stated"; ``".."`` alone is a statement without a reference, and a word is a failure's outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibration.agreement.columns import CLAIM_TYPES, NOTHING, OUTCOMES, SPEECH_ACTS, Columns

CLASS_LETTERS = "SEI"
VERDICT_LETTERS = "sucn"
ASSERTION = SPEECH_ACTS.index("assertion")


class Row(NamedTuple):
    human: str
    judge: str
    pair: int | None = None
    side: int = 0
    claim_type: str | None = None
    speech_act: str = "assertion"
    kind: int | None = None
    without_evidence: bool = False


def columns(rows: Sequence[Row]) -> Columns:
    """Rows in one pair and on one side are of one case; every other row is a case of its own."""
    cases = {
        key: number
        for number, key in enumerate(dict.fromkeys(_case(at, row) for at, row in enumerate(rows)))
    }
    return Columns(
        outcome=_codes(OUTCOMES.index(_outcome(row)) for row in rows),
        reference_class=_codes(CLASS_LETTERS.find(row.human[0]) for row in rows),
        reference_verdict=_codes(VERDICT_LETTERS.find(row.human[1]) for row in rows),
        judge_class=_codes(CLASS_LETTERS.find(_judged(row)[0]) for row in rows),
        judge_verdict=_codes(VERDICT_LETTERS.find(_judged(row)[1]) for row in rows),
        case=_codes(cases[_case(at, row)] for at, row in enumerate(rows)),
        pair=_codes(NOTHING if row.pair is None else row.pair for row in rows),
        claim_type=_codes(
            NOTHING if row.claim_type is None else CLAIM_TYPES.index(row.claim_type) for row in rows
        ),
        speech_act=_codes(SPEECH_ACTS.index(row.speech_act) for row in rows),
        pair_kind=_codes(NOTHING if row.kind is None else row.kind for row in rows),
        without_evidence=np.array([row.without_evidence for row in rows], dtype=bool),
    )


def _codes(values):
    return np.array(list(values), dtype=np.int64)


def _case(at: int, row: Row):
    return ("alone", at) if row.pair is None else ("pair", row.pair, row.side)


def _outcome(row: Row) -> str:
    return "graded" if len(row.judge) == 2 else row.judge


def _judged(row: Row) -> str:
    return row.judge if len(row.judge) == 2 else ".."


# About two dozen rows that meet every definition once; what must come of them is derived by
# hand in test_agreement. The comments say what each row is there for.
HAND = [
    Row("Ss", "Ss", 1, 0, "quantity", kind=0),  # pair 1: both right
    Row("Sc", "Sc", 1, 1, kind=0),
    Row("Ss", "Ss", 2, 0, kind=0),  # pair 2: lenient collapse
    Row("Su", "Ss", 2, 1, "quantity", kind=0),  # lenient
    Row("Ss", "Su", 3, 0),  # pair 3: strict collapse; strict
    Row("Su", "Su", 3, 1),
    Row("Ss", "Sc", 4, 0),  # pair 4: inverted; strict
    Row("Sc", "Ss", 4, 1),  # lenient
    Row("Su", "Sc", 5, 0),  # pair 5: other, for no human side passes; other
    Row("Sc", "Sc", 5, 1),
    Row("Ss", "timeout", 6, 0),  # pair 6: incomplete, a failure
    Row("Su", "Su", 6, 1),
    Row("..", "Ss", 7, 0),  # pair 7: incomplete, no reference
    Row("Su", "Su", 7, 1),
    Row("Es", "Es", 8, 0),  # pair 8: lenient collapse, for "not applicable" passes
    Row("Eu", "In", 8, 1),  # other
    Row("Ss", "Es", 9, 0),  # pair 9: other, for the verdicts are right; class escape
    Row("Su", "Su", 9, 1),
    Row("Su", "Es"),  # lenient, and a class escape as well
    Row("Ss", "Eu"),  # class escape, and strict as well
    Row(".s", "Ss"),  # class not labelled
    Row("Ss", ".s", without_evidence=True),  # class not judged
    Row("In", "Su", speech_act="procedural"),  # other
    Row("Ss", "unreadable"),
]
