"""From the grades of one answer's statements to a decision on the answer.

`decide` holds grades against a rubric's answer policy; `decision_of` is the rule itself, on
counts alone, for whoever has very many answers. `behaviour` says whether an answer refuses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from grounding.contract import FAILING, ClaimType, SpeechAct, Verdict
from grounding.grades import Grade
from grounding.interchange.models import Outcome
from grounding.rubrics import AnswerPolicy

DEFAULT_POLICY: Final = AnswerPolicy(
    ratio_threshold=0.9,
    contradiction_fails=True,
    strict_claim_types=tuple(kind for kind in ClaimType if kind is not ClaimType.QUALITATIVE),
)
"""For results whose rubric states none: nine in ten supported, no contradiction, and no
unsupported quantity, date, entity, negation, quantifier or causal claim."""


class Decision(StrEnum):
    GROUNDED = "grounded"
    UNGROUNDED = "ungrounded"
    UNDECIDED = "undecided"
    """A judge failed on a statement, so nobody knows."""
    UNDEFINED = "undefined"
    """Nothing in the answer can be graded."""


class Behaviour(StrEnum):
    """What an answer does with its question."""

    ABSTAINED = "abstained"
    """It refuses, and states no fact beside."""
    MIXED = "mixed"
    """It refuses, and states facts all the same."""
    ASSERTED = "asserted"
    """It states facts and refuses nothing."""
    NEITHER = "neither"
    """It asks back, or speaks of the retrieval or of how to go on, and that is all."""


class Counts(NamedTuple):
    """The claims of one answer, hidden premises among them, by verdict.

    ``strict`` counts those of the unsupported whose claim type the policy forgives none of;
    ``failed`` the statements without a verdict.
    """

    supported: int = 0
    unsupported: int = 0
    contradictory: int = 0
    not_applicable: int = 0
    strict: int = 0
    failed: int = 0

    @property
    def graded(self) -> int:
        """Supported, unsupported and contradictory: what the ratio is of."""
        return self.supported + self.unsupported + self.contradictory

    @property
    def ratio(self) -> float | None:
        """Supported among the graded ones, in [0, 1]; None of none."""
        return self.supported / self.graded if self.graded else None


@dataclass(frozen=True, slots=True)
class AnswerDecision:
    """What became of an answer, with the counts behind it.

    ``ratio`` is supported / (supported + unsupported + contradictory) over the graded claims
    and hidden premises, in [0, 1], or None where there are none. ``failing`` are the ids of
    statements that are unsupported or contradictory themselves or in a premise, which
    ``unsupported_in`` and ``contradictory_in`` tell apart. ``reasons`` say why the answer is
    not grounded; empty where it is.
    """

    decision: Decision
    ratio: float | None
    supported: int
    unsupported: int
    contradictory: int
    not_applicable: int
    failed: int
    failing: tuple[str, ...]
    unsupported_in: tuple[str, ...]
    contradictory_in: tuple[str, ...]
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
    counts = _counted(claims, sum(grade.outcome is not Outcome.GRADED for grade in grades), policy)
    decision = decision_of(counts, policy)
    return AnswerDecision(
        decision=decision,
        ratio=counts.ratio,
        supported=counts.supported,
        unsupported=counts.unsupported,
        contradictory=counts.contradictory,
        not_applicable=counts.not_applicable,
        failed=counts.failed,
        failing=_ids(claims, *FAILING),
        unsupported_in=_ids(claims, Verdict.UNSUPPORTED),
        contradictory_in=_ids(claims, Verdict.CONTRADICTORY),
        reasons=_reasons(decision, claims, counts, policy),
    )


def decision_of(counts: Counts, policy: AnswerPolicy) -> Decision:
    """The decision on an answer with these claims: the rule that `decide` applies."""
    if counts.strict or (counts.contradictory and policy.contradiction_fails):
        return Decision.UNGROUNDED
    if counts.failed:
        return Decision.UNDECIDED
    if counts.ratio is None:
        return Decision.UNDEFINED
    return Decision.GROUNDED if _reached(counts, policy) else Decision.UNGROUNDED


def behaviour(grades: Sequence[Grade]) -> Behaviour | None:
    """What the answer that ``grades`` belong to does; None where a judgment failed."""
    if any(grade.outcome is not Outcome.GRADED for grade in grades):
        return None
    return behaviour_of(
        refusals=sum(grade.speech_act is SpeechAct.REFUSAL for grade in grades),
        facts=sum(states_a_fact(grade.speech_act, grade.verdict) for grade in grades),
    )


def behaviour_of(*, refusals: int, facts: int) -> Behaviour:
    """What an answer does that holds so many refusals and facts."""
    if refusals:
        return Behaviour.MIXED if facts else Behaviour.ABSTAINED
    return Behaviour.ASSERTED if facts else Behaviour.NEITHER


def states_a_fact(speech_act: SpeechAct | None, verdict: Verdict | None) -> bool:
    """Whether a statement asserts something that can be held against evidence.

    A speech act that is not stated is an assertion; an opinion asserts no fact.
    """
    asserts = speech_act in (None, SpeechAct.ASSERTION)
    return asserts and verdict not in (None, Verdict.NOT_APPLICABLE)


def _claims(grade: Grade) -> Iterator[_Claim]:
    if grade.verdict is not None:
        yield _Claim(grade.statement_id, grade.verdict, grade.claim_type)
    for premise in grade.premises:
        if premise.verdict is not None:
            yield _Claim(grade.statement_id, premise.verdict, None)


def _counted(claims: Sequence[_Claim], failed: int, policy: AnswerPolicy) -> Counts:
    of = Counter(claim.verdict for claim in claims)
    return Counts(
        supported=of[Verdict.SUPPORTED],
        unsupported=of[Verdict.UNSUPPORTED],
        contradictory=of[Verdict.CONTRADICTORY],
        not_applicable=of[Verdict.NOT_APPLICABLE],
        strict=sum(_is_strict(claim, policy) for claim in claims),
        failed=failed,
    )


def _is_strict(claim: _Claim, policy: AnswerPolicy) -> bool:
    return claim.verdict is Verdict.UNSUPPORTED and claim.claim_type in policy.strict_claim_types


def _reached(counts: Counts, policy: AnswerPolicy) -> bool:
    return counts.ratio is not None and counts.ratio >= policy.ratio_threshold


def _ids(claims: Sequence[_Claim], *verdicts: Verdict) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.statement_id for one in claims if one.verdict in verdicts))


def _reasons(
    decision: Decision, claims: Sequence[_Claim], counts: Counts, policy: AnswerPolicy
) -> tuple[str, ...]:
    if decision is Decision.GROUNDED:
        return ()
    if decision is Decision.UNDECIDED:
        return (f"{counts.failed} statements could not be judged",)
    if decision is Decision.UNDEFINED:
        return ("the answer holds no claim that can be graded",)
    reasons = _hard_reasons(claims, policy)
    if not counts.failed and not _reached(counts, policy):
        reasons += (_too_few(counts, policy),)
    return reasons


def _too_few(counts: Counts, policy: AnswerPolicy) -> str:
    # The counts tell two shares apart that read alike when rounded.
    share = 100 * (counts.ratio or 0)
    needed = f"{100 * policy.ratio_threshold:g}% needed"
    return f"{counts.supported} of {counts.graded} supported ({share:.1f}%), {needed}"


def _hard_reasons(claims: Sequence[_Claim], policy: AnswerPolicy) -> tuple[str, ...]:
    """What fails the answer whatever the ratio, and whatever failed judgments would say."""
    return tuple(
        f"{claim.statement_id} is {claim.verdict}"
        + (f" ({claim.claim_type})" if claim.verdict is Verdict.UNSUPPORTED else "")
        for claim in claims
        if (claim.verdict is Verdict.CONTRADICTORY and policy.contradiction_fails)
        or _is_strict(claim, policy)
    )
