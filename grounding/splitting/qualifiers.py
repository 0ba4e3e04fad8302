"""What limits a claim: hedges, conditions, scope, time, bounds, negation, attribution, quantifiers.

English. Words come from the lists in `grounding.language`, so that what a judge takes for a hedge
or a negation is one here as well. A qualifier is found by its wording alone; whether a statement
kept it is for `grounding.splitting.losses`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from grounding.language.kinds import HEDGES, QUANTIFIERS, UNIVERSAL
from grounding.language.markers import ABOUT, AT_LEAST, AT_MOST, NEARLY
from grounding.language.token import Token, Tokens
from grounding.language.tokens import span_of
from grounding.language.words import MONTHS, NUMBER_WORDS, ORDINALS


class QualifierKind(StrEnum):
    HEDGE = "hedge"
    NEGATION = "negation"
    QUANTIFIER = "quantifier"
    BOUND = "bound"
    CONDITION = "condition"
    SCOPE = "scope"
    TIME = "time"
    ATTRIBUTION = "attribution"


@dataclass(frozen=True, slots=True)
class Qualifier:
    """``text[start:end]`` of the text that it was found in, in code points."""

    kind: QualifierKind
    text: str
    start: int
    end: int


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


MODALS: Final = _words("may might could can")
"""Hedges that are verbs."""
_HEDGES: Final = HEDGES | MODALS
# Hedges that are often plain verbs and nouns: counted only where another verb follows with "to".
_WITH_TO: Final = _words("plans intends planned proposed expected believed estimated seems appears")
_FREQUENCY: Final = {
    "always": 5,
    "usually": 4, "generally": 4, "typically": 4, "normally": 4, "mostly": 4, "mainly": 4,
    "largely": 4, "primarily": 4,
    "often": 3, "frequently": 3, "commonly": 3,
    "sometimes": 2, "occasionally": 2, "partly": 2, "partially": 2,
    "rarely": 1, "seldom": 1,
}  # fmt: skip
LEVELS: Final = QUANTIFIERS | dict.fromkeys(UNIVERSAL, max(QUANTIFIERS.values())) | _FREQUENCY
"""Quantifier → how much of the whole it speaks of, from none (0) to all."""
_MOST_OF: Final = _words("of people men women children")
ONLY: Final = _words("only solely exclusively entirely")
_DETERMINERS: Final = _words("the a an his her its their our my your this that")

_NUMBER: Final = (
    r"(?:[$€£¥₹]\s?)?(?:\d|(?:"
    + "|".join(sorted(NUMBER_WORDS.keys() | {"half", "hundreds", "thousands", "millions"}))
    + r")\b)"
)
_BOUND: Final = re.compile(
    rf"\b(?P<low>{AT_LEAST})\s+(?={_NUMBER})"
    rf"|\b(?P<high>{AT_MOST})\s+(?={_NUMBER})"
    rf"|\b(?P<near>{ABOUT}|{NEARLY}|just (?:over|under))\s+(?={_NUMBER})"
    r"|(?<=\w)\s+(?P<after>or (?:more|less|fewer|so))\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"(?P<head>\b(?:(?:only|even|except) )?(?:if|when|unless|whenever)\b"
    r"|\b(?:provided|assuming|supposing)(?: that)?\b"
    r"(?=\s+(?:the|a|an|it|he|she|they|you|we|that|no)\b)"
    r"|\b(?:as long as|on condition that|in case(?: of)?|in the event (?:of|that)"
    r"|depending on|subject to)\b)"
    r"\s+[^,;.!?]+",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(r"\b(?:ask\w*|wonder\w*|know\w*|see|determine\w*|unclear)(?: \w+)?\s+$")
_PERIOD: Final = (
    r"(?:1[0-9]|20)\d\d(?:s|\b)|\b\d\d?(?:st|nd|rd|th) century|\b(?:"
    + "|".join(MONTHS).replace("may|", "")
    + r")\b|\bMay\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
)
_LIMIT: Final = r"since|until|till|as of|before|after|by|through|from|between|prior to|up to"
# What may stand between the preposition and the date.
_OF: Final = (
    r"(?:(?i:the|early|late|mid|about|around|beginning|start|end|summer|spring|autumn|fall|winter"
    r"|season|of|week|year|morning|evening|\d{1,2}(?:st|nd|rd|th)?) ){0,4}?"
)
_TIME: Final = re.compile(
    rf"\b(?P<limit>(?i:{_LIMIT}) {_OF}(?i:{_PERIOD})(?: (?i:{_PERIOD}))?"
    rf"(?: (?:and|to|until|–|-) {_OF}(?i:{_PERIOD}))?(?: \d{{1,2}}\b)?(?:,? \d{{4}}\b)?)"
    rf"|\b(?P<point>(?i:in|on|during|at) {_OF}(?i:{_PERIOD})"
    r"(?:[ ,]+\d{1,2}\b)?(?:,? \d{4}\b)?)"
    r"|\b(?P<adverb>(?i:currently|formerly|previously|at present|at the time|so far|to date"
    r"|for now|until (?:now|recently|then)|temporarily|initially|originally))\b"
)
_SCOPE: Final = re.compile(
    r"\b(?P<part>(?i:in|for|among|within|under|across|with) "
    r"(?i:some|most|many|certain|rare|few|several|particular|specific|limited) [\w-]+)"
    r"|\b(?P<place>(?i:in|within|across|outside|throughout) (?:the )?"
    r"(?!(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December)\b)[A-Z][\w'’-]*(?:\s(?:of |and the )?[A-Z][\w'’-]*){0,3})"
    r"|\b(?P<sort>(?i:in (?:general|principle|theory|part|practice)|under certain conditions))\b"
)
REPORTING: Final = (
    r"said|says|claims|claimed|argues|argued|believes|believed|reports|reported|states|stated"
    r"|suggests|suggested|announced|estimates|estimated|thinks|thought|alleges|alleged|insists"
    r"|insisted|warned|warns|denies|denied|maintains|maintained|contends|contended|predicts"
    r"|predicted|confirmed|acknowledged|admitted|added|noted|explained"
)
"""Verbs that hand a claim to somebody else."""
_ATTRIBUTION: Final = re.compile(
    r"\b(?P<source>according to [^,;.!?]+|in the (?:words|view|opinion) of [^,;.!?]+)"
    rf"|(?P<head>(?:\A|(?<=[,;] ))(?:[^\s,;.!?]+ ){{1,7}}?(?:{REPORTING})"
    r"(?: that\b|(?= (?:the|a|an|it|he|she|they|we|his|her|its|their|there|this)\b)"
    r"|(?= (?:[\w'’-]+ ){1,3}(?:is|was|are|were|has|had|will|would|can|could|may)\b)))"
    rf"|(?P<tail>, (?:[^\s,;.!?]+ ){{1,5}}(?:{REPORTING})(?=[.!?]?\s*\Z))",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def qualifiers(text: str) -> tuple[Qualifier, ...]:
    """Every qualifier of ``text`` in the order in which they begin; empty where there is none.

    Offsets are code points into ``text``. Qualifiers of different kinds may overlap: a hedge
    may stand in a condition.
    """
    found = [*_by_word(text), *_by_phrase(text)]
    return tuple(sorted(found, key=lambda one: (one.start, one.end, one.kind)))


def _by_word(text: str) -> Iterator[Qualifier]:
    for sentence in span_of(text).sentences:
        for at, token in enumerate(sentence):
            kind = _kind_of(sentence, at)
            if kind is not None:
                yield Qualifier(kind, text[token.start : token.end], token.start, token.end)


def _kind_of(sentence: Tokens, at: int) -> QualifierKind | None:
    token = sentence[at]
    before = sentence[at - 1].word if at else ""
    after = sentence[at + 1].word if at + 1 < len(sentence) else ""
    if token.is_negation:
        return None if after == "only" else QualifierKind.NEGATION
    if _hedges(token, before, after):
        return QualifierKind.HEDGE
    if _quantifies(token, before, after):
        return QualifierKind.QUANTIFIER
    return None


def _hedges(token: Token, before: str, after: str) -> bool:
    # May is a month with a capital inside a sentence, and before a number.
    if token.word not in _HEDGES or token.is_month or (token.word == "may" and after.isdigit()):
        return False
    if token.word in _WITH_TO:
        return after == "to"
    # A can, his might: nouns.
    return not (token.word in MODALS and before in _DETERMINERS - {"that", "this"})


def _quantifies(token: Token, before: str, after: str) -> bool:
    if token.word in ONLY:
        return before != "not"
    # The most popular, its many friends, each other: no share of a whole.
    if token.word not in LEVELS or (
        before in _DETERMINERS and token.word not in ("few", "majority")
    ):
        return False
    if token.word == "most":
        return before not in ORDINALS and (after in _MOST_OF or after.endswith("s"))
    return (token.word, after) not in (("each", "other"), ("all", "time"))


def _by_phrase(text: str) -> Iterator[Qualifier]:
    for kind, pattern, counts in _PHRASES:
        for found in pattern.finditer(text):
            if counts(text, found):
                name = found.lastgroup or ""
                start = found.start(name) if kind is QualifierKind.BOUND else found.start()
                end = found.end(name) if kind is QualifierKind.BOUND else found.end()
                yield _trimmed(kind, text, start, end)


def _trimmed(kind: QualifierKind, text: str, start: int, end: int) -> Qualifier:
    piece = text[start:end]
    bare = piece.strip().strip(",").strip()
    start += piece.index(bare)
    return Qualifier(kind, bare, start, start + len(bare))


def _any(text: str, found: re.Match[str]) -> bool:
    return True


def _conditional(text: str, found: re.Match[str]) -> bool:
    """Not what somebody asked or wondered, and no question."""
    return not _ASKED.search(text[max(0, found.start() - 40) : found.start()])


_PHRASES: Final[
    tuple[tuple[QualifierKind, re.Pattern[str], Callable[[str, re.Match[str]], bool]], ...]
] = (
    (QualifierKind.BOUND, _BOUND, _any),
    (QualifierKind.CONDITION, _CONDITION, _conditional),
    (QualifierKind.SCOPE, _SCOPE, _any),
    (QualifierKind.TIME, _TIME, _any),
    (QualifierKind.ATTRIBUTION, _ATTRIBUTION, _any),
)


def limits(text: str, qualifier: Qualifier) -> bool:
    """Whether a time is an open or closed period (*since 2020*, *formerly*), not a point."""
    found = _TIME.match(text, qualifier.start)
    return bool(found and found.lastgroup != "point")


def direction(qualifier: Qualifier) -> str:
    """Of a bound: ``low`` for *at least*, ``high`` for *up to*, ``near`` for *about*."""
    plain = qualifier.text.lower()
    if plain.startswith("or "):
        return {"or more": "low", "or so": "near"}.get(plain, "high")
    found = _BOUND.match(plain + " 1")
    return (found.lastgroup if found else None) or "near"


def attached(sentence: Tokens, at: int, reach: int) -> list[Token]:
    """The content words that follow the token at ``at``, adverbs passed over."""
    after = sentence[at + 1 : at + 1 + reach]
    return [one for one in after if one.is_content and not one.word.endswith("ly")]
