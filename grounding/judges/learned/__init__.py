"""A judge that learned from a set's own references: a floor for every judge that costs more.

Two multinomial logistic regressions over the figures of `features`, one for the class (where the
references stated enough classes) and one for the verdict. No model to call; the weights are an
artifact that the rubric names by its digest.

**Cross-validated.** Each statement of the set that it was trained on is graded by the fit that
saw neither it nor any statement of its pair (else its case), so that what a report says of it is
what it does with statements it has not seen. Which fit that is, is looked up by the fingerprint
of statement and context; a premise or a statement that was split otherwise is found by its answer.
Anything else is unseen, and graded by the fit on all references.

**First pass.** Speech acts, claim types and hidden premises are the lexical judge's. So is the
class of whatever is no assertion, and of all statements where classes were not learned.

**Second pass.** Refusals and retrieval statements by the lexical judge's rules. Else the likeliest
verdict; of equals the strictest. Supported cites the windows that the figures speak of, and where
there are none the likeliest of the others is taken. The answer is the word that the rubric maps
to the verdict (of several the first by alphabet); confidence is its probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Self

from grounding.contract import ClaimClass, SpeechAct, Verdict
from grounding.errors import Refused
from grounding.judges import lexical
from grounding.judges.learned.features import Seen, see
from grounding.judges.learned.weights import Artifacts, Fitted, Weights, likeliest, load
from grounding.judges.lexical import acts
from grounding.judges.lexical.classifying import classify
from grounding.judges.lexical.model import load_model
from grounding.judges.lexical.verifying import Finding, Text, cited, texts_of
from grounding.judges.protocol import (
    Assignment,
    CaseView,
    Classification,
    PassResult,
    StatementView,
    Verification,
)
from grounding.rubrics.definition import RubricDefinition
from grounding.rubrics.leaks import fingerprint
from grounding.rubrics.specs import LearnedSpec

NAME: Final = "learned"
LIMITS: Final = (
    "It learned how the people of one set answer, from figures about shared words alone, and sees "
    "no more than the lexical judge does. On statements of that set it is cross-validated by pair; "
    "cases that joined a pair after training are not held out. Of another set it knows nothing."
)
IMPLEMENTATION: Final = 1
"""Raise it whenever any rule or feature here could give any statement another outcome."""

STRICTEST_FIRST: Final = (Verdict.CONTRADICTORY, Verdict.UNSUPPORTED, Verdict.SUPPORTED)
_PLACES: Final = 4


class LearnedJudge:
    """The judge; weights and mapping are the rubric's, the rules this package's."""

    name = NAME
    implementation = IMPLEMENTATION

    def __init__(self, definition: RubricDefinition, spec: LearnedSpec, weights: Weights) -> None:
        self._parameters = spec.parameters.evidence
        self._model = load_model(self._parameters.coefficients, definition.reference)
        self._precedence = definition.claim_types.precedence
        self._weights = weights
        self._words = _words(definition)

    @classmethod
    def of(cls, definition: RubricDefinition, artifacts: Artifacts | None) -> Self:
        """The judge as ``definition`` sets it, with what ``artifacts`` holds for it.

        Refused where that names another kind, weights that are not here or were trained by other
        code, or maps no word to a verdict that it may give.
        """
        spec = definition.judge
        if not isinstance(spec, LearnedSpec):
            raise Refused(f"{definition.reference} does not name a learned judge")
        if spec.parameters.lexical != lexical.IMPLEMENTATION:
            raise Refused(
                f"{definition.reference} stands on lexical implementation "
                f"{spec.parameters.lexical}, and this installation has {lexical.IMPLEMENTATION}"
            )
        if artifacts is None:
            raise Refused(f"{definition.reference} needs trained weights, which are not at hand")
        weights = load(spec.parameters.artifact, artifacts, definition.reference)
        if (weights.implementation, weights.lexical) != (IMPLEMENTATION, lexical.IMPLEMENTATION):
            raise Refused(f"{definition.reference}: its weights were trained by other code")
        return cls(definition, spec, weights)

    async def classify(
        self, case: CaseView, statements: Sequence[StatementView]
    ) -> PassResult[Classification]:
        texts = _context(case)
        return PassResult(tuple(self._classed(case, one, texts) for one in statements))

    async def verify(
        self, case: CaseView, assignments: Sequence[Assignment]
    ) -> PassResult[Verification]:
        return PassResult(tuple(self._verify(case, one) for one in assignments))

    def _classed(
        self, case: CaseView, statement: StatementView, texts: Sequence[Text]
    ) -> Classification:
        ruled = self._lexically(case, statement, texts)
        fitted, _ = self._fit(case, statement)
        if fitted.claim_class is None or ruled.speech_act != SpeechAct.ASSERTION:
            return ruled
        row = self._seen(statement, ruled, texts).row
        claim_class = likeliest(fitted.claim_class.probabilities(row), tuple(ClaimClass))
        keeps = claim_class == ClaimClass.INTERPRETATION
        return replace(ruled, claim_class=claim_class, premises=ruled.premises if keeps else ())

    def _verify(self, case: CaseView, assignment: Assignment) -> Verification:
        texts = texts_of(assignment)
        ruled = acts.found(case, assignment, texts, self._parameters)
        if ruled is not None:
            return self._by_rule(assignment, ruled)
        statement = assignment.statement
        fitted, fold = self._fit(case, statement)
        seen = self._seen(statement, self._lexically(case, statement, _context(case)), texts)
        shares = fitted.verdict.probabilities(seen.row)
        verdict = likeliest(shares, STRICTEST_FIRST)
        if verdict == Verdict.SUPPORTED and not seen.places:
            verdict = _without_evidence(shares)
        return Verification(
            statement.statement_id,
            self._words[Verdict(verdict)],
            evidence=cited(seen.places) if verdict != Verdict.UNSUPPORTED else (),
            explanation=_why(shares, fold),
            confidence=round(shares.get(verdict, 0.0), _PLACES),
        )

    def _lexically(
        self, case: CaseView, statement: StatementView, texts: Sequence[Text]
    ) -> Classification:
        return classify(statement, case.answer, texts, self._precedence, self._parameters)

    def _seen(self, statement: StatementView, ruled: Classification, texts: Sequence[Text]) -> Seen:
        return see(statement.text, ruled.claim_class, texts, self._parameters, self._model)

    def _fit(self, case: CaseView, statement: StatementView) -> tuple[Fitted, int | None]:
        return self._weights.of(
            fingerprint(statement.text, case.context), fingerprint(case.answer, case.context)
        )

    def _by_rule(self, assignment: Assignment, finding: Finding) -> Verification:
        verdicts = {"entailed": Verdict.SUPPORTED, "refuted": Verdict.CONTRADICTORY}
        return Verification(
            assignment.statement.statement_id,
            self._words[verdicts.get(finding.raw, Verdict.UNSUPPORTED)],
            evidence=cited(finding.places) if acts.quotable(assignment, finding.raw) else (),
            explanation=finding.why,
        )


def _words(definition: RubricDefinition) -> dict[Verdict, str]:
    """For each verdict the word that the rubric maps to it."""
    # Backwards, so that of several words for one verdict the first by alphabet is left.
    words = {to: word for word, to in sorted(definition.verdict_mapping.items(), reverse=True)}
    unmapped = [verdict for verdict in STRICTEST_FIRST if verdict not in words]
    if unmapped:
        raise Refused(f"{definition.reference} maps nothing to {unmapped[0]}")
    return words


def _context(case: CaseView) -> list[Text]:
    return [Text(passage.id, False, passage.text) for passage in case.context]


def _without_evidence(shares: dict[str, float]) -> str:
    others = {name: share for name, share in shares.items() if name != Verdict.SUPPORTED}
    return likeliest(others, STRICTEST_FIRST) if others else Verdict.UNSUPPORTED


def _why(shares: dict[str, float], fold: int | None) -> str:
    by = "the fit on all references" if fold is None else f"a fit that did not see fold {fold + 1}"
    told = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
    return f"{told}, by {by}"
