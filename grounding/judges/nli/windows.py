"""What an entailment model is shown at once: stretches of the texts, none left out.

Pure functions on offsets. How long a window may be is asked of the caller, who knows the model's
tokens; here text is only divided, at sentences first, inside of one where it must be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from grounding.language.sentences import bounds_of

Fits = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Piece:
    """``[start, end)`` of the text at the place ``text``, in code points."""

    text: int
    start: int
    end: int


Window = tuple[Piece, ...]
"""Pieces of one text or of neighbouring ones, in their order."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How texts are laid out: how many are joined, how many sentences make a run (0: none), and
    how many neighbouring parts share where a window is divided."""

    join: int
    run: int
    overlap: int


def windows(texts: Sequence[str], cut: Cut, fits: Fits) -> tuple[Window, ...]:
    """Every window, each once: each text, every run of ``cut.join`` neighbouring texts, every
    run of ``cut.run`` neighbouring sentences; what does not fit is divided, with overlap.

    ``fits`` says of a window's words whether the model takes them; of a single character it
    must be true.
    """
    units = [
        [piece for start, end in bounds_of(text) for piece in _fitting(text, at, start, end, fits)]
        for at, text in enumerate(texts)
    ]
    laid = chain(units, _joined(units, cut.join), _runs(units, cut.run))
    found = (part for whole in laid for part in _divided(whole, texts, cut.overlap, fits))
    return tuple(dict.fromkeys(found))


def words_of(window: Iterable[Piece], texts: Sequence[str]) -> str:
    """The window as the model reads it, a line for each text."""
    return "\n".join(texts[one.text][one.start : one.end] for one in window)


def _joined(units: Sequence[Sequence[Piece]], size: int) -> Iterator[Sequence[Piece]]:
    size = min(size, len(units))
    if size > 1:
        for first in range(len(units) - size + 1):
            yield list(chain.from_iterable(units[first : first + size]))


def _runs(units: Sequence[Sequence[Piece]], size: int) -> Iterator[Sequence[Piece]]:
    if size:
        for each in units:
            for first in range(max(1, len(each) - size + 1)):
                yield each[first : first + size]


def _divided(
    whole: Sequence[Piece], texts: Sequence[str], overlap: int, fits: Fits
) -> Iterator[Window]:
    """As few parts as hold everything, neighbours sharing up to ``overlap`` sentences."""
    first = 0
    while first < len(whole):
        end = first + 1
        while end < len(whole) and fits(words_of(_merged(whole[first : end + 1]), texts)):
            end += 1
        yield _merged(whole[first:end])
        if end == len(whole):
            return
        first = max(end - overlap, first + 1)


def _merged(pieces: Sequence[Piece]) -> Window:
    """Neighbours of one text as one piece, with what stands between them."""
    merged: list[Piece] = []
    for one in pieces:
        if merged and merged[-1].text == one.text:
            merged[-1] = Piece(one.text, merged[-1].start, max(one.end, merged[-1].end))
        else:
            merged.append(one)
    return tuple(merged)


def _fitting(text: str, at: int, start: int, end: int, fits: Fits) -> Iterator[Piece]:
    """A sentence, or where it is too long its halves' halves, each sharing some words."""
    if end - start == 1 or fits(text[start:end]):
        yield Piece(at, start, end)
        return
    middle, shared = start + (end - start) // 2, (end - start) // 8
    left_end = text.find(" ", middle + shared, end)
    right_start = text.rfind(" ", start + 1, middle - shared) + 1
    yield from _fitting(text, at, start, left_end if left_end > 0 else middle + shared, fits)
    yield from _fitting(text, at, right_start or middle - shared, end, fits)
