"""A report's figures put in order for reading: three sentences first, then tables and lists.

Every number stands in the figures; here they are only put beside each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from calibration import reports
from calibration.agreement import DIRECTIONS
from calibration.models import Report
from calibration.rendering import failing, selfcheck
from calibration.rendering.breakdowns import tagged, verdicts_alone
from calibration.rendering.outline import MEANINGS
from calibration.rendering.sentences import AUTHOR_ALONE, author_alone, classless, in_pieces
from calibration.reports.error_sheets import Disagreement
from calibration.wording.numbers import Sentence
from labeling.authoring import casefiles
from labeling.models import Source
from labeling.references import TIERS
from labeling.wording import excerpts
from labeling.wording.excerpts import Excerpts
from labeling.wording.vocabulary import words

Figures = Mapping[str, Any]

Matrix = tuple[str, Sequence[str], Sequence[tuple[str, Sequence[tuple[str, int]], int]]]
"""Of which pass it is, its labels, and a row for each answer of the references."""

PLACES: Final = 3
"""Decimals of a coefficient on a page; files have more."""

ASKED: Final = ("How often", "In which direction", "How sure")

BREAKDOWNS: Final = (
    ("by_class", "Class of the reference", "class and verdict both right"),
    ("by_verdict", "Verdict of the reference", "verdict right"),
    ("by_claim_type", "Claim type", "verdict right"),
    ("by_pair_kind", "Pair kind", "verdict right"),
    ("by_speech_act", "Speech act", "verdict right"),
    ("by_risk", "Risk of the case", "verdict right"),
    ("by_tag", "Tag of the case", "verdict right"),
)
_AS_WRITTEN: Final = frozenset({"by_tag", "by_risk"})


@dataclass(frozen=True)
class Reading:
    """What a lead reads of a report.

    ``headline`` says how often judge and human agree, in which direction they part, and
    how sure that is, each sentence with what it answers. ``cells`` is the class × verdict
    table: a row for each class, a rate or None (the contract has no such cell) for each verdict.
    """

    headline: Sequence[tuple[str, Sentence]]
    verdicts: Sequence[str]
    cells: Sequence[tuple[str, Sequence[Mapping[str, Any] | None]]]
    verdicts_alone: str | None
    """What is to be said where there are no classes: then there are no cells, and what each verdict
    is right on stands in their place."""
    breakdowns: Sequence[tuple[str, str, Sequence[tuple[str, Mapping[str, Any]]]]]
    unseen: Sequence[tuple[str, Sequence[str]]]
    """What no compared statement was, by breakdown: of nothing there is no rate."""
    confusions: Sequence[Matrix]
    failed: int
    untaken: int
    """Statements whose reference is of no tier that was taken, or that have none; 0 where one
    row of the table says so already."""
    author_alone: str | None
    """What is to be said where no human label is among the references."""
    tags: Sequence[tuple[str, str]]
    """What is to be said of tags and of risk, where the cases state any."""
    itself: Sequence[tuple[str, Sentence]]
    """Each check of the judge itself that this run had something for."""


@dataclass(frozen=True)
class Part:
    """One disagreement with what it rests on, cut out of its case; ``cited`` names each text that
    the judge quotes, and where in it."""

    row: Disagreement
    excerpts: Excerpts
    cited: Sequence[str]


@dataclass(frozen=True)
class Errors:
    """The first of the rows that one direction counts, and how many there are."""

    direction: str
    meaning: str
    count: int
    rows: Sequence[Part]


class ErrorList:
    """The rows of one direction, or all, as a paginator wants them."""

    def __init__(self, report: Report, direction: str | None) -> None:
        self.report = report
        self.direction = direction

    def count(self) -> int:
        return reports.disagreement_counts(self.report)[self.direction or "all"]

    def __getitem__(self, part: slice) -> Sequence[Part]:
        start, stop = part.start or 0, part.stop or 0
        return _in_place(
            reports.disagreements(self.report, self.direction, offset=start, limit=stop - start)
        )


def read(figures: Figures) -> Reading:
    outcomes, why = figures["outcomes"], classless(figures)
    return Reading(
        headline=list(zip(ASKED, in_pieces(figures, PLACES), strict=True)),
        verdicts=figures["confusion"]["verdict"]["labels"],
        cells=[] if why else _cells(figures),
        verdicts_alone=verdicts_alone(why) if why else None,
        # Pairs, not a mapping: a pair kind may be called "items".
        breakdowns=[
            (title, counts, [(_name(key, name), rate) for name, rate in seen])
            for key, title, counts in BREAKDOWNS
            if not (why and key == "by_verdict")
            for seen in [[one for one in _rates(figures, key) if one[1]["n"]]]
        ],
        unseen=[] if why else _unseen(figures),
        confusions=[_matrix(which, figures["confusion"][which]) for which in ("verdict", "class")],
        failed=outcomes["planned"] - outcomes["graded"],
        untaken=_untaken(figures["reference"]),
        author_alone=AUTHOR_ALONE if author_alone(figures["reference"]) else None,
        tags=_tags(figures),
        itself=[
            (selfcheck.TITLES[name], said) for name, said in selfcheck.in_pieces(figures).items()
        ],
    )


def first_errors(report: Report, limit: int) -> list[Errors]:
    """Each direction's first rows, most harmful direction first."""
    counts, listed = reports.first_disagreements(report, limit)
    parts = iter(_in_place([row for rows in listed.values() for row in rows]))
    return [
        Errors(
            direction,
            MEANINGS[direction],
            counts[direction],
            list(islice(parts, len(listed[direction]))),
        )
        for direction in DIRECTIONS
    ]


