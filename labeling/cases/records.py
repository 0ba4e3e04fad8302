"""Rows as records of the interchange format, and records as rows.

Both directions stand side by side here, field by field, because an export that
is imported and exported again must come out byte for byte the same.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from grounding.interchange import models as interchange
from grounding.interchange.writing import dump_line
from labeling.models import Annotator, Case, Expectation, Label, Source, Statement

_LIKE_NAMED: Final = (
    "case_id",
    "pair_id",
    "pair_kind",
    "question",
    "answer",
    "answerable",
    "answerable_from_retrieved",
    "source",
    "licence",
)
# All of a statement but what its author expects, which no annotator sees.
_STATEMENT: Final = {"statement_id", "text", "span", "parent_id", "claim_type", "speech_act"}
_CONTENT: Final[Any] = {
    "question": True,
    "context": True,
    "answer": True,
    "statements": {"__all__": _STATEMENT},
}
# What two labels are compared by: everything that one states.
LABEL_VALUES: Final = (
    "claim_class",
    "verdict",
    "claim_type",
    "speech_act",
    "rationale",
    "evidence",
    "premises",
    "confidence",
    "origin",
    "selected",
    "contract_version",
    "labeled_at",
)


def case_digest(record: interchange.Case) -> str:
    """Of everything in the record: equal where the same case comes again."""
    return _sha256(dump_line(record))


def content_digest(record: interchange.Case) -> str:
    """Of question, context, answer and statements: a label made on one holds for the other."""
    return _sha256(record.model_dump_json(include=_CONTENT))


def case_row(record: interchange.Case, **fields: Any) -> Case:
    """``fields`` are the set, position, revision and digests, which no record states."""
    retrieved = record.retrieved
    return Case(
        **{name: getattr(record, name) for name in _LIKE_NAMED},
        context=[passage.model_dump() for passage in record.context],
        retrieved=None if retrieved is None else [passage.model_dump() for passage in retrieved],
        tags=list(record.tags),
        **fields,
    )


def statement_row(record: interchange.Statement, case: Case, position: int) -> Statement:
    start, end = record.span or (None, None)
    return Statement(
        case=case,
        statement_id=record.statement_id,
        position=position,
        text=record.text,
        span_start=start,
        span_end=end,
        parent_id=record.parent_id,
        claim_type=record.claim_type,
        speech_act=record.speech_act,
    )


def expectation_row(record: interchange.Expected, statement: Statement) -> Expectation:
    return Expectation(
        statement=statement,
        claim_class=record.claim_class,
        verdict=record.verdict,
        rationale=record.rationale,
        evidence=_evidence(record.evidence),
    )


def source_row(record: interchange.Source, set_pk: int) -> Source:
    return Source(
        set_id=set_pk,
        source_id=record.id,
        text=record.text,
        uri=record.uri,
        retrieved_at=record.retrieved_at,
    )


def contract_major(version: str | None) -> int:
    """0 where an older data set does not say, which matches no rubric."""
    return int(version.split(".")[0]) if version else 0


def label_row(record: interchange.Label, statement_pk: int, annotator_pk: int) -> Label:
    return Label(
        statement_id=statement_pk,
        annotator_id=annotator_pk,
        role=record.role.value,
        contract_major=contract_major(record.contract_version),
        **label_values(record),
    )


def label_values(record: interchange.Label) -> dict[str, Any]:
    """What `LABEL_VALUES` names, as a row holds it."""
    values = {name: getattr(record, name) for name in LABEL_VALUES}
    return values | {
        "evidence": _evidence(record.evidence),
        "premises": [premise.model_dump(mode="json") for premise in record.premises],
    }


def case_record(
    case: Case, statements: list[tuple[Statement, Expectation | None]]
) -> interchange.Case:
    return interchange.Case.model_validate(
        {
            **{name: getattr(case, name) for name in _LIKE_NAMED},
            "context": case.context,
            "retrieved": case.retrieved,
            "tags": case.tags,
            "statements": [_statement(*pair) for pair in statements],
        }
    )


def source_record(source: Source) -> interchange.Source:
    return interchange.Source.model_construct(
        id=source.source_id, text=source.text, uri=source.uri, retrieved_at=source.retrieved_at
    )


def label_record(label: Label, statement: Statement, case: Case) -> interchange.Label:
    annotator: Annotator = label.annotator
    return interchange.Label.model_validate(
        {
            "case_id": case.case_id,
            "statement_id": statement.statement_id,
            "annotator": annotator.code,
            "role": label.role,
            **{name: getattr(label, name) for name in LABEL_VALUES},
        }
    )


def _statement(statement: Statement, expected: Expectation | None) -> dict[str, Any]:
    span = None
    if statement.span_start is not None:
        span = (statement.span_start, statement.span_end)
    return {
        "statement_id": statement.statement_id,
        "text": statement.text,
        "span": span,
        "parent_id": statement.parent_id,
        "claim_type": statement.claim_type,
        "speech_act": statement.speech_act,
        "expected": None if expected is None else _expected(expected),
    }


def _expected(expected: Expectation) -> dict[str, Any]:
    return {
        "claim_class": expected.claim_class,
        "verdict": expected.verdict,
        "rationale": expected.rationale,
        "evidence": expected.evidence,
    }


def _evidence(evidence: tuple[interchange.Evidence, ...]) -> list[dict[str, Any]]:
    return [item.model_dump() for item in evidence]


def _sha256(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
