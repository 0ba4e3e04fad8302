"""What the desk shows of one statement, and nothing else of its case.

A page for annotators is made of a sheet, never of the rows behind it, so what an
annotator must not see (case and pair ids, kinds, tags, expectations, where a
passage came from) is not at hand in a template. Reads only.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.db.models import Q

from grounding.errors import BadInput
from grounding.interchange.models import Evidence
from grounding.splitting import Sentence, sentences_of
from labeling.models import Source, Statement
from labeling.wording.marking import Mark, Piece, pieces

# A set may have thousands of approved sources: the desk shows so many at most, says how
# many there are, and finds others by their text.
MAX_SOURCES = 30


@dataclass(frozen=True)
class Stretch:
    """A stretch of a passage: a sentence that can be chosen as evidence, or what stands
    between two. ``value`` is the evidence as a form sends it."""

    text: str
    value: str | None = None
    name: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class Shown:
    """A passage or an approved source; its stretches join up to its text."""

    kind: str
    id: str
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True)
class Sibling:
    """Another statement of the same answer."""

    key: UUID
    text: str
    current: bool


@dataclass(frozen=True)
class Quote:
    """Evidence that is no whole sentence: words that were selected."""

    place: str
    text: str
    value: str


@dataclass(frozen=True)
class Sheet:
    key: UUID
    text: str
    question: str | None
    answer: tuple[Piece, ...]
    in_answer: bool
    split_from: str | None
    siblings: tuple[Sibling, ...]
    passages: tuple[Shown, ...]
    sources: tuple[Shown, ...]
    sources_total: int
    quotes: tuple[Quote, ...]


Span = tuple[int, int]
Place = tuple[str | None, str | None, int | None, int | None]


def lay_out(
    statement: Statement, evidence: Collection[Evidence] = (), *, source: str = ""
) -> Sheet:
    """The sheet of ``statement``, with ``evidence`` chosen on it; of the approved sources
    those that hold ``source``, and those that are cited."""
    case = statement.case
    admitted = {passage["id"]: passage["text"] for passage in case.context}
    chosen = {_place(item) for item in evidence}
    passages = _shown("passage", admitted, chosen)
    sources = _shown("source", _approved(case.set_id, evidence, source), chosen)
    return Sheet(
        key=statement.key,
        text=statement.text,
        question=case.question,
        answer=_answer(statement),
        in_answer=statement.span_start is not None,
        split_from=_split_from(statement),
        siblings=_siblings(statement),
        passages=passages,
        sources=sources,
        sources_total=Source.objects.filter(set_id=case.set_id).count(),
        quotes=_quotes(evidence, (*passages, *sources)),
    )


def words_to_choose(statement: Statement, chosen: Span | None = None) -> tuple[Stretch, ...]:
    """The answer cut into sentences that can each be chosen as words of it; ``chosen`` where it
    is one of them. ``value`` is the sentence's span, as a form sends it."""
    found, at, answer = [], 0, statement.case.answer
    for number, sentence in enumerate(_sentences(answer), 1):
        if sentence.start > at:
            found.append(Stretch(answer[at : sentence.start]))
        span = (sentence.start, sentence.end)
        name = f"answer, sentence {number}"
        found.append(Stretch(sentence.text, f"{span[0]}-{span[1]}", name, span == chosen))
        at = sentence.end
    return (*found, Stretch(answer[at:]))


def value_of(evidence: Evidence) -> str:
    """``evidence`` as one field of a form. JSON, because a form rewrites bare line ends."""
    return json.dumps(evidence.model_dump(mode="json"), ensure_ascii=False)


def place_of(evidence: Evidence) -> str:
    """The passage or source that ``evidence`` quotes, as people name it."""
    if evidence.passage_id is not None:
        return evidence.passage_id
    return f"source {evidence.source_id}"


def _place(evidence: Evidence) -> Place:
    return evidence.passage_id, evidence.source_id, evidence.start, evidence.end


def _approved(set_pk: int, evidence: Collection[Evidence], holding: str) -> dict[str, str]:
    approved = Source.objects.filter(set_id=set_pk).order_by("source_id")
    cited = approved.filter(source_id__in=[item.source_id for item in evidence if item.source_id])
    if holding:
        approved = approved.filter(Q(source_id__icontains=holding) | Q(text__icontains=holding))
    found = [*cited[:MAX_SOURCES], *approved[:MAX_SOURCES]]
    return {source.source_id: source.text for source in found}


def _answer(statement: Statement) -> tuple[Piece, ...]:
    start, end = statement.span_start, statement.span_end
    marks = [] if start is None or end is None else [Mark(start, end, "statement")]
    return tuple(pieces(statement.case.answer, marks))


def _split_from(statement: Statement) -> str | None:
    if statement.parent_id is None:
        return None
    parent = statement.case.statements.filter(statement_id=statement.parent_id).first()
    return parent.text if parent else None


def _siblings(statement: Statement) -> tuple[Sibling, ...]:
    rows = statement.case.statements.order_by("position").values_list("key", "text")
    if len(rows) < 2:
        return ()
    return tuple(Sibling(key, text, key == statement.key) for key, text in rows)


def _shown(kind: str, texts: Mapping[str, str], chosen: Collection[Place]) -> tuple[Shown, ...]:
    return tuple(
        Shown(kind, name, tuple(_stretches(kind, name, text, chosen)))
        for name, text in texts.items()
    )


def _stretches(kind: str, name: str, text: str, chosen: Collection[Place]) -> Iterator[Stretch]:
    at = 0
    for number, sentence in enumerate(_sentences(text), 1):
        if sentence.start > at:
            yield Stretch(text[at : sentence.start])
        cited = Evidence.model_validate(
            {f"{kind}_id": name, "quote": sentence.text}
            | {"start": sentence.start, "end": sentence.end}
        )
        label = f"{place_of(cited)}, sentence {number}"
        yield Stretch(sentence.text, value_of(cited), label, _place(cited) in chosen)
        at = sentence.end
    if at < len(text):
        yield Stretch(text[at:])


@lru_cache(maxsize=1024)
def _sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a passage; the whole of it where the rules break on its text."""
    try:
        return sentences_of(text)
    except BadInput:
        return (Sentence(text, 0, len(text)),) if text else ()


def _quotes(evidence: Collection[Evidence], shown: Collection[Shown]) -> tuple[Quote, ...]:
    """What of ``evidence`` is not chosen by one of the sentences."""
    sentences = {stretch.value for text in shown for stretch in text.stretches if stretch.chosen}
    values = ((item, value_of(item)) for item in evidence)
    return tuple(
        Quote(place_of(item), item.quote or "", value)
        for item, value in values
        if value not in sentences
    )
