"""Text into tokens, sentences and windows, with code-point offsets."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final

from grounding.language import numbers
from grounding.language.kinds import Place
from grounding.language.lexemes import MEANINGS, SIDES, TOLD, Lexeme, lexeme
from grounding.language.quantities import combined, counts
from grounding.language.sentences import bounds_of
from grounding.language.token import NO_UNIT, Token, Tokens
from grounding.language.words import NEGATING_PHRASES


def _marks() -> str:
    """Every combining mark, as the inside of a character class: Indic vowels are no \\w."""
    found = [n for n in range(0x300, 0x1FFFF) if unicodedata.category(chr(n))[0] == "M"]
    ends = [n for n, after in pairwise([*found, sys.maxunicode]) if after != n + 1]
    starts = [n for before, n in pairwise([-1, *found]) if before != n - 1]
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))


# Scripts written without spaces come as overlapping pairs of characters.
_SPACELESS: Final = (
    "\u0e00-\u0e4f\u0e80-\u0ecf\u1000-\u103f\u1780-\u17d3\u3005\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff"
)
_HAN_UNITS: Final = "年月日号時时分秒人名件個个台本回次歳岁円元％割点位倍"
_FRACTIONS: Final = "½⅓⅔¼¾⅕⅛"
_LETTER: Final = rf"[^\W\d_{_SPACELESS}{_FRACTIONS}]"
_TOKEN: Final = re.compile(
    # Words first, since most tokens are; a mark joins the letters before and after it.
    rf"(?P<word>{_LETTER}+(?:[{_marks()}\u200c\u200d]+{_LETTER}*)*(?:['’][^\W\d_]+)?)"
    r"|(?P<clock>\b\d{1,2}:\d\d\b(?:\s?[AaPp]\.?[Mm]\b)?)"
    r"|(?P<iso>\b\d{4}-\d\d-\d\d\b)"
    rf"|(?P<digits>(?:[$€£¥₹]\s?)?\d+"
    rf"(?:[{numbers.SEPARATORS}]\d+|(?<!\d\d\d\d)\u0020\d\d\d(?!\d)|,\u0020000\b)*"
    rf"(?:(?:st|nd|rd|th)\b|\s?[%٪％]|[{numbers.HAN_SCALES}])?)"
    rf"|(?P<spaceless>[{_SPACELESS}]+)"
    rf"|(?P<fraction>[{_FRACTIONS}])"
)
_HAN_RUN: Final = re.compile(
    rf"[{numbers.HAN_NUMERALS}]+(?=[{_HAN_UNITS}])|[〇一二三四五六七八九十百千万億]{{3,}}"
)
_PHRASES: Final = dict(NEGATING_PHRASES)
_SYMBOLS: Final = {"$": "$", "€": "€", "£": "£", "¥": "¥", "₹": "₹"}
_ORDINAL: Final = ("st", "nd", "rd", "th")


_NO_SIDES: Final[frozenset[Place]] = frozenset()
_NO_GROUPS: Final[frozenset[int]] = frozenset()


class Words:
    """What a stretch of text says, as the sets that a claim's tokens are looked up in."""

    __slots__ = (
        "figures", "negates", "prefixes", "roots", "sentences", "sides", "stems", "tells", "tokens",
    )  # fmt: skip

    def __init__(self, sentences: Sequence[Tokens]) -> None:
        tokens = tuple(token for sentence in sentences for token in sentence)
        self.sentences = tuple(sentences)
        self.tokens = tokens
        self.stems = frozenset([token.stem for token in tokens])
        self.prefixes = frozenset([token.prefix for token in tokens if token.prefix])
        self.roots = frozenset([token.root for token in tokens if token.root])
        self.negates = True in [token.is_negation for token in tokens]
        self.figures = tuple([token for token in tokens if token.number is not None])
        self.sides: frozenset[Place] = _NO_SIDES.union(
            *(SIDES[one] for one in self.stems & SIDES.keys())
        )
        self.tells: frozenset[int] = _NO_GROUPS.union(
            *(TOLD[one] for one in self.stems & TOLD.keys())
        )

    @property
    def numbers(self) -> frozenset[Decimal]:
        return frozenset(token.number for token in self.figures if token.number is not None)


class Span(Words):
    """One stretch of one text, with its place there."""

    __slots__ = ("content", "end", "start", "text")

    def __init__(self, text: str, start: int, end: int, parts: Sequence[Tokens]) -> None:
        super().__init__(parts)
        self.text = text[start:end]
        self.start = start
        self.end = end
        self.content = tuple([token for token in self.tokens if token.is_content])


def pooled(parts: Iterable[Words]) -> Words:
    """What several stretches say together."""
    return Words([sentence for part in parts for sentence in part.sentences])


@lru_cache(maxsize=1024)
def span_of(text: str) -> Span:
    """The whole of ``text`` with its tokens."""
    return Span(text, 0, len(text), [_sentence(text, *bounds) for bounds in bounds_of(text)])


@lru_cache(maxsize=512)
def windows(text: str, most: int) -> tuple[Span, ...]:
    """Every run of 1 to ``most`` neighbouring sentences of ``text``, the short ones first."""
    bounds = tuple(bounds_of(text))
    parts = [_sentence(text, *one) for one in bounds]
    return tuple(
        Span(text, bounds[at][0], bounds[at + size - 1][1], parts[at : at + size])
        for size in range(1, min(most, len(bounds)) + 1)
        for at in range(len(bounds) - size + 1)
    )


