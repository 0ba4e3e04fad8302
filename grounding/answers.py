"""From the grades of one answer's statements to a decision on the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grounding.contract import FAILING, ClaimType, Verdict
from grounding.grades import Grade
from grounding.interchange.models import Outcome
from grounding.rubrics import AnswerPolicy


class Decision(StrEnum):
    GROUNDED = "grounded"
    UNGROUNDED = "ungrounded"
    UNDECIDED = "undecided"
    """A judge failed on a statement, so nobody knows."""
    UNDEFINED = "undefined"
    """Nothing in the answer can be graded."""


@dataclass(frozen=True, slots=True)
class AnswerDecision:
    """What became of an answer, with the counts behind it.

    ``ratio`` is supported / (supported + unsupported + contradictory) over the graded claims
    and hidden premises, in [0, 1], or None where there are none. ``failing`` are the ids of
    statements that are unsupported or contradictory themselves or in a premise.
    ``reasons`` say why the answer is not grounded; empty where it is.
    """

    decision: Decision
    ratio: float | None
    supported: int
    unsupported: int
    contradictory: int
    not_applicable: int
    failed: int
    failing: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def grounded(self) -> bool | None:
        """True or False; None where undecided or undefined, which is never grounded."""
        decided = self.decision in (Decision.GROUNDED, Decision.UNGROUNDED)
        return self.decision is Decision.GROUNDED if decided else None


@dataclass(frozen=True, slots=True)
class _Claim:
    statement_id: str
    verdict: Verdict
    claim_type: ClaimType | None


def decide(grades: Sequence[Grade], policy: AnswerPolicy) -> AnswerDecision:
    """Whether the answer that ``grades`` belong to is grounded under ``policy``.

    An answer that already fails stays ungrounded whatever a failed judgment would have
    been; one that does not is undecided while a judgment is missing.
    """
    claims = [claim for grade in grades for claim in _claims(grade)]
    counts = Counter(claim.verdict for claim in claims)
    failed = sum(grade.outcome is not Outcome.GRADED for grade in grades)
    ratio = _ratio(counts)
    reasons = _hard_reasons(claims, policy)
    if ratio is not None and ratio < policy.ratio_threshold and not failed:
        reasons += (f"{ratio:.3f} supported, {policy.ratio_threshold} needed",)
    decision, reasons = _decided(reasons, failed, ratio)
    return AnswerDecision(
        decision=decision,
        ratio=ratio,
        supported=counts[Verdict.SUPPORTED],
        unsupported=counts[Verdict.UNSUPPORTED],
        contradictory=counts[Verdict.CONTRADICTORY],
        not_applicable=counts[Verdict.NOT_APPLICABLE],
        failed=failed,
        failing=tuple(dict.fromkeys(one.statement_id for one in claims if one.verdict in FAILING)),
        reasons=reasons,
    )


def _claims(grade: Grade) -> Iterator[_Claim]:
    if grade.verdict is not None:
        yield _Claim(grade.statement_id, grade.verdict, grade.claim_type)
    for premise in grade.premises:
        if premise.verdict is not None:
            yield _Claim(grade.statement_id, premise.verdict, None)


def _ratio(counts: Counter[Verdict]) -> float | None:
    graded = counts.total() - counts[Verdict.NOT_APPLICABLE]
    return counts[Verdict.SUPPORTED] / graded if graded else None


def _hard_reasons(claims: Sequence[_Claim], policy: AnswerPolicy) -> tuple[str, ...]:
    """What fails the answer whatever the ratio, and whatever failed judgments would say."""
    return tuple(
        f"{claim.statement_id} is {claim.verdict}"
        + (f" ({claim.claim_type})" if claim.verdict is Verdict.UNSUPPORTED else "")
        for claim in claims
        if (claim.verdict is Verdict.CONTRADICTORY and policy.contradiction_fails)
        or (claim.verdict is Verdict.UNSUPPORTED and claim.claim_type in policy.strict_claim_types)
    )


def _decided(
    reasons: tuple[str, ...], failed: int, ratio: float | None
) -> tuple[Decision, tuple[str, ...]]:
    if reasons:
        return Decision.UNGROUNDED, reasons
    if failed:
        return Decision.UNDECIDED, (f"{failed} statements could not be judged",)
    if ratio is None:
        return Decision.UNDEFINED, ("the answer holds no claim that can be graded",)
    return Decision.GROUNDED, ()
