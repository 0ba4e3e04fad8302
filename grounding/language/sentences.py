"""Where sentences begin and end, in the punctuation of several scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_SENTENCE_END: Final = re.compile(r"(?<=[.!?…؟।॥۔])[\"'”’)\]]*\s+|(?<=[。！？])[」』]*|\n+")
_INITIAL: Final = re.compile(r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|No|approx|Inc|Ltd)\.$")


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of ``text``, white space taken off their ends."""
    return tuple(text[start:end] for start, end in bounds_of(text))


def bounds_of(text: str) -> Iterator[tuple[int, int]]:
    """The offsets of each sentence of ``text``, white space left out."""
    start = 0
    for found in _SENTENCE_END.finditer(text):
        if _INITIAL.search(text, max(0, found.start() - 8), found.start()):
            continue
        yield from _trimmed(text, start, found.start())
        start = found.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if piece.strip():
        left = start + len(piece) - len(piece.lstrip())
        yield left, left + len(piece.strip())
