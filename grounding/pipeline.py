"""Grading a case in two passes.

First pass: class, claim type, speech act, hidden premises. Between the passes
the contract, not the judge, says what evidence each class needs and hands over
exactly the texts it admits. Second pass: verdict and evidence, held against the
contract. What fails is a failure under its own name, never a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grounding.contract import VALID_VERDICTS, Contract, EvidenceOrigin, Verdict
from grounding.grades import Grade
from grounding.interchange.models import Case, Outcome, Passage, Premise, Source, Statement
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    HiddenPremise,
    Judge,
    PassAttempt,
    PassName,
    StatementFailure,
    StatementView,
    Verification,
)
from grounding.judges.registry import create_judge
from grounding.passes import Sorted, decided, run_pass, storable
from grounding.rubrics import RubricDefinition
from grounding.splitting import split_answer
from grounding.verdicts import Invalid, Routed, Verified, premise_assignment, route, verify
from grounding.waiting import finish


def grade_case(
    case: Case,
    judge: Judge,
    definition: RubricDefinition,
    *,
    sources: Sequence[Source] = (),
    repeat: int = 0,
) -> tuple[Grade, ...]:
    """`agrade_case` for callers that wait, in an event loop's thread or outside of one."""
    return finish(agrade_case(case, judge, definition, sources=sources, repeat=repeat))


async def agrade_case(
    case: Case,
    judge: Judge,
    definition: RubricDefinition,
    *,
    sources: Sequence[Source] = (),
    repeat: int = 0,
) -> tuple[Grade, ...]:
    """Exactly one grade per statement of ``case``, in the case's order.

    ``sources`` are the approved sources for external claims. Failures of the judge become
    outcomes; only a fault in the judge's own code raises.
    """
    view = CaseView.of(case)
    statements = tuple(StatementView.of(statement) for statement in case.statements)
    ids = [statement.statement_id for statement in statements]
    first = await run_pass("classify", ids, lambda: judge.classify(view, statements))
    plans = [_plan(one, first, case.answer, definition) for one in statements]
    assignments = {
        one.statement.statement_id: _with_texts(one, case.context, tuple(sources))
        for plan in plans
        if isinstance(plan, _Plan)
        for one in plan.assignments
    }
    second = await run_pass(
        "verify", list(assignments), lambda: judge.verify(view, tuple(assignments.values()))
    )
    work = _Work(case.case_id, repeat, definition, first, second, assignments)
    return tuple(_grade(plan, work) for plan in plans)


@dataclass(frozen=True)
class GradedAnswer:
    """An answer as a case, its grades, and the digests of what graded it."""

    case: Case
    grades: tuple[Grade, ...]
    rubric: str
    version: str
    digest: str
    scope_digest: str


def grade_answer(
    question: str | None,
    context: Sequence[Passage],
    answer: str,
    definition: RubricDefinition,
    *,
    sources: Sequence[Source] = (),
    judge: Judge | None = None,
) -> GradedAnswer:
    """`agrade_answer` for callers that wait, in an event loop's thread or outside of one."""
    return finish(
        agrade_answer(question, context, answer, definition, sources=sources, judge=judge)
    )


async def agrade_answer(
    question: str | None,
    context: Sequence[Passage],
    answer: str,
    definition: RubricDefinition,
    *,
    sources: Sequence[Source] = (),
    judge: Judge | None = None,
) -> GradedAnswer:
    """Split ``answer`` and grade it with the very definition that was calibrated.

    Without ``judge`` the definition's own is made. An answer without a sentence has no
    statements and no grades. Raises Refused where the definition's judge cannot run here
    as it was calibrated.
    """
    stretches = split_answer(answer, definition.splitting)
    # Not validated: an empty answer is no case of a calibration set, but a guard meets it.
    case = Case.model_construct(
        case_id="answer",
        question=question,
        context=tuple(context),
        answer=answer,
        statements=tuple(
            Statement(statement_id=f"s{number}", text=one.text, span=(one.start, one.end))
            for number, one in enumerate(stretches, 1)
        ),
    )
    judge = judge or create_judge(definition)
    grades = await agrade_case(case, judge, definition, sources=sources)
    return GradedAnswer(
        case=case,
        grades=grades,
        rubric=definition.name,
        version=definition.version,
        digest=definition.digest,
        scope_digest=definition.scope_digest,
    )


@dataclass(frozen=True)
class _Plan:
    """One statement after the first pass, routed, with what is to be verified for it.

    ``own`` is None where the contract leaves the class a single verdict.
    """

    statement_id: str
    classified: Classification
    routed: Routed
    own: Assignment | None
    premises: tuple[Assignment, ...]

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        return (*((self.own,) if self.own else ()), *self.premises)


@dataclass(frozen=True)
class _Work:
    """Both passes of one case."""

    case_id: str
    repeat: int
    definition: RubricDefinition
    first: Sorted[Classification]
    second: Sorted[Verification]
    assignments: dict[str, Assignment]

    def attempts_for(self, plan: _Plan) -> tuple[PassAttempt, ...]:
        """Both passes' attempts for a statement and its premises, in order."""
        asked = [one.statement.statement_id for one in plan.assignments]
        return self.first.attempts_for(plan.statement_id) + self.second.attempts_for(*asked)


class _Failed(Exception):
    """The second pass failed for one assignment."""

    def __init__(self, failure: StatementFailure, raw_verdict: str | None = None) -> None:
        super().__init__(failure.error)
        self.failure = failure
        self.raw_verdict = raw_verdict