def holds(token: Token, span: Words) -> bool:
    """Whether ``span`` says the token's word: inflected or by a like word, unless a name."""
    if token.number is not None:
        return any(same_number(token, other) for other in span.figures)
    if token.stem in span.stems:
        return True
    if token.stem in MEANINGS and not span.tells.isdisjoint(MEANINGS[token.stem]):
        return True
    if token.is_name:
        return False
    if token.prefix and token.prefix in span.prefixes:
        return True
    if token.root and token.root in span.roots:
        return True
    return token.stem in SIDES and not span.sides.isdisjoint(SIDES[token.stem])


def same_number(one: Token, other: Token) -> bool:
    """Equal in value, and in the base unit where both have one; what rounds to what is for
    `rounding`."""
    if one.is_month or other.is_month:
        return one.number == other.number
    if one.dimension and other.dimension:
        return one.dimension == other.dimension and one.base == other.base
    return any(value in other.values for value in one.values)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A rough stem: plural, -ed, -ing and a final e taken off. Not linguistics, but stable."""
    return lexeme(word).stem


def _sentence(text: str, start: int, end: int) -> Tokens:
    found = _phrased(list(_tokens(text, start, end)))
    return tuple(combined(found, text) if counts(found) else found)


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    opening = True
    for found in _TOKEN.finditer(text, start, end):
        kind, left, right = found.lastgroup, found.start(), found.end()
        if kind == "word":
            yield _word(lexeme(found[0]), left, right, opening)
        elif kind == "spaceless":
            yield from _pairs(found[0], left)
        else:
            yield from _figures(str(kind), found[0], left, right)
        opening = False


def _phrased(tokens: list[Token]) -> list[Token]:
    """``failed to`` and the like as negations."""
    for at, (one, two) in enumerate(pairwise(tokens)):
        if _PHRASES.get(one.word) == two.word:
            tokens[at] = one._replace(is_negation=True)
    return tokens


def _word(known: Lexeme, start: int, end: int, opening: bool) -> Token:
    month = known.month and not (opening and known.is_verb_too)
    number = Decimal(-known.month) if month else known.number
    return Token(
        str(number) if month else known.stem,
        known.prefix,
        start,
        end,
        known.may_name and not opening,
        bool(month) or known.is_content,
        number,
        bool(month),
        opening and known.is_capital,
        known.word,
        known.is_negation,
        (number,) if number is not None else (),
        known.dimension,
        number if known.dimension else None,
        number is not None and not month,
        known.root,
        Decimal(1) if number is not None and not month and not known.dimension else None,
    )


def _pairs(run: str, left: int) -> Iterator[Token]:
    """Overlapping pairs of characters; Han numerals before a counter come as numbers."""
    at = 0
    for found in _HAN_RUN.finditer(run):
        yield from _grams(run[at : found.start()], left + at)
        yield from _figures("han", found[0], left + found.start(), left + found.end())
        at = found.end()
    yield from _grams(run[at:], left + at)


def _grams(run: str, left: int) -> Iterator[Token]:
    for at in range(max(1, len(run) - 1) if run else 0):
        pair = run[at : at + 2]
        yield Token(pair, "", left + at, left + at + len(pair), False, True, word=pair)


def _figures(kind: str, text: str, start: int, end: int) -> Iterator[Token]:
    if kind == "iso":
        year, month, day = text.split("-")
        yield _figure(year, start, start + 4, (Decimal(year),))
        yield _figure("m", start + 5, start + 7, (Decimal(-int(month)),), is_month=True)
        yield _figure(day, start + 8, end, (Decimal(day),))
    elif kind == "clock":
        yield _figure(text, start, end, (), "clock", _minutes(text))
    elif kind == "han":
        value = numbers.han_value(text)
        yield _figure(text, start, end, (value,) if value is not None else ())
    elif kind == "fraction":
        yield _figure(text, start, end, (numbers.fraction(text),))
    else:
        yield _digits(text, start, end)


def _digits(text: str, start: int, end: int) -> Token:
    plain, dimension = text, NO_UNIT
    if text[0] in _SYMBOLS:
        plain, dimension = text[1:].lstrip(), numbers.UNITS[text[0]][0]
    elif text[-1] in "%٪％":
        plain, dimension = text[:-1].rstrip(), "share"
    elif text.lower().endswith(_ORDINAL):
        plain, dimension = text[:-2], "ordinal"
    elif text[-1] in numbers.HAN_SCALES:
        found = _figure(text, start, end, numbers.han_scaled(text))
        return found._replace(step=numbers.han_step(text))
    values = numbers.values(plain)
    found = _figure(text, start, end, values, dimension, values[0] if values else None)
    return found if dimension == "ordinal" else found._replace(step=numbers.step(plain))


def _minutes(text: str) -> Decimal:
    hours, rest = text.split(":")
    late = "p" in rest.lower() and int(hours) < 12
    early = "a" in rest.lower() and int(hours) == 12
    return Decimal((int(hours) + 12 * late - 12 * early) * 60 + int(rest[:2]))


def _figure(
    text: str,
    start: int,
    end: int,
    values: tuple[Decimal, ...],
    dimension: str = NO_UNIT,
    base: Decimal | None = None,
    is_month: bool = False,
) -> Token:
    number = values[0] if values else base
    said = text if number is None else str(number)
    return Token(
        said, "", start, end, False, True, number, is_month,
        word=said, values=values, dimension=dimension, base=base if dimension else None,
    )  # fmt: skip
