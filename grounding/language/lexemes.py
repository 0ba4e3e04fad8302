"""What a word is by itself, before its place in a sentence is known."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from grounding.language import alike, kinds
from grounding.language.words import (
    IRREGULAR,
    MONTH_NUMBERS,
    NEGATIONS,
    NUMBER_WORDS,
    ORDINALS,
    STOP,
    SUFFIXES,
    UNCOUNTED,
)

_PREFIX: Final = 6
_VERBS: Final = frozenset({"may", "march", "mar", "mai", "mars", "jan", "sep", "dec"})


class Lexeme(NamedTuple):
    """A word's comparable forms and marks. ``month`` is 1 to 12, or 0."""

    word: str
    stem: str
    prefix: str
    root: str
    is_capital: bool
    may_name: bool
    is_content: bool
    is_negation: bool
    number: Decimal | None
    dimension: str
    month: int
    is_verb_too: bool


@lru_cache(maxsize=65_536)
def lexeme(written: str) -> Lexeme:
    """The lexeme of a word as it is written."""
    word = _folded(written)
    is_negation = word in _NEGATIONS or word.endswith("n't")
    is_stop = word in STOP
    number, dimension = _counted(word)
    base = _stem(word)
    return Lexeme(
        word=word,
        stem=base,
        prefix=base[:_PREFIX] if len(base) >= _PREFIX else "",
        root=_root(base),
        is_capital=written[0].isupper(),
        may_name=written[0].isupper() and not is_stop and len(written) > 1,
        is_content=not is_stop and not is_negation and len(word) > 1,
        is_negation=is_negation,
        number=number,
        dimension=dimension,
        month=_month(word, written),
        is_verb_too=word in _VERBS,
    )


def _folded(written: str) -> str:
    """Lower case, compatibility forms made plain, and Latin accents taken off."""
    if written.isascii():
        return written.casefold()
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", written).casefold())
    bare = "".join(mark for mark in plain if not "\u0300" <= mark <= "\u036f")
    return unicodedata.normalize("NFC", bare).replace("’", "'")


_NEGATIONS: Final = frozenset(_folded(word) for word in NEGATIONS)
_MONTHS: Final = {_folded(word): number for word, number in MONTH_NUMBERS.items()}


def _month(word: str, written: str) -> int:
    # In scripts with capitals, "may" and "march" without one are verbs.
    cased = written.lower() != written.upper()
    capital = written[0].isupper() or not cased
    return _MONTHS.get(word, 0) if capital else 0


def _counted(word: str) -> tuple[Decimal | None, str]:
    if word in ORDINALS:
        return Decimal(ORDINALS[word]), "ordinal"
    if word in NUMBER_WORDS and word not in UNCOUNTED:
        return Decimal(NUMBER_WORDS[word]), ""
    return None, ""


def _stem(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("'")
    word = IRREGULAR.get(word, word)
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    for suffix in ("ing", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(suffix)
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def _sides() -> dict[str, frozenset[kinds.Place]]:
    found: dict[str, frozenset[kinds.Place]] = {}
    for word, places in kinds.SIDES.items():
        found[_stem(word)] = found.get(_stem(word), frozenset()).union(places)
    return found


SIDES: Final = _sides()
"""Stem → every (group, side) of `kinds.SIDES` that a word of that stem stands in."""


_ROOT: Final = 4
_LONGEST_SUFFIX: Final = max(map(len, SUFFIXES))


def _root(base: str) -> str:
    """What a word and its relations have in common: *danc* of dance, dancer; empty for none."""
    for length in range(min(_LONGEST_SUFFIX, len(base) - _ROOT), 0, -1):
        if base[-length:] in SUFFIXES:
            base = base[:-length]
            break
    return base.removesuffix("e") if len(base) > _ROOT else base if len(base) == _ROOT else ""


def _grouped(*lists: Mapping[str, alike.Groups]) -> dict[str, alike.Groups]:
    found: dict[str, alike.Groups] = {}
    for listed in lists:
        for word, groups in listed.items():
            found[_stem(word)] = found.get(_stem(word), frozenset()) | groups
    return found


MEANINGS: Final = _grouped(alike.ALIKE, alike.WIDER)
"""Stem → the groups of like words that a claim with it is borne out by."""
TOLD: Final = _grouped(alike.ALIKE, alike.IMPLIED)
"""Stem → the groups that a text with it tells of: its own, and the wider words it implies."""
