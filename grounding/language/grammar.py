"""Which words are verbs, as far as closed lists and endings tell. English.

Not a parser. What uses it leaves alone whatever it is not sure of.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


BE: Final = _words("is are was were am")
HAVE: Final = _words("has have had")
MODALS: Final = _words("will would can could may might must shall should cannot")
AUXILIARIES: Final = BE | HAVE | MODALS | _words("does do did")
PRESENT_AUXILIARIES: Final = _words("is are am has have does do can may must will")

PAST: Final = _words(
    """
    went took became began wrote gave saw rose fell grew knew came ran sang spoke wore chose drove
    ate flew broke threw drew swam stole woke rang sank drank hid forgave overcame undertook
    withdrew arose shook undertook underwent befell
    """
)
"""Past tenses that are no participle."""
PAST_OR_PARTICIPLE: Final = _words(
    """
    made said got won lost found held kept left led met paid sold sent spent stood told thought
    bought brought built caught fought felt heard sat taught put set hit shot struck laid fed
    """
)
PRESENT: Final = _words(
    """
    includes contains provides offers uses makes takes gives becomes remains owns sells requires
    allows covers consists belongs produces employs operates serves lives speaks writes holds
    describes explains tells follows teaches performs specializes specialises focuses publishes
    manages maintains receives attracts depends begins ends opens closes connects hosts teaches
    comprises represents supports prevents causes reduces increases improves protects grows
    appears stars features sings acts directs
    """
)
_NOUNS: Final = _words("features stars ends increases supports covers uses takes acts causes")
"""Of `PRESENT`, those that are as often nouns."""
PRESENT_ONLY: Final = PRESENT - _NOUNS

DETERMINERS: Final = _words(
    """
    the a an this that these those his her its their our my your each every some all most many
    several no any both
    """
)
PRONOUNS: Final = _words("it he she they we i you there this these those")
PREPOSITIONS: Final = _words(
    """
    of in on at to from for by with about as into over under between among during since until
    through after before against without within across via per like near towards toward upon
    """
)
SUBORDINATORS: Final = _words(
    """
    who whom whose which that because since if unless when whenever where wherever while although
    though whereas as than whether once until before after so how what why
    """
)
_NO_PAST: Final = _words(
    """
    red used based related united limited unlimited advanced need seed feed deed weed heed reed shed
    sled bred fled speed breed greed steed bleed tweed hundred indeed embed exceed proceed succeed
    kindred sacred naked wicked beloved
    """
)
_WORD: Final = re.compile(r"[^\W_]+(?:[.'’&,-](?=[^\W_])[^\W_]+)*|\S")


class Word(NamedTuple):
    """A word or a mark of ``text[start:end]``, lower case."""

    low: str
    start: int
    end: int
    is_capital: bool

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number, not a mark."""
        return self.low[0].isalnum()


def words_of(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words and marks of ``text[start:end]``, with offsets into ``text``."""
    found = _WORD.finditer(text, start, len(text) if end is None else end)
    return [Word(one[0].lower(), one.start(), one.end(), one[0][0].isupper()) for one in found]


def is_ed(low: str) -> bool:
    """Whether a word ends as past tenses and participles do."""
    return low.endswith("ed") and len(low) > 3 and low not in _NO_PAST


def is_finite(low: str) -> bool:
    """Whether a word can be a finite verb by itself."""
    return (
        low in AUXILIARIES
        or low in PAST
        or low in PAST_OR_PARTICIPLE
        or low in PRESENT
        or low.endswith("n't")
        or is_ed(low)
    )


def is_surely_finite(low: str) -> bool:
    """Whether a word is a finite verb and can be nothing else."""
    return low in AUXILIARIES or low in PAST or low in PRESENT_ONLY or low.endswith("n't")
