"""Stretches of a sentence, and what a claim is made of before it is written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grounding.language.grammar import Word, words_of

Stretch = tuple[int, int]
Form = tuple["Stretch | str", ...]
"""What a claim is made of, in order: stretches of the text, and words of its own between them."""

_OPENING: Final = "([{“‘«"
_CLOSING: Final = ")]}”’»"
_ENDS: Final = ".!?…"


class Clause:
    """``text[start:end]`` with its words; those in brackets or quotes are not for cutting at."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.words: Sequence[Word] = words_of(text, start, end)
        self.enclosed = _enclosed(self.words)
        ends = [at for at, word in enumerate(self.words) if word.is_word]
        self.last = ends[-1] + 1 if ends else 0
        """Behind the last word that is no mark."""

    def low(self, at: int) -> str:
        """The word at ``at``, lower case; empty outside the clause."""
        return self.words[at].low if 0 <= at < len(self.words) else ""

    def stretch(self, first: int, last: int) -> Stretch:
        """From word ``first`` up to, not including, word ``last``."""
        return self.words[first].start, self.words[last - 1].end

    def till(self, last: int) -> Stretch:
        """From the beginning up to, not including, word ``last``."""
        return self.start, self.words[last - 1].end

    @property
    def whole(self) -> Stretch:
        """All of the clause, its end mark included."""
        return self.start, self.end


def _enclosed(words: Sequence[Word]) -> frozenset[int]:
    depth, quoted, found = 0, False, set()
    for at, word in enumerate(words):
        depth += (word.low in _OPENING) - (word.low in _CLOSING)
        quoted ^= word.low in ('"', "`")
        if depth > 0 or quoted:
            found.add(at)
    return frozenset(found)


def written(text: str, form: Form) -> str:
    """The claim's text: a single stretch as it stands, several joined, with an end mark."""
    if len(form) == 1 and isinstance(form[0], tuple):
        return text[slice(*form[0])]
    pieces = [one if isinstance(one, str) else text[slice(*one)].strip() for one in form]
    joined = " ".join(pieces)
    return joined if joined[-1:] in _ENDS else joined + "."


def covered(form: Form) -> tuple[Stretch, ...]:
    """The stretches of the text that a claim says."""
    return tuple(one for one in form if isinstance(one, tuple))
