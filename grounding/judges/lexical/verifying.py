"""The second pass: one statement against the texts that its policy admits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from grounding.judges.lexical.tokens import Span, Token, holds, windows
from grounding.rubrics.definition import LexicalParameters

# How many tokens a name's neighbours may stand apart and still be its neighbours.
REACH: Final = 8

Raw = Literal["entailed", "not_stated", "refuted"]


@dataclass(frozen=True, slots=True)
class Text:
    """One passage or source: its id, what it is, its text."""

    key: str
    is_source: bool
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A window of one text."""

    text: Text
    span: Span


@dataclass(frozen=True, slots=True)
class Finding:
    """A raw verdict, the places it rests on, and why."""

    raw: Raw
    places: tuple[Place, ...]
    why: str


def overlap(claim: Sequence[Token], span: Span) -> float:
    """Share of the claim's content words that ``span`` holds, in [0, 1]; 0 for no words."""
    return sum(holds(token, span) for token in claim) / len(claim) if claim else 0.0


def best_window(
    claim: Sequence[Token], texts: Iterable[Text], most: int
) -> tuple[float, Text, Span] | None:
    """The window with the highest overlap; of equals the shortest, then the first."""
    best: tuple[float, Text, Span] | None = None
    for text in texts:
        for span in windows(text.text, most):
            share = overlap(claim, span)
            if (
                best is None
                or share > best[0]
                or (share == best[0] and len(span.text) < len(best[2].text))
            ):
                best = (share, text, span)
    return best


def find(claim: Span, texts: Sequence[Text], parameters: LexicalParameters) -> Finding:
    """What ``texts`` say of ``claim``; the rules, in order, stand in the package's docstring."""
    content = claim.content
    best = best_window(content, texts, parameters.window_sentences)
    if best is None or best[0] < parameters.mismatch_overlap:
        return Finding("not_stated", (), "no passage speaks of it")
    _, text, span = best
    missing = [token for token in content if not holds(token, span)]
    refuted = (
        _number_mismatch(claim, span, _nowhere(missing, texts))
        or _negation_flip(claim, span)
        or _name_swap(claim, span, _nowhere(missing, texts))
    )
    if refuted:
        return Finding("refuted", (Place(text, span),), refuted)
    return _entailed(content, Place(text, span), texts, parameters)


def _nowhere(missing: Sequence[Token], texts: Sequence[Text]) -> list[Token]:
    """Numbers and names of ``missing`` that no text has: only these can be a mismatch."""
    return [
        token
        for token in missing
        if (token.number is not None or token.is_name)
        and not any(holds(token, span) for text in texts for span in windows(text.text, 1))
    ]


def _entailed(
    content: Sequence[Token], first: Place, texts: Sequence[Text], parameters: LexicalParameters
) -> Finding:
    places = [first]
    missing = _left(content, first.span)
    while not _borne_out(content, missing, parameters) and len(places) < parameters.most_windows:
        more = best_window(missing, texts, parameters.window_sentences)
        if more is None or overlap(content, more[2]) < max(parameters.joined_overlap, 1e-9):
            break
        places.append(Place(more[1], more[2]))
        missing = _left(missing, more[2])
    share = 1 - len(missing) / len(content)
    if not _borne_out(content, missing, parameters):
        return Finding("not_stated", (first,), f"{share:.2f} of its words stand there")
    return Finding("entailed", tuple(places), f"{share:.2f} of its words stand there")


def _borne_out(
    content: Sequence[Token], missing: Sequence[Token], parameters: LexicalParameters
) -> bool:
    """Enough of the words are there, and every number and name and the opening word is."""
    if any(token.number is not None or token.is_name or token.is_opening for token in missing):
        return False
    return 1 - len(missing) / len(content) >= parameters.supported_overlap


def _left(content: Sequence[Token], span: Span) -> list[Token]:
    return [token for token in content if not holds(token, span)]


def _number_mismatch(claim: Span, span: Span, missing: Iterable[Token]) -> str | None:
    others = {
        _kind(token, token.number)
        for token in span.tokens
        if token.number is not None and token.number not in claim.numbers
    }
    for token in missing:
        if token.number is not None and _kind(token, token.number) in others:
            return f"another {_kind(token, token.number)} stands there"
    return None


def _kind(token: Token, number: Decimal) -> str:
    if token.is_month:
        return "month"
    return "year" if 1000 <= number <= 2100 and number == int(number) else "number"


def _negation_flip(claim: Span, span: Span) -> str | None:
    """One side negated and the other not, counted around the words that both share."""
    held = [
        index
        for index, token in enumerate(span.tokens)
        if token.is_content and token.stem in claim.stems
    ]
    if not held:
        return None
    inside = sum(held[0] - 3 <= index <= held[-1] + 1 for index in span.negations)
    flipped = len(claim.negations) % 2 != inside % 2
    return "one of the two is negated and the other is not" if flipped else None


def _name_swap(claim: Span, span: Span, missing: Sequence[Token]) -> str | None:
    """Another name stands where the claim's stands: between the same neighbours."""
    for token in missing:
        if token.is_name and any(
            other.is_name and not holds(other, claim)
            for left, right in _slots(token, claim, span)
            for other in span.tokens[left:right]
        ):
            return "another name stands in its place"
    return None


def _slots(token: Token, claim: Span, span: Span) -> Iterator[tuple[int, int]]:
    """Where ``span`` has the claim's content words before and after ``token``, near together.

    At the claim's edge one neighbour is enough; a claim of one content word has no slot.
    """
    content = claim.content
    at = content.index(token)
    before = _places(span, content[at - 1]) if at else None
    after = _places(span, content[at + 1]) if at + 1 < len(content) else None
    if before is not None and after is not None:
        yield from ((p + 1, q) for p in before for q in after if p < q <= p + REACH)
    elif before is not None:
        yield from ((p + 1, p + REACH) for p in before)
    elif after is not None:
        yield from ((max(0, q - REACH), q) for q in after)


def _places(span: Span, token: Token) -> list[int]:
    return [index for index, other in enumerate(span.tokens) if other.stem == token.stem]
