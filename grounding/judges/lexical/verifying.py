"""The second pass: one statement against the texts that its policy admits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from grounding.interchange.models import Evidence
from grounding.judges.lexical.features import features, strangers
from grounding.judges.lexical.holding import borne_out
from grounding.judges.lexical.mismatches import mismatch
from grounding.judges.lexical.model import Model
from grounding.judges.lexical.polarity import hedge_dropped, widened
from grounding.judges.protocol import Assignment
from grounding.language.kinds import OPENERS
from grounding.language.token import Token
from grounding.language.tokens import Span, Words, pooled, windows
from grounding.rubrics.specs import LexicalParameters

Raw = Literal["entailed", "not_stated", "refuted"]


@dataclass(frozen=True, slots=True)
class Text:
    """One passage or source: its id, what it is, its text."""

    key: str
    is_source: bool
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A window of one text."""

    text: Text
    span: Span


@dataclass(frozen=True, slots=True)
class Finding:
    """A raw verdict, the places it rests on, and why."""

    raw: Raw
    places: tuple[Place, ...]
    why: str


def texts_of(assignment: Assignment) -> list[Text]:
    """All that may be relied on, passages before sources."""
    texts = [Text(one.id, False, one.text) for one in assignment.passages]
    return texts + [Text(one.id, True, one.text) for one in assignment.sources]


def quoted(text: Text, start: int, end: int) -> Evidence:
    """A stretch of ``text`` as evidence."""
    return Evidence(
        passage_id=None if text.is_source else text.key,
        source_id=text.key if text.is_source else None,
        quote=text.text[start:end],
        start=start,
        end=end,
    )


def cited(places: Iterable[Place]) -> tuple[Evidence, ...]:
    return tuple(quoted(one.text, one.span.start, one.span.end) for one in places)


def overlap(claim: Sequence[Token], span: Words) -> float:
    """Share of the claim's content words that ``span`` holds, in [0, 1]; 0 for no words."""
    return sum([borne_out(token, span) for token in claim]) / len(claim) if claim else 0.0


def best_window(
    claim: Sequence[Token], texts: Iterable[Text], most: int
) -> tuple[float, Text, Span] | None:
    """The window with the highest overlap; of equals the shortest, then the first."""
    best: tuple[float, Text, Span] | None = None
    for text in texts:
        for span in windows(text.text, most):
            share = overlap(claim, span)
            if (
                best is None
                or share > best[0]
                or (share == best[0] and len(span.text) < len(best[2].text))
            ):
                best = (share, text, span)
    return best


def find(
    claim: Span, texts: Sequence[Text], parameters: LexicalParameters, model: Model
) -> Finding:
    """What ``texts`` say of ``claim``; the rules, in order, stand in the package's docstring."""
    content = claim.content
    best = best_window(content, texts, parameters.window_sentences)
    if best is None or not best[0]:
        return Finding("not_stated", (), "no passage speaks of it")
    share, text, span = best
    anywhere = everything(tuple(one.text for one in texts))
    missing = [token for token in content if not borne_out(token, span)]
    if share >= parameters.mismatch_overlap:
        why = mismatch(claim, span, missing, anywhere)
        if why:
            return Finding("refuted", (Place(text, span),), why)
    places = _joined(content, Place(text, span), texts, parameters)
    return _weighed(claim, places, anywhere, parameters, model)


@lru_cache(maxsize=64)
def everything(texts: tuple[str, ...]) -> Words:
    """All that ``texts`` say together."""
    return pooled(span for text in texts for span in windows(text, 1))


def gathered(
    claim: Span, texts: Sequence[Text], parameters: LexicalParameters
) -> tuple[Place, ...]:
    """The windows that a claim is weighed against; empty where there is no text."""
    best = best_window(claim.content, texts, parameters.window_sentences)
    return _joined(claim.content, Place(*best[1:]), texts, parameters) if best else ()


def _joined(
    content: Sequence[Token], first: Place, texts: Sequence[Text], parameters: LexicalParameters
) -> tuple[Place, ...]:
    """The window, and as many more as each hold a good share and add a missing word."""
    places = [first]
    missing = _left(content, first.span)
    while missing and len(places) < parameters.most_windows:
        more = best_window(missing, texts, parameters.window_sentences)
        if more is None or not more[0] or overlap(content, more[2]) < parameters.joined_overlap:
            break
        places.append(Place(more[1], more[2]))
        missing = _left(missing, more[2])
    return tuple(places)


def _weighed(
    claim: Span,
    places: tuple[Place, ...],
    anywhere: Words,
    parameters: LexicalParameters,
    model: Model,
) -> Finding:
    spans = [place.span for place in places]
    there = spans[0] if len(spans) == 1 else pooled(spans)
    near = places[:1] if overlap(claim.content, spans[0]) >= parameters.mismatch_overlap else ()
    veto = _veto(claim, there)
    if veto:
        return Finding("not_stated", near, veto)
    probability = model.probability(features(claim, spans, there, anywhere))
    why = f"lexical score {probability:.2f}, of {parameters.support_probability:.2f} needed"
    if probability < parameters.support_probability:
        return Finding("not_stated", near, why)
    return Finding("entailed", places, why)


def _veto(claim: Span, there: Words) -> str | None:
    """What no likeness makes up for."""
    missing = [token for token in claim.content if not borne_out(token, there)]
    if any(token.number is not None for token in missing):
        return "a number of it stands nowhere near"
    if strangers(claim, missing, there):
        return "a name of it stands nowhere near"
    opening = any(token.is_opening and token.word not in OPENERS for token in missing)
    if opening and _opens_otherwise(claim, there):
        return "it opens with a word that may be a name and stands nowhere near"
    if widened(claim, there):
        return "it is claimed of all, or of that alone, and not said so"
    if hedge_dropped(claim, there):
        return "it is said there with a reservation"
    return None


def _opens_otherwise(claim: Words, there: Words) -> bool:
    """Another word with a capital opens a sentence there: perhaps somebody else."""
    return any(
        other.is_opening and other.is_content and other.stem not in claim.stems
        for other in there.tokens
    )


def _left(content: Sequence[Token], span: Span) -> list[Token]:
    return [token for token in content if not borne_out(token, span)]
