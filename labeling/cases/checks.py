"""Lint of a set: what would make its figures say less than they seem to.

What is looked for, by the kind of finding:

==================== ==============================================================
pair_size            a pair that does not have exactly two sides
equal_sides          a pair whose sides are expected to be labelled alike
texts_identical      a pair whose sides read the same, white space aside
texts_too_different  a pair whose sides share less than `MIN_LIKENESS` of their words
duplicate            a case that reads like an earlier one under another id
missing_evidence     an expected verdict that has to cite evidence and cites none
expected_missing     a statement of a pair without an expected verdict
no_reference         a statement with neither an expected verdict nor a label
dropped_qualifier    a statement that lost a qualifier of its sentence in the answer
cell_below_minimum   too few statements expected of one class and verdict
==================== ==============================================================

Cells are those that the contract allows. In a set whose expectations state no
class they are the verdicts that occur; a set without expectations has none.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from grounding.contract import CONTRACT, VALID_VERDICTS, ClaimClass, SpeechAct, Verdict
from grounding.splitting import Qualifier, dropped_in
from labeling.cases.intake.batches import BATCH
from labeling.models import CalibrationSet, Case, Expectation, Label, Statement

MIN_LIKENESS: Final = 0.5
"""Twice the words that two texts have in common, counted with repetition, over the words of
both: 1 for the same words, 0 for none shared. Below one half the sides are two cases rather
than one case changed at one point."""

MIN_CELL: Final = 4
"""With three, even a judge that is right on all of them has a 95% interval (Wilson) that
reaches below one half: [0.44, 1]; with four it is [0.51, 1]."""

PAIR_SIZE: Final = 2
_WORD: Final = re.compile(r"\w+|[^\w\s]")

Cell = tuple[str | None, str]

CONTRACT_CELLS: Final[tuple[Cell, ...]] = tuple(
    (str(c), str(v)) for c, verdicts in VALID_VERDICTS.items() for v in verdicts
)


@dataclass(frozen=True)
class Finding:
    """``case_id`` is None for what concerns the set as a whole."""

    kind: str
    case_id: str | None
    message: str


@dataclass(frozen=True)
class ReadStatement:
    """One statement as the linter sees it."""

    statement_id: str
    speech_act: str | None
    claim_class: str | None
    verdict: str | None
    cites: bool
    labelled: bool
    lost: Sequence[Qualifier] = ()


@dataclass(frozen=True)
class Read:
    """One case as the linter sees it: its words, and what is expected of each statement."""

    position: int
    case_id: str
    pair_id: str | None
    text: str
    statements: Sequence[ReadStatement]


def lint(calibration_set: CalibrationSet, *, minimum: int = MIN_CELL) -> list[Finding]:
    """Every finding on the live cases, in their order; those on the whole set come last.

    ``minimum`` is how many statements a cell needs; 0 asks for none.
    """
    found: list[tuple[int, Finding]] = []
    cells: Counter[Cell] = Counter()
    alike: dict[bytes, list[Read]] = {}
    for group in _groups(calibration_set):
        found += _of_pair(group)
        for case in group:
            found += ((case.position, finding) for finding in _of_case(case))
            cells.update(_cells(case))
            alike.setdefault(_sha256(case.text), []).append(replace(case, text=""))
    found += _duplicates(alike.values())
    found.sort(key=lambda item: item[0])
    return [finding for _, finding in found] + _thin(cells, minimum)


def likeness(left: str, right: str) -> float:
    """``2·|A ∩ B| / (|A| + |B|)`` over the two texts' words as multisets; 1 for two empty ones."""
    a, b = Counter(_WORD.findall(left)), Counter(_WORD.findall(right))
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 1.0


def _of_pair(group: Sequence[Read]) -> Iterator[tuple[int, Finding]]:
    first = group[0]
    if first.pair_id is None:
        return
    pair = f"pair {first.pair_id!r}"
    if len(group) != PAIR_SIZE:
        message = f"{pair} has {len(group)} sides; a pair has {PAIR_SIZE}"
        yield first.position, Finding("pair_size", first.case_id, message)
        return
    for kind, message in _of_sides(*group):
        yield first.position, Finding(kind, first.case_id, f"{pair}: {message}")


def _of_sides(left: Read, right: Read) -> Iterator[tuple[str, str]]:
    expected = _expected(left)
    if expected and expected == _expected(right):
        yield "equal_sides", "both sides are expected to be labelled alike"
    if left.text == right.text:
        yield "texts_identical", "both sides read the same"
        return
    share = likeness(left.text, right.text)
    if share < MIN_LIKENESS:
        yield (
            "texts_too_different",
            f"the sides have {share:.2f} of their words in common, less than {MIN_LIKENESS}",
        )


def _expected(case: Read) -> Counter[Cell]:
    """What is expected of a side, whichever statement it stands on; empty unless all is stated."""
    cells = Counter(_cells(case))
    return cells if cells.total() == len(case.statements) else Counter()


