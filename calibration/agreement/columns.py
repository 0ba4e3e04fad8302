"""The columns that an agreement report is computed from: one entry a planned judgment.

Words become codes, their place in the contract's own vocabularies; `NOTHING` stands for "not
stated". No Django and no database: whoever has the data, in whatever store, can fill them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from grounding.contract import FAILING, ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import Outcome

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOTHING: Final = -1
OUTCOMES: Final = tuple(Outcome)
CLASSES: Final = tuple(ClaimClass)
VERDICTS: Final = tuple(Verdict)
CLAIM_TYPES: Final = tuple(ClaimType)
SPEECH_ACTS: Final = tuple(SpeechAct)

SUPPORTED: Final = VERDICTS.index(Verdict.SUPPORTED)
SUBJECT_SPECIFIC: Final = CLASSES.index(ClaimClass.SUBJECT_SPECIFIC)
_GRADED: Final = OUTCOMES.index(Outcome.GRADED)
_FAILING: Final = [VERDICTS.index(verdict) for verdict in FAILING]


def codebook(vocabulary: tuple[StrEnum, ...]) -> dict[str | None, int]:
    """Each word's code, and `NOTHING` for None."""
    return {None: NOTHING, **{word.value: code for code, word in enumerate(vocabulary)}}


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays of one length, in the order in which disagreements are to be listed.

    ``reference_verdict`` is `NOTHING` where the statement has no reference, and the
    judge's class and verdict are where it was not graded. ``case`` and ``pair`` are any
    whole numbers, equal within a case and within a pair; ``pair`` is `NOTHING` for a case
    that stands alone. ``pair_kind`` are places in the names that `figures` is given.
    """

    outcome: Codes
    reference_class: Codes
    reference_verdict: Codes
    judge_class: Codes
    judge_verdict: Codes
    case: Codes
    pair: Codes
    claim_type: Codes
    speech_act: Codes
    pair_kind: Codes
    without_evidence: Flags

    def __len__(self) -> int:
        return self.outcome.size

    def where(self, chosen: Flags | Codes) -> Columns:
        """The rows that are flagged, or those at the places given, in that order."""
        rows = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        return replace(
            self, **{each.name: getattr(self, each.name).take(rows) for each in fields(self)}
        )

    @property
    def graded(self) -> Flags:
        flags: Flags = self.outcome == _GRADED
        return flags

    @property
    def compared(self) -> Flags:
        """Graded, and with a reference."""
        flags: Flags = self.graded & (self.reference_verdict != NOTHING)
        return flags

    @property
    def classed(self) -> Flags:
        """Both sides state a class."""
        flags: Flags = (self.reference_class != NOTHING) & (self.judge_class != NOTHING)
        return flags

    @property
    def verdict_right(self) -> Flags:
        flags: Flags = self.reference_verdict == self.judge_verdict
        return flags

    @property
    def class_right(self) -> Flags:
        flags: Flags = self.classed & (self.reference_class == self.judge_class)
        return flags

    @property
    def right(self) -> Flags:
        """The verdict, and the class too where both state one."""
        return self.verdict_right & (self.class_right | ~self.classed)

    @property
    def cluster(self) -> Codes:
        """What is right or wrong together: the pair, else the case. Cases that stand alone
        are numbered past the pairs, in their order and with gaps."""
        past = 1 + int(self.pair.max(initial=NOTHING))
        first = int(self.case.min(initial=np.iinfo(np.int64).max))
        return np.where(self.pair != NOTHING, self.pair, past + (self.case - first))


def failing(verdicts: Codes) -> Flags:
    """Unsupported or contradictory."""
    return np.isin(verdicts, _FAILING)
