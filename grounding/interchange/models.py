"""The records of interchange format 1, strict as written.

Field order here is key order in every export. Offsets are Unicode code points,
half open, into the text as stored. The models hold for one record what can be
said without looking at another field's text; the rest stands in ``checking``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict, allowed
from grounding.interchange.fields import (
    IDENTIFIER,
    LISTED,
    MAX_ID,
    MAX_INTEGER,
    MAX_LINE,
    MAX_TEXT,
    NAMED,
    NULL_IS_EMPTY,
    Confidence,
    Cost,
    Count,
    Digest,
    Exchanged,
    Identifier,
    Moment,
    NullMeans,
    Offset,
    Seconds,
    Slug,
    Span,
    Text,
    Version,
)

__all__ = [
    "FORMAT_VERSION",
    "IDENTIFIER",
    "MAX_ID",
    "MAX_INTEGER",
    "MAX_LINE",
    "MAX_TEXT",
    "Attempt",
    "Case",
    "Confidence",
    "Count",
    "Evidence",
    "Expected",
    "FileEntry",
    "Identifier",
    "Judgment",
    "JudgmentKey",
    "Label",
    "LabelRole",
    "Manifest",
    "Moment",
    "Offset",
    "Origin",
    "Outcome",
    "Passage",
    "Premise",
    "Record",
    "Seconds",
    "Selected",
    "Slug",
    "Source",
    "Span",
    "Statement",
    "Text",
    "Version",
]

FORMAT_VERSION: Final = 1


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
    """A frozen record; unknown keys and wrong types raise pydantic's ValidationError."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


def violation(claim_class: ClaimClass | None, verdict: Verdict | None) -> PydanticCustomError:
    """The contract's refusal as a validation error; ``field`` says which field it is about."""
    return PydanticCustomError(
        "contract",
        "{verdict} is not a verdict for a claim classed {claim_class}",
        {"verdict": str(verdict), "claim_class": str(claim_class), "field": "verdict"},
    )


class _Graded(Record):
    """Where class and verdict stand in one record, the contract holds."""

    @model_validator(mode="after")
    def _contract(self) -> Self:
        claim_class: ClaimClass | None = getattr(self, "claim_class", None)
        verdict: Verdict | None = getattr(self, "verdict", None)
        if not allowed(claim_class, verdict):
            raise violation(claim_class, verdict)
        return self


class Passage(Record):
    id: Identifier
    text: Text
    source: Text | None = None


class Source(Record):
    id: Identifier
    text: Text
    uri: Text | None = None
    """Kept as text; nothing is ever fetched from it."""
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
            raise _misplaced("evidence names a passage or a source, one of the two", "passage_id")
        if (self.start is None) != (self.end is None):
            raise _misplaced("start and end are given together or not at all", "start")
        if self.quote is None and self.start is None:
            raise _misplaced("evidence needs its quote or its offsets", "quote")
        return self


def _misplaced(message: str, field: str) -> PydanticCustomError:
    return PydanticCustomError("evidence", "{message}", {"message": message, "field": field})


class Expected(_Graded):
    claim_class: Annotated[ClaimClass, NAMED] | None = None
    verdict: Annotated[Verdict, NAMED] | None = None
    rationale: Text | None = None
    evidence: Annotated[tuple[Evidence, ...], LISTED, NULL_IS_EMPTY] = ()


class Statement(Record):
    statement_id: Identifier
    text: Text
    span: Span | None = None
    """Where the statement stands in the answer; null for a rewritten claim or a premise."""
    parent_id: Identifier | None = None
    """The statement of the same case that this one was split from."""
    claim_type: Annotated[ClaimType, NAMED] | None = None
    speech_act: Annotated[SpeechAct, NAMED] | None = None
    """Null is read as an assertion."""
    expected: Expected | None = None


class Case(Record):
    case_id: Identifier
    pair_id: Identifier | None = None
    pair_kind: Slug | None = None
    question: Text | None = None
    context: Annotated[tuple[Passage, ...], LISTED]
    """The admitted context: the passages exactly as sent to the model, in order."""
    retrieved: Annotated[tuple[Passage, ...], LISTED] | None = None
    """The whole candidate pool; null where it was not captured, which is not an empty pool."""
    answer: Text
    statements: Annotated[tuple[Statement, ...], LISTED, Field(min_length=1)]
    answerable: bool | None = None
    answerable_from_retrieved: bool | None = None
    tags: Annotated[tuple[Text, ...], LISTED, NULL_IS_EMPTY] = ()
    source: Text | None = None
    licence: Text | None = None


