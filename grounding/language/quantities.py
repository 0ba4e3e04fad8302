"""Numbers of several words as one: *3 million*, *12 km*, *1 hour and 24 minutes*, *half an hour*;
and how exactly each is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from grounding.language import numbers
from grounding.language.markers import ABOUT, AT_LEAST, AT_MOST, NEARLY
from grounding.language.token import NO_UNIT, Near, Token
from grounding.language.words import LABELS, SCALES

_MONEY: Final = ("usd", "eur", "gbp", "jpy", "inr")
_IN_PARTS: Final = ("time", "years", "length", "mass", *_MONEY)
"""Dimensions that are told in two units at once: 1 h 24 min, 5 ft 10 inches."""
_HALF: Final = Decimal("0.5")
_ONE: Final = frozenset({"one", "a", "an"})
_BEGIN: Final = _ONE | {"half"}
_AND_A_HALF: Final = ["and", "a", "half"]
_BETWEEN_PARTS: Final = re.compile(r"\s*(?:,?\s+and\s+)?")
_PLAIN: Final = re.compile(r"\d+(?:\.\d+)?")
_YEARS: Final = range(1000, 2101)
_BEFORE: Final = 24
_IS_ABOUT: Final = re.compile(rf"(?:\b(?:{ABOUT})\s+|[~≈約约]\s?)$", re.IGNORECASE)
_IS_NEARLY: Final = re.compile(rf"\b(?:{NEARLY})\s+$", re.IGNORECASE)
_IS_STRICT: Final = re.compile(rf"\b(?:exactly|precisely|{AT_LEAST}|{AT_MOST})\s+$", re.IGNORECASE)
_MARKS: Final = ((Near.ABOUT, _IS_ABOUT), (Near.NEARLY, _IS_NEARLY), (Near.STRICTLY, _IS_STRICT))
_TOUCHES: Final = re.compile(r"[\w#.:/+-]$")
_GOES_ON: Final = re.compile(r"[/:-]\w")


def counts(tokens: Sequence[Token]) -> bool:
    """Whether there is anything to combine."""
    return any(one.number is not None or one.word == "half" for one in tokens)


def combined(tokens: list[Token], text: str) -> list[Token]:
    """The tokens of a sentence of ``text``, those of a number as one token each."""
    found = _in_parts(_with_units(_with_halves(tokens)), text)
    before = [None, *found[:-1]]
    return [_meant(one, other, text) for one, other in zip(found, before, strict=True)]


def _with_halves(tokens: list[Token]) -> list[Token]:
    """*Two and a half*, *an hour and a half*, *half an hour*, *1½*; *an hour* before minutes."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        begins = token.number is not None or token.word in _BEGIN
        taken, made = _half_at(tokens, at) if begins else (0, [])
        found.extend(made or [token])
        at += taken or 1
    return found


def _half_at(tokens: list[Token], at: int) -> tuple[int, list[Token]]:
    """How many tokens from ``at`` make such a number, and what takes their place."""
    token, words = tokens[at], [one.word for one in tokens[at : at + 5]]
    whole = _whole(token)
    if words[0] == "half" and words[1:2] and words[1] in _ONE and _measures(words[2:3]):
        return 2, [_number(token, tokens[at + 1], _HALF, _HALF)]
    if whole is None:
        return 0, []
    if words[1:4] == _AND_A_HALF and words[0] not in ("a", "an"):
        return 4, [_number(token, tokens[at + 3], whole + _HALF, _HALF)]
    if words[2:5] == _AND_A_HALF and words[1] in numbers.UNITS:
        half = _number(token, token, whole + _HALF, _HALF)
        return 5, [half, tokens[at + 1]._replace(end=tokens[at + 4].end)]
    if at + 1 < len(tokens) and _is_fraction(token, tokens[at + 1]):
        return 2, [_number(token, tokens[at + 1], whole + (tokens[at + 1].number or 0), _HALF)]
    if words[0] in _ONE and _opens_parts(tokens, at):
        return 1, [_number(token, token, whole, Decimal(1))]
    return 0, []


def _whole(token: Token) -> Decimal | None:
    if token.word in _ONE:
        return Decimal(1)
    counted = token.values and not token.is_month and token.dimension == NO_UNIT
    return token.number if counted else None


def _measures(words: Sequence[str]) -> bool:
    return any(word in numbers.UNITS or word in SCALES for word in words)


def _is_fraction(token: Token, after: Token) -> bool:
    near = after.start - token.end <= 1 and token.word not in _ONE
    return near and after.number is not None and 0 < after.number < 1 and after.step is None


