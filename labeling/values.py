"""What an annotator states of one statement, and the contract's say on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

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
from grounding.evidence import Texts, resolve, slice_of
from grounding.interchange.models import MAX_TEXT, Evidence

MAX_EVIDENCE: Final = 100
MAX_PARTS: Final = 50


@dataclass(frozen=True)
class Part:
    """A hidden premise or an atomic part that the annotator split off, with a label of its own.

    ``span`` is where its words stand in the answer, None where they are the annotator's own.
    Class and verdict are None until it is labelled.
    """

    text: str
    span: tuple[int, int] | None = None
    claim_class: ClaimClass | None = None
    verdict: Verdict | None = None
    rationale: str | None = None
    evidence: Sequence[Evidence] = ()

    def as_json(self) -> dict[str, Any]:
        """The part as a label's row and an export hold it."""
        return {
            "text": self.text,
            "span": None if self.span is None else list(self.span),
            "claim_class": self.claim_class,
            "verdict": self.verdict,
            "rationale": self.rationale,
            "evidence": [item.model_dump(mode="json") for item in self.evidence],
        }


@dataclass(frozen=True)
class LabelValues:
    """A filled-in form. Class and verdict may be None only until `checked` refuses that.
    ``unsure`` is kept beside the label, and is no part of what it says."""

    claim_class: ClaimClass | None
    verdict: Verdict | None
    claim_type: ClaimType | None = None
    speech_act: SpeechAct | None = None
    rationale: str | None = None
    evidence: Sequence[Evidence] = ()
    confidence: float | None = None
    parts: Sequence[Part] = ()
    unsure: bool = False


def checked(values: LabelValues, texts: Texts, *, answer: str = "") -> LabelValues:
    """The values as they may be stored: evidence resolved, speech act stated.

    ``answer`` is what the spans of parts point into. Raises ContractViolation, or BadInput for
    evidence that is not there; ``field`` names the form's field, ``parts.0.verdict`` one of a
    part's.
    """
    ready, found = _examined(values, texts, answer)
    if found:
        raise found[0]
    return ready


def faults(values: LabelValues, texts: Texts, *, answer: str = "") -> Sequence[BadInput]:
    """Everything that `checked` would refuse the values for, field by field."""
    return _examined(values, texts, answer)[1]


def checked_part(part: Part, texts: Texts, answer: str) -> Part:
    """A part as it may be stored. A part is an assertion, held to what any is held to."""
    ready, found = _examined_part(part, texts, answer)
    if found:
        raise found[0]
    return ready


def part_faults(part: Part, texts: Texts, answer: str) -> Sequence[BadInput]:
    return _examined_part(part, texts, answer)[1]


@dataclass
class _Found:
    """The faults of one form, in the order in which they were looked for."""

    faults: list[BadInput] = field(default_factory=list)

    @contextmanager
    def collecting(self, under: str = "") -> Iterator[None]:
        try:
            yield
        except BadInput as fault:
            fault.field = f"{under}{fault.field}"
            self.faults.append(fault)


def _examined(
    values: LabelValues, texts: Texts, answer: str
) -> tuple[LabelValues, Sequence[BadInput]]:
    act, found = values.speech_act or SpeechAct.ASSERTION, _Found()
    for require in (_require_class, _require_verdict, _require_allowed, _require_confidence):
        with found.collecting():
            require(values)
    with found.collecting():
        _require_class_of(act, values.claim_class)
    with found.collecting():
        _require_rationale(values.rationale)
    evidence: Sequence[Evidence] = ()
    with found.collecting():
        evidence = _evidence(values, act, texts)
    parts = _parts(values.parts, texts, answer, found)
    rationale = (values.rationale or "").strip() or None
    ready = replace(values, speech_act=act, rationale=rationale, evidence=evidence, parts=parts)
    return ready, found.faults


