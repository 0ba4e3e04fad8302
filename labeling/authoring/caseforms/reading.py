"""What was typed, as a record of the interchange format, and a record as what would be typed.

What the format allows is said by the format's own models; here stands only what a form
leaves out: a span by its text, the end of a quote, an empty field that means nothing stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from grounding.contract import ClaimClass, Verdict
from grounding.errors import BadInput
from grounding.interchange import models as interchange
from grounding.interchange.validation import faults, validated
from labeling.authoring.caseforms.places import Span, place_of, span_of
from labeling.authoring.caseforms.typed import (
    TypedCase,
    TypedEvidence,
    TypedPair,
    TypedPassage,
    TypedStatement,
)
from labeling.wording.vocabulary import words

_ANSWERABLE: Final = {"yes": True, "no": False, "": None}
_SHORT: Final = 18
_ROWS: Final[Mapping[str, type[interchange.Record]]] = {
    "context": interchange.Passage,
    "retrieved": interchange.Passage,
    "statements": interchange.Statement,
}


def record_of(pair: TypedPair, side: str) -> interchange.Case:
    """One side as a record; BadInput with the path of the first field that is wrong."""
    value, misplaced = _value(pair, side)
    if misplaced:
        raise misplaced[0]
    return validated(interchange.Case, value)


def faults_of(pair: TypedPair, side: str) -> list[BadInput]:
    """Everything that keeps one side from being a record, each with the path of its field."""
    value, misplaced = _value(pair, side)
    in_rows = list(_faults_of_rows(value))
    told = {_list_of(one) for one in in_rows}
    whole = [one for one in faults(interchange.Case, value) if _list_of(one) not in told]
    found = [*misplaced, *in_rows, *whole]
    for one in found:
        one.message = _in_words(one.message)
    return found


def _faults_of_rows(value: dict[str, Any]) -> Iterator[BadInput]:
    """Of each row by itself, since a list tells of its first bad item only."""
    for name, model in _ROWS.items():
        for at, row in enumerate(value[name] or ()):
            for fault in faults(model, row):
                fault.field = f"{name}.{at}.{fault.field or ''}".rstrip(".")
                yield fault


def _list_of(fault: BadInput) -> str:
    return (fault.field or "").split(".")[0]


def _in_words(message: str) -> str:
    for word in (*ClaimClass, *Verdict):
        message = message.replace(word, words(word))
    return message


def _value(pair: TypedPair, side: str) -> tuple[dict[str, Any], list[BadInput]]:
    """What was typed in the shape of a record, and what is wrong with places in the answer."""
    typed = pair.sides[side]
    misplaced: list[BadInput] = []
    value = {
        "case_id": typed.case_id,
        "pair_id": pair.pair_id or None,
        "pair_kind": pair.pair_kind or None,
        "question": typed.question or None,
        "context": [_passage(one) for one in typed.context],
        "retrieved": _pool(typed),
        "answer": typed.answer,
        "statements": [
            _statement(one, _span(one, typed.answer, at, misplaced))
            for at, one in enumerate(typed.statements)
        ],
        "answerable": _ANSWERABLE.get(typed.answerable, typed.answerable),
        "answerable_from_retrieved": _ANSWERABLE.get(
            typed.answerable_from_retrieved, typed.answerable_from_retrieved
        ),
        "tags": [tag for tag in typed.tags.split("\n") if tag],
        "source": typed.source or None,
        "licence": typed.licence or None,
    }
    return value, misplaced


def _span(typed: TypedStatement, answer: str, at: int, misplaced: list[BadInput]) -> Span | None:
    try:
        return span_of(typed.span, typed.text, answer, field=f"statements.{at}.span")
    except BadInput as error:
        misplaced.append(error)
        return None


def _pool(typed: TypedCase) -> list[dict[str, Any]] | None:
    captured = typed.pooled or typed.retrieved
    return [_passage(one) for one in typed.retrieved] if captured else None


def _passage(typed: TypedPassage) -> dict[str, Any]:
    return {"id": typed.id, "text": typed.text, "source": typed.source or None}


def _statement(typed: TypedStatement, span: Span | None) -> dict[str, Any]:
    return {
        "statement_id": typed.statement_id,
        "text": typed.text,
        "span": span,
        "parent_id": typed.parent_id or None,
        "claim_type": typed.claim_type or None,
        "speech_act": typed.speech_act or None,
        "expected": _expected(typed),
    }


def _expected(typed: TypedStatement) -> dict[str, Any] | None:
    stated = {
        "claim_class": typed.claim_class or None,
        "verdict": typed.verdict or None,
        "rationale": typed.rationale or None,
        "evidence": [_evidence(one) for one in typed.evidence],
    }
    return stated if any(stated.values()) else None


def _evidence(typed: TypedEvidence) -> dict[str, Any]:
    start, end = _offsets(typed)
    return {
        "passage_id": typed.passage_id or None,
        "source_id": typed.source_id or None,
        "quote": typed.quote or None,
        "start": start,
        "end": end,
    }


def _offsets(typed: TypedEvidence) -> tuple[int | str | None, int | None]:
    """Where the quote begins, if that was typed, and then where it ends."""
    typed_start = typed.start.strip()
    if not typed_start or not typed.quote:
        return None, None
    if not (typed_start.isascii() and typed_start.isdigit() and len(typed_start) < _SHORT):
        return typed_start, 0
    return int(typed_start), int(typed_start) + len(typed.quote)


def typed_of(record: interchange.Case, *, opened: str) -> TypedCase:
    """``record`` as its form is filled; `record_of` gives it back."""
    texts = {passage.id: passage.text for passage in record.context}
    return TypedCase(
        case_id=record.case_id,
        opened=opened,
        question=record.question or "",
        answer=record.answer,
        answerable=_yes_no(record.answerable),
        answerable_from_retrieved=_yes_no(record.answerable_from_retrieved),
        tags="\n".join(record.tags),
        source=record.source or "",
        licence=record.licence or "",
        pooled="" if record.retrieved is None else "yes",
        context=[_typed_passage(one) for one in record.context],
        retrieved=[_typed_passage(one) for one in record.retrieved or ()],
        statements=[_typed_statement(one, record.answer, texts) for one in record.statements],
    )


def _yes_no(value: bool | None) -> str:
    return next(word for word, means in _ANSWERABLE.items() if means is value)


def _typed_passage(passage: interchange.Passage) -> TypedPassage:
    return TypedPassage(passage.id, passage.text, passage.source or "")


def _typed_statement(
    statement: interchange.Statement, answer: str, texts: dict[str, str]
) -> TypedStatement:
    expected = statement.expected or interchange.Expected()
    return TypedStatement(
        statement_id=statement.statement_id,
        text=statement.text,
        span=place_of(statement.text, statement.span, answer),
        parent_id=statement.parent_id or "",
        claim_type=statement.claim_type or "",
        speech_act=statement.speech_act or "",
        claim_class=expected.claim_class or "",
        verdict=expected.verdict or "",
        rationale=expected.rationale or "",
        evidence=[_typed_evidence(one, texts) for one in expected.evidence],
    )


def _typed_evidence(evidence: interchange.Evidence, texts: dict[str, str]) -> TypedEvidence:
    """The offset is left out where the quote finds its place by itself, so that it moves along
    when the passage is edited."""
    quote, text = evidence.quote or "", texts.get(evidence.passage_id or "", "")
    found = text.find(quote)
    once = found == evidence.start and text.find(quote, found + 1) < 0
    start = "" if once or evidence.start is None else str(evidence.start)
    return TypedEvidence(evidence.passage_id or "", evidence.source_id or "", quote, start)


def altered(left: Any, right: Any, at: str = "") -> Iterator[str]:
    """The paths at which two dumped records differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        for name in left:
            yield from altered(left[name], right[name], f"{at}.{name}" if at else name)
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if len(left) != len(right):
            yield at
            return
        for number, (ours, theirs) in enumerate(zip(left, right, strict=True)):
            yield from altered(ours, theirs, f"{at}.{number}")
    elif left != right:
        yield at
