"""What became of one statement: a verdict, or a failure under its own name."""

from __future__ import annotations

from dataclasses import dataclass

from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.interchange.models import Evidence, Outcome, Premise
from grounding.judges.protocol import PassAttempt


@dataclass(frozen=True, slots=True)
class Grade:
    """One judgment with all that a stored one and its attempts need.

    ``outcome`` is graded with a verdict, or a failure with neither class nor verdict and
    ``error`` saying why. ``evidence`` has quote and offsets filled in and checked;
    ``evidence_repaired`` says that offsets were mended. ``without_evidence`` says that the
    verdict is supported where the contract asks for a quote, and nothing is cited: possible
    only for kinds of judges that cannot cite and for exempt common knowledge. ``notes`` are
    oddities that changed nothing, such as an answer for a statement that nobody asked about.
    ``attempts`` is never empty and ends with the one that decided the outcome.
    """

    case_id: str
    statement_id: str
    repeat: int
    outcome: Outcome
    claim_class: ClaimClass | None = None
    verdict: Verdict | None = None
    raw_verdict: str | None = None
    claim_type: ClaimType | None = None
    speech_act: SpeechAct | None = None
    premises: tuple[Premise, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    evidence_repaired: bool = False
    without_evidence: bool = False
    explanation: str | None = None
    confidence: float | None = None
    judge_model: str | None = None
    error: str | None = None
    notes: tuple[str, ...] = ()
    attempts: tuple[PassAttempt, ...] = ()

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.GRADED) != (self.verdict is not None):
            raise ValueError("a verdict goes with graded, and only with it")
        if self.outcome is not Outcome.GRADED and self.claim_class is not None:
            raise ValueError("a failure carries no class")