def _opens_parts(tokens: list[Token], at: int) -> bool:
    """*An hour* of *an hour and 24 minutes*."""
    unit = numbers.UNITS.get(tokens[at + 1].word) if at + 1 < len(tokens) else None
    rest = tokens[at + 2 : at + 5]
    rest = rest[1:] if rest and rest[0].word == "and" else rest[:2]
    if unit is None or len(rest) < 2 or rest[0].number is None:
        return False
    smaller = numbers.UNITS.get(rest[1].word)
    return smaller is not None and smaller[0] == unit[0] and smaller[1] < unit[1]


def _number(first: Token, last: Token, value: Decimal, step: Decimal) -> Token:
    said = str(value.normalize())
    return Token(
        said, "", first.start, last.end, False, True, value,
        word=said, values=(value.normalize(),), step=step,
    )  # fmt: skip


def _with_units(tokens: list[Token]) -> list[Token]:
    """``twenty three``, ``3 million`` and ``12 km`` as one number each."""
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        token, index = tokens[index], index + 1
        while token.number is not None and not token.is_month and index < len(tokens):
            joined = _joined(token, tokens[index])
            if joined is None:
                break
            token, index = joined, index + 1
        found.append(token)
    return found


def _joined(token: Token, after: Token) -> Token | None:
    scale = SCALES.get(after.word)
    if scale and token.dimension in (NO_UNIT, *_MONEY):
        step = None if token.step is None else numbers.scaled_step(token.step, scale)
        values = tuple((v * scale).normalize() for v in token.values)
        return _valued(token, after, values)._replace(step=step)
    if after.is_spelled and token.is_spelled and _adds_up(token, after):
        values = tuple(v + w for v in token.values for w in after.values)
        return _valued(token, after, values)._replace(is_spelled=True)
    unit = numbers.UNITS.get(after.word)
    if unit and token.dimension == NO_UNIT and token.number is not None and token.values:
        base = token.values[0] * unit[1]
        return token._replace(end=after.end, dimension=unit[0], base=base, is_spelled=False)
    return None


def _adds_up(token: Token, after: Token) -> bool:
    one, other = token.number, after.number
    return one is not None and other is not None and one % 10 == 0 and 0 < other < 10 <= one


def _valued(token: Token, after: Token, values: tuple[Decimal, ...]) -> Token:
    return token._replace(
        stem=str(values[0]) if values else token.stem,
        end=after.end,
        number=values[0] if values else None,
        values=values,
        base=values[0] if values and token.dimension else None,
    )


def _in_parts(tokens: list[Token], text: str) -> list[Token]:
    """``1 hour and 24 minutes`` as 84 minutes."""
    found: list[Token] = []
    for token in tokens:
        at = -2 if len(found) > 1 and found[-1].word == "and" else -1
        whole = found[at] if found else None
        sum_ = _sum_of_parts(whole, token, text) if whole else None
        if sum_ is None:
            found.append(token)
        else:
            found[at:] = [sum_]
    return found


def _sum_of_parts(whole: Token, part: Token, text: str) -> Token | None:
    if whole.dimension != part.dimension or whole.dimension not in _IN_PARTS:
        return None
    larger, smaller = unit_of(whole), unit_of(part)
    if not larger or not smaller or whole.base is None or part.base is None:
        return None
    apart = text[whole.end : part.start]
    if not smaller <= part.base < larger or not _BETWEEN_PARTS.fullmatch(apart):
        return None
    base = whole.base + part.base
    values = ((base / smaller).normalize(),)
    return _valued(whole, part, values)._replace(base=base, step=part.step)


def unit_of(token: Token) -> Decimal | None:
    """How many of the dimension's base unit the token's unit is; None for none, and for nought."""
    return token.base / token.number if token.base and token.number else None


def _meant(token: Token, before: Token | None, text: str) -> Token:
    """The token with how exactly it is meant; without a step where it must not be rounded."""
    if token.step is None:
        return token
    ahead = text[max(0, token.start - _BEFORE) : token.start]
    if _is_year(token, text):
        return token._replace(step=None)
    for near, mark in _MARKS:
        if mark.search(ahead):
            return token._replace(near=near)
    return token._replace(step=None) if _is_label(token, before, ahead, text) else token


def _is_year(token: Token, text: str) -> bool:
    written = text[token.start : token.end]
    plain = token.dimension == NO_UNIT and len(written) == 4 and written.isdecimal()
    return plain and token.number in _YEARS


def _is_label(token: Token, before: Token | None, ahead: str, text: str) -> bool:
    """A version, an identifier, a number in a name: *Python 3.12*, *rule 12*, *A-7*."""
    if token.dimension != NO_UNIT or not _PLAIN.fullmatch(text[token.start : token.end]):
        return False
    if _TOUCHES.search(ahead) or _GOES_ON.match(text, token.end):
        return True
    if before is None or before.number is not None:
        return False
    has_capital = not text[before.start : before.end].islower()
    return before.word in LABELS or (has_capital and before.is_content)
