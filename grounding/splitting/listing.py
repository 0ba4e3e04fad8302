"""Lists, asides and reported clauses as claims of their own. English.

Each rule takes a clause and gives the claims that it is made of, or None where it does not
apply or is not sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from grounding.language.grammar import (
    AUXILIARIES,
    DETERMINERS,
    HAVE,
    PREPOSITIONS,
    PRESENT_ONLY,
    PRONOUNS,
    SUBORDINATORS,
    is_ed,
    is_finite,
    is_surely_finite,
)
from grounding.language.words import NUMBER_WORDS
from grounding.splitting.cutting import TOGETHER, predicates, reaches_back, shareable, verb_of
from grounding.splitting.qualifiers import QualifierKind, qualifiers
from grounding.splitting.stretches import Clause, Form

LONGEST_ITEM: Final = 6


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_DISTRIBUTIVE: Final = _words(
    """
    contain contains contained include includes included have has had own owns owned buy buys bought
    sell sells sold visit visits visited write writes wrote publish published receive receives
    received win won cause causes caused cover covers covered offer offers offered provide provides
    provided require requires required need needs needed produce produces produced speak speaks
    spoke attend attended lists list listed mention mentions mentioned show shows showed
    """
)
_OF_EACH: Final = _words(
    """
    died lived joined left attended studied graduated resigned retired served starred appeared moved
    returned voted arrived
    """
)
_OF_EACH_PARTICIPLES: Final = _words("born located based elected educated arrested injured killed")
_SINGULAR: Final = {"were": "was", "are": "is"}


def objects(clause: Clause) -> list[Form] | None:
    """A list of things said of one subject by one verb: *contains A, B and C*."""
    verb = verb_of(clause, 0, clause.last)
    if verb is None or not shareable(clause, verb):
        return None
    first = verb + 1
    if clause.low(verb) in AUXILIARIES - HAVE or clause.low(first) in _DISTRIBUTIVE:
        verb, first = first, first + 1
    negated = {one.kind for one in qualifiers(clause.text[clause.start : clause.end])}
    if clause.low(verb) not in _DISTRIBUTIVE or QualifierKind.NEGATION in negated:
        return None
    items = _items(clause, first, clause.last)
    if items is None or not all(_is_thing(clause, *item) for item in items):
        return None
    head = clause.till(first)
    one, *others = [clause.stretch(*item) for item in items]
    return [((head[0], one[1]),), *((head, other) for other in others)]


def _items(clause: Clause, first: int, last: int) -> list[tuple[int, int]] | None:
    """The members of a list that fills the clause from ``first`` to ``last``."""
    places = range(first, last)
    if any(at in clause.enclosed for at in places):
        return None
    last_and = [at for at in places if clause.low(at) == "and"]
    if len(last_and) != 1:
        return None
    marks = [at for at in places if clause.low(at) == "," and clause.low(at + 1) != "and"]
    if any(at > last_and[0] for at in marks):
        return None
    edges = [first - 1, *marks, last_and[0], last]
    found = [
        (left + 1, right - (clause.low(right - 1) == "," and right in last_and))
        for left, right in pairwise(edges)
    ]
    return found if all(left < right for left, right in found) else None


def _is_thing(clause: Clause, first: int, last: int) -> bool:
    """A name, or a determiner or number with a noun: short, without a verb or a place."""
    words = [clause.low(at) for at in range(first, last)]
    if len(words) > LONGEST_ITEM or not all(clause.words[at].is_word for at in range(first, last)):
        return False
    if any(low in PREPOSITIONS - {"of"} or low in SUBORDINATORS | {"or"} for low in words):
        return False
    *before, last_word = words
    if any(low.endswith("ing") for low in before) or is_ed(last_word):
        return False
    if any(is_surely_finite(low) for low in words):
        return False
    if all(clause.words[at].is_capital for at in range(first, last)):
        return words[0] not in PRONOUNS
    counted = words[0] in DETERMINERS - {"both", "that"} or words[0] in NUMBER_WORDS
    return (counted or words[0][0].isdigit()) and len(words) > 1


def subjects(clause: Clause) -> list[Form] | None:
    """Names of which each does the same: *A and B died in C*. Only what nobody does jointly."""
    verb = next((at for at in range(clause.last) if is_finite(clause.low(at))), None)
    if verb is None or verb < 3:
        return None
    singular = _each(clause, verb)
    items = _items(clause, 0, verb)
    if singular is None or items is None or reaches_back(clause, verb):
        return None
    if not all(_is_name(clause, *item) for item in items):
        return None
    end = clause.end
    if singular:
        rest: Form = (singular, (clause.words[verb + 1].start, end))
    else:
        rest = ((clause.words[verb].start, end),)
    return [(clause.stretch(*item), *rest) for item in items]


def _each(clause: Clause, verb: int) -> str | None:
    """The verb for one of them where it changes, empty where it does not, None in doubt."""
    low, then = clause.low(verb), clause.low(verb + 1)
    words = [clause.low(at) for at in range(verb, clause.last)]
    if any(one in TOGETHER | {"each", "and"} for one in words):
        return None
    if low in _SINGULAR and then in _OF_EACH_PARTICIPLES:
        return _SINGULAR[low]
    return "" if low in _OF_EACH else None


def _is_name(clause: Clause, first: int, last: int) -> bool:
    words = clause.words[first:last]
    return len(words) <= LONGEST_ITEM and all(
        word.is_capital and word.low not in DETERMINERS | PRONOUNS | PREPOSITIONS for word in words
    )


def asides(clause: Clause) -> list[Form] | None:
    """What is said between commas of the name or thing that the sentence begins with.

    *A, which was founded in B, is C*; *A, the capital of B, is C*, where C is in the present.
    """
    opened = next((at for at in range(clause.last) if clause.low(at) == ","), None)
    if opened is None or not _is_antecedent(clause, opened):
        return None
    closed = next((at for at in range(opened + 1, clause.last) if clause.low(at) == ","), None)
    if closed is None or closed in clause.enclosed or not is_finite(clause.low(closed + 1)):
        return None
    said = _aside(clause, opened + 1, closed)
    if said is None:
        return None
    subject = clause.till(opened)
    return [(subject, (clause.words[closed + 1].start, clause.end)), (subject, *said)]


def _is_antecedent(clause: Clause, end: int) -> bool:
    """A name, or a short noun phrase without a preposition: nothing else that could be meant."""
    if _is_name(clause, 0, end):
        return True
    words = [clause.low(at) for at in range(end)]
    if words[:1] == ["the"] and len(words) <= 4:
        return not any(low in PREPOSITIONS | SUBORDINATORS or is_finite(low) for low in words)
    return False


def _aside(clause: Clause, first: int, last: int) -> Form | None:
    words = [clause.low(at) for at in range(first, last)]
    if any(low in TOGETHER | {"and", "or", "but"} for low in words) or len(words) < 3:
        return None
    if words[0] in ("who", "which") and is_finite(words[1]):
        return (clause.stretch(first + 1, last),)
    present = clause.low(last + 1) in ("is", "has") or clause.low(last + 1) in PRESENT_ONLY
    if words[0] in ("the", "a", "an") and present and not any(map(is_surely_finite, words)):
        return None if any(low in SUBORDINATORS for low in words) else (
            "is", clause.stretch(first, last)
        )  # fmt: skip
    return None


def told(clause: Clause) -> list[Form] | None:
    """*A said that B and that C*: each with who said it."""
    heads = [
        one
        for one in qualifiers(clause.text[clause.start : clause.end])
        if one.kind is QualifierKind.ATTRIBUTION and one.start == 0 and one.text.endswith("that")
    ]
    cuts = [
        at
        for at in range(2, clause.last - 2)
        if clause.low(at) == "and" and clause.low(at + 1) == "that"
    ]
    if len(heads) != 1 or len(cuts) != 1 or cuts[0] in clause.enclosed:
        return None
    at, head = cuts[0], (clause.start, clause.start + heads[0].end)
    if verb_of(clause, at + 2, clause.last) is None or reaches_back(clause, at + 2):
        return None
    end = at - (clause.low(at - 1) == ",")
    rest = (clause.words[at + 2].start, clause.end)
    return [(clause.till(end),), (head, rest)]


RULES: Final = (told, asides, predicates, objects, subjects)
"""Tried in this order on each clause; the first that applies decides."""


def inside(clause: Clause) -> Sequence[Form]:
    """The claims of one clause, by the first rule that applies; the clause itself by none."""
    for rule in RULES:
        found = rule(clause)
        if found:
            return found
    return [(clause.whole,)]
