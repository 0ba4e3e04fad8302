"""A case laid out for a lead's page: passages with what is cited in them, statements with
what is expected and how they were labelled. Reads only; annotators never see any of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from grounding.contract import CONTRACT
from grounding.errors import BadInput
from grounding.evidence import Texts, resolve
from grounding.interchange.models import Evidence, LabelRole, Origin
from labeling import references
from labeling.adjudications import disputes
from labeling.adjudications.disputes import State
from labeling.models import Case, Expectation, Label, Source, Statement
from labeling.references import Reference
from labeling.wording.marking import Mark, Piece, differing, pieces

Place = tuple[str, str]
"""What kind of text it is, and its id there: a source may be called like a passage."""

Citations = Sequence[tuple[str, Mapping[str, Any]]]
"""Pairs of a note and the evidence, as stored, that it goes with."""


@dataclass(frozen=True)
class ShownText:
    """A passage or an approved source, in pieces."""

    id: str
    origin: str | None
    pieces: Sequence[Piece]


@dataclass(frozen=True)
class ShownStatement:
    statement: Statement
    pieces: Sequence[Piece]
    expected: Expectation | None
    labels: Sequence[Label]
    tally: Mapping[str, int]
    reference: Reference | None
    tier: str
    state: State


@dataclass(frozen=True)
class CaseFile:
    case: Case
    question: Sequence[Piece]
    passages: Sequence[ShownText]
    sources: Sequence[ShownText]
    answer: Sequence[Piece]
    statements: Sequence[ShownStatement]
    adrift: Sequence[tuple[str, str]]
    """Note and quote of every citation that stands in no passage or source of this case."""


@dataclass(frozen=True)
class _Row:
    statement: Statement
    labels: Sequence[Label]
    reference: Reference | str
    state: State


def lay_out(case: Case) -> CaseFile:
    """One case, with the evidence marked in place that its author and annotators cite."""
    rows = _rows([case])[case.pk]
    return _laid_out(case, rows, _cited_by(rows))


def lay_out_quotes(case: Case, note: str, evidence: Iterable[Mapping[str, Any]]) -> CaseFile:
    """The texts of a case with this evidence alone marked in place; no labels, no statements."""
    return _laid_out(case, [], [(note, one) for one in evidence])


def _laid_out(case: Case, rows: Sequence[_Row], cited: Citations) -> CaseFile:
    texts, sources = _texts(case, cited)
    placed, adrift = _place(cited, texts)
    return CaseFile(
        case=case,
        question=pieces(case.question or "", []),
        passages=[
            ShownText(p["id"], p["source"], pieces(p["text"], placed.get(("passage", p["id"]), [])))
            for p in case.context
        ],
        sources=[
            ShownText(s.source_id, s.uri, pieces(s.text, placed.get(("source", s.source_id), [])))
            for s in sources
        ],
        answer=pieces(case.answer, []),
        statements=[_shown(row, pieces(row.statement.text, [])) for row in rows],
        adrift=adrift,
    )


def lay_out_pair(sides: Sequence[Case]) -> list[CaseFile]:
    """The sides of a pair, with the words marked in which the two differ."""
    rows = _rows(sides)
    texts = [_texts_of(case, rows[case.pk]) for case in sides]
    cut = _compared(texts)
    return [
        CaseFile(
            case=case,
            question=cut[at]["question", ""],
            passages=[
                ShownText(p["id"], p["source"], cut[at]["passage", p["id"]]) for p in case.context
            ],
            sources=(),
            answer=cut[at]["answer", ""],
            statements=[
                _shown(row, cut[at]["statement", row.statement.statement_id])
                for row in rows[case.pk]
            ],
            adrift=(),
        )
        for at, case in enumerate(sides)
    ]


def _rows(cases: Sequence[Case]) -> dict[int, list[_Row]]:
    """Each case's statements in order, with their live labels; as many queries for all as for
    one."""
    statements = list(
        Statement.objects.filter(case__in=cases)
        .select_related("expectation")
        .order_by("case_id", "position")
    )
    live = Label.objects.live().filter(statement__in=statements).select_related("annotator")
    labels: dict[int, list[Label]] = {}
    for label in live.order_by("pk"):
        labels.setdefault(label.statement_id, []).append(label)
    decided = references.of_statements(statements, CONTRACT.major)
    disputed = disputes.of_statements(statements)
    rows: dict[int, list[_Row]] = {case.pk: [] for case in cases}
    for one in statements:
        row = _Row(one, labels.get(one.pk, []), decided[one.pk], disputed[one.pk].state)
        rows[one.case_id].append(row)
    return rows


def _shown(row: _Row, text: Sequence[Piece]) -> ShownStatement:
    tally = Counter(_kind(label) for label in row.labels)
    found = row.reference if isinstance(row.reference, Reference) else None
    return ShownStatement(
        statement=row.statement,
        pieces=text,
        expected=expected_of(row.statement),
        labels=row.labels,
        tally=dict(tally),
        reference=found,
        tier=found.tier if found else str(row.reference),
        state=row.state,
    )


def expected_of(statement: Statement) -> Expectation | None:
    return getattr(statement, "expectation", None)


def _kind(label: Label) -> str:
    """Which of a reference's tiers a label can count towards, in words."""
    if label.role == LabelRole.ADJUDICATION:
        return "adjudication" if label.origin == Origin.BLIND else f"{label.origin} adjudication"
    if label.origin == Origin.BLIND and label.selected:
        return "blind, selected"
    return label.origin


