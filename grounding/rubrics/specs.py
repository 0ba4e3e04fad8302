"""Which judge a rubric names, and with what it is set: one class for each kind.

What decides with which address and key a provider is reached is no part of a rubric: the
same model is served in many places, and a key is nobody's data. It stands in the environment,
and each judgment keeps the model that answered, as the provider reported it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f]+$", min_length=1, max_length=1_000)]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
Release = Annotated[str, StringConstraints(pattern=r"^\d{1,6}(\.\d{1,6}){0,3}$")]
PerMillion = Annotated[float, Field(ge=0, le=1_000_000)]


class Part(BaseModel):
    """A part of a definition: strict, frozen, nothing extra."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class LexicalParameters(Part):
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


class LexicalSpec(Part):
    """The deterministic judge that needs no model."""

    kind: Literal["lexical"]
    implementation: Annotated[int, Field(ge=1)]
    parameters: LexicalParameters
    model: None = None

    @property
    def judge_model(self) -> str:
        return f"lexical-{self.implementation}"


class RecordedSpec(Part):
    """A judge that ran elsewhere; its results are imported, never computed here."""

    kind: Literal["recorded"]
    implementation: Annotated[int, Field(ge=1)]
    model: Name | None = None

    @property
    def judge_model(self) -> str | None:
        return self.model


class LlmParameters(Part):
    """How a language model is asked."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """0 for the likeliest answer; not set sends none, for models that refuse any."""
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Sent where it is set; the Anthropic dialect has none."""
    max_output_tokens: Annotated[int, Field(ge=64, le=1_000_000)]
    """An answer that needs more is cut off by the provider, and then unreadable."""
    max_output_field: Literal["max_completion_tokens", "max_tokens"]
    """What the provider calls that limit: OpenAI the first; Anthropic, and many servers that
    speak like OpenAI, the second."""
    deadline_seconds: Annotated[float, Field(gt=0, le=3_600)]
    """For one request, all its tries and waits together."""
    calls: Literal["case", "statement"]
    """Whether all statements of a case are asked about in one request or each in its own."""
    answer_format: Literal["schema", "bounded", "prompted"]
    """`schema` has the provider hold the answer to a JSON schema; `bounded` puts narrow
    bounds on its lists and texts as well, for small models that would go on; `prompted` asks for
    JSON in words, for servers without schemas. Any way it is read as strictly."""
    most_context_characters: Annotated[int, Field(ge=200, le=100_000_000)]
    """Most characters of question, answer, statements and passages that one request may hold."""
    too_long: Literal["refuse", "chunk"]
    """What becomes of more: the outcome too_long, or several requests over sliding groups of
    passages, none left out. Then supported by one group is supported; else contradicted by one
    is contradictory. (A refusal must be warranted by every group.)"""
    confidence: bool
    """Whether the judge is asked how sure it is."""


class Prices(Part):
    """What a provider asks, for estimates and budgets; moves no verdict. All set, or none."""

    currency: Annotated[str, StringConstraints(pattern="^[A-Z]{3}$")] | None = None
    """Three letters, as in USD."""
    input_per_million: PerMillion | None = None
    """For a million tokens sent."""
    output_per_million: PerMillion | None = None
    """For a million tokens that come back."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = [self.currency, self.input_per_million, self.output_per_million]
        if None in given and any(one is not None for one in given):
            raise ValueError("prices need a currency, an input price and an output price")
        return self


class LlmSpec(Part):
    """A language model behind an HTTP endpoint, asked twice: what class, then what verdict."""

    kind: Literal["llm"]
    implementation: Annotated[int, Field(ge=1)]
    dialect: Literal["openai", "anthropic"]
    """Whose way of asking the endpoint understands."""
    model: Annotated[Line, Field(max_length=128)]
    """The model's name as the provider knows it; better one that is dated than one that moves."""
    risk: Literal["low", "medium", "high"]
    """What a wrong `supported` costs; the judge and people are shown it."""
    constraints: tuple[Line, ...]
    """What the judge must or must not do, in both passes."""
    parameters: LlmParameters
    prices: Prices = Prices()

    @property
    def judge_model(self) -> str:
        return self.model

    @model_validator(mode="after")
    def _as_the_dialect_has_it(self) -> Self:
        if self.dialect == "anthropic":
            if self.parameters.seed is not None:
                raise ValueError("the anthropic dialect has no seed; leave it not set")
            if self.parameters.answer_format == "bounded":
                raise ValueError("the anthropic dialect takes no bounds in a schema")
            if self.parameters.max_output_field != "max_tokens":
                raise ValueError("the anthropic dialect calls its limit max_tokens")
        return self


class NliWords(Part):
    """What the judge answers for each finding, for the rubric to map to a verdict."""

    entailment: Name
    neutral: Name
    contradiction: Name
    not_entailment: Name
    """Of a model that tells only two things apart."""


class NliParameters(Part):
    """How the texts are laid before an entailment model, and what its probabilities mean."""

    entail: Share
    """From this probability of entailment on, in any window, a statement is entailed."""
    contradict: Share
    """From this probability of contradiction on it is contradicted, unless entailment is
    likelier and reaches its own threshold."""
    join_passages: Annotated[int, Field(ge=1, le=8)]
    """Besides each passage alone, every run of so many neighbouring passages together, for
    claims that rest on several; 1 joins none."""
    run_sentences: Annotated[int, Field(ge=0, le=10)]
    """Besides whole passages, every run of so many neighbouring sentences; 0 for none."""
    overlap_sentences: Annotated[int, Field(ge=0, le=5)]
    """How many sentences neighbouring parts share, where a window is too long for the model."""
    max_tokens: Annotated[int, Field(ge=16, le=32_768)]
    """Tokens of window and statement together; never more than the model takes."""
    batch: Annotated[int, Field(ge=1, le=256)]
    """Windows that the model is shown at once."""
    words: NliWords
    classifier: Annotated[int, Field(ge=1)]
    """The lexical judge's implementation, whose rules class the statements and judge refusals."""
    window_sentences: Annotated[int, Field(ge=1, le=5)]
    """Those rules': how many neighbouring sentences one window may span."""
    anchor_overlap: Share
    """Those rules': a general statement with this share in the context is subject-specific."""
    answerable_overlap: Share
    """Those rules': a window that holds this share of a question is taken to answer it."""


