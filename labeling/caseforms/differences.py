"""Two versions of a case, field by field, where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grounding.interchange.models import Case
from labeling.marking import Piece, differing

# Found from the quote, and not there yet in a record that the intake has not seen.
_DERIVED: Final = {"start", "end"}


@dataclass(frozen=True)
class Difference:
    path: str
    left: Sequence[Piece]
    right: Sequence[Piece]


def differences(left: Case, right: Case) -> list[Difference]:
    """Every field that the two do not say alike, in the order of the format."""
    ours = dict(_leaves(left.model_dump(mode="json"), ""))
    theirs = dict(_leaves(right.model_dump(mode="json"), ""))
    paths = [path for path in dict.fromkeys((*ours, *theirs)) if ours.get(path) != theirs.get(path)]
    return [
        Difference(path, *differing(ours.get(path, ""), theirs.get(path, ""))) for path in paths
    ]


def _leaves(value: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in _DERIVED:
                yield from _leaves(inner, f"{at}.{name}" if at else name)
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            yield from _leaves(inner, f"{at} {number}")
    elif value is not None:
        yield at, str(value)
