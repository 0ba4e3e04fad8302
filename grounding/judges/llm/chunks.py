"""More passages than one request may hold: sliding groups of them, and one verdict over all.

Groups overlap by a passage, so that what two neighbours say together is seen together. A passage
that is too long by itself is taken in pieces that overlap by a quarter. No character is left out.
What two passages far from each other say together no request sees; a rubric that chunks says so
by chunking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from grounding.contract import Verdict
from grounding.interchange.models import Outcome
from grounding.judges.protocol import StatementFailure, Verification

LEAST: Final = 100
"""Characters that a piece must have to be worth asking about."""

_BORNE_OUT: Final = (Verdict.SUPPORTED, Verdict.CONTRADICTORY, Verdict.UNSUPPORTED)
_WARRANTED: Final = (Verdict.CONTRADICTORY, Verdict.UNSUPPORTED, Verdict.SUPPORTED)


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage or a part of it, which begins at the passage's character ``offset``."""

    key: str
    text: str
    offset: int = 0
    is_part: bool = False

    @property
    def shown(self) -> Mapping[str, Any]:
        """As it stands in a document; offsets in an answer count from what is shown."""
        part = {"part_from_character": self.offset} if self.is_part else {}
        return {"passage_id": self.key, **part, "text": self.text}


def sliding(texts: Iterable[Piece], room: int) -> list[tuple[Piece, ...]]:
    """Groups of at most ``room`` characters, each beginning with the last piece of the one before.

    ``room`` is at least twice `LEAST`.
    """
    groups: list[tuple[Piece, ...]] = []
    group: tuple[Piece, ...] = ()
    for piece in (part for whole in texts for part in _parts(whole, room // 2)):
        if group and _length(group) + len(piece.text) > room:
            groups.append(group)
            group = group[-1:]
        group = (*group, piece)
    return [*groups, group] if group else groups


def joined(
    statement_id: str,
    found: Sequence[Verification | StatementFailure | None],
    mapping: Mapping[str, Verdict],
    *,
    quotable: bool,
) -> Verification | StatementFailure:
    """One answer out of each group's, in their order, None where a group's left it out.

    Where support can be quoted, one group that supports it is enough, whatever became of the
    others; otherwise all must be there, and a contradiction outweighs silence. Where it cannot
    (a refusal is warranted by absence) it is the other way round: every group must support it.
    """
    order = _BORNE_OUT if quotable else _WARRANTED
    read = [one for one in found if isinstance(one, Verification)]
    least = min((order.index(mapping[one.raw_verdict]) for one in read), default=len(order))
    if least > 0 and len(read) < len(found):
        return _failure(statement_id, found)
    deciding = [one for one in read if order.index(mapping[one.raw_verdict]) == least]
    return replace(
        deciding[0],
        # Groups overlap, so the same quote may come twice.
        evidence=tuple(dict.fromkeys(one for each in deciding for one in each.evidence)),
        explanation=_told(found),
        confidence=_least_sure(deciding),
    )


def _parts(whole: Piece, most: int) -> Iterator[Piece]:
    start, length = 0, len(whole.text)
    if length <= most:
        yield whole
        return
    while start < length:
        end = _cut(whole.text, start, start + most)
        yield Piece(whole.key, whole.text[start:end], start, is_part=True)
        if end == length:
            return
        start = end - most // 4


def _cut(text: str, start: int, end: int) -> int:
    """``end``, or somewhat before it where a word ends there."""
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", start + (end - start) // 2, end)
    return space if space > 0 else end


def _length(group: Iterable[Piece]) -> int:
    return sum(len(piece.text) for piece in group)


def _failure(
    statement_id: str, found: Iterable[Verification | StatementFailure | None]
) -> StatementFailure:
    failed = next((one for one in found if isinstance(one, StatementFailure)), None)
    if failed is not None:
        return failed
    return StatementFailure(
        statement_id, Outcome.MISSING, "the verify pass left it out for a group of passages"
    )


def _told(found: Sequence[Verification | StatementFailure | None]) -> str:
    """What each group came to, in words."""
    lines = [f"Asked over {len(found)} groups of passages."]
    for number, one in enumerate(found, 1):
        if isinstance(one, Verification):
            lines.append(f"Group {number}: {one.raw_verdict}. {one.explanation or ''}".rstrip())
        else:
            lines.append(f"Group {number}: {one.outcome if one else Outcome.MISSING}.")
    return "\n".join(lines)


def _least_sure(deciding: Sequence[Verification]) -> float | None:
    stated = [one.confidence for one in deciding if one.confidence is not None]
    return min(stated) if stated else None
