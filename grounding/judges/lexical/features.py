"""What the model is shown of a claim beside its evidence: figures in [0, 1], by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grounding.judges.lexical.holding import borne_out
from grounding.judges.lexical.polarity import hedge_added, hedge_dropped, negated, negation_flipped
from grounding.language.kinds import ADDRESSED, SPEAKER, UNIVERSAL, Place
from grounding.language.lexemes import SIDES
from grounding.language.token import Token
from grounding.language.tokens import Span, Words, stem

GRAM: Final = 4
APART: Final = 30
_UNIVERSAL: Final = frozenset(stem(word) for word in UNIVERSAL)


class Features(NamedTuple):
    """All of them shares or capped counts. "Missing" means: not in the evidence."""

    words_anywhere: float
    """Share of the content words that stand in any of the texts."""
    letters: float
    """Share of the content words that stand in the evidence, each weighed by its length."""
    pairs: float
    """Share of neighbouring pairs of words."""
    grams: float
    """Share of the content words' character fourgrams."""
    order: float
    """Of neighbouring found words, the share that stand there in the same order."""
    stretch: float
    """How far apart neighbouring found words stand there, on average, capped."""
    gap: float
    """The longest run of missing content words, capped."""
    last: float
    """Whether the last content word, where English puts what is new, is missing."""
    names: float
    """How many names are missing, capped."""
    figures: float
    """How many numbers and months are missing, capped."""
    speaker: float
    """Whether the claim speaks of its speaker (*I*, *my*, *we* …) and the evidence does not."""
    addressed: float
    """The same of its reader: *you*, *your*."""
    question: float
    """Whether a question mark is in the claim."""
    negation: float
    """Whether one side is negated and the other not."""
    hedge_dropped: float
    hedge_added: float
    universal_added: float
    """Whether *all*, *only*, *never* … is missing."""
    opposite: float
    """Whether a word of a closed list is missing, and one that excludes it is there."""
    length: float
    """Content words of the claim, capped."""
    sentences: float
    """Sentences of the claim, capped."""
    used: float
    """Share of the evidence's content words that the claim has."""


# The sign that a weight must have; where training gives another, the feature is left out.
MORE_MEANS_LESS: Final = frozenset(
    {"stretch", "gap", "last", "names", "figures", "speaker", "addressed", "question", "negation"}
    | {"hedge_dropped", "hedge_added", "universal_added", "opposite", "sentences"}
)
EITHER_WAY: Final = frozenset({"length", "used"})


def features(claim: Span, evidence: Sequence[Span], there: Words, anywhere: Words) -> Features:
    """The features of ``claim`` beside ``evidence``, which together says ``there``."""
    content = claim.content
    found = [borne_out(token, there) for token in content]
    missing = [token for token, held in zip(content, found, strict=True) if not held]
    stems = [token.stem for token in claim.tokens]
    others = [token.stem for token in there.tokens]
    return Features(
        words_anywhere=_share(
            [held or borne_out(token, anywhere) for token, held in zip(content, found, strict=True)]
        ),
        letters=_letters(content, missing),
        pairs=_in_common(pairwise(stems), pairwise(others)),
        grams=_in_common(_grams(content), _grams(there.tokens)),
        order=_order(stems, others),
        stretch=_stretch([token.stem for token in content], others),
        gap=_capped(_longest_gap(found), 4),
        last=float(bool(found) and not found[-1]),
        names=_capped(len(strangers(claim, missing, there)), 2),
        figures=_capped(sum(token.number is not None for token in missing), 2),
        speaker=float(bool(claim.stems & SPEAKER - there.stems)),
        addressed=float(bool(claim.stems & ADDRESSED - there.stems)),
        question=float("?" in claim.text),
        negation=float(negation_flipped(claim, there)),
        hedge_dropped=float(hedge_dropped(claim, there)),
        hedge_added=float(hedge_added(claim, there)),
        universal_added=float(bool(claim.stems & _UNIVERSAL - there.stems)),
        opposite=float(any(excluded(token, claim, there) for token in missing)),
        length=_capped(len(content), 24),
        sentences=_capped(len(claim.sentences) - 1, 3),
        used=_used(claim, evidence),
    )


def excluded(token: Token, claim: Words, there: Words) -> bool:
    """Whether ``there`` has a word that excludes the token's, and the claim has not.

    Under a negation no word excludes its opposite: what did not rise may have fallen.
    """
    own = SIDES.get(token.stem, frozenset())
    if not own or token.stem in negated(claim):
        return False
    return any(
        place[0] == group and place not in own and place not in claim.sides
        for place in _plain_sides(there)
        for group, _ in own
    )


def _plain_sides(there: Words) -> frozenset[Place]:
    if not there.negates:
        return there.sides
    plain = (there.stems - negated(there)) & SIDES.keys()
    return frozenset(place for one in plain for place in SIDES[one])


def strangers(claim: Words, missing: Iterable[Token], there: Words) -> list[Token]:
    """The missing names, but for a first name before a surname that stands there without one."""
    after = {one.start: two for one, two in pairwise(claim.tokens)}
    return [
        token
        for token in missing
        if token.is_name and not _only_shortened(after.get(token.start), claim, there)
    ]


def _only_shortened(surname: Token | None, claim: Words, there: Words) -> bool:
    if surname is None or not surname.is_name or surname.stem not in there.stems:
        return False
    return not any(
        two.stem == surname.stem
        and (one.is_name or (one.is_opening and one.is_content))
        and one.stem not in claim.stems
        for one, two in pairwise(there.tokens)
    )


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held) if held else 0.0


def _capped(count: int, most: int) -> float:
    return min(count, most) / most


def _letters(content: Sequence[Token], missing: Sequence[Token]) -> float:
    total = sum(len(token.word) for token in content)
    return 1 - sum(len(token.word) for token in missing) / total if total else 0.0


def _in_common(claimed: Iterable[object], there: Iterable[object]) -> float:
    wanted = set(claimed)
    return len(wanted.intersection(there)) / len(wanted) if wanted else 0.0


def _grams(tokens: Iterable[Token]) -> list[str]:
    text = " ".join([token.stem for token in tokens if token.is_content])
    return [text[at : at + GRAM] for at in range(max(0, len(text) - GRAM + 1))]


def _order(stems: Sequence[str], others: Sequence[str]) -> float:
    first = {other: at for at, other in reversed(list(enumerate(others)))}
    places = [first[one] for one in stems if one in first]
    return _share([one <= two for one, two in pairwise(places)])


def _stretch(stems: Sequence[str], others: Sequence[str]) -> float:
    """Whether words that stand together in the claim were put together from far apart."""
    places: dict[str, list[int]] = {}
    for at, other in enumerate(others):
        places.setdefault(other, []).append(at)
    held = [(places.get(one), places.get(two)) for one, two in pairwise(stems)]
    apart = [
        min([abs(a - b) for a in left for b in right]) for left, right in held if left and right
    ]
    return sum(min(one, APART) for one in apart) / (APART * len(apart)) if apart else 0.0


def _longest_gap(found: Sequence[bool]) -> int:
    longest = run = 0
    for held in found:
        run = 0 if held else run + 1
        longest = max(longest, run)
    return longest


def _used(claim: Words, evidence: Sequence[Span]) -> float:
    content = [token.stem for one in evidence for token in one.content]
    return sum(stem in claim.stems for stem in content) / len(content) if content else 0.0
