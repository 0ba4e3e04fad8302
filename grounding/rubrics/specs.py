"""Which judge a rubric names, and with what it is set: one class for each kind."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]


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


JudgeSpec = Annotated[LexicalSpec | RecordedSpec, Field(discriminator="kind")]
