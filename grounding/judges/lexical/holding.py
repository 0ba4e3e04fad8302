"""Whether a text says a claim's word, as this judge takes it: numbers may be rounded."""

from __future__ import annotations

from grounding.language.rounding import rounds_to
from grounding.language.token import Token
from grounding.language.tokens import Words, holds, same_number


def borne_out(token: Token, span: Words) -> bool:
    """Whether ``span`` says the token's word, or a number that is, or rounds to, the token's."""
    if token.number is None:
        return holds(token, span)
    return any(same_or_rounded(other, token) for other in span.figures)


def same_or_rounded(source: Token, claim: Token) -> bool:
    """Whether the number ``claim`` is the ``source``, or what that rounds to."""
    return same_number(claim, source) or rounds_to(source, claim)
