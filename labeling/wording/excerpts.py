"""What a judgment rests on, cut out of a case: the quoted words with some of what stands around.

Pure functions; a page that lists errors shows these in place, and links to the whole case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from grounding.errors import BadInput
from grounding.evidence import Texts, resolve
from grounding.interchange.models import Evidence
from labeling.wording.marking import Mark, Piece, pieces

AROUND: Final = 160
"""Characters shown on either side of a quote."""

LONGEST: Final = 1_000
MOST: Final = 6
UNQUOTED: Final = (2, 320)
"""Where nothing is quoted: so many passages, so many characters of each."""


@dataclass(frozen=True)
class Excerpt:
    """A stretch of a passage or source, in pieces; ``before`` and ``after`` say whether more
    of it stands there."""

    id: str
    pieces: Sequence[Piece]
    before: bool
    after: bool


@dataclass(frozen=True)
class Excerpts:
    shown: Sequence[Excerpt]
    quoted: bool
    more: int
    """Passages of which nothing is shown."""


def cut(
    context: Sequence[Mapping[str, Any]],
    sources: Mapping[str, str],
    cited: Iterable[tuple[str, Mapping[str, Any]]],
) -> Excerpts:
    """``cited`` pairs a note with evidence as stored; one that stands nowhere is left out."""
    passages = {passage["id"]: passage["text"] for passage in context}
    marks = _placed(cited, Texts(passages, sources))
    shown = [
        excerpt
        for (kind, name), found in marks.items()
        for excerpt in _around(name, passages[name] if kind == "passage" else sources[name], found)
    ][:MOST]
    quoted = bool(shown)
    if not quoted:
        count, length = UNQUOTED
        shown = [
            _window(name, text, 0, length, []) for name, text in list(passages.items())[:count]
        ]
    seen = {name for kind, name in marks if kind == "passage"} if quoted else {e.id for e in shown}
    return Excerpts(shown, quoted, len(passages.keys() - seen))


def _placed(
    cited: Iterable[tuple[str, Mapping[str, Any]]], texts: Texts
) -> dict[tuple[str, str], list[Mark]]:
    placed: dict[tuple[str, str], list[Mark]] = {}
    for note, stored in cited:
        try:
            found = resolve(Evidence.model_validate(stored), texts)
        except (BadInput, ValidationError):
            continue
        if found.start is None or found.end is None:
            continue
        place = ("passage", found.passage_id) if found.passage_id else ("source", found.source_id)
        mark = Mark(found.start, found.end, note)
        placed.setdefault((place[0], str(place[1])), []).append(mark)
    return placed


def _around(name: str, text: str, marks: Sequence[Mark]) -> list[Excerpt]:
    """One stretch for marks that stand near each other."""
    groups: list[list[Mark]] = []
    for mark in sorted(marks, key=lambda one: one.start):
        if groups and mark.start - max(one.end for one in groups[-1]) <= 2 * AROUND:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return [
        _window(name, text, group[0].start - AROUND, max(m.end for m in group) + AROUND, group)
        for group in groups
    ]


def _window(name: str, text: str, start: int, end: int, marks: Sequence[Mark]) -> Excerpt:
    """``text[start:end]``, its ends moved to where a word ends, kept to what fits a page."""
    start = _word_end(text, max(start, 0)) if start > 0 else 0
    start = min([start, *(mark.start for mark in marks)])
    end = min(end, start + LONGEST, len(text))
    moved = [
        Mark(mark.start - start, min(mark.end, end) - start, mark.note)
        for mark in marks
        if mark.start < end
    ]
    return Excerpt(name, pieces(text[start:end], moved), start > 0, end < len(text))


def _word_end(text: str, at: int) -> int:
    space = text.find(" ", at, at + 30)
    return space + 1 if space >= 0 else at
