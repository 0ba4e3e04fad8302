"""What was typed into the form of a case: text alone, in the shape of the record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

Posted = Mapping[str, Any]

SIDES: Final = ("a", "b")
FOUND, NOWHERE = "found", "nowhere"
"""A statement's place: where its own text stands in the answer, or none."""

_LINE_END: Final = re.compile(r"\r+\n?")

T = TypeVar("T")


@dataclass
class TypedPassage:
    id: str = ""
    text: str = ""
    source: str = ""


@dataclass
class TypedEvidence:
    passage_id: str = ""
    source_id: str = ""
    quote: str = ""
    start: str = ""


@dataclass
class TypedStatement:
    statement_id: str = ""
    text: str = ""
    span: str = FOUND
    parent_id: str = ""
    claim_type: str = ""
    speech_act: str = ""
    claim_class: str = ""
    verdict: str = ""
    rationale: str = ""
    evidence: list[TypedEvidence] = field(default_factory=list)


@dataclass
class TypedCase:
    case_id: str = ""
    opened: str = ""
    """Digest of the revision that the form was opened on; empty for a new case."""
    question: str = ""
    answer: str = ""
    answerable: str = ""
    answerable_from_retrieved: str = ""
    tags: str = ""
    """One a line."""
    source: str = ""
    licence: str = ""
    pooled: str = ""
    """Whether the retrieved pool was captured: an empty pool is not the same as none."""
    context: list[TypedPassage] = field(default_factory=list)
    retrieved: list[TypedPassage] = field(default_factory=list)
    statements: list[TypedStatement] = field(default_factory=list)


@dataclass
class TypedPair:
    """The sides of a form with what they share; a case that stands alone has one side."""

    pair_id: str = ""
    pair_kind: str = ""
    sides: dict[str, TypedCase] = field(default_factory=dict)


PASSAGE: Final = ("id", "text", "source")
EVIDENCE: Final = ("passage_id", "source_id", "quote", "start")
CASE: Final = (
    "case_id",
    "opened",
    "question",
    "answer",
    "answerable",
    "answerable_from_retrieved",
    "tags",
    "source",
    "licence",
    "pooled",
)
STATEMENT: Final = {
    "statement_id": "statement_id",
    "text": "text",
    "span": "span",
    "parent_id": "parent_id",
    "claim_type": "claim_type",
    "speech_act": "speech_act",
    "claim_class": "expected.claim_class",
    "verdict": "expected.verdict",
    "rationale": "expected.rationale",
}
"""Where each of a statement's fields stands in the record."""


def read(posted: Posted) -> TypedPair:
    """What a form brought; a side is there if its ``case_id`` is."""
    return TypedPair(
        _text(posted, "pair_id"),
        _text(posted, "pair_kind"),
        {side: _case(posted, side) for side in SIDES if f"{side}.case_id" in posted},
    )


def _case(posted: Posted, side: str) -> TypedCase:
    return TypedCase(
        **{name: _text(posted, f"{side}.{name}") for name in CASE},
        context=_rows(posted, f"{side}.context", _passage),
        retrieved=_rows(posted, f"{side}.retrieved", _passage),
        statements=_rows(posted, f"{side}.statements", _statement),
    )


def _passage(posted: Posted, at: str) -> TypedPassage:
    return TypedPassage(**{name: _text(posted, f"{at}.{name}") for name in PASSAGE})


def _statement(posted: Posted, at: str) -> TypedStatement:
    return TypedStatement(
        **{name: _text(posted, f"{at}.{path}") for name, path in STATEMENT.items()},
        evidence=_rows(posted, f"{at}.expected.evidence", _evidence),
    )


def _evidence(posted: Posted, at: str) -> TypedEvidence:
    return TypedEvidence(**{name: _text(posted, f"{at}.{name}") for name in EVIDENCE})


def _rows(posted: Posted, at: str, read_one: Callable[[Posted, str], T]) -> list[T]:
    """The rows below ``at`` in the order of their numbers, whichever numbers are missing."""
    return [read_one(posted, f"{at}.{number}") for number in _numbers(posted, at)]


def _numbers(names: Iterable[str], at: str) -> list[int]:
    prefix = at + "."
    heads = {name[len(prefix) :].split(".", 1)[0] for name in names if name.startswith(prefix)}
    return sorted(int(head) for head in heads if re.fullmatch("0|[1-9][0-9]{0,3}", head))


def _text(posted: Posted, name: str) -> str:
    """Browsers send every line end as two characters."""
    return _LINE_END.sub("\n", str(posted.get(name, "")))