def _plan(
    statement: StatementView,
    first: Sorted[Classification],
    answer: str,
    definition: RubricDefinition,
) -> _Plan | StatementFailure:
    key = statement.statement_id
    found = first.answers[key]
    if isinstance(found, StatementFailure):
        return found
    try:
        routed = route(found, definition)
        premises = _premise_assignments(key, found.premises, answer, definition.contract)
    except Invalid as reason:
        return StatementFailure(key, Outcome.INVALID, str(reason), repr(found))
    own = None if _only_verdict(routed) else routed.assignment(statement, definition.contract)
    return _Plan(key, found, routed, own, premises)


def _premise_assignments(
    key: str, premises: Sequence[HiddenPremise], answer: str, contract: Contract
) -> tuple[Assignment, ...]:
    # A slash cannot stand in an id, so a premise never takes a statement's place.
    return tuple(
        premise_assignment(f"{key}/premise-{number}", premise, answer, contract)
        for number, premise in enumerate(premises, 1)
    )


def _only_verdict(routed: Routed) -> Verdict | None:
    # Where the contract leaves a single verdict there is nothing to ask a judge.
    verdicts = VALID_VERDICTS[routed.claim_class]
    return verdicts[0] if len(verdicts) == 1 else None


def _with_texts(
    assignment: Assignment, context: tuple[Passage, ...], sources: tuple[Source, ...]
) -> Assignment:
    """The assignment with the texts that its policy admits, and no others."""
    match assignment.policy.origin:
        case EvidenceOrigin.ADMITTED_CONTEXT:
            return replace(assignment, passages=context)
        case EvidenceOrigin.APPROVED_SOURCES:
            return replace(assignment, sources=sources)
        case EvidenceOrigin.NOTHING:
            return assignment


def _grade(plan: _Plan | StatementFailure, work: _Work) -> Grade:
    if isinstance(plan, StatementFailure):
        attempts = work.first.attempts_for(plan.statement_id)
        return _failure(plan.statement_id, work, "classify", plan, attempts)
    try:
        premises = tuple(_premise(one, work) for one in plan.premises)
        return _graded(plan, work, premises)
    except _Failed as failed:
        attempts = work.attempts_for(plan)
        return _failure(
            plan.statement_id, work, "verify", failed.failure, attempts, failed.raw_verdict
        )


def _graded(plan: _Plan, work: _Work, premises: tuple[Premise, ...]) -> Grade:
    answer, checked = _own_verdict(plan, work)
    judge_pass: PassName = "verify" if plan.assignments else "classify"
    explanation = (answer.explanation if answer else None) or plan.classified.explanation
    attempts = work.attempts_for(plan)
    # Where nothing was to be verified, who classified has judged.
    model = (answer.judge_model if answer else None) or (
        attempts[-1].judge_model if attempts else None
    )
    return Grade(
        case_id=work.case_id,
        statement_id=plan.statement_id,
        repeat=work.repeat,
        outcome=Outcome.GRADED,
        claim_class=plan.routed.claim_class,
        verdict=checked.verdict,
        raw_verdict=answer.raw_verdict if answer else None,
        claim_type=plan.routed.claim_type,
        speech_act=plan.routed.speech_act,
        premises=premises,
        evidence=checked.evidence,
        evidence_repaired=checked.repaired,
        without_evidence=checked.without_evidence,
        explanation=storable(explanation) if explanation else None,
        confidence=answer.confidence if answer else None,
        judge_model=storable(model) if model else work.definition.judge.judge_model,
        notes=work.first.notes + work.second.notes,
        attempts=decided(attempts, judge_pass, Outcome.GRADED),
    )


def _own_verdict(plan: _Plan, work: _Work) -> tuple[Verification | None, Verified]:
    only = _only_verdict(plan.routed)
    if only is not None:
        return None, Verified(only, (), repaired=False, without_evidence=False)
    return _verified(plan.statement_id, work)


def _premise(assignment: Assignment, work: _Work) -> Premise:
    answer, checked = _verified(assignment.statement.statement_id, work)
    return Premise(
        text=storable(assignment.statement.text),
        span=assignment.statement.span,
        claim_class=assignment.claim_class,
        verdict=checked.verdict,
        rationale=storable(answer.explanation) if answer.explanation else None,
        evidence=checked.evidence,
    )


def _verified(key: str, work: _Work) -> tuple[Verification, Verified]:
    answer = work.second.answers[key]
    if isinstance(answer, StatementFailure):
        raise _Failed(answer)
    try:
        return answer, verify(answer, work.assignments[key], work.definition)
    except Invalid as reason:
        failure = StatementFailure(key, Outcome.INVALID, str(reason), repr(answer))
        raise _Failed(failure, answer.raw_verdict) from None


def _failure(
    statement_id: str,
    work: _Work,
    judge_pass: PassName,
    failure: StatementFailure,
    attempts: Sequence[PassAttempt],
    raw_verdict: object = None,
) -> Grade:
    return Grade(
        case_id=work.case_id,
        statement_id=statement_id,
        repeat=work.repeat,
        outcome=failure.outcome,
        raw_verdict=storable(raw_verdict) if isinstance(raw_verdict, str) else None,
        judge_model=work.definition.judge.judge_model,
        error=storable(failure.error),
        notes=work.first.notes + work.second.notes,
        attempts=decided(attempts, judge_pass, failure.outcome, failure.error, failure.raw),
    )
