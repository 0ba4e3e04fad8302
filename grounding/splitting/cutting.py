"""Where a sentence may be cut into claims, and where it is left whole. English.

Each rule takes a clause and gives the claims that it is made of, or None where it does not
apply or is not sure. Nothing is cut in brackets or quotes, at *or*, under *neither*, *between*,
*respectively* and the like, in a question, or where a condition, an attribution or a period at
the end might bear on all that stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from grounding.language.grammar import (
    AUXILIARIES,
    DETERMINERS,
    HAVE,
    MODALS,
    PAST,
    PAST_OR_PARTICIPLE,
    PREPOSITIONS,
    PRESENT,
    PRESENT_AUXILIARIES,
    PRESENT_ONLY,
    PRONOUNS,
    SUBORDINATORS,
    is_ed,
    is_finite,
    is_surely_finite,
)
from grounding.language.words import NUMBER_WORDS
from grounding.splitting.qualifiers import MODALS as HEDGING
from grounding.splitting.qualifiers import ONLY, REPORTING, QualifierKind, limits, qualifiers
from grounding.splitting.stretches import Clause, Form, Stretch

LONGEST_SUBJECT: Final = 8
_TELLING: Final = re.compile(
    rf"{REPORTING}|say|claim|believe|think|know|knew|knows|hope|hopes|hoped|fear|feared|feel|felt"
    r"|guess|wish|reveal|reveals|revealed|found|realised|realized|learned|learnt|discovered|shows|showed"
)
_SUBJECTS: Final = DETERMINERS | PRONOUNS


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_CONJUNCTIONS: Final = _words("and but while whereas although though")
TOGETHER: Final = _words("either neither nor between respectively together whether jointly both")
# A clause behind one of these may hold what follows as well.
_HOLDING: Final = SUBORDINATORS - _words("as than once until before after since so")
_NOUNS_IN_LY: Final = _words("family assembly supply anomaly homily butterfly monopoly")
_ADVERBS: Final = _words("also then later now still soon once often never always eventually")
_AFTER_A_VERB: Final = DETERMINERS | PRONOUNS | PREPOSITIONS - {"by"} | _words("him them us me")


def clauses(clause: Clause) -> list[Stretch] | None:
    """Clauses side by side, each with a subject and a verb of its own: *A, and B*; *A; B*."""
    cuts = [cut for cut in _cuts(clause) if cut[0] not in clause.enclosed]
    if not cuts:
        return None
    edges = [0, *(at for cut in cuts for at in cut), clause.last]
    spans = list(zip(edges[::2], edges[1::2], strict=True))
    if any(verb_of(clause, first, last) is None for first, last in spans):
        return None
    if any(_holds_more(clause, first, last) for first, last in spans[:-1]):
        return None
    if reaches_back(clause, spans[-1][0]):
        return None
    inner = [clause.stretch(first, last) for first, last in spans[:-1]]
    return [*inner, (clause.words[spans[-1][0]].start, clause.end)]


def _cuts(clause: Clause) -> Iterator[tuple[int, int]]:
    """(end of what stands before, beginning of what stands after) for each cut."""
    for at in range(1, clause.last):
        low, before = clause.low(at), clause.low(at - 1)
        if low == ";":
            yield at, at + 1 + (clause.low(at + 1) in _CONJUNCTIONS)
        elif low in _CONJUNCTIONS and before == "," and _begins_clause(clause, at + 1):
            yield at - 1, at + 1
        elif low in ("and", "but") and before not in (",", ";") and _pronoun_clause(clause, at + 1):
            yield at, at + 1


def _begins_clause(clause: Clause, at: int) -> bool:
    return verb_of(clause, at, clause.last) is not None


def _pronoun_clause(clause: Clause, at: int) -> bool:
    subject = clause.low(at) in ("he", "she", "it", "they", "we")
    return subject and is_surely_finite(clause.low(at + 1))


def verb_of(clause: Clause, first: int, last: int) -> int | None:
    """Where the verb of the clause that begins at ``first`` stands, or None in any doubt."""
    if first >= last or not _opens_subject(clause, first):
        return None
    if clause.low(first) in PRONOUNS:
        at = first + 1 + (clause.low(first + 1) in _ADVERBS)
        if at < last and (is_finite(clause.low(at)) or _agrees(clause, first, at)):
            return at
    for at in range(first + 1, min(last, first + 1 + LONGEST_SUBJECT)):
        low = clause.low(at)
        if is_surely_finite(low) or _is_verb_here(clause, at):
            return at
        if is_ed(low) or low in PAST_OR_PARTICIPLE:
            return at if _is_the_verb(clause, first, at, last) else None
        if low in SUBORDINATORS | {"and", "or", "but", "to"} or not clause.words[at].is_word:
            return None
    return None


def _agrees(clause: Clause, pronoun: int, at: int) -> bool:
    """*It raises*: whatever ends in s behind such a pronoun is its verb."""
    low = clause.low(at)
    return clause.low(pronoun) in ("he", "she", "it") and low.endswith("s") and len(low) > 3


def _opens_subject(clause: Clause, at: int) -> bool:
    word = clause.words[at]
    return (
        word.low in DETERMINERS
        or word.low in PRONOUNS
        or word.low in NUMBER_WORDS
        or (word.is_capital and word.low not in PREPOSITIONS | SUBORDINATORS | AUXILIARIES)
    )


def _is_verb_here(clause: Clause, at: int) -> bool:
    """*The drug causes pain*, not *the causes of pain*: by its neighbours."""
    before, after = clause.low(at - 1), clause.low(at + 1)
    return (
        clause.low(at) in PRESENT
        and before not in DETERMINERS | PREPOSITIONS | {","}
        and after not in PREPOSITIONS | {"and", "or", "but"}
        and after[:1].isalnum()
        and not is_finite(after)
    )


def _is_the_verb(clause: Clause, first: int, at: int, last: int) -> bool:
    """An -ed that no other verb follows: *the man arrested in Paris was* has another."""
    named = all(word.is_capital for word in clause.words[first:at])
    if clause.low(at + 1) == "by" or not (
        named or at + 1 == last or _follows_a_verb(clause, at + 1)
    ):
        return False  # *the house built by*, *four forced fumbles*
    rest = (clause.low(place) for place in range(at + 1, last))
    return not any(is_surely_finite(low) for low in _up_to_another(rest))


def _up_to_another(rest: Iterator[str]) -> Iterator[str]:
    for low in rest:
        if low in ("and", "but", ";", "who", "which", "that"):
            return
        yield low


def _holds_more(clause: Clause, first: int, last: int) -> bool:
    """Whether what stands here might hold what follows it: *he said A*, *because A*."""
    words = [clause.low(at) for at in range(first, last)]
    if any(low in _HOLDING | TOGETHER for low in words):
        return True
    if any(_TELLING.fullmatch(one) and two in _SUBJECTS for one, two in pairwise(words)):
        return True
    start, end = clause.stretch(first, last)
    return any(
        one.kind in (QualifierKind.ATTRIBUTION, QualifierKind.CONDITION)
        or (one.kind is QualifierKind.HEDGE and one.text.lower() not in HEDGING)
        or (one.kind in (QualifierKind.TIME, QualifierKind.SCOPE) and one.start == 0)
        for one in qualifiers(clause.text[start:end])
    )


def reaches_back(clause: Clause, first: int) -> bool:
    """Whether a qualifier of the last part might bear on the parts before it, too."""
    text = clause.text[clause.words[first].start : clause.end]
    return any(
        one.kind in (QualifierKind.ATTRIBUTION, QualifierKind.CONDITION)
        or (one.kind is QualifierKind.SCOPE and not one.text[-1:].isupper() and _part(one.text))
        or (one.kind is QualifierKind.TIME and limits(text, one))
        for one in qualifiers(text)
    )


def _part(text: str) -> bool:
    """*In some cases*, not *in Paris*."""
    return not any(word[0].isupper() for word in text.split()[1:])


def predicates(clause: Clause) -> list[Form] | None:
    """One subject that does several things: *A was born in B and moved to C*."""
    verb = verb_of(clause, 0, clause.last)
    if verb is None or not shareable(clause, verb):
        return None
    cuts = list(_predicate_cuts(clause, verb))
    if not cuts or reaches_back(clause, cuts[-1][1]):
        return None
    subject = clause.till(_without_adverbs(clause, verb))
    ends = [cut[0] for cut in cuts[1:]]
    rest: list[Form] = [
        (subject, clause.stretch(cut[1], end)) for cut, end in zip(cuts[:-1], ends, strict=True)
    ]
    last = (subject, (clause.words[cuts[-1][1]].start, clause.end))
    return [(clause.till(cuts[0][0]),), *rest, last]


def _without_adverbs(clause: Clause, verb: int) -> int:
    """Where the subject before ``verb`` ends: *also* and *quickly* are said of one verb."""
    while verb > 1 and _is_adverb(clause.low(verb - 1)):
        verb -= 1
    return verb


def shareable(clause: Clause, verb: int) -> bool:
    """Whether what is said of the subject is said of it each time."""
    start, end = clause.till(verb)
    hedged = {QualifierKind.NEGATION, QualifierKind.HEDGE, QualifierKind.TIME}
    if any(one.kind in hedged for one in qualifiers(clause.text[start:end])):
        return False
    return not any(clause.low(at) in ONLY | {"few"} | TOGETHER for at in range(verb))


def _predicate_cuts(clause: Clause, verb: int) -> Iterator[tuple[int, int]]:
    begun = verb
    for at in range(verb + 2, clause.last - 1):
        low = clause.low(at)
        if low in _HOLDING | TOGETHER or low == ";":
            return
        if low not in ("and", "but") or at in clause.enclosed:
            continue
        after = at + 1 + _is_adverb(clause.low(at + 1))
        end = at - (clause.low(at - 1) == ",")
        if _is_predicate(clause, begun, end, after):
            if not _complete(clause, begun, end) or _adverb_over_all(clause, begun, end):
                return
            yield end, at + 1
            begun = after


def _is_predicate(clause: Clause, verb: int, end: int, after: int) -> bool:
    """Whether a finite verb of the same subject stands at ``after``, beyond doubt."""
    low = clause.low(after)
    if after + 1 >= clause.last or any(
        is_surely_finite(clause.low(at)) and not _in_group(clause, verb, at)
        for at in range(verb + 1, end)
    ):
        return False
    if low in AUXILIARIES or low in PAST:
        return low not in ("do", "does") or clause.low(after + 1) == "not"
    if clause.low(verb) in AUXILIARIES:
        return low in PRESENT_ONLY and clause.low(verb) in PRESENT_AUXILIARIES
    if low in PRESENT_ONLY:
        return clause.low(verb) in PRESENT_ONLY
    if not (is_ed(low) or low in PAST_OR_PARTICIPLE) or clause.low(verb) in PRESENT_ONLY:
        return False
    between = (clause.low(at) for at in range(verb + 1, end))
    if any(is_ed(one) or one in PAST_OR_PARTICIPLE for one in between):
        return False
    return _follows_a_verb(clause, after + 1)


def _follows_a_verb(clause: Clause, at: int) -> bool:
    """Whether what stands at ``at`` shows that an -ed before it is no adjective or passive."""
    word = clause.words[at]
    return word.low in _AFTER_A_VERB | NUMBER_WORDS.keys() or word.is_capital or word.low.isdigit()


def _is_adverb(low: str) -> bool:
    return low in _ADVERBS or (low.endswith("ly") and len(low) > 5 and low not in _NOUNS_IN_LY)


def _in_group(clause: Clause, verb: int, at: int) -> bool:
    """*Has been*, *will have*, *may be*: one verb in several words."""
    return at <= verb + 3 and clause.low(verb) in HAVE | MODALS and clause.low(at) in AUXILIARIES


def _complete(clause: Clause, verb: int, end: int) -> bool:
    """Whether something stands behind the verb: *bought and sold shares* is left whole."""
    behind = [clause.low(at) for at in range(verb + 1, end)]
    return any(low not in AUXILIARIES and not low.endswith("ly") for low in behind[-1:]) and (
        len(behind) > 1 or clause.low(verb) in PRESENT_ONLY or behind[0] not in _ADVERBS
    )


def _adverb_over_all(clause: Clause, verb: int, end: int) -> bool:
    """*Reportedly*, *usually* … before the first of several predicates may bear on all."""
    start, stop = clause.stretch(max(verb - 1, 0), end)
    return any(
        (one.kind is QualifierKind.HEDGE and one.text.lower() not in HEDGING)
        or (one.kind is QualifierKind.QUANTIFIER and one.text.lower().endswith(("ly", "often")))
        for one in qualifiers(clause.text[start:stop])
    )
