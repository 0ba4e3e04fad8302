"""Text into tokens, sentences and windows, with code-point offsets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from grounding.judges.lexical.words import (
    MONTHS,
    NEGATING_PHRASES,
    NEGATIONS,
    NUMBER_WORDS,
    SCALES,
    STOP,
    UNCOUNTED,
)

_VERBS: Final = frozenset({"may", "march"})
# Scripts written without spaces come as overlapping pairs of characters.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN: Final = re.compile(
    rf"[{_CJK}]+|\d+(?:[.,]\d+)*(?:(?<=\d)(?:st|nd|rd|th)\b)?|[^\W\d_{_CJK}][^\W\d_{_CJK}\u0300-\u036f]*"
    r"(?:[\u0300-\u036f]+[^\W\d_]*)*(?:['’][^\W\d_]+)?"
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
_INITIAL: Final = re.compile(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|No|approx|Inc|Ltd)\.$")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number. ``stem`` is what is compared; ``number`` is its value, if it is one."""

    stem: str
    start: int
    end: int
    is_name: bool
    is_content: bool
    number: Decimal | None
    is_month: bool = False
    is_opening: bool = False
    """A capital at the start of a sentence: a name, or only the subject."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text with its tokens."""

    text: str
    start: int
    end: int
    tokens: tuple[Token, ...]
    stems: frozenset[str]
    prefixes: frozenset[str]
    numbers: frozenset[Decimal]
    negations: tuple[int, ...]
    """Where negations stand, as indices into ``tokens``."""

    @property
    def content(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.is_content)


def span_of(text: str, start: int = 0, end: int | None = None) -> Span:
    """``text[start:end]`` with its tokens; offsets are into ``text``."""
    end = len(text) if end is None else end
    tokens = tuple(_scaled(list(_tokens(text, start, end))))
    return Span(
        text=text[start:end],
        start=start,
        end=end,
        tokens=tokens,
        stems=frozenset(token.stem for token in tokens),
        prefixes=frozenset(token.stem[:6] for token in tokens if len(token.stem) >= 6),
        numbers=frozenset(token.number for token in tokens if token.number is not None),
        negations=_negations(text, tokens),
    )


@lru_cache(maxsize=512)
def windows(text: str, most: int) -> tuple[Span, ...]:
    """Every run of 1 to ``most`` neighbouring sentences of ``text``, the short ones first."""
    bounds = tuple(_sentence_bounds(text))
    return tuple(
        span_of(text, bounds[first][0], bounds[first + size - 1][1])
        for size in range(1, min(most, len(bounds)) + 1)
        for first in range(len(bounds) - size + 1)
    )


def holds(token: Token, span: Span) -> bool:
    """Whether ``span`` has the token's word, in another inflection too unless it is a name."""
    if token.number is not None:
        return token.number in span.numbers
    if token.stem in span.stems:
        return True
    return not token.is_name and len(token.stem) >= 6 and token.stem[:6] in span.prefixes


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A rough stem: plural, -ed, -ing and a final e taken off. Not linguistics, but stable."""
    word = unicodedata.normalize("NFKC", word).casefold().replace("’", "'")
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    for suffix in ("ing", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(suffix)
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    opening = True
    for found in _TOKEN.finditer(text, start, end):
        word, left = found[0], found.start()
        if "\u3040" <= word[0] <= "\u9fff" or "\uf900" <= word[0] <= "\ufaff":
            for at in range(max(1, len(word) - 1)):
                yield Token(word[at : at + 2], left + at, left + at + 2, False, True, None)
        elif word[0].isdigit():
            value = _value(word.rstrip("stndrh"))
            yield Token(str(value), left, found.end(), False, True, value)
        else:
            yield _word(word, left, found.end(), opening)
        opening = False


def _word(word: str, start: int, end: int, opening: bool) -> Token:
    lower = word.casefold().replace("’", "'")
    counted = NUMBER_WORDS.get(lower) if lower not in UNCOUNTED else None
    number = None if counted is None else Decimal(counted)
    # At the start of a sentence "May" and "March" are more likely verbs.
    is_month = lower in MONTHS and word[0].isupper() and not (opening and lower in _VERBS)
    if is_month:
        # Months compare as numbers do: another one in the same place is a mismatch.
        number = Decimal(-1 - MONTHS.index(lower))
    negation = lower in NEGATIONS or lower.endswith("n't") or lower == "n"
    is_name = word[0].isupper() and not opening and lower not in STOP and len(word) > 1
    is_content = is_month or (lower not in STOP and not negation and len(lower) > 1)
    return Token(
        stem(word), start, end, is_name, is_content, number, is_month, opening and word[0].isupper()
    )


def _scaled(tokens: list[Token]) -> Iterator[Token]:
    """``3 million`` as one number, and ``3.5`` and ``3.50`` as the same one."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        scale = SCALES.get(tokens[index + 1].stem) if index + 1 < len(tokens) else None
        if token.number is not None and scale:
            value = (token.number * scale).normalize()
            yield Token(str(value), token.start, tokens[index + 1].end, False, True, value)
            index += 1
        else:
            yield token
        index += 1


def _value(digits: str) -> Decimal | None:
    plain = digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits.replace(",", ".")
    try:
        return Decimal(plain[:40]).normalize()
    except InvalidOperation:  # 1.2.3, a version or a date: not one number
        return None


def _negations(text: str, tokens: tuple[Token, ...]) -> tuple[int, ...]:
    found = []
    for index, token in enumerate(tokens):
        word = text[token.start : token.end].casefold().replace("’", "'")
        following = (
            text[tokens[index + 1].start : tokens[index + 1].end]
            if (index + 1 < len(tokens))
            else ""
        )
        if word in NEGATIONS or word.endswith("n't") or f"{word} {following}" in NEGATING_PHRASES:
            found.append(index)
    return tuple(found)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of ``text``, white space taken off their ends."""
    return tuple(text[start:end] for start, end in _sentence_bounds(text))


def _sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _SENTENCE_END.finditer(text):
        if _INITIAL.search(text, max(0, found.start() - 8), found.start()):
            continue
        yield from _trimmed(text, start, found.start())
        start = found.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if piece.strip():
        left = start + len(piece) - len(piece.lstrip())
        yield left, left + len(piece.strip())