class Premise(_Graded):
    text: Text
    span: Span | None = None
    claim_class: Annotated[ClaimClass, NAMED] | None = None
    verdict: Annotated[Verdict, NAMED] | None = None
    rationale: Text | None = None
    evidence: Annotated[tuple[Evidence, ...], LISTED, NULL_IS_EMPTY] = ()


class Label(_Graded):
    case_id: Identifier
    statement_id: Identifier
    annotator: Identifier
    role: Annotated[LabelRole, NAMED]
    claim_class: Annotated[ClaimClass, NAMED] | None = None
    verdict: Annotated[Verdict, NAMED]
    claim_type: Annotated[ClaimType, NAMED] | None = None
    speech_act: Annotated[SpeechAct, NAMED] | None = None
    rationale: Text | None = None
    evidence: Annotated[tuple[Evidence, ...], LISTED, NULL_IS_EMPTY] = ()
    premises: Annotated[tuple[Premise, ...], LISTED, NULL_IS_EMPTY] = ()
    confidence: Confidence | None = None
    origin: Annotated[Origin, NAMED]
    selected: Annotated[Selected, NAMED] | None = None
    contract_version: Version | None = None
    labeled_at: Moment | None = None


class JudgmentKey(Record):
    """What identifies one judgment, whatever the run was called elsewhere."""

    run: Identifier | None = None
    rubric: Identifier
    version: Slug
    rubric_digest: Text | None = None
    set_revision: Count | None = None
    case_id: Identifier
    statement_id: Identifier
    repeat: Annotated[Count, NullMeans(0)] = 0


class Judgment(JudgmentKey, _Graded):
    outcome: Annotated[Outcome, NAMED]
    claim_class: Annotated[ClaimClass, NAMED] | None = None
    verdict: Annotated[Verdict, NAMED] | None = None
    raw_verdict: Text | None = None
    claim_type: Annotated[ClaimType, NAMED] | None = None
    speech_act: Annotated[SpeechAct, NAMED] | None = None
    premises: Annotated[tuple[Premise, ...], LISTED, NULL_IS_EMPTY] = ()
    evidence: Annotated[tuple[Evidence, ...], LISTED, NULL_IS_EMPTY] = ()
    explanation: Text | None = None
    confidence: Confidence | None = None
    judge_model: Text | None = None
    attempts: Count | None = None

    @model_validator(mode="after")
    def _verdict_only_where_graded(self) -> Self:
        if self.outcome is Outcome.GRADED and self.verdict is None:
            raise _misgraded("a graded judgment needs its verdict", "verdict")
        if self.outcome is not Outcome.GRADED and (self.verdict or self.claim_class):
            raise _misgraded(
                f"a judgment that is {self.outcome} carries no class and no verdict",
                "verdict" if self.verdict else "claim_class",
            )
        return self


def _misgraded(message: str, field: str) -> PydanticCustomError:
    return PydanticCustomError("contract", "{message}", {"message": message, "field": field})


class Attempt(JudgmentKey):
    number: Count
    judge_pass: Literal["classify", "verify"] | None = None
    outcome: Annotated[Outcome, NAMED]
    raw: Exchanged | None = None
    error: Text | None = None
    judge_model: Text | None = None
    started_at: Moment | None = None
    seconds: Seconds | None = None
    request_digest: Digest | None = None
    """Of the dialect and the body that were sent; equal digests asked the same thing."""
    sent: Exchanged | None = None
    """The body that was sent, as canonical JSON; no key is ever in it."""
    http_status: Count | None = None
    retry: Annotated[Count, NullMeans(0)] = 0
    """Counts the tries of one request, from 0."""
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cost: Cost | None = None
    """In the currency of the rubric's prices."""
    cached: Annotated[bool, NullMeans(False)] = False
    """Answered by what was kept of an earlier call; nobody was called."""
    round: Annotated[Count, NullMeans(1)] = 1
    """The round of the run: what failed in one is judged again in the next."""

    @model_validator(mode="after")
    def _sent_as_digested(self) -> Self:
        if self.sent is not None and self.request_digest is None:
            raise _undigested("what was sent goes with its digest")
        return self


def _undigested(message: str) -> PydanticCustomError:
    return PydanticCustomError("sent", "{message}", {"message": message, "field": "request_digest"})


class FileEntry(Record):
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    records: Count | None = None


class Manifest(Record):
    format_version: Literal[1]
    set: Identifier
    revision: Count
    contract_version: Version
    files: dict[str, FileEntry]
