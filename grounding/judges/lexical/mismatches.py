"""What contradicts a claim: something else standing where the claim's own word should.

Every rule needs a window that says enough of the rest of the claim; how little the two have in
common is never a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from grounding.judges.lexical.features import excluded
from grounding.judges.lexical.holding import borne_out, same_or_rounded
from grounding.judges.lexical.polarity import all_for_fewer, negation_flipped
from grounding.language.lexemes import SIDES
from grounding.language.markers import BACKWARD, FORWARD
from grounding.language.token import Token
from grounding.language.tokens import Span, Words

# How many tokens a name's neighbours may stand apart and still be its neighbours.
REACH: Final = 8
ABBREVIATION: Final = 4

_THAN: Final = re.compile(r"\b\w+ than\b", re.IGNORECASE)


def mismatch(claim: Span, span: Span, missing: Sequence[Token], anywhere: Words) -> str | None:
    """Why ``span`` contradicts ``claim``, or None.

    ``missing`` are the claim's content words that ``span`` has not.
    """
    nowhere = [token for token in missing if not borne_out(token, anywhere)]
    return (
        _number(claim, span, nowhere)
        or _opposite(claim, span, anywhere)
        or _polarity(claim, span)
        or _name(claim, span, nowhere)
        or _turned_round(claim, span)
    )


def _number(claim: Span, span: Span, nowhere: Iterable[Token]) -> str | None:
    others = {
        kind(other)
        for other in span.figures
        if not any(holds_number(token, other) for token in claim.figures)
    }
    for token in nowhere:
        if token.number is not None and kind(token) in others:
            return f"another {kind(token)} stands there"
    return None


def holds_number(token: Token, other: Token) -> bool:
    return same_or_rounded(other, token) or same_or_rounded(token, other)


def kind(token: Token) -> str:
    """What a number counts, as far as it shows: numbers of two kinds exclude nothing."""
    if token.is_month:
        return "month"
    if token.dimension:
        return f"number ({token.dimension})"
    number = token.number
    whole = number is not None and 1000 <= number <= 2100 and number == int(number)
    return "year" if whole else "number"


def _opposite(claim: Span, span: Span, anywhere: Words) -> str | None:
    """A word that stands nowhere, and one that excludes it here."""
    for token in claim.tokens:
        if (
            token.stem in SIDES
            and token.stem not in anywhere.stems
            and not borne_out(token, anywhere)
            and excluded(token, claim, span)
        ):
            return f"a word that excludes “{token.word}” stands there"
    return None


def _polarity(claim: Span, span: Span) -> str | None:
    if negation_flipped(claim, span):
        return "one of the two is negated and the other is not"
    return "all is claimed, and fewer are said to" if all_for_fewer(claim, span) else None


def _name(claim: Span, span: Span, nowhere: Sequence[Token]) -> str | None:
    """Another name stands where the claim's stands: between the same neighbours."""
    for token in nowhere:
        if _is_full_name(token, claim) and any(
            other.is_name and not borne_out(other, claim)
            for left, right in _slots(token, claim, span)
            for other in span.tokens[left:right]
        ):
            return "another name stands in its place"
    return None


def _is_full_name(token: Token, claim: Span) -> bool:
    """A name that is no abbreviation: UK and United Kingdom exclude nothing."""
    written = claim.text[token.start - claim.start : token.end - claim.start]
    return token.is_name and not (written.isupper() and len(written) <= ABBREVIATION)


def _slots(token: Token, claim: Span, span: Span) -> Iterator[tuple[int, int]]:
    """Where ``span`` has the claim's content words before and after the name, near together.

    A name of several words is one. At the claim's edge one neighbour is enough, if the little word
    before the name (*by*, *in* …) is the same; a claim of one content word has no slot.
    """
    content = claim.content
    first, last = _whole_name(content, content.index(token))
    before = _places(span, content[first - 1]) if first else None
    after = _places(span, content[last + 1]) if last + 1 < len(content) else None
    if before is not None and after is not None:
        yield from ((p + 1, q) for p in before for q in after if p < q <= p + REACH)
    elif before is not None:
        word = claim.tokens[claim.tokens.index(content[first]) - 1].word
        yield from (
            (at + 1, at + 2)
            for p in before
            for at in range(p, min(p + REACH, len(span.tokens)))
            if span.tokens[at].word == word
        )
    elif after is not None:
        yield from ((max(0, q - REACH), q) for q in after)


def _whole_name(content: Sequence[Token], at: int) -> tuple[int, int]:
    """The first and last place of the run of names around ``at``."""
    first = last = at
    while first and content[first - 1].is_name:
        first -= 1
    while last + 1 < len(content) and content[last + 1].is_name:
        last += 1
    return first, last


def _places(span: Span, token: Token) -> list[int]:
    return [index for index, other in enumerate(span.tokens) if other.stem == token.stem]


def _turned_round(claim: Span, span: Span) -> str | None:
    """Cause and effect, or the two sides of a comparison, in each other's place."""
    for sides in (_causal, _compared):
        ours, theirs = sides(claim), sides(span)
        if ours and theirs and _crossed(ours, theirs):
            return "the two sides stand the other way round"
    return None


_Sides = tuple[frozenset[str], frozenset[str]]


def _causal(span: Span) -> _Sides | None:
    """(cause, effect) around the first causal marker."""
    backward = BACKWARD.search(span.text)
    if backward:
        effect, cause = _around(span, backward)
        return cause, effect
    forward = FORWARD.search(span.text)
    return _around(span, forward) if forward else None


def _compared(span: Span) -> _Sides | None:
    found = _THAN.search(span.text)
    return _around(span, found) if found else None


def _around(span: Span, found: re.Match[str]) -> _Sides:
    left, right = span.start + found.start(), span.start + found.end()
    return (
        frozenset(token.stem for token in span.content if token.end <= left),
        frozenset(token.stem for token in span.content if token.start >= right),
    )


def _crossed(ours: _Sides, theirs: _Sides) -> bool:
    straight = len(ours[0] & theirs[0]) + len(ours[1] & theirs[1])
    first, second = len(ours[0] & theirs[1]), len(ours[1] & theirs[0])
    return bool(first and second) and first + second > straight
