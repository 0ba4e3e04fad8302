"""What a negation, a reservation or a quantifier bears on, and whether two texts differ in it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Final

from grounding.judges.lexical.kinds import ALL, HEDGES, QUANTIFIERS, UNIVERSAL
from grounding.judges.lexical.tokens import Token, Tokens, Words, stem
from grounding.judges.lexical.words import NEGATING_ENDINGS, NEGATING_MARKS, NEGATIONS

# How far a mark reaches forward: to the first content words within so many tokens.
REACH: Final = 4
_BORNE: Final = 2
_CLAUSE: Final = frozenset({"but", "and", "or", "because", "that", "while", "i", "it", "they"})
_WIDE: Final = frozenset(stem(word) for word in UNIVERSAL - NEGATIONS)
_HEDGES: Final = frozenset(stem(word) for word in HEDGES)


def scope(tokens: Tokens, marks: Callable[[Token], bool]) -> frozenset[str]:
    """The stems that the marked tokens bear on."""
    found: set[str] = set()
    for at, token in enumerate(tokens):
        if marks(token):
            found.update(_borne(tokens[at + 1 : at + 1 + REACH]))
    return frozenset(found)


def _borne(after: Tokens) -> list[str]:
    """The first content words, up to where another clause begins."""
    clause = takewhile(lambda one: one.word not in _CLAUSE, after)
    return [one.stem for one in clause if one.is_content][:_BORNE]


def negation_flipped(claim: Words, there: Words) -> bool:
    """A word that both have, negated on one side and plain on the other."""
    if _spaceless_negation(claim) != _spaceless_negation(there):
        return True
    ours, theirs = scope(claim.tokens, _negates), scope(there.tokens, _negates)
    return not (ours - theirs).isdisjoint(there.stems) or not (theirs - ours).isdisjoint(
        claim.stems
    )


def hedge_dropped(claim: Words, there: Words) -> bool:
    """Said there with *may*, *reportedly* … of a word that the claim states flatly."""
    if there.stems.isdisjoint(_HEDGES) or not claim.stems.isdisjoint(_HEDGES):
        return False
    return not scope(there.tokens, _hedges).isdisjoint(claim.stems)


def hedge_added(claim: Words, there: Words) -> bool:
    return bool(claim.stems & _HEDGES - there.stems)


def all_for_fewer(claim: Words, there: Words) -> bool:
    """All of what only some, many or most are said to be."""
    ours, theirs = scope(claim.tokens, _all), scope(there.tokens, _fewer)
    return not ours.isdisjoint(theirs)


def widened(claim: Words, there: Words) -> bool:
    """*All*, *always*, *only* … is the claim's own."""
    return bool(claim.stems & _WIDE) and claim.stems.isdisjoint(_WIDE & there.stems)


def _negates(token: Token) -> bool:
    return token.is_negation


def _spaceless_negation(words: Words) -> bool:
    if "".join(words.stems).isascii():
        return False
    return any(one.startswith(NEGATING_MARKS) for one in words.stems) or any(
        ending <= words.stems for ending in NEGATING_ENDINGS
    )


def _hedges(token: Token) -> bool:
    return token.stem in _HEDGES


def _all(token: Token) -> bool:
    return QUANTIFIERS.get(token.word) == ALL


def _fewer(token: Token) -> bool:
    return QUANTIFIERS.get(token.word, ALL) < ALL
