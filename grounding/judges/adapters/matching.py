"""From verdicts that name a statement by its words to the statements that were asked about."""

from __future__ import annotations

from collections.abc import Iterable

_AROUND = " \t\n.,;:!?\"'“”‘’«»`*-"


class Matching:
    """Statements by their texts, word for word, or but for what no meaning hangs on: white space,
    letter case, punctuation around. The latter only where it leads to one text."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._exact = frozenset(texts)
        self._loose: dict[str, str | None] = {}
        for text in self._exact:
            key = _loosely(text)
            self._loose[key] = None if key in self._loose else text

    def text_of(self, said: str) -> str | None:
        """The text that ``said`` stands for, or None."""
        return said if said in self._exact else self._loose.get(_loosely(said))


def _loosely(text: str) -> str:
    return " ".join(text.split()).strip(_AROUND).casefold()
