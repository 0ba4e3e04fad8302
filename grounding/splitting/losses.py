"""Which qualifiers a statement lost on its way out of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from grounding.language.sentences import bounds_of
from grounding.language.token import Token
from grounding.language.tokens import Span, holds, span_of
from grounding.splitting.qualifiers import (
    LEVELS,
    REPORTING,
    Qualifier,
    QualifierKind,
    attached,
    direction,
    limits,
    qualifiers,
)

REACH: Final = 5
LONGEST: Final = 5_000
HALF: Final = 0.5
SHARED: Final = 0.6
"""So much of a statement must be said by a clause before it is held to that clause's qualifiers."""

_BREAK: Final = re.compile(
    r";|,? (?:but|while|whereas|although|though)\b|, (?:and|or|which|who|where) "
    r"|, (?=(?:is|was|are|were|has|have|had|will|can|may|\w{2,}ed) )",
    re.IGNORECASE,
)
_STATE: Final = re.compile(
    r"\b(?:is|are|am|remains?|owns?|includes?|contains?|costs?|holds?|employs?|lives?|works?|offers?"
    r"|serves?|runs?|provides?|can|may|must|will|need(?:s|ed)?|'s|'re)\b"
    r"|\b(?:was|were|has|have|had)\b(?! (?:\w+ly )?(?:been )?"
    r"(?:\w+ed|born|built|made|held|won|sold|given|taken|found|shot)\b)",
    re.IGNORECASE,
)
"""A verb that tells of a state, not of a single event: past passives and perfects do not."""
_REPORTS: Final = re.compile(REPORTING)

Words = Sequence[Token]


@lru_cache(maxsize=1024)
def dropped(statement: str, source: str) -> tuple[Qualifier, ...]:
    """The qualifiers of ``source`` that ``statement`` lost; offsets are into ``source``.

    ``source`` is the stretch of the answer that the statement came from, one sentence or
    several. A qualifier is lost where the statement says what it limits and has nothing of
    its kind that does the same:

    - hedge, negation, quantifier: the first content word that it bears on is in the statement;
    - bound: the statement has its number;
    - condition, scope, attribution, time: most of the statement is said by its clause. When or
      where a single event took place is a detail that may go to another claim, so *in 2019* and
      *in Germany* count only where the clause tells of a state.

    Empty for a statement that is the source, where nothing is lost, and for a source of more
    than `LONGEST` characters, which is no sentence that anybody shortened. Wordings are compared,
    in English; what is said in other words may be taken for lost.
    """
    if " ".join(statement.split()) == " ".join(source.split()):
        return ()
    if len(source) > LONGEST:
        return ()
    said, there = span_of(statement), span_of(source)
    kept = qualifiers(statement)
    clauses = [_Clause(*one, _share_from(one, said, there)) for one in _clauses(source)]
    return tuple(
        one
        for one in qualifiers(source)
        if _governs(one, said, there, clauses) and not _kept(one, said, there, kept)
    )


class _Clause(NamedTuple):
    """A stretch of the source, and how much of the statement it says."""

    start: int
    end: int
    share: float


def dropped_in(statement: str, span: tuple[int, int] | None, answer: str) -> tuple[Qualifier, ...]:
    """What ``statement`` lost of the sentences of ``answer`` that its span touches.

    Offsets are into those sentences. Empty for a statement without a span, which came from no
    place in the answer that could be read, and for a span outside of it.
    """
    if span is None:
        return ()
    touched = [one for one in _bounds(answer) if one[0] < span[1] and span[0] < one[1]]
    return dropped(statement, answer[touched[0][0] : touched[-1][1]]) if touched else ()


@lru_cache(maxsize=64)
def _bounds(answer: str) -> tuple[tuple[int, int], ...]:
    return tuple(bounds_of(answer))


def _governs(one: Qualifier, said: Span, there: Span, clauses: Sequence[_Clause]) -> bool:
    match one.kind:
        case QualifierKind.HEDGE | QualifierKind.NEGATION | QualifierKind.QUANTIFIER:
            return any(holds(token, said) for token in _borne(one, there))
        case QualifierKind.BOUND:
            return any(holds(token, said) for token in _figure(one, there))
        case _:
            return _said_by_its_clause(one, said, there, clauses)


