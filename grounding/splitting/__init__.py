"""Answers into what is graded: sentences, or atomic claims with their qualifiers.

- ``sentences``   whole sentences, with offsets, in many languages
- ``claims``      atomic claims, in English: by ``cutting`` and ``listing``, over ``stretches``
- ``qualifiers``  what limits a claim; ``losses`` says which of it a statement lost
- ``premises``    what a statement takes for granted
"""

from __future__ import annotations

from typing import Final

from grounding.errors import Refused
from grounding.rubrics.definition import ClaimSplitting, SentenceSplitting, Splitting
from grounding.splitting.claims import IMPLEMENTATION, Claim, claims_of
from grounding.splitting.losses import dropped, dropped_in
from grounding.splitting.qualifiers import Qualifier, QualifierKind, qualifiers
from grounding.splitting.sentences import Sentence, sentences_of

__all__ = [
    "ENGLISH",
    "IMPLEMENTATION",
    "Claim",
    "Qualifier",
    "QualifierKind",
    "Sentence",
    "claims_of",
    "dropped",
    "dropped_in",
    "qualifiers",
    "sentences_of",
    "split_answer",
]

ENGLISH: Final = SentenceSplitting(method="sentences", language="en")


def split_answer(answer: str, splitting: Splitting = ENGLISH) -> tuple[Sentence | Claim, ...]:
    """What a rubric with this splitting grades of ``answer``, in order: sentences or claims.

    No character of the answer other than white space escapes grading: between sentences there
    stands nothing else, and each sentence is covered by its claims. Empty where the answer
    holds nothing. Raises BadInput where the sentence rules break on the text, and Refused
    where the splitting was released with another implementation of it.
    """
    if isinstance(splitting, SentenceSplitting):
        return sentences_of(answer, splitting.language)
    _require_this(splitting)
    return claims_of(answer)


def _require_this(splitting: ClaimSplitting) -> None:
    if splitting.implementation != IMPLEMENTATION:
        raise Refused(
            f"the rubric splits by implementation {splitting.implementation} of claims, "
            f"and this is {IMPLEMENTATION}"
        )
