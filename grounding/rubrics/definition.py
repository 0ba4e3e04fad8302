"""What a released rubric version says, field by field.

Everything here is data that something reads. Text is kept and shown literally;
nothing in a rubric is ever a format string or a template. How much each field
weighs when it changes stands in `grounding.rubrics.levels`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from grounding.contract import ClaimClass, ClaimType, Contract, Verdict, allowed
from grounding.digests import digest
from grounding.interchange.models import Identifier, Passage, Text
from grounding.rubrics.gate import GatePolicy
from grounding.rubrics.levels import Level, fields_at
from grounding.rubrics.specs import JudgeSpec, Name, Part, Share

MAX_EXAMPLES = 1_000

_NUMBER = r"(0|[1-9]\d{0,8})"
SemVer = Annotated[str, StringConstraints(pattern=rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}$")]
Language = Literal[
    "am", "ar", "bg", "da", "de", "el", "en", "es", "fa", "fr", "hi", "hy",
    "it", "ja", "kk", "mr", "my", "nl", "pl", "ru", "sk", "ur", "zh",
]  # fmt: skip


class SentenceSplitting(Part):
    """An answer becomes its sentences."""

    method: Literal["sentences"]
    """Whole sentences with their offsets, as `grounding.splitting` finds them."""
    language: Language
    """ISO 639-1 code whose sentence rules are used."""


class ClaimSplitting(Part):
    """An answer becomes its atomic claims, each with the qualifiers that govern it."""

    method: Literal["claims"]
    """Claims as `grounding.splitting.claims` finds them; what is not sure stays a sentence."""
    language: Literal["en"]
    """ISO 639-1 code of the language whose grammar is known; no other is."""
    implementation: Annotated[int, Field(ge=1)]
    """Number of the rules; an answer is split by these and by no others."""


Splitting = Annotated[SentenceSplitting | ClaimSplitting, Field(discriminator="method")]
"""How an answer becomes statements."""


class ClaimTypeRules(Part):
    """Which type a statement gets when it shows the marks of several."""

    precedence: Annotated[tuple[ClaimType, ...], Field(min_length=1)]
    """The first of these whose marks a statement shows is its type; the last is the default."""

    @model_validator(mode="after")
    def _once_each(self) -> Self:
        if len(set(self.precedence)) != len(self.precedence):
            raise ValueError("precedence names a claim type twice")
        return self


class CommonKnowledge(Part):
    """Which external claims may be supported without an approved source."""

    exempt: Literal["nothing", "stable_definitions"]
    """`stable_definitions` exempts what the classification pass calls stable and of low
    consequence; volatile topics are never exempt."""
    statement: Text
    """The policy in words, as people are shown it."""


class Prompts(Part):
    """What a judge that reads prompts is told in each pass; left empty where it reads none."""

    classify: Text | None = None
    verify: Text | None = None


class Example(Part):
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


class AnswerPolicy(Part):
    """When a whole answer counts as grounded."""

    ratio_threshold: Share
    """Least share of supported among supported, unsupported and contradictory claims."""
    contradiction_fails: bool
    strict_claim_types: tuple[ClaimType, ...]
    """A single unsupported claim of one of these fails the answer at any ratio."""


class RubricDefinition(Part):
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

    @model_validator(mode="after")
    def _prompts_for_a_judge_that_reads_them(self) -> Self:
        if self.judge.kind == "llm" and not (self.prompts.classify and self.prompts.verify):
            raise ValueError("an llm judge needs both prompts, classify and verify")
        return self

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
