"""What people and one judge say of the same statements: the columns that `humans` measures.

Only statements with two ratings or more are in them (`labeling.references.ratings`). They are
frozen beside a report as they are, since labels that arrive later can change them without moving
any reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from calibration.agreement.columns import CLASSES, NOTHING, VERDICTS, Codes, Flags, codebook
from labeling.columns.arrays import Packed, pack

_ARRAYS: Final = (
    *("statement", "judgment", "cluster", "judge_class", "judge_verdict"),
    *("place", "annotator", "claim_class", "verdict", "rated_once"),
)
_WORDS: Final[Mapping[str, tuple[StrEnum, ...]]] = {
    "judge_class": CLASSES,
    "claim_class": CLASSES,
    "judge_verdict": VERDICTS,
    "verdict": VERDICTS,
}


@dataclass(frozen=True)
class Rated:
    """Arrays of one entry a statement, in the set's order, and of one entry a rating.

    ``statement`` and ``judgment`` are primary keys; the judge's class and verdict are `NOTHING`
    where it failed. ``place`` says of a rating which of the statements it is of, ``annotator``
    who made it, as a place in ``annotators``, the codes.
    """

    statement: Codes
    judgment: Codes
    cluster: Codes
    judge_class: Codes
    judge_verdict: Codes
    place: Codes
    annotator: Codes
    claim_class: Codes
    verdict: Codes
    annotators: Sequence[str]
    rated_once: Codes
    """The statements with one rating, of which nothing else is known here."""

    def __len__(self) -> int:
        return self.place.size

    @property
    def answered(self) -> Flags:
        """Of each rating, whether the judge answered on its statement."""
        flags: Flags = self.judge_verdict[self.place] != NOTHING
        return flags

    def with_ratings(self, how_many: str) -> frozenset[int]:
        """The statements with ``one`` rating, with ``two``, or with ``several``: two or more."""
        if how_many == "one":
            return frozenset(self.rated_once.tolist())
        sizes = np.bincount(self.place, minlength=self.statement.size)
        return frozenset(self.statement[(how_many != "two") | (sizes == 2)].tolist())


def packed(rated: Rated) -> bytes:
    """As a report keeps it: every code beside the words that it is a place in."""
    words = {**_WORDS, "annotator": rated.annotators}
    return pack({name: getattr(rated, name) for name in _ARRAYS}, words)


def read(columns: bytes | memoryview) -> Rated:
    """What `packed` wrote, whatever the order of words is by now."""
    sheet = Packed(columns)
    arrays = {name: sheet.codes(name) for name in _ARRAYS}
    for name, vocabulary in _WORDS.items():
        book = codebook(vocabulary)
        # Nothing is -1, hence the last.
        turned = np.array([*(book[word] for word in sheet.words[name]), NOTHING], dtype=np.int64)
        arrays[name] = turned[arrays[name]]
    return Rated(**arrays, annotators=sheet.words["annotator"])