def _cited_by(rows: Iterable[_Row]) -> list[tuple[str, Mapping[str, Any]]]:
    cited: list[tuple[str, Mapping[str, Any]]] = []
    for row in rows:
        name, expected = row.statement.statement_id, expected_of(row.statement)
        if expected is not None:
            cited += [(f"expected for {name}", evidence) for evidence in expected.evidence]
        for label in row.labels:
            cited += [(f"{label.annotator.code} on {name}", found) for found in label.evidence]
    return cited


def _texts(case: Case, cited: Citations) -> tuple[Texts, list[Source]]:
    wanted = {evidence.get("source_id") for _, evidence in cited} - {None}
    sources = list(Source.objects.filter(set_id=case.set_id, source_id__in=wanted).order_by("pk"))
    passages = {passage["id"]: passage["text"] for passage in case.context}
    return Texts(passages, {source.source_id: source.text for source in sources}), sources


def _place(cited: Citations, texts: Texts) -> tuple[dict[Place, list[Mark]], list[tuple[str, str]]]:
    """Each citation as a mark in its passage or source, and those that stand nowhere."""
    placed: dict[Place, list[Mark]] = {}
    adrift = []
    for note, stored in cited:
        try:
            found = resolve(Evidence.model_validate(stored), texts)
        except (BadInput, ValidationError):
            adrift.append((note, str(stored.get("quote") or "")))
            continue
        kind = "passage" if found.passage_id else "source"
        place = (kind, str(found.passage_id or found.source_id))
        placed.setdefault(place, []).append(Mark(found.start or 0, found.end or 0, note))
    return placed, adrift


def _texts_of(case: Case, rows: Iterable[_Row]) -> dict[Place, str]:
    """Every text of a case by where it stands, so that each finds its like on the other side."""
    texts = {("question", ""): case.question or "", ("answer", ""): case.answer}
    texts |= {("passage", passage["id"]): passage["text"] for passage in case.context}
    return texts | {("statement", row.statement.statement_id): row.statement.text for row in rows}


def _compared(sides: Sequence[Mapping[Place, str]]) -> list[dict[Place, list[Piece]]]:
    """The texts of each side in pieces; one without its like on the other is all difference."""
    if len(sides) != 2:
        return [{place: pieces(text, []) for place, text in side.items()} for side in sides]
    left, right = sides
    ours = {place: [Piece(text, ("differs",))] for place, text in left.items()}
    theirs = {place: [Piece(text, ("differs",))] for place, text in right.items()}
    for place in left.keys() & right.keys():
        ours[place], theirs[place] = differing(left[place], right[place])
    return [ours, theirs]
