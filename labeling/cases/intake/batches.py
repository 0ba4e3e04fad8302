"""A stream of records cut into pieces that fit in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from grounding.errors import BadInput
from grounding.interchange.models import Record

R = TypeVar("R", bound=Record)

Numbered = tuple[int, R]
"""A record with its line number."""

BATCH: Final = 500


def batches(records: Iterable[Numbered[R]], *, size: int = BATCH) -> Iterator[list[Numbered[R]]]:
    """``records`` in order, at most ``size`` of them at a time."""
    batch: list[Numbered[R]] = []
    for numbered in records:
        batch.append(numbered)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def refused(message: str, *, source: str, line: int, field: str) -> BadInput:
    return BadInput(message, source=source, line=line, field=field)
