"""The word lists that the lexical judge's rules name. English, but for digits and CJK marks."""

from __future__ import annotations

from typing import Final


def _words(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


STOP: Final = frozenset(
    _words(
        """
        a an the this that these those and or but nor so if then than as at by for from in into of
        off on onto out over to up with within about after before between during through under
        until upon via is are was were be been being am has have had having do does did doing will
        would shall can could may might must it its he him his she her hers they them their theirs
        we us our ours you your yours i me my mine who whom whose which what where when why how
        there here also just very too such own same some s t re ve ll d m lrb rrb lsb rsb yet well
        however while according
        """
    )
)

NEGATIONS: Final = frozenset(
    _words(
        "not no never none nobody nothing neither nor without cannot nowhere hardly barely unable"
    )
)
NEGATING_PHRASES: Final = (
    "yet to",
    "failed to",
    "fails to",
    "refused to",
    "refuses to",
    "instead of",
    "rather than",
)

PRONOUNS: Final = frozenset(_words("he she it they his her its their him them"))

ANCHORS: Final = frozenset(
    _words(
        """
        the this that these those your my our his her its their he she it they we i you there both
        all each every most some
        """
    )
)
"""A statement that opens with one of these points at somebody or something in particular."""

SCALES: Final = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}

_UNITS = _words(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
    """
)
_TENS = _words("thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS: Final = {word: value for value, word in enumerate(_UNITS)} | {
    word: 30 + 10 * index for index, word in enumerate(_TENS)
}

MONTHS: Final = _words(
    """
    january february march april may june july august september october november december
    """
)

# "One" is a pronoun or an article far more often than a count, so it marks no quantity.
UNCOUNTED: Final = frozenset({"one"})
