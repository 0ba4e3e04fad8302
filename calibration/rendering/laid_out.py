"""The parts of a document of plain text: what renderers set in type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from calibration.charts.figures import Figure

RATE: Final = ("count", "n", "rate", "95% interval")
"""The headers of a rate's cells."""
COEFFICIENT: Final = ("value", "n", "95% interval")
"""The headers of a coefficient's."""


@dataclass(frozen=True)
class Table:
    """Rows of text; all columns but the first and the last are numbers, set to the right.
    ``numeric_last`` makes the last one a number too."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric_last: bool = False


@dataclass(frozen=True)
class Item:
    """One disagreement, or one answer: what it is, and what is said of it."""

    title: str
    lines: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Verbatim:
    """A text of many lines that stands letter for letter: a prompt, a rubric."""

    title: str
    text: str


@dataclass(frozen=True)
class Section:
    title: str
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    items: Sequence[Item] = ()
    verbatim: Sequence[Verbatim] = ()
    figures: Sequence[Figure] = ()
    """Pictures of what the tables say, for a form that has any."""


@dataclass(frozen=True)
class Document:
    title: str
    sentences: Sequence[str]
    facts: Sequence[tuple[str, str]]
    sections: Sequence[Section] = field(default_factory=list)
