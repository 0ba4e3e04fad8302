"""What a judge is: two separate passes over one case.

A judge sees views: never what the author expects, never the retrieved pool that
the model did not get. In the second pass it gets, for each statement, the
evidence policy of the contract and exactly the texts that this policy admits.
It answers with records that name their statement; what it leaves out, doubles,
makes up or breaks is dealt with by `grounding.pipeline`, not by the judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, Protocol, TypeVar

from grounding.contract import ClaimClass, ClaimType, EvidencePolicy, SpeechAct
from grounding.interchange.models import Case, Evidence, Outcome, Passage, Source, Statement

PassName = Literal["classify", "verify"]


@dataclass(frozen=True, slots=True)
class CaseView:
    """What a judge may know of a case: question, admitted context as sent, answer."""

    case_id: str
    question: str | None
    context: tuple[Passage, ...]
    answer: str

    @classmethod
    def of(cls, case: Case) -> CaseView:
        return cls(case.case_id, case.question, case.context, case.answer)


@dataclass(frozen=True, slots=True)
class StatementView:
    """What a judge may know of a statement: its id, its text, its span in the answer."""

    statement_id: str
    text: str
    span: tuple[int, int] | None

    @classmethod
    def of(cls, statement: Statement) -> StatementView:
        return cls(statement.statement_id, statement.text, statement.span)


@dataclass(frozen=True, slots=True)
class HiddenPremise:
    """A factual assertion inside an interpretation, to be split off and verified.

    ``span`` is in code points of the answer, or None where it stands there in other words.
    """

    text: str
    span: tuple[int, int] | None = None
    claim_class: str = ClaimClass.SUBJECT_SPECIFIC


@dataclass(frozen=True, slots=True)
class Classification:
    """The first pass's answer for one statement, words as the judge wrote them.

    ``stable`` says that an external claim is a stable, low-consequence definition, and
    ``topic`` what it is about; they matter only where the rubric's common-knowledge policy
    exempts such definitions, and no judge that leaves the topic out gets the exemption.
    """

    statement_id: str
    claim_class: str
    claim_type: str | None = None
    speech_act: str | None = None
    premises: tuple[HiddenPremise, ...] = ()
    stable: bool = False
    topic: str | None = None
    explanation: str | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """One statement (or hidden premise) to verify, with what the contract says of it.

    ``passages`` and ``sources`` are all that may be relied on: the admitted context, the
    approved sources, or nothing, as ``policy.origin`` says. ``knowledge`` says that this one
    may rest on what is commonly known instead: the rubric exempts it.
    """

    statement: StatementView
    claim_class: ClaimClass
    claim_type: ClaimType | None
    speech_act: SpeechAct
    policy: EvidencePolicy
    passages: tuple[Passage, ...] = ()
    sources: tuple[Source, ...] = ()
    knowledge: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """The second pass's answer for one statement.

    ``raw_verdict`` is what the judge wrote, letter for letter; the rubric maps it.
    ``confidence`` is in [0, 1], or None.
    """

    statement_id: str
    raw_verdict: str
    evidence: tuple[Evidence, ...] = ()
    explanation: str | None = None
    confidence: float | None = None
    judge_model: str | None = None


@dataclass(frozen=True, slots=True)
class StatementFailure:
    """A pass that failed for one statement while others went well."""

    statement_id: str
    outcome: Outcome
    error: str
    raw: str | None = None

    def __post_init__(self) -> None:
        if self.outcome is Outcome.GRADED:
            raise ValueError("a failure cannot be graded")


@dataclass(frozen=True, slots=True)
class PassAttempt:
    """One try of one pass, as it was.

    ``statement_ids`` are those that it was for; empty means all of the call.
    ``seconds`` is wall time. ``sent`` is the request body as JSON, never with a key, and
    ``request_digest`` what answers are cached by; ``retry`` counts the tries of one request
    from 0; ``cost`` is in the currency of the rubric's prices. Tokens and cost are the whole
    call's; statements that shared it have an attempt each or one together, so whoever sums them
    counts each ``request_digest`` with its ``started_at`` once.
    """

    number: int
    judge_pass: PassName
    outcome: Outcome
    raw: str | None = None
    error: str | None = None
    judge_model: str | None = None
    started_at: datetime | None = None
    seconds: float | None = None
    statement_ids: tuple[str, ...] = ()
    request_digest: str | None = None
    sent: str | None = None
    http_status: int | None = None
    retry: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cached: bool = False


class JudgeFailure(Exception):
    """A whole pass failed; every statement of the call gets ``outcome``.

    ``outcome`` is any but graded. ``raw`` is what came back, if anything did.
    """

    def __init__(
        self,
        outcome: Outcome,
        error: str,
        *,
        raw: str | None = None,
        attempts: tuple[PassAttempt, ...] = (),
    ) -> None:
        if outcome is Outcome.GRADED:
            raise ValueError("a failure cannot be graded")
        super().__init__(error)
        self.outcome = outcome
        self.error = error
        self.raw = raw
        self.attempts = attempts


Answer_co = TypeVar("Answer_co", covariant=True)


@dataclass(frozen=True, slots=True)
class PassResult(Generic[Answer_co]):
    """What a pass gave: answers and failures in any order, each naming its statement."""

    answers: tuple[Answer_co | StatementFailure, ...]
    attempts: tuple[PassAttempt, ...] = ()


class Judge(Protocol):
    """Two passes. ``implementation`` grows whenever the code could give another verdict.

    The passes are coroutines, since most judges wait for somebody; one that computes simply
    never awaits. Many cases are in flight at once, so a pass keeps nothing in the judge.
    """

    @property
    def name(self) -> str: ...

    @property
    def implementation(self) -> int: ...

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]: ...

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        """One answer per assignment. May raise JudgeFailure, as may `classify`."""
        ...