def _borne(one: Qualifier, there: Span) -> Words:
    """The first content word behind the mark; before it where none follows."""
    for sentence in there.sentences:
        for at, token in enumerate(sentence):
            if token.start == one.start:
                behind = attached(sentence, at, REACH)
                ahead = [word for word in sentence[:at] if word.is_content]
                return behind[:1] or ahead[-1:]
    return ()


def _figure(one: Qualifier, there: Span) -> Words:
    numbers = [token for token in there.tokens if token.number is not None]
    if one.text.lower().startswith("or "):
        return [token for token in numbers if token.end <= one.start][-1:]
    return [token for token in numbers if token.start >= one.end][:1]


def _said_by_its_clause(
    one: Qualifier, said: Span, there: Span, clauses: Sequence[_Clause]
) -> bool:
    own = next((each for each in clauses if each.start <= one.start < each.end), None)
    if own is None or own.share < max(SHARED, *(each.share for each in clauses)):
        return False
    if _share_from((one.start, one.end), said, there) >= SHARED:
        return False  # the statement is the condition itself, or says who says so
    return _is_limit(one, there.text, own.start, own.end)


def _share_from(stretch: tuple[int, int], said: Span, there: Span) -> float:
    words = [token for token in there.tokens if stretch[0] <= token.start < stretch[1]]
    stems = {token.stem for token in words}
    roots = {token.root for token in words if token.root}
    found = [token.stem in stems or token.root in roots for token in said.content]
    return sum(found) / len(found) if found else 0.0


def _is_limit(one: Qualifier, text: str, start: int, end: int) -> bool:
    point = one.kind is QualifierKind.TIME and not limits(text, one)
    place = one.kind is QualifierKind.SCOPE and one.text[-1:] and _names_a_place(one.text)
    if not (point or place):
        return True
    return bool(_STATE.search(text[start : one.start] + text[one.end : end]))


def _names_a_place(text: str) -> bool:
    return bool(re.search(r" [A-Z]", text))


def _kept(one: Qualifier, said: Span, there: Span, kept: Iterable[Qualifier]) -> bool:
    alike = [other for other in kept if other.kind is one.kind]
    match one.kind:
        case QualifierKind.QUANTIFIER:
            return any(_level(other) == _level(one) for other in alike)
        case QualifierKind.BOUND:
            return any(direction(other) == direction(one) for other in alike)
        case QualifierKind.HEDGE:
            return bool(alike) or _attributed(kept)
        case QualifierKind.CONDITION:
            return _reworded(one, said, there)
        case _:
            # Another place or time than the sentence's is a change, for whoever verifies it.
            return bool(alike) or _reworded(one, said, there)


def _level(one: Qualifier) -> int | str:
    word = one.text.lower()
    return LEVELS.get(word, word)


def _attributed(kept: Iterable[Qualifier]) -> bool:
    """*Reportedly* may become *the paper reported that*."""
    return any(other.kind is QualifierKind.ATTRIBUTION for other in kept)


def _reworded(one: Qualifier, said: Span, there: Span) -> bool:
    """Whether the statement has at least half of the qualifier's own words; of an attribution,
    of those that name its source."""
    words = [token for token in there.tokens if one.start <= token.start < one.end]
    own = [one for one in words if one.is_content and not _REPORTS.fullmatch(one.word)] or words
    spelled = {token.word for token in said.tokens}
    found = [token.word in spelled or holds(token, said) for token in own]
    return sum(found) / len(found) >= HALF if found else False


def _clauses(text: str) -> tuple[tuple[int, int], ...]:
    """The stretches of ``text`` between conjunctions that begin another clause."""
    bounds = [sentence[0].start for sentence in span_of(text).sentences if sentence]
    breaks = [found.start() for found in _BREAK.finditer(text)]
    return tuple(pairwise(sorted({0, len(text), *bounds[1:], *breaks})))
