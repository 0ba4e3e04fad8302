"""A comparison put in order for its page: sentences first, then tables and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from calibration import comparing
from calibration.choices import Choice
from calibration.rendering.comparison import TITLES, sentences

LISTED: Final = 100
"""Of each list; the count stands beside it, and the command prints them all."""


@dataclass(frozen=True)
class Changes:
    """The first of the statements that were fixed, or broke, and how many there are."""

    name: str
    title: str
    count: int
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Reading:
    figures: Mapping[str, Any]
    sentences: Sequence[str]
    failing: Sequence[Mapping[str, Any]]
    """The cells in which a judge can be lenient."""
    changes: Sequence[Changes]


def read(choice: Choice) -> Reading | None:
    """None where there are no two runs to compare."""
    if choice.first is None or choice.second is None:
        return None
    compared = comparing.compare(choice.first, choice.second)
    rows = comparing.first_changes(compared, LISTED)
    return Reading(
        figures=compared.figures,
        sentences=sentences(compared.figures),
        failing=[cell for cell in compared.figures["cells"] if cell["lenient"]],
        changes=[
            Changes(name, TITLES[name], len(compared.changes[name]), rows[name]) for name in TITLES
        ],
    )
