"""Texts cut into pieces for a page: where evidence stands, where two texts differ.

Pure functions on strings; offsets are code points, half open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

# Beyond this many comparisons the middle of two long texts is marked as one difference:
# matching is quadratic, and a page must not be made to hang by what was imported.
MAX_COMPARISONS: Final = 250_000

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Mark:
    """A stretch of a text, and what it is there for, in words."""

    start: int
    end: int
    note: str


@dataclass(frozen=True)
class Piece:
    """A stretch of text with the notes of every mark that covers it; the pieces of a text
    join up to the text."""

    text: str
    notes: tuple[str, ...] = ()


def pieces(text: str, marks: Iterable[Mark]) -> list[Piece]:
    """``text`` cut at every mark's ends; marks may overlap, and keep to the text."""
    inside = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    cuts = sorted({0, len(text), *(m.start for m in inside), *(m.end for m in inside)})
    return [
        Piece(text[start:end], _notes_over(inside, start, end)) for start, end in pairwise(cuts)
    ]


def _notes_over(marks: Sequence[Mark], start: int, end: int) -> tuple[str, ...]:
    notes = (mark.note for mark in marks if mark.start <= start and end <= mark.end)
    return tuple(dict.fromkeys(notes))


def differing(left: str, right: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts cut into pieces, with the words marked that the other side lacks."""
    ours, theirs = _WORDS.findall(left), _WORDS.findall(right)
    pairs = [((i, j), (k, m)) for tag, i, j, k, m in _opcodes(ours, theirs) if tag != "equal"]
    return _marked(ours, [ours_at for ours_at, _ in pairs]), _marked(
        theirs, [theirs_at for _, theirs_at in pairs]
    )


def _opcodes(ours: list[str], theirs: list[str]) -> list[tuple[str, int, int, int, int]]:
    if ours == theirs:
        return []
    head = _common(ours, theirs)
    tail = _common(ours[head:][::-1], theirs[head:][::-1])
    middle, other = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    if len(middle) * len(other) > MAX_COMPARISONS:
        return [("replace", head, head + len(middle), head, head + len(other))]
    matcher = SequenceMatcher(None, middle, other, autojunk=False)
    return [
        (tag, head + i, head + j, head + k, head + m) for tag, i, j, k, m in matcher.get_opcodes()
    ]


def _common(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """How many words stand alike at the beginning of both."""
    count = 0
    for our, their in zip(ours, theirs, strict=False):
        if our != their:
            break
        count += 1
    return count


def _marked(words: list[str], spans: Iterable[tuple[int, int]]) -> list[Piece]:
    found: list[Piece] = []
    at = 0
    for start, end in spans:
        found.append(Piece("".join(words[at:start])))
        found.append(Piece("".join(words[start:end]), ("differs",)))
        at = end
    found.append(Piece("".join(words[at:])))
    return [piece for piece in found if piece.text]