def _parts(parts: Sequence[Part], texts: Texts, answer: str, found: _Found) -> tuple[Part, ...]:
    with found.collecting():
        if len(parts) > MAX_PARTS:
            raise BadInput(f"at most {MAX_PARTS} parts", field="parts")
    ready = []
    for index, part in enumerate(parts[:MAX_PARTS]):
        one, its_faults = _examined_part(part, texts, answer)
        ready.append(one)
        for fault in its_faults:
            with found.collecting(under=f"parts.{index}."):
                raise fault
    return tuple(ready)


def _examined_part(part: Part, texts: Texts, answer: str) -> tuple[Part, Sequence[BadInput]]:
    found = _Found()
    with found.collecting():
        _require_words(part, answer)
    said = LabelValues(
        claim_class=part.claim_class,
        verdict=part.verdict,
        rationale=part.rationale,
        evidence=part.evidence,
    )
    ready, faults_of_label = _examined(said, texts, answer)
    part = replace(part, rationale=ready.rationale, evidence=ready.evidence)
    return part, [*found.faults, *faults_of_label]


def _require_words(part: Part, answer: str) -> None:
    _require_storable(part.text, "text")
    if not part.text.strip():
        raise BadInput(
            "say what the part states, in the answer's words or in your own", field="text"
        )
    if part.span is not None and slice_of(answer, *part.span, at="span") != part.text:
        raise BadInput("is not what stands at that place of the answer", field="span")


def _require_class(values: LabelValues) -> None:
    if values.claim_class is None:
        raise ContractViolation("choose a class", field="claim_class")


def _require_verdict(values: LabelValues) -> None:
    if values.verdict is None:
        raise ContractViolation("choose a verdict", field="verdict")


def _require_allowed(values: LabelValues) -> None:
    require_allowed(values.claim_class, values.verdict)


def _require_class_of(act: SpeechAct, claim_class: ClaimClass | None) -> None:
    required = CONTRACT.speech_acts[act].claim_class
    if required is not None and claim_class not in (required, None):
        raise ContractViolation(f"a {act} is classed {required}", field="claim_class")


def _require_rationale(rationale: str | None) -> None:
    text = rationale or ""
    if CONTRACT.rationale_required and not text.strip():
        raise ContractViolation("say in a sentence why", field="rationale")
    _require_storable(text, "rationale")


def _require_storable(text: str, name: str) -> None:
    if len(text) > MAX_TEXT or "\x00" in text:
        raise BadInput("cannot be stored: it is too long or holds U+0000", field=name)


def _require_confidence(values: LabelValues) -> None:
    # Written so that NaN, which compares to nothing, is refused as well.
    if values.confidence is not None and not 0 <= values.confidence <= 1:
        raise BadInput("must lie between 0 and 1", field="confidence")


def _evidence(values: LabelValues, act: SpeechAct, texts: Texts) -> tuple[Evidence, ...]:
    evidence = values.evidence
    if len(evidence) > MAX_EVIDENCE:
        raise BadInput(f"at most {MAX_EVIDENCE} quotes", field="evidence")
    if values.claim_class is not None:
        origin = CONTRACT.evidence[values.claim_class].origin
        for index, item in enumerate(evidence):
            _require_origin(item, origin, at=f"evidence.{index}")
    found = tuple(
        resolve(item, texts, at=f"evidence.{index}") for index, item in enumerate(evidence)
    )
    verdict = values.verdict
    if verdict and CONTRACT.needs_quote(values.claim_class, verdict, act) and not found:
        raise ContractViolation(
            f"{verdict} needs evidence: quote what it rests on", field="evidence"
        )
    return found


def _require_origin(item: Evidence, origin: EvidenceOrigin, *, at: str) -> None:
    """The class's policy says where evidence comes from; a class that needs none may cite any."""
    if origin is EvidenceOrigin.ADMITTED_CONTEXT and item.passage_id is None:
        raise ContractViolation("must quote the admitted context", field=f"{at}.source_id")
    if origin is EvidenceOrigin.APPROVED_SOURCES and item.source_id is None:
        raise ContractViolation("must quote an approved source", field=f"{at}.passage_id")
