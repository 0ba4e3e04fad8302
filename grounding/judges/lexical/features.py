"""What the model is shown of a claim beside its evidence: figures in [0, 1], by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grounding.judges.lexical.kinds import OPINION, UNIVERSAL
from grounding.judges.lexical.lexemes import SIDES
from grounding.judges.lexical.polarity import hedge_added, hedge_dropped, negation_flipped
from grounding.judges.lexical.tokens import Span, Token, Words, holds, stem

GRAM: Final = 4
OPINIONS: Final = frozenset(stem(word) for word in OPINION)
_UNIVERSAL: Final = frozenset(stem(word) for word in UNIVERSAL)


class Features(NamedTuple):
    """All of them shares or capped counts. "Missing" means: not in the evidence."""

    words: float
    """Share of the content words that stand in the evidence."""
    words_anywhere: float
    """The same in all texts together."""
    words_all: float
    """Share of all words, function words too."""
    letters: float
    """The share of content words, each weighed by its length."""
    pairs: float
    """Share of neighbouring pairs of words."""
    grams: float
    """Share of the content words' character fourgrams."""
    order: float
    """Of neighbouring found words, the share that stand there in the same order."""
    gap: float
    """The longest run of missing content words, capped."""
    names: float
    """How many names are missing, capped."""
    figures: float
    """How many numbers and months are missing, capped."""
    opinion: float
    """How many words of somebody's own say are missing: I, love, think, yeah …"""
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
    {"gap", "names", "figures", "opinion", "question", "negation"}
    | {"hedge_dropped", "hedge_added", "universal_added", "opposite", "sentences"}
)
EITHER_WAY: Final = frozenset({"length", "used"})


def features(claim: Span, evidence: Sequence[Span], there: Words, anywhere: Words) -> Features:
    """The features of ``claim`` beside ``evidence``, which together says ``there``."""
    content = claim.content
    found = [holds(token, there) for token in content]
    missing = [token for token, held in zip(content, found, strict=True) if not held]
    stems = [token.stem for token in claim.tokens]
    others = [token.stem for token in there.tokens]
    return Features(
        words=_share(found),
        words_anywhere=_share(
            [held or holds(token, anywhere) for token, held in zip(content, found, strict=True)]
        ),
        words_all=_share([stem in there.stems for stem in stems]),
        letters=_letters(content, missing),
        pairs=_in_common(pairwise(stems), pairwise(others)),
        grams=_in_common(_grams(content), _grams(there.tokens)),
        order=_order(stems, others),
        gap=_capped(_longest_gap(found), 4),
        names=_capped(sum(token.is_name for token in missing), 2),
        figures=_capped(sum(token.number is not None for token in missing), 2),
        opinion=_capped(len(claim.stems & OPINIONS - there.stems), 3),
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
    """Whether ``there`` has a word that excludes the token's, and the claim has not."""
    own = SIDES.get(token.stem, frozenset())
    return bool(own) and any(
        place[0] == group and place not in own and place not in claim.sides
        for place in there.sides
        for group, _ in own
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


def _longest_gap(found: Sequence[bool]) -> int:
    longest = run = 0
    for held in found:
        run = 0 if held else run + 1
        longest = max(longest, run)
    return longest


def _used(claim: Words, evidence: Sequence[Span]) -> float:
    content = [token.stem for one in evidence for token in one.content]
    return sum(stem in claim.stems for stem in content) / len(content) if content else 0.0
