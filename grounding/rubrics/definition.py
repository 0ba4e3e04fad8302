"""What a released rubric version says, field by field.

Everything here is data that something reads. Text is kept and shown literally;
nothing in a rubric is ever a format string or a template. How much each field
weighs when it changes stands in `grounding.rubrics.levels`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from grounding.contract import ClaimClass, ClaimType, Contract, Verdict, allowed
from grounding.digests import digest
from grounding.interchange.models import Identifier, Passage, Text
from grounding.rubrics.levels import Level, fields_at

MAX_EXAMPLES = 1_000

_NUMBER = r"(0|[1-9]\d{0,8})"
SemVer = Annotated[str, StringConstraints(pattern=rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}$")]
Share = Annotated[float, Field(ge=0, le=1)]
Language = Literal[
    "am", "ar", "bg", "da", "de", "el", "en", "es", "fa", "fr", "hi", "hy",
    "it", "ja", "kk", "mr", "my", "nl", "pl", "ru", "sk", "ur", "zh",
]  # fmt: skip
Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]


class _Part(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class SentenceSplitting(_Part):
    """An answer becomes its sentences."""

    method: Literal["sentences"]
    """Whole sentences with their offsets, as `grounding.splitting` finds them."""
    language: Language
    """ISO 639-1 code whose sentence rules are used."""


class ClaimSplitting(_Part):
    """An answer becomes its atomic claims, each with the qualifiers that govern it."""

    method: Literal["claims"]
    """Claims as `grounding.splitting.claims` finds them; what is not sure stays a sentence."""
    language: Literal["en"]
    """ISO 639-1 code of the language whose grammar is known; no other is."""
    implementation: Annotated[int, Field(ge=1)]
    """Number of the rules; an answer is split by these and by no others."""


Splitting = Annotated[SentenceSplitting | ClaimSplitting, Field(discriminator="method")]
"""How an answer becomes statements."""


class ClaimTypeRules(_Part):
    """Which type a statement gets when it shows the marks of several."""

    precedence: Annotated[tuple[ClaimType, ...], Field(min_length=1)]
    """The first of these whose marks a statement shows is its type; the last is the default."""

    @model_validator(mode="after")
    def _once_each(self) -> Self:
        if len(set(self.precedence)) != len(self.precedence):
            raise ValueError("precedence names a claim type twice")
        return self


class CommonKnowledge(_Part):
    """Which external claims may be supported without an approved source."""

    exempt: Literal["nothing", "stable_definitions"]
    """`stable_definitions` exempts what the classification pass calls stable and of low
    consequence; volatile topics are never exempt."""
    statement: Text
    """The policy in words, as people are shown it."""


class LexicalParameters(_Part):
    """Thresholds of the lexical judge, and its weights; shares are of a statement's words."""

    window_sentences: Annotated[int, Field(ge=1, le=5)]
    """How many neighbouring sentences one window of evidence may span."""
    support_probability: Share
    """From this probability on, as the trained model gives it, a statement is supported."""
    mismatch_overlap: Share
    """Below this share a window is about something else, and contradicts nothing."""
    most_windows: Annotated[int, Field(ge=1, le=8)]
    """How many windows may be joined to support one statement; each is cited."""
    joined_overlap: Share
    """The share that each further window must hold by itself to be joined."""
    anchor_overlap: Share
    """A general statement with at least this share in the context is subject-specific."""
    answerable_overlap: Share
    """A context window that holds this share of a question is taken to answer it."""
    coefficients: Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
    """Digest of the trained weights, as `grounding.digests.digest` gives it."""


class LexicalSpec(_Part):
    """The deterministic judge that needs no model."""

    kind: Literal["lexical"]
    implementation: Annotated[int, Field(ge=1)]
    parameters: LexicalParameters
    model: None = None

    @property
    def judge_model(self) -> str:
        return f"lexical-{self.implementation}"


class RecordedSpec(_Part):
    """A judge that ran elsewhere; its results are imported, never computed here."""

    kind: Literal["recorded"]
    implementation: Annotated[int, Field(ge=1)]
    model: Name | None = None

    @property
    def judge_model(self) -> str | None:
        return self.model


JudgeSpec = Annotated[LexicalSpec | RecordedSpec, Field(discriminator="kind")]


class Prompts(_Part):
    """What a judge that reads prompts is told in each pass; left empty where it reads none."""

    classify: Text | None = None
    verify: Text | None = None


class Example(_Part):
    """A worked example, and the case it was taken from, where it was taken from one."""

    statement: Text
    context: tuple[Passage, ...]
    claim_class: ClaimClass
    verdict: Verdict
    rationale: Text
    case_id: Identifier | None = None
    pair_id: Identifier | None = None

    @model_validator(mode="after")
    def _contract(self) -> Self:
        if not allowed(self.claim_class, self.verdict):
            raise ValueError(
                f"{self.verdict} is not a verdict for a claim classed {self.claim_class}"
            )
        return self


class AnswerPolicy(_Part):
    """When a whole answer counts as grounded."""

    ratio_threshold: Share
    """Least share of supported among supported, unsupported and contradictory claims."""
    contradiction_fails: bool
    strict_claim_types: tuple[ClaimType, ...]
    """A single unsupported claim of one of these fails the answer at any ratio."""


class GatePolicy(_Part):
    """What a run must satisfy before it may decide anything."""

    failure_ceiling: Share
    """Largest share of failed judgments with which a run still counts as complete."""


class RubricDefinition(_Part):
    """One rubric version, whole. Equal digests mean: nothing that moves a verdict differs."""

    name: Identifier
    version: SemVer
    title: Text = ""
    description: Text = ""
    notes: Text = ""
    contract: Contract
    splitting: Splitting
    verdict_mapping: Annotated[Mapping[Name, Verdict], Field(min_length=1)]
    """From what the judge writes, letter for letter, to a verdict. Anything else is invalid."""
    claim_types: ClaimTypeRules
    common_knowledge: CommonKnowledge
    judge: JudgeSpec
    prompts: Prompts = Prompts()
    examples: Annotated[tuple[Example, ...], Field(max_length=MAX_EXAMPLES)] = ()
    answer_policy: AnswerPolicy
    gate: GatePolicy

    @property
    def reference(self) -> str:
        """``NAME@VERSION``."""
        return f"{self.name}@{self.version}"

    @property
    def version_parts(self) -> tuple[int, int, int]:
        major, minor, patch = (int(part) for part in self.version.split("."))
        return major, minor, patch

    @property
    def digest(self) -> str:
        """Of all that can move a verdict or a decision.

        Name, version and the patch-level fields stay out: two versions with equal digests
        measure the same thing. `content_digest` covers every field.
        """
        return digest(fields_at(self.model_dump(mode="json"), {Level.MAJOR, Level.MINOR}))

    @property
    def scope_digest(self) -> str:
        """Of the labelling scope alone; versions with equal scope digests are comparable."""
        return digest(fields_at(self.model_dump(mode="json"), {Level.MAJOR}))