def _in_place(rows: Sequence[Disagreement]) -> list[Part]:
    """Each row with its evidence in place; one query for the sources of all of them."""
    cited = [_cited(row) for row in rows]
    wanted = {one["source_id"] for each in cited for _, one in each if one.get("source_id")}
    texts: dict[str, str] = {}
    if wanted:
        held = Source.objects.filter(set=rows[0].statement.case.set_id, source_id__in=wanted)
        texts = dict(held.values_list("source_id", "text"))
    return [
        Part(
            row,
            excerpts.cut(row.statement.case.context, texts, each),
            failing.places(row.judgment.evidence),
        )
        for row, each in zip(rows, cited, strict=True)
    ]


def _cited(row: Disagreement) -> list[tuple[str, Mapping[str, Any]]]:
    """What the judge quotes, and what the author holds to be the evidence."""
    expected = casefiles.expected_of(row.statement)
    return [
        *(("the judge", one) for one in row.judgment.evidence),
        *(("expected", one) for one in (expected.evidence if expected else ())),
    ]


def _untaken(reference: Figures) -> int:
    taken = TIERS[: TIERS.index(reference["minimum"]) + 1]
    others = [n for tier, n in reference["tiers"].items() if n and tier not in taken]
    return sum(others) if len(others) > 1 else 0


def _cells(figures: Figures) -> list[tuple[str, list[Mapping[str, Any] | None]]]:
    found = {
        (cell["claim_class"], cell["verdict"]): cell for cell in figures["by_class_and_verdict"]
    }
    verdicts = figures["confusion"]["verdict"]["labels"]
    classes = figures["confusion"]["class"]["labels"]
    return [(name, [found.get((name, verdict)) for verdict in verdicts]) for name in classes]


def _unseen(figures: Figures) -> list[tuple[str, list[str]]]:
    each = [
        (title, [_name(key, name) for name, rate in _rates(figures, key) if not rate["n"]])
        for key, title, _ in BREAKDOWNS
    ]
    return [(title, names) for title, names in each if names]


def _tags(figures: Figures) -> list[tuple[str, str]]:
    """Those of which nothing is shown may be left out all the same: empty, or far too long."""
    left = figures.get("tags_left_out", {})
    return [
        (title, said[0].lower() + said[1:])
        for key, title, _ in BREAKDOWNS
        if key in left and (figures[key] or left[key])
        for said in [tagged(left[key])]
    ]


def _rates(figures: Figures, key: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Nothing of a report that was made before it was broken down so."""
    found: Mapping[str, Mapping[str, Any]] = figures.get(key, {})
    return found.items()


def _name(key: str, name: str) -> str:
    return name if key in _AS_WRITTEN else words(name)


def _matrix(which: str, matrix: Mapping[str, Any]) -> Matrix:
    """Each count with the answer of the judge that it is for, each row with its sum."""
    labels, rows = matrix["labels"], matrix["rows_human_columns_judge"]
    return (
        which,
        labels,
        [
            (name, list(zip(labels, row, strict=True)), sum(row))
            for name, row in zip(labels, rows, strict=True)
        ],
    )
