"""What the learned judge sees of a statement beside its texts: figures in [0, 1], by name.

Most are the lexical judge's own. To these come what that judge would answer, and a few marks of
the statement alone. No word of any text is among them, so weights tell nothing of the texts that
they were trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from grounding.contract import ClaimClass
from grounding.judges.lexical.features import Features, features
from grounding.judges.lexical.model import Model
from grounding.judges.lexical.verifying import (
    Place,
    Text,
    everything,
    find,
    gathered,
    overlap,
)
from grounding.language.kinds import HEDGES, UNIVERSAL
from grounding.language.tokens import Span, pooled, span_of
from grounding.rubrics.specs import LexicalParameters

_NOTHING: Final = Features(*[0.0] * len(Features._fields))
_MODALS: Final = frozenset(["can", "could", "may", "might", "must", "should", "will", "would"])
_LONG: Final = 40


class Marks(NamedTuple):
    """What is seen beside the lexical judge's features."""

    lexical_entailed: float
    """Whether the lexical judge would call it entailed,"""
    lexical_refuted: float
    """or refuted;"""
    lexical_probability: float
    """and the probability that it gives."""
    overlap: float
    """Share of the content words in the first window of evidence."""
    without_text: float
    """Whether there is nothing to hold it against."""
    lexical_external: float
    """Whether the lexical judge classes it external,"""
    lexical_interpretation: float
    """or as interpretation."""
    words: float
    """Its words, capped."""
    numbers: float
    """Its numbers, capped."""
    own_names: float
    """Its names, capped."""
    negated: float
    universal: float
    """Whether it says *all*, *never* and the like."""
    hedged: float
    modal: float
    """Whether it says *should*, *may* and the like."""


FEATURES: Final = (*Features._fields, *Marks._fields)
"""The names, in the order of a row."""

Row = tuple[float, ...]


class Seen(NamedTuple):
    """A row, and the windows of evidence that it speaks of."""

    row: Row
    places: tuple[Place, ...]


def see(
    statement: str,
    claim_class: str,
    texts: Sequence[Text],
    parameters: LexicalParameters,
    model: Model,
) -> Seen:
    """The row of ``statement`` beside ``texts``; ``claim_class`` is the lexical judge's."""
    claim = span_of(statement)
    places = gathered(claim, texts, parameters)
    spans = [place.span for place in places]
    lexical = _NOTHING
    if spans:
        there = spans[0] if len(spans) == 1 else pooled(spans)
        lexical = features(claim, spans, there, everything(tuple(one.text for one in texts)))
    said = find(claim, texts, parameters, model).raw
    marks = Marks(
        lexical_entailed=float(said == "entailed"),
        lexical_refuted=float(said == "refuted"),
        lexical_probability=model.probability(lexical) if spans else 0.0,
        overlap=overlap(claim.content, spans[0]) if spans else 0.0,
        without_text=float(not texts),
        lexical_external=float(claim_class == ClaimClass.EXTERNAL),
        lexical_interpretation=float(claim_class == ClaimClass.INTERPRETATION),
        **_alone(claim),
    )
    return Seen((*lexical, *marks), places)


def _alone(claim: Span) -> dict[str, float]:
    words = {token.word for token in claim.tokens}
    return {
        "words": min(len(claim.tokens), _LONG) / _LONG,
        "numbers": min(len(claim.figures), 3) / 3,
        "own_names": min(sum(token.is_name for token in claim.tokens), 3) / 3,
        "negated": float(claim.negates),
        "universal": float(bool(words & UNIVERSAL)),
        "hedged": float(bool(words & HEDGES)),
        "modal": float(bool(words & _MODALS)),
    }
