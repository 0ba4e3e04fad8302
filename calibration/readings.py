"""A report's figures put in order for reading: three sentences first, then tables and lists.

Every number stands in the figures; here they are only put beside each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from calibration import reports
from calibration.agreement import DIRECTIONS
from calibration.models import Disagreement, Report
from calibration.rendering.outline import MEANINGS
from calibration.rendering.sentences import AUTHOR_ALONE, author_alone, sentences

Figures = Mapping[str, Any]

BREAKDOWNS: Final = (
    ("by_class", "Class of the reference", "class and verdict both right"),
    ("by_verdict", "Verdict of the reference", "verdict right"),
    ("by_claim_type", "Claim type", "verdict right"),
    ("by_pair_kind", "Pair kind", "verdict right"),
    ("by_speech_act", "Speech act", "verdict right"),
)


@dataclass(frozen=True)
class Reading:
    """What a lead reads of a report.

    ``sentences`` say how often judge and human agree, in which direction they part, and
    how sure that is. ``cells`` is the class × verdict table: a row for each class, a rate
    or None (the contract has no such cell) for each verdict.
    """

    sentences: Sequence[str]
    verdicts: Sequence[str]
    cells: Sequence[tuple[str, Sequence[Mapping[str, Any] | None]]]
    breakdowns: Sequence[tuple[str, str, Sequence[tuple[str, Mapping[str, Any]]]]]
    confusions: Sequence[tuple[str, Sequence[str], Sequence[tuple[str, Sequence[int], int]]]]
    failed: int
    author_alone: str | None
    """What is to be said where no human label is among the references."""


@dataclass(frozen=True)
class Errors:
    """The first of the rows that one direction counts, and how many there are."""

    direction: str
    meaning: str
    count: int
    rows: Sequence[Disagreement]


class ErrorList:
    """The rows of one direction, or all, as a paginator wants them."""

    def __init__(self, report: Report, direction: str | None) -> None:
        self.report = report
        self.direction = direction

    def count(self) -> int:
        return reports.disagreement_counts(self.report)[self.direction or "all"]

    def __getitem__(self, part: slice) -> Sequence[Disagreement]:
        start, stop = part.start or 0, part.stop or 0
        return reports.disagreements(self.report, self.direction, offset=start, limit=stop - start)


def read(figures: Figures) -> Reading:
    outcomes = figures["outcomes"]
    return Reading(
        sentences=sentences(figures),
        verdicts=figures["confusion"]["verdict"]["labels"],
        cells=_cells(figures),
        # Pairs, not a mapping: a pair kind may be called "items".
        breakdowns=[
            (title, counts, list(figures[key].items())) for key, title, counts in BREAKDOWNS
        ],
        confusions=[_matrix(which, figures["confusion"][which]) for which in ("verdict", "class")],
        failed=outcomes["planned"] - outcomes["graded"],
        author_alone=AUTHOR_ALONE if author_alone(figures["reference"]) else None,
    )


def first_errors(report: Report, limit: int) -> list[Errors]:
    """Each direction's first rows, most harmful direction first."""
    counts = reports.disagreement_counts(report)
    return [
        Errors(
            direction,
            MEANINGS[direction],
            counts[direction],
            reports.disagreements(report, direction, limit=limit) if counts[direction] else [],
        )
        for direction in DIRECTIONS
    ]


def _cells(figures: Figures) -> list[tuple[str, list[Mapping[str, Any] | None]]]:
    found = {
        (cell["claim_class"], cell["verdict"]): cell for cell in figures["by_class_and_verdict"]
    }
    verdicts = figures["confusion"]["verdict"]["labels"]
    classes = figures["confusion"]["class"]["labels"]
    return [(name, [found.get((name, verdict)) for verdict in verdicts]) for name in classes]


def _matrix(
    which: str, matrix: Mapping[str, Any]
) -> tuple[str, Sequence[str], list[tuple[str, Sequence[int], int]]]:
    labels, rows = matrix["labels"], matrix["rows_human_columns_judge"]
    return which, labels, [(name, row, sum(row)) for name, row in zip(labels, rows, strict=True)]
