"""Holding a judge's words against the contract: every rule of one answer, and no flow.

Each function either gives checked values or raises `Invalid` with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from grounding.contract import (
    VOLATILE,
    ClaimClass,
    ClaimType,
    Contract,
    SpeechAct,
    Topic,
    Verdict,
    allowed,
)
from grounding.errors import BadInput
from grounding.evidence import Texts, repair
from grounding.interchange.models import Evidence
from grounding.judges.protocol import (
    Assignment,
    Classification,
    HiddenPremise,
    StatementView,
    Verification,
)
from grounding.rubrics import RubricDefinition
from grounding.rubrics.specs import WITHOUT_EVIDENCE

MenuT = TypeVar("MenuT", bound=StrEnum)


class Invalid(Exception):
    """An answer that can be read and breaks a rule; the message says which."""


@dataclass(frozen=True, slots=True)
class Routed:
    """A classification in the contract's own words.

    ``knowledge`` says that the rubric lets the claim rest on what is commonly known.
    """

    claim_class: ClaimClass
    claim_type: ClaimType | None
    speech_act: SpeechAct
    knowledge: bool = False

    def assignment(self, statement: StatementView, contract: Contract) -> Assignment:
        """What to verify, under the contract's policy for the class; texts come later."""
        return Assignment(
            statement,
            self.claim_class,
            self.claim_type,
            self.speech_act,
            contract.evidence[self.claim_class],
            knowledge=self.knowledge,
        )


@dataclass(frozen=True, slots=True)
class Verified:
    """A verdict with its evidence, both checked."""

    verdict: Verdict
    evidence: tuple[Evidence, ...]
    repaired: bool
    without_evidence: bool


def route(answer: Classification, definition: RubricDefinition) -> Routed:
    """The classification, where every word is on its menu and the contract routes it so.

    A speech act that is not stated is an assertion.
    """
    contract = definition.contract
    claim_class = _on_menu(ClaimClass, answer.claim_class, "class")
    speech_act = SpeechAct.ASSERTION
    if answer.speech_act is not None:
        speech_act = _on_menu(SpeechAct, answer.speech_act, "speech act")
    claim_type = None
    if answer.claim_type is not None:
        claim_type = _on_menu(ClaimType, answer.claim_type, "claim type")
    required = contract.speech_acts[speech_act].claim_class
    if required is not None and required is not claim_class:
        raise Invalid(f"the contract classes a {speech_act} as {required}, not {claim_class}")
    knowledge = claim_class is ClaimClass.EXTERNAL and _common(answer, definition)
    return Routed(claim_class, claim_type, speech_act, knowledge)


def _common(answer: Classification, definition: RubricDefinition) -> bool:
    """Whether the rubric's common-knowledge policy exempts it.

    Decided here and by no prompt: a judge that calls the price of something stable gets no
    exemption for it, and neither does one that does not say what a claim is about.
    """
    if answer.topic is None:
        return False
    topic = _on_menu(Topic, answer.topic, "topic")
    exempts = definition.common_knowledge.exempt == "stable_definitions"
    return exempts and answer.stable and topic not in VOLATILE


def premise_assignment(
    key: str, premise: HiddenPremise, answer: str, contract: Contract
) -> Assignment:
    """What to verify for a hidden premise, which must be a factual claim inside the answer."""
    claim_class = _on_menu(ClaimClass, premise.claim_class, "class of a premise")
    if claim_class is ClaimClass.INTERPRETATION:
        raise Invalid("a hidden premise is a factual claim, not an interpretation")
    if not premise.text.strip():
        raise Invalid("a hidden premise has no text")
    if premise.span is not None and not 0 <= premise.span[0] < premise.span[1] <= len(answer):
        raise Invalid(f"a hidden premise stands at {premise.span}, outside the answer")
    routed = Routed(claim_class, None, SpeechAct.ASSERTION)
    return routed.assignment(StatementView(key, premise.text, premise.span), contract)


def verify(answer: Verification, assignment: Assignment, definition: RubricDefinition) -> Verified:
    """The verdict that the rubric maps the answer to, with evidence that is really there.

    A supported claim stands without a quote where it may rest on common knowledge, and from a kind
    of judge that has no way to cite.
    """
    verdict = _mapped(answer.raw_verdict, definition)
    if not allowed(assignment.claim_class, verdict):
        raise Invalid(f"{verdict} is not a verdict for a claim classed {assignment.claim_class}")
    _require_confidence(answer.confidence)
    texts = Texts.of(assignment.passages, assignment.sources)
    evidence, repaired = checked_evidence(answer.evidence, texts)
    needed = definition.contract.needs_quote(assignment.claim_class, verdict, assignment.speech_act)
    uncited = assignment.knowledge or definition.judge.kind in WITHOUT_EVIDENCE
    if needed and not evidence and not uncited:
        raise Invalid(
            f"supported, classed {assignment.claim_class}, and no quote is cited "
            f"from {assignment.policy.origin}"
        )
    return Verified(verdict, evidence, repaired, needed and not evidence)


def checked_evidence(
    evidence: Sequence[Evidence], texts: Texts
) -> tuple[tuple[Evidence, ...], bool]:
    """The evidence with quotes and offsets filled in, and whether any offset was mended.

    Raises Invalid for an id outside what the policy admits, a quote that is not there or
    says nothing, and an offset that cannot be mended without guessing.
    """
    pairs = [_checked(one, texts, f"evidence.{index}") for index, one in enumerate(evidence)]
    return tuple(one for one, _ in pairs), any(mended for _, mended in pairs)


def _checked(evidence: Evidence, texts: Texts, at: str) -> tuple[Evidence, bool]:
    try:
        found, mended = repair(evidence, texts, at=at)
    except BadInput as error:
        raise Invalid(str(error)) from None
    if not any(character.isalnum() for character in found.quote or ""):
        raise Invalid(f"{at}.quote: a quote without a letter or a digit supports nothing")
    return found, mended


def _mapped(raw: str, definition: RubricDefinition) -> Verdict:
    # Letter for letter: "Supported" is a judge that was not understood, not a verdict.
    if not isinstance(raw, str) or raw not in definition.verdict_mapping:
        raise Invalid(f"{raw!r} is not a verdict that the rubric maps")
    return definition.verdict_mapping[raw]


def _require_confidence(confidence: float | None) -> None:
    if confidence is None:
        return
    number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if not number or not math.isfinite(confidence) or not 0 <= confidence <= 1:
        raise Invalid(f"confidence {confidence!r} is not a number from 0 to 1")


def _on_menu(menu: type[MenuT], word: str, what: str) -> MenuT:
    try:
        return menu(word)
    except ValueError:
        raise Invalid(f"{word!r} is not a {what} of the contract") from None
