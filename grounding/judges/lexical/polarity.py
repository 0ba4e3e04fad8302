"""What a negation, a reservation or a quantifier bears on, and whether two texts differ in it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Final

from grounding.language.kinds import ALL, HEDGES, QUANTIFIERS, SOFTENED, UNIVERSAL
from grounding.language.token import Token, Tokens
from grounding.language.tokens import Words, stem
from grounding.language.words import NEGATING_ENDINGS, NEGATING_MARKS, NEGATIONS

# How far a mark reaches forward: to the first content words within so many tokens.
REACH: Final = 4
_BORNE: Final = 2
_CLAUSE: Final = frozenset({"but", "and", "or", "because", "that", "while", "i", "it", "they"})
_WIDE: Final = frozenset(stem(word) for word in UNIVERSAL - NEGATIONS)
_HEDGES: Final = frozenset(stem(word) for word in HEDGES)
"""A quick look before the words themselves: *considering* is a reservation, *considered* not."""


def scope(words: Words, marks: Callable[[Token], bool]) -> frozenset[str]:
    """The stems that the marked tokens bear on."""
    return frozenset(token.stem for token in _borne(words, marks))


def _borne(words: Words, marks: Callable[[Token], bool]) -> list[Token]:
    return [
        token
        for sentence in words.sentences
        for at, mark in enumerate(sentence)
        if marks(mark)
        for token in _first(sentence[at + 1 : at + 1 + REACH])
    ]


def _first(after: Tokens) -> list[Token]:
    """The first content words, up to where another clause begins."""
    clause = takewhile(lambda one: one.word not in _CLAUSE, after)
    return [one for one in clause if one.is_content][:_BORNE]


def negated(words: Words) -> frozenset[str]:
    """The stems that ``words`` has under a negation and nowhere else."""
    if not words.negates:
        return frozenset()
    borne = _borne(words, _negates)
    under = {token.start for token in borne}
    plain = {token.stem for token in words.tokens if token.start not in under}
    return frozenset(token.stem for token in borne) - plain


def negation_flipped(claim: Words, there: Words) -> bool:
    """A word that both have, negated on one side and plain on the other.

    Where both negate the same word, what else their negations reach is no difference.
    """
    if _spaceless_negation(claim) != _spaceless_negation(there):
        return True
    if not (claim.negates or there.negates):
        return False
    if not scope(claim, _negates).isdisjoint(scope(there, _negates)):
        return False
    return not negated(claim).isdisjoint(there.stems) or not negated(there).isdisjoint(claim.stems)


def hedge_dropped(claim: Words, there: Words) -> bool:
    """Said there with *may*, *reportedly* … of a word that the claim states flatly."""
    if there.stems.isdisjoint(_HEDGES):
        return False
    if any(_hedges(token) or token.word in SOFTENED for token in claim.tokens):
        return False
    return not scope(there, _hedges).isdisjoint(claim.stems)


def hedge_added(claim: Words, there: Words) -> bool:
    added = claim.stems & _HEDGES - there.stems
    return bool(added) and any(_hedges(one) and one.stem in added for one in claim.tokens)


def all_for_fewer(claim: Words, there: Words) -> bool:
    """All of what only some, many or most are said to be."""
    ours = scope(claim, _all)
    return bool(ours) and not (ours - scope(there, _all)).isdisjoint(scope(there, _fewer))


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
    return token.word in HEDGES


def _all(token: Token) -> bool:
    return QUANTIFIERS.get(token.word) == ALL


def _fewer(token: Token) -> bool:
    return QUANTIFIERS.get(token.word, ALL) < ALL
