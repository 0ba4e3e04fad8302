"""An answer with its claims tied to what they rest on: texts cut where claims and quotes stand.

Pure functions. A claim is named by its side and number (``h2``, ``j2``), and its name is what
ties its words in the answer, its note and its quotes in the passages together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from grounding.errors import BadInput
from grounding.evidence import Texts, resolve
from grounding.interchange.models import Evidence
from labeling.wording.marking import Mark, pieces


@dataclass(frozen=True)
class Stretch:
    """A stretch of a text: the names of what covers it, and of what begins and ends with it."""

    text: str
    names: tuple[str, ...]
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    @property
    def bare(self) -> bool:
        """Whether nothing covers it though it says something: more than space and punctuation."""
        return not self.names and any(map(str.isalnum, self.text))


@dataclass(frozen=True)
class Quote:
    """What a claim cites; ``name`` is that of its mark, None where it stands nowhere."""

    place: str
    text: str
    name: str | None


@dataclass(frozen=True)
class Placed:
    """The quotes of each claim, and the marks of each text by kind and id."""

    quotes: Mapping[str, Sequence[Quote]]
    marks: Mapping[tuple[str, str], Sequence[Mark]]


def stretches(text: str, marks: Sequence[Mark]) -> list[Stretch]:
    """``text`` cut at the ends of its marks; the notes of marks are names."""
    found = []
    at = 0
    for piece in pieces(text, marks):
        end = at + len(piece.text)
        begins = tuple(mark.note for mark in marks if mark.start == at and mark.note in piece.notes)
        ends = tuple(mark.note for mark in marks if mark.end == end and mark.note in piece.notes)
        found.append(Stretch(piece.text, piece.notes, begins, ends))
        at = end
    return found


def place(cited: Mapping[str, Iterable[Mapping[str, Any]]], texts: Texts) -> Placed:
    """Every quote of every claim in its passage or source, each once; what stands in none of
    them is kept without a mark."""
    quotes: dict[str, list[Quote]] = {}
    marks: dict[tuple[str, str], list[Mark]] = {}
    for claim, evidence in cited.items():
        named = quotes.setdefault(claim, [])
        for stored in evidence:
            where, mark = _located(stored, texts, f"{claim}-{len(named) + 1}")
            place_id = str(stored.get("passage_id") or stored.get("source_id"))
            if mark is None:
                named.append(Quote(place_id, str(stored.get("quote") or ""), None))
            elif not _there(marks.setdefault(where, []), mark, claim):
                marks[where].append(mark)
                named.append(Quote(place_id, _cut(texts, where, mark), mark.note))
    return Placed(quotes, marks)


def claim_of(mark: str) -> str:
    """The name of the claim that a quote's mark belongs to."""
    return mark.partition("-")[0]


def _located(
    stored: Mapping[str, Any], texts: Texts, name: str
) -> tuple[tuple[str, str], Mark | None]:
    try:
        found = resolve(Evidence.model_validate(stored), texts)
    except (BadInput, ValidationError):
        return ("", ""), None
    where = ("passage", found.passage_id) if found.passage_id else ("source", found.source_id)
    return (where[0], str(where[1])), Mark(found.start or 0, found.end or 0, name)


def _there(marks: Iterable[Mark], mark: Mark, claim: str) -> bool:
    """Whether the claim has the very same words marked already: two people cite alike."""
    return any(
        (one.start, one.end) == (mark.start, mark.end) and claim_of(one.note) == claim
        for one in marks
    )


def _cut(texts: Texts, where: tuple[str, str], mark: Mark) -> str:
    kind, name = where
    text = (texts.passages if kind == "passage" else texts.sources)[name]
    return text[mark.start : mark.end]