class NliSpec(Part):
    """A local entailment model."""

    kind: Literal["nli"]
    implementation: Annotated[int, Field(ge=1)]
    model: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f]+$", max_length=1_000)]
    """The folder that holds it, or its id on a hub from which it was fetched beforehand."""
    revision: Annotated[str, StringConstraints(pattern=r"^(sha256:[0-9a-f]{64}|[0-9a-f]{40})$")]
    """Of a folder the digest of its files, as `python -m grounding.judges.nli FOLDER` prints it;
    of an id the commit."""
    parameters: NliParameters

    @property
    def judge_model(self) -> str:
        return f"{self.model}@{self.revision}"


class LearnedParameters(Part):
    """What was learned, and what its features are computed with."""

    artifact: Digest
    """Of the weights, and of the fold that each statement belongs to."""
    references: Digest
    """Of the references that it was trained on."""
    lexical: Annotated[int, Field(ge=1)]
    """The lexical judge's implementation, whose features and rules it stands on."""
    evidence: LexicalParameters
    """How that judge gathers evidence."""


class LearnedSpec(Part):
    """A classifier that was trained on a set's own references, by the lexical judge's features."""

    kind: Literal["learned"]
    implementation: Annotated[int, Field(ge=1)]
    parameters: LearnedParameters
    model: None = None

    @property
    def judge_model(self) -> str:
        return f"learned-{self.implementation}"


def numbers_of(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with, up to four, without zeros at the end."""
    numbers = [int(part) for part in re.findall(r"(?:^|\.)(\d+)", version.split("+")[0])[:4]]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


class PackageVersions(Part):
    """The versions of a package that a rubric was calibrated with, numbers compared one by one."""

    at_least: Release
    below: Release

    @model_validator(mode="after")
    def _some(self) -> Self:
        if numbers_of(self.at_least) >= numbers_of(self.below):
            raise ValueError("at_least must come before below")
        return self

    def hold(self, version: str) -> bool:
        """Whether ``version`` is one of them; what comes before a release counts as that release,
        so that 0.5.0rc1 is not below 0.5."""
        return numbers_of(self.at_least) <= numbers_of(version) < numbers_of(self.below)


class AdapterParameters(Part):
    """What an adapter sets by itself, whatever package it asks."""

    deadline_seconds: Annotated[float, Field(gt=0, le=3_600)]
    """For one request of the package, all its tries and waits together."""
    classifier: Annotated[int, Field(ge=1)]
    """The lexical judge's implementation, whose rules class the statements."""
    window_sentences: Annotated[int, Field(ge=1, le=5)]
    """Those rules': how many neighbouring sentences one window may span."""
    anchor_overlap: Share
    """Those rules': a general statement with this share in the context is subject-specific."""


class RagasParameters(AdapterParameters):
    """How Ragas is told to ask its model."""

    temperature: Annotated[float, Field(ge=0, le=2)]
    top_p: Annotated[float, Field(gt=0, le=1)]
    max_tokens: Annotated[int, Field(ge=64, le=1_000_000)]
    """Of one answer, which holds a verdict with its reason for every statement of a case."""


class DeepEvalParameters(AdapterParameters):
    """How DeepEval is told to ask its model."""

    temperature: Annotated[float, Field(ge=0, le=2)]
    truths_extraction_limit: Annotated[int, Field(ge=0, le=10_000)] | None
    """How many truths the metric asks its model to draw from the texts; not set asks for all."""


class AdapterSpec(Part):
    """Someone else's metric, held to the prompts and settings it was calibrated with."""

    kind: Literal["ragas", "deepeval"]
    implementation: Annotated[int, Field(ge=1)]
    model: Name
    """The model's name as the provider knows it; better one that is dated than one that moves."""
    versions: PackageVersions
    fingerprint: Mapping[Name, Digest]
    """Of each part of what the package sends and reads, as `python -m grounding.judges.adapters
    RUBRIC` prints it."""

    @property
    def dialect(self) -> Literal["openai"]:
        """Whose way of asking the endpoint has to understand."""
        return "openai"

    @property
    def judge_model(self) -> str:
        return self.model


class RagasSpec(AdapterSpec):
    """The faithfulness metric of Ragas."""

    kind: Literal["ragas"]
    parameters: RagasParameters


class DeepEvalSpec(AdapterSpec):
    """The faithfulness metric of DeepEval."""

    kind: Literal["deepeval"]
    parameters: DeepEvalParameters


JudgeSpec = Annotated[
    LexicalSpec | RecordedSpec | LlmSpec | NliSpec | LearnedSpec | RagasSpec | DeepEvalSpec,
    Field(discriminator="kind"),
]

WITHOUT_EVIDENCE: Final = frozenset({"recorded", "ragas", "deepeval"})
"""Kinds that have no way to cite. What they call supported is kept and counted without evidence;
of every other kind it is invalid without a quote, where the contract asks for one."""
