"""What an annotator states of one statement, and the contract's say on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grounding.contract import (
    CONTRACT,
    ClaimClass,
    ClaimType,
    EvidenceOrigin,
    SpeechAct,
    Verdict,
    require_allowed,
)
from grounding.errors import BadInput, ContractViolation
from grounding.evidence import Texts, resolve
from grounding.interchange.models import MAX_TEXT, Evidence

MAX_EVIDENCE = 100


@dataclass(frozen=True)
class LabelValues:
    """A filled-in form. Class and verdict may be None only until `checked` refuses that."""

    claim_class: ClaimClass | None
    verdict: Verdict | None
    claim_type: ClaimType | None = None
    speech_act: SpeechAct | None = None
    rationale: str | None = None
    evidence: Sequence[Evidence] = ()
    confidence: float | None = None


def checked(values: LabelValues, texts: Texts) -> LabelValues:
    """The values as they may be stored: evidence resolved, speech act stated.

    Raises ContractViolation, or BadInput for evidence that is not there; ``field``
    names the form's field.
    """
    act = values.speech_act or SpeechAct.ASSERTION
    claim_class, verdict = _stated(values)
    require_allowed(claim_class, verdict)
    _require_class_of(act, claim_class)
    _require_rationale(values)
    _require_confidence(values)
    evidence = _resolved(values.evidence, claim_class, texts)
    if CONTRACT.needs_quote(claim_class, verdict, act) and not evidence:
        raise ContractViolation(
            f"{verdict} needs evidence: quote what it rests on", field="evidence"
        )
    rationale = (values.rationale or "").strip() or None
    return replace(values, speech_act=act, rationale=rationale, evidence=evidence)


def _stated(values: LabelValues) -> tuple[ClaimClass, Verdict]:
    if values.claim_class is None:
        raise ContractViolation("choose a class", field="claim_class")
    if values.verdict is None:
        raise ContractViolation("choose a verdict", field="verdict")
    return values.claim_class, values.verdict


def _require_class_of(act: SpeechAct, claim_class: ClaimClass) -> None:
    required = CONTRACT.speech_acts[act].claim_class
    if required is not None and claim_class is not required:
        raise ContractViolation(f"a {act} is classed {required}", field="claim_class")


def _require_rationale(values: LabelValues) -> None:
    text = values.rationale or ""
    if CONTRACT.rationale_required and not text.strip():
        raise ContractViolation("say in a sentence why", field="rationale")
    if len(text) > MAX_TEXT or "\x00" in text:
        raise BadInput("cannot be stored: it is too long or holds U+0000", field="rationale")


def _require_confidence(values: LabelValues) -> None:
    # Written so that NaN, which compares to nothing, is refused as well.
    if values.confidence is not None and not 0 <= values.confidence <= 1:
        raise BadInput("must lie between 0 and 1", field="confidence")


def _resolved(
    evidence: Sequence[Evidence], claim_class: ClaimClass, texts: Texts
) -> tuple[Evidence, ...]:
    if len(evidence) > MAX_EVIDENCE:
        raise BadInput(f"at most {MAX_EVIDENCE} quotes", field="evidence")
    origin = CONTRACT.evidence[claim_class].origin
    for index, item in enumerate(evidence):
        _require_origin(item, origin, at=f"evidence.{index}")
    return tuple(
        resolve(item, texts, at=f"evidence.{index}") for index, item in enumerate(evidence)
    )


def _require_origin(item: Evidence, origin: EvidenceOrigin, *, at: str) -> None:
    """The class's policy says where evidence comes from; a class that needs none may cite any."""
    if origin is EvidenceOrigin.ADMITTED_CONTEXT and item.passage_id is None:
        raise ContractViolation("must quote the admitted context", field=f"{at}.source_id")
    if origin is EvidenceOrigin.APPROVED_SOURCES and item.source_id is None:
        raise ContractViolation("must quote an approved source", field=f"{at}.passage_id")
