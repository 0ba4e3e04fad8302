"""The grading contract, as data.

Vocabulary and validity (which verdict may stand with which class) are fixed
for the life of the product. What a contract version may change is the
evidence each class needs and how speech acts are routed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from grounding.errors import ContractViolation


class ClaimClass(StrEnum):
    SUBJECT_SPECIFIC = "subject_specific"
    EXTERNAL = "external"
    INTERPRETATION = "interpretation"


class Verdict(StrEnum):
    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    CONTRADICTORY = "contradictory"
    NOT_APPLICABLE = "not_applicable"


class ClaimType(StrEnum):
    QUANTITY = "quantity"
    DATE = "date"
    ENTITY = "entity"
    NEGATION = "negation"
    QUANTIFIER = "quantifier"
    CAUSAL = "causal"
    QUALITATIVE = "qualitative"


class SpeechAct(StrEnum):
    ASSERTION = "assertion"
    REFUSAL = "refusal"
    CLARIFICATION = "clarification"
    RETRIEVAL_STATEMENT = "retrieval_statement"
    PROCEDURAL = "procedural"


class Topic(StrEnum):
    """What an external claim is about, where that decides whether it may rest on knowledge."""

    GENERAL = "general"
    PRICES = "prices"
    SECURITY = "security"
    MEDICAL = "medical"
    PRODUCT_CAPABILITIES = "product_capabilities"
    CURRENT_AFFAIRS = "current_affairs"


class EvidenceOrigin(StrEnum):
    """Where the evidence of a class must come from."""

    ADMITTED_CONTEXT = "admitted_context"
    APPROVED_SOURCES = "approved_sources"
    NOTHING = "nothing"


_GRADED: Final = (Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.CONTRADICTORY)

VALID_VERDICTS: Final[Mapping[ClaimClass, tuple[Verdict, ...]]] = MappingProxyType(
    {
        ClaimClass.SUBJECT_SPECIFIC: _GRADED,
        ClaimClass.EXTERNAL: _GRADED,
        ClaimClass.INTERPRETATION: (Verdict.NOT_APPLICABLE,),
    }
)

VOLATILE: Final = frozenset(Topic) - {Topic.GENERAL}
"""What changes, or harms where it is wrong: never common knowledge, however sure a judge is."""

# Unsupported or contradictory content that is let through is the harm that the
# product measures, so these two are named once.
FAILING: Final = frozenset({Verdict.UNSUPPORTED, Verdict.CONTRADICTORY})


class _Data(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )


class EvidencePolicy(_Data):
    """What a class's verdict must rest on."""

    origin: EvidenceOrigin
    supported_needs_quote: bool
    """Whether supported must cite words that are really there."""


class SpeechActRule(_Data):
    """Which class a speech act belongs to, and whether its support can be quoted.

    ``claim_class`` None leaves the class to the classification pass. A warranted
    refusal is `supported` with nothing to quote: the absence is its warrant.
    """

    claim_class: ClaimClass | None
    """The class that such a statement always has; not set leaves it to the classification pass."""
    quotable: bool
    """Whether there is anything to quote where it is supported."""


class Contract(_Data):
    """One version of the grading contract."""

    version: Annotated[
        str, StringConstraints(pattern=r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$")
    ]
    evidence: Mapping[ClaimClass, EvidencePolicy]
    speech_acts: Mapping[SpeechAct, SpeechActRule]
    rationale_required: bool
    """Whether a label must say why."""

    @model_validator(mode="after")
    def _names_everything(self) -> Self:
        # A class or speech act that is left out would have no policy to be held to.
        missing = [item for item in ClaimClass if item not in self.evidence]
        if missing:
            raise ValueError(f"evidence says nothing of {missing[0]}")
        unrouted = [item for item in SpeechAct if item not in self.speech_acts]
        if unrouted:
            raise ValueError(f"speech_acts says nothing of {unrouted[0]}")
        return self

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    def needs_quote(
        self, claim_class: ClaimClass | None, verdict: Verdict, speech_act: SpeechAct
    ) -> bool:
        """Whether a label or judgment with these values must cite evidence."""
        if claim_class is None or verdict is not Verdict.SUPPORTED:
            return False
        policy = self.evidence[claim_class]
        return policy.supported_needs_quote and self.speech_acts[speech_act].quotable


CONTRACT: Final = Contract(
    version="1.0.0",
    evidence={
        ClaimClass.SUBJECT_SPECIFIC: EvidencePolicy(
            origin=EvidenceOrigin.ADMITTED_CONTEXT, supported_needs_quote=True
        ),
        ClaimClass.EXTERNAL: EvidencePolicy(
            origin=EvidenceOrigin.APPROVED_SOURCES, supported_needs_quote=True
        ),
        ClaimClass.INTERPRETATION: EvidencePolicy(
            origin=EvidenceOrigin.NOTHING, supported_needs_quote=False
        ),
    },
    speech_acts={
        SpeechAct.ASSERTION: SpeechActRule(claim_class=None, quotable=True),
        SpeechAct.REFUSAL: SpeechActRule(claim_class=ClaimClass.SUBJECT_SPECIFIC, quotable=False),
        SpeechAct.RETRIEVAL_STATEMENT: SpeechActRule(
            claim_class=ClaimClass.SUBJECT_SPECIFIC, quotable=False
        ),
        SpeechAct.CLARIFICATION: SpeechActRule(
            claim_class=ClaimClass.INTERPRETATION, quotable=False
        ),
        SpeechAct.PROCEDURAL: SpeechActRule(claim_class=ClaimClass.INTERPRETATION, quotable=False),
    },
    rationale_required=True,
)


def allowed(claim_class: ClaimClass | None, verdict: Verdict | None) -> bool:
    """Whether the two may stand together; a side that is not stated forbids nothing."""
    return claim_class is None or verdict is None or verdict in VALID_VERDICTS[claim_class]


def require_allowed(
    claim_class: ClaimClass | None, verdict: Verdict | None, *, field: str = "verdict"
) -> None:
    """Raise ContractViolation where the contract forbids this class with this verdict."""
    if not allowed(claim_class, verdict):
        raise ContractViolation(
            f"{verdict} is not a verdict for a claim classed {claim_class}", field=field
        )
