"""The records of interchange format 1, strict as written.

Field order here is key order in every export. Offsets are Unicode code points,
half open, into the text as stored.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    model_validator,
)

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict, allowed

FORMAT_VERSION: Final = 1
MAX_ID: Final = 128
MAX_TEXT: Final = 1_000_000
MAX_INTEGER: Final = 2**63 - 1

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def _storable(text: str) -> str:
    """Refuse what not every store can hold; line ends become one line feed."""
    found = _UNSTORABLE.search(text)
    if found:
        raise ValueError(f"holds U+{ord(found[0]):04X} at {found.start()}, which cannot be stored")
    return text.replace("\r\n", "\n")


def _utc_seconds(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time needs its offset from UTC, such as Z")
    return moment.astimezone(UTC)


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


Identifier = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9._:\-]+$", min_length=1, max_length=MAX_ID)
]
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT), AfterValidator(_storable)]
Slug = Text
Offset = Annotated[int, Field(ge=0, le=MAX_TEXT)]
Confidence = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Moment = Annotated[datetime, AfterValidator(_utc_seconds), PlainSerializer(_iso, when_used="json")]


class Outcome(StrEnum):
    """What became of one planned judgment. A failure is never a verdict."""

    GRADED = "graded"
    UNREADABLE = "unreadable"
    INVALID = "invalid"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    MISSING = "missing"
    TOO_LONG = "too_long"


class LabelRole(StrEnum):
    LABEL = "label"
    ADJUDICATION = "adjudication"


class Origin(StrEnum):
    BLIND = "blind"
    REVEALED = "revealed"
    MODEL = "model"


class Selected(StrEnum):
    JUDGE_DISAGREEMENT = "judge_disagreement"
    PRODUCTION_RISK = "production_risk"


class Record(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


def _require_contract(claim_class: ClaimClass | None, verdict: Verdict | None) -> None:
    if not allowed(claim_class, verdict):
        raise ValueError(f"{verdict} is not a verdict for a claim classed {claim_class}")


class Passage(Record):
    id: Identifier
    text: Text
    source: Text | None = None


class Source(Record):
    id: Identifier
    text: Text
    uri: Text | None = None
    retrieved_at: Moment | None = None


class Evidence(Record):
    passage_id: Identifier | None = None
    source_id: Identifier | None = None
    quote: Text | None = None
    start: Offset | None = None
    end: Offset | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.passage_id is None) == (self.source_id is None):
            raise ValueError("evidence names a passage or a source, one of the two")
        if (self.start is None) != (self.end is None):
            raise ValueError("start and end are given together or not at all")
        if self.quote is None and self.start is None:
            raise ValueError("evidence needs its quote or its offsets")
        return self


class Expected(Record):
    claim_class: ClaimClass | None = None
    verdict: Verdict | None = None
    rationale: Text | None = None
    evidence: tuple[Evidence, ...] = ()

    @model_validator(mode="after")
    def _contract(self) -> Self:
        _require_contract(self.claim_class, self.verdict)
        return self


class Statement(Record):
    statement_id: Identifier
    text: Text
    span: tuple[Offset, Offset] | None = None
    parent_id: Identifier | None = None
    claim_type: ClaimType | None = None
    speech_act: SpeechAct | None = None
    expected: Expected | None = None


class Case(Record):
    case_id: Identifier
    pair_id: Identifier | None = None
    pair_kind: Slug | None = None
    question: Text | None = None
    context: tuple[Passage, ...]
    retrieved: tuple[Passage, ...] | None = None
    answer: Text
    statements: Annotated[tuple[Statement, ...], Field(min_length=1)]
    answerable: bool | None = None
    answerable_from_retrieved: bool | None = None
    tags: tuple[Text, ...] = ()
    source: Text | None = None
    licence: Text | None = None


class Premise(Record):
    text: Text
    span: tuple[Offset, Offset] | None = None
    claim_class: ClaimClass | None = None
    verdict: Verdict | None = None
    rationale: Text | None = None
    evidence: tuple[Evidence, ...] = ()

    @model_validator(mode="after")
    def _contract(self) -> Self:
        _require_contract(self.claim_class, self.verdict)
        return self


class Label(Record):
    case_id: Identifier
    statement_id: Identifier
    annotator: Identifier
    role: LabelRole
    claim_class: ClaimClass | None = None
    verdict: Verdict
    claim_type: ClaimType | None = None
    speech_act: SpeechAct | None = None
    rationale: Text | None = None
    evidence: tuple[Evidence, ...] = ()
    premises: tuple[Premise, ...] = ()
    confidence: Confidence | None = None
    origin: Origin
    selected: Selected | None = None
    contract_version: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")] | None = None
    labeled_at: Moment | None = None

    @model_validator(mode="after")
    def _contract(self) -> Self:
        _require_contract(self.claim_class, self.verdict)
        return self


class JudgmentKey(Record):
    """What identifies one judgment, whatever the run was called elsewhere."""

    run: Identifier | None = None
    rubric: Identifier
    version: Annotated[str, StringConstraints(max_length=MAX_ID)]
    rubric_digest: Text | None = None
    set_revision: Count | None = None
    case_id: Identifier
    statement_id: Identifier
    repeat: Count = 0


class Judgment(JudgmentKey):
    outcome: Outcome
    claim_class: ClaimClass | None = None
    verdict: Verdict | None = None
    raw_verdict: Text | None = None
    claim_type: ClaimType | None = None
    speech_act: SpeechAct | None = None
    premises: tuple[Premise, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    explanation: Text | None = None
    confidence: Confidence | None = None
    judge_model: Text | None = None
    attempts: Count | None = None

    @model_validator(mode="after")
    def _verdict_only_where_graded(self) -> Self:
        if self.outcome is Outcome.GRADED and self.verdict is None:
            raise ValueError("a graded judgment needs its verdict")
        if self.outcome is not Outcome.GRADED and (self.verdict or self.claim_class):
            raise ValueError(f"a judgment that is {self.outcome} carries no class and no verdict")
        _require_contract(self.claim_class, self.verdict)
        return self


class Attempt(JudgmentKey):
    number: Count
    judge_pass: Literal["classify", "verify"] | None = None
    outcome: Outcome
    raw: Text | None = None
    error: Text | None = None
    judge_model: Text | None = None
    started_at: Moment | None = None
    seconds: Annotated[float, Field(ge=0)] | None = None


class FileEntry(Record):
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    records: Count | None = None


class Manifest(Record):
    format_version: Literal[1]
    set: Identifier
    revision: Count
    contract_version: Text
    files: dict[str, FileEntry]
