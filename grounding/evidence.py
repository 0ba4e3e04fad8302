"""Whether a quote is really there.

Offsets are Unicode code points, half open, into the passage or source as
stored, and a quote must equal its slice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from grounding.errors import BadInput
from grounding.interchange.models import Evidence, Passage, Source


@dataclass(frozen=True)
class Texts:
    """What evidence may point into: admitted passages and approved sources, by id."""

    passages: Mapping[str, str]
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Iterable[Passage], sources: Iterable[Source] = ()) -> Texts:
        return cls(
            passages={passage.id: passage.text for passage in context},
            sources={source.id: source.text for source in sources},
        )

    def cited_by(self, evidence: Evidence, *, at: str = "evidence") -> str:
        """The whole text that ``evidence`` points into; BadInput where there is none."""
        if evidence.passage_id is not None:
            return _lookup(self.passages, evidence.passage_id, f"{at}.passage_id", "passage")
        return _lookup(self.sources, str(evidence.source_id), f"{at}.source_id", "approved source")


def resolve(evidence: Evidence, texts: Texts, *, at: str = "evidence") -> Evidence:
    """The same evidence with quote and offsets both filled in; the very same object
    where nothing was left to fill in.

    Raises BadInput, naming the field under ``at``, for an unknown id, offsets that
    name no slice of the text, a quote that differs from its slice, or a quote
    without offsets that does not occur exactly once.
    """
    text = texts.cited_by(evidence, at=at)
    if evidence.start is None or evidence.end is None:
        return _located(evidence, text, at)
    found = slice_of(text, evidence.start, evidence.end, at=at)
    if evidence.quote is None:
        return evidence.model_copy(update={"quote": found})
    if evidence.quote != found:
        raise BadInput(
            f"the quote is not what stands at [{evidence.start}, {evidence.end})",
            field=f"{at}.quote",
        )
    return evidence


def repair(evidence: Evidence, texts: Texts, *, at: str = "evidence") -> tuple[Evidence, bool]:
    """Like `resolve`, for a judge's output: wrong offsets are mended, and said to be,
    where the quote occurs exactly once."""
    try:
        return resolve(evidence, texts, at=at), False
    except BadInput:
        if evidence.quote is None or evidence.start is None:
            raise
        return _located(evidence, texts.cited_by(evidence, at=at), at), True


def slice_of(text: str, start: int, end: int, *, at: str) -> str:
    """``text[start:end]``; BadInput where the offsets do not name a non-empty slice of it."""
    if not 0 <= start < end <= len(text):
        raise BadInput(
            f"[{start}, {end}) is not inside a text of {len(text)} characters", field=f"{at}.start"
        )
    return text[start:end]


def _located(evidence: Evidence, text: str, at: str) -> Evidence:
    quote = evidence.quote or ""
    start = text.find(quote) if quote else -1
    if start < 0:
        raise BadInput("the quote does not occur in the text it cites", field=f"{at}.quote")
    # From the next character on, so that occurrences that overlap count as two.
    if text.find(quote, start + 1) >= 0:
        raise BadInput(
            "the quote occurs more than once, so it needs start and end", field=f"{at}.start"
        )
    return evidence.model_copy(update={"start": start, "end": start + len(quote)})


def _lookup(texts: Mapping[str, str], key: str, at: str, kind: str) -> str:
    try:
        return texts[key]
    except KeyError:
        raise BadInput(f"there is no {kind} {key!r}", field=at) from None