def _of_case(case: Read) -> Iterator[Finding]:
    for statement in case.statements:
        for kind, message in _of_statement(case, statement):
            yield Finding(kind, case.case_id, f"statement {statement.statement_id!r} {message}")


def _of_statement(case: Read, statement: ReadStatement) -> Iterator[tuple[str, str]]:
    if statement.lost:
        yield "dropped_qualifier", f"lost {named(statement.lost)} of its sentence in the answer"
    if statement.verdict is None:
        if case.pair_id is not None:
            yield "expected_missing", "is part of a pair and has no expected verdict"
        elif not statement.labelled:
            yield "no_reference", "has neither an expected verdict nor a label"
    elif _needs_quote(statement) and not statement.cites:
        yield "missing_evidence", f"is expected to be {statement.verdict} and cites nothing"


def _needs_quote(statement: ReadStatement) -> bool:
    claim_class = ClaimClass(statement.claim_class) if statement.claim_class else None
    act = SpeechAct(statement.speech_act or SpeechAct.ASSERTION)
    return CONTRACT.needs_quote(claim_class, Verdict(str(statement.verdict)), act)


def _duplicates(alike: Iterable[Sequence[Read]]) -> Iterator[tuple[int, Finding]]:
    """Sides of one pair that read the same are a finding on the pair already."""
    for cases in alike:
        first, *others = sorted(cases, key=lambda case: case.position)
        for case in others:
            if case.pair_id is None or case.pair_id != first.pair_id:
                message = f"reads the same as case {first.case_id!r}"
                yield case.position, Finding("duplicate", case.case_id, message)


def _cells(case: Read) -> Iterator[Cell]:
    for statement in case.statements:
        if statement.verdict is not None:
            yield statement.claim_class, statement.verdict


def _thin(cells: Counter[Cell], minimum: int) -> list[Finding]:
    counted = {cell: cells[cell] for cell in wanted(cells)}
    return [
        Finding(
            "cell_below_minimum",
            None,
            f"{count} statements are expected to be {_named(cell)}; a cell needs {minimum}",
        )
        for cell, count in counted.items()
        if count < minimum
    ]


def wanted(cells: Counter[Cell]) -> list[Cell]:
    """The cells that should be filled: all that the contract allows once any class is stated."""
    unclassed = [cell for cell in cells if cell[0] is None]
    if len(unclassed) == len(cells):
        return sorted(unclassed, key=lambda cell: cell[1])
    return list(CONTRACT_CELLS)


def _named(cell: Cell) -> str:
    return " ".join(word for word in cell if word)


def _groups(calibration_set: CalibrationSet) -> Iterator[list[Read]]:
    """The sides of each pair together; a case that stands alone by itself."""
    for pair_id, cases in groupby(_read(calibration_set), key=lambda case: case.pair_id):
        if pair_id is None:
            yield from ([case] for case in cases)
        else:
            yield list(cases)


def _read(calibration_set: CalibrationSet) -> Iterator[Read]:
    live = Case.objects.live().filter(set=calibration_set).order_by("pair_id", "position")
    stream = live.iterator(chunk_size=BATCH)
    while batch := list(islice(stream, BATCH)):
        statements: dict[int, list[Statement]] = {case.pk: [] for case in batch}
        for statement in _statements(batch):
            statements[statement.case_id].append(statement)
        yield from (_case(case, statements[case.pk]) for case in batch)


def _statements(batch: Sequence[Case]) -> QuerySet[Statement]:
    live = Label.objects.live().filter(statement=OuterRef("pk"))
    rows = Statement.objects.filter(case__in=[case.pk for case in batch])
    return rows.select_related("expectation").annotate(labelled=Exists(live)).order_by("position")


def _case(case: Case, statements: Sequence[Statement]) -> Read:
    texts = [case.question or "", *(passage["text"] for passage in case.context), case.answer]
    texts += (statement.text for statement in statements)
    return Read(
        position=case.position,
        case_id=case.case_id,
        pair_id=case.pair_id,
        text="\n".join(" ".join(text.split()) for text in texts),
        statements=[_statement(statement, case.answer) for statement in statements],
    )


def _statement(statement: Statement, answer: str) -> ReadStatement:
    expected: Expectation | None = getattr(statement, "expectation", None)
    return ReadStatement(
        statement_id=statement.statement_id,
        speech_act=statement.speech_act,
        claim_class=expected.claim_class if expected else None,
        verdict=expected.verdict if expected else None,
        cites=bool(expected and expected.evidence),
        labelled=statement.labelled,  # type: ignore[attr-defined]
        lost=dropped_in(statement.text, _span(statement), answer),
    )


def _span(statement: Statement) -> tuple[int, int] | None:
    if statement.span_start is None or statement.span_end is None:
        return None
    return statement.span_start, statement.span_end


def named(lost: Iterable[Qualifier]) -> str:
    """Qualifiers in words: “may” (hedge) and “in the EU” (scope)."""
    told = [f"“{one.text}” ({one.kind})" for one in lost]
    return " and ".join([", ".join(told[:-1]), told[-1]] if told[1:] else told)


def _sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
