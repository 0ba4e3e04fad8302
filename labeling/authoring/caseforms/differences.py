"""Two versions of a case, field by field, where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grounding.interchange.models import Case
from grounding.trees import Path, leaves
from labeling.wording.marking import Piece, differing
from labeling.wording.vocabulary import words

# Found from the quote, and not there yet in a record that the intake has not seen.
_DERIVED: Final = {"start", "end"}
# As the form calls them.
_NAMES: Final = {"statement_id": "id", "parent_id": "split from", "span": "in the answer"}


@dataclass(frozen=True)
class Difference:
    path: str
    left: Sequence[Piece]
    right: Sequence[Piece]


def differences(left: Case, right: Case) -> list[Difference]:
    """Every field that the two do not say alike, in the order of the format."""
    ours, theirs = _said(left), _said(right)
    paths = [path for path in dict.fromkeys((*ours, *theirs)) if ours.get(path) != theirs.get(path)]
    return [
        Difference(path, *differing(ours.get(path, ""), theirs.get(path, ""))) for path in paths
    ]


def _said(case: Case) -> dict[str, str]:
    """What the case states, by the path of each value."""
    return {
        _named(path): str(value)
        for path, value in leaves(case.model_dump(mode="json"))
        if value not in (None, [], {}) and path[-1] not in _DERIVED
    }


def _named(path: Path) -> str:
    """``("statements", 0, "parent_id")`` → Statements 1, split from"""
    steps = (f" {step + 1}" if isinstance(step, int) else f", {_spelled(step)}" for step in path)
    return "".join(steps).removeprefix(", ").capitalize()


def _spelled(name: str) -> str:
    return _NAMES.get(name, words(name))
