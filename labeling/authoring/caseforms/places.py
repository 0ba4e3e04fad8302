"""Where a statement stands in its answer, as a form says it.

A place that was chosen carries a mark of the words that stood there. When the answer is
edited afterwards the mark tells that the place no longer holds what was chosen, so that a
span never slides onto other words unseen.
"""

from __future__ import annotations

import re
from typing import Final
from zlib import crc32

from grounding.errors import BadInput
from grounding.splitting import Sentence, sentences_of
from labeling.authoring.caseforms.typed import FOUND, NOWHERE

Span = tuple[int, int]

_PLACE: Final = re.compile(r"([0-9]{1,7})-([0-9]{1,7})-([0-9a-f]{8})")


def sentence_place(answer: str, start: int, end: int) -> str:
    """``answer[start:end]`` as the value of a choice."""
    return f"{start}-{end}-{crc32(answer[start:end].encode()):08x}"


def place_of(text: str, span: Span | None, answer: str) -> str:
    """The choice that `span_of` reads as ``span``."""
    if span is None:
        return NOWHERE
    start, end = span
    if text and answer[start:end] == text and _only(answer, text) == start:
        return FOUND
    return sentence_place(answer, start, end)


def span_of(place: str, text: str, answer: str, *, field: str) -> Span | None:
    """The span that ``place`` names in the answer as it is now; BadInput where it names none."""
    if place == NOWHERE:
        return None
    if place in (FOUND, ""):
        return _by_text(text, answer, field)
    chosen = _PLACE.fullmatch(place)
    if chosen is None:
        raise BadInput("is no place in the answer", field=field)
    start, end = int(chosen[1]), int(chosen[2])
    if start < end <= len(answer) and sentence_place(answer, start, end) == place:
        return start, end
    return _moved(chosen[3], answer, field)


def sentences(answer: str) -> tuple[Sentence, ...]:
    """The sentences to choose from; none where the sentence rules break on the text."""
    try:
        return sentences_of(answer)
    except BadInput:
        return ()


def _by_text(text: str, answer: str, field: str) -> Span:
    start = answer.find(text) if text else -1
    if start < 0:
        message = "the text does not stand in the answer word for word; choose its sentence or none"
        raise BadInput(message, field=field)
    if _only(answer, text) is None:
        raise BadInput("the text stands in the answer more than once; choose where", field=field)
    return start, start + len(text)


def _moved(mark: str, answer: str, field: str) -> Span:
    """A chosen sentence that stands elsewhere now, if it stands there once."""
    found = [
        (one.start, one.end)
        for one in sentences(answer)
        if sentence_place(answer, one.start, one.end).endswith(mark)
    ]
    if len(found) != 1:
        raise BadInput(
            "the answer was changed where this statement stood; choose again", field=field
        )
    return found[0]


def _only(answer: str, text: str) -> int | None:
    start = answer.find(text)
    return start if start >= 0 and answer.find(text, start + 1) < 0 else None
