"""Answers into sentences, with offsets that hold.

pysbd knows where sentences end and is not to be trusted with the text itself:
it rewrites some characters and loses others. So it is asked only where the
boundaries are; the sentences are slices of the answer as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import pysbd

from grounding.errors import BadInput

_LINE: Final = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """``answer[start:end] == text``, in code points, without white space at its ends."""

    text: str
    start: int
    end: int


def sentences_of(answer: str, language: str = "en") -> tuple[Sentence, ...]:
    """The sentences of ``answer``, in order, not overlapping.

    Between them stands nothing but white space, so no character of the answer escapes
    grading. Empty where the answer holds nothing else. A boundary that cannot be found
    again in the answer is dropped and its two sentences stay one. Raises BadInput where
    the sentence rules themselves break on the text.
    """
    return tuple(
        sentence
        for line in _LINE.finditer(answer)
        for sentence in _sentences(answer, line.start(), line.end(), language)
    )


def _sentences(answer: str, start: int, end: int, language: str) -> Iterator[Sentence]:
    starts = [start, *_boundaries(answer, start, end, language), end]
    for left, right in pairwise(starts):
        piece = answer[left:right]
        text = piece.strip()
        if text:
            first = left + len(piece) - len(piece.lstrip())
            yield Sentence(text, first, first + len(text))


def _boundaries(answer: str, start: int, end: int, language: str) -> Iterator[int]:
    """Where each sentence but the first of ``answer[start:end]`` begins, ascending."""
    cursor = start
    for sentence in _segments(answer[start:end], language):
        found = answer.find(sentence.strip(), cursor, end) if sentence.strip() else -1
        if found >= 0:
            if found > start:
                yield found
            cursor = found + len(sentence.strip())


def _segments(line: str, language: str) -> list[str]:
    if not line.strip():
        return []
    # Made anew for each line: a segmenter keeps the text in itself, and threads share modules.
    try:
        segmenter = pysbd.Segmenter(language=language, clean=False)
        return list(segmenter.processor(line).process())
    except (re.error, IndexError, ValueError) as error:
        raise BadInput(f"the sentence rules for {language!r} break on the text: {error}") from None
