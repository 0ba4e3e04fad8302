"""What was learned, as data: weights by answer and feature, and which statement was held out where.

An artifact holds numbers and digests, and no text. It is known by its digest, so whoever has it
can prove that it is the one that a rubric names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from math import exp, fsum
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from grounding.contract import ClaimClass, Verdict
from grounding.digests import digest
from grounding.errors import Refused
from grounding.judges.learned.features import FEATURES, Row
from grounding.rubrics.specs import Digest

KEPT: Final = 8
"""As many artifacts as a process keeps in memory."""

Artifacts = Callable[[str], Mapping[str, Any]]


class _Data(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Head(_Data):
    """A multinomial logistic regression over answers; with one answer it always gives that."""

    answers: Annotated[tuple[str, ...], Field(min_length=1)]
    intercepts: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    """A row for each answer, a number for each feature."""

    @model_validator(mode="after")
    def _even(self) -> Self:
        if not len(self.answers) == len(self.intercepts) == len(self.weights):
            raise ValueError("answers, intercepts and weights are not as many")
        if any(len(row) != len(FEATURES) for row in self.weights):
            raise ValueError("weights are for other features")
        return self

    def probabilities(self, row: Row) -> dict[str, float]:
        """Of each answer; they add up to 1."""
        scores = [
            intercept + fsum(weight * value for weight, value in zip(weights, row, strict=True))
            for intercept, weights in zip(self.intercepts, self.weights, strict=True)
        ]
        highest = max(scores)
        shares = [exp(score - highest) for score in scores]
        total = fsum(shares)
        return {name: share / total for name, share in zip(self.answers, shares, strict=True)}


class Fitted(_Data):
    """What one fit gave: of verdicts, and of classes where there were enough to learn them."""

    verdict: Head
    claim_class: Head | None

    @model_validator(mode="after")
    def _known(self) -> Self:
        graded = {Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.CONTRADICTORY}
        if not set(self.verdict.answers) <= graded:
            raise ValueError("it answers with something else than a graded verdict")
        if self.claim_class and not set(self.claim_class.answers) <= {*ClaimClass}:
            raise ValueError("it answers with something else than a class")
        return self


class Weights(_Data):
    """All fits of one training."""

    implementation: int
    lexical: int
    features: tuple[str, ...]
    references: Digest
    held_out: tuple[Fitted, ...]
    """Of each fold: fitted without it."""
    whole: Fitted
    """Fitted on everything, for statements that it has not seen."""
    folds: Mapping[Digest, Annotated[int, Field(ge=0)]]
    """The fold of each statement of the set, and of each answer, by `rubrics.fingerprint`."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.features != FEATURES:
            raise ValueError("it was trained on other features")
        if any(fold >= len(self.held_out) for fold in self.folds.values()):
            raise ValueError("a statement is in a fold that is not there")
        return self

    def payload(self) -> dict[str, Any]:
        """The artifact as plain data; its digest is what rubrics name."""
        return self.model_dump(mode="json")

    def of(self, *fingerprints: str) -> tuple[Fitted, int | None]:
        """The fit that did not see any of these, and its fold: None for the whole one."""
        found = (self.folds[one] for one in fingerprints if one in self.folds)
        fold = next(found, None)
        return (self.whole, None) if fold is None else (self.held_out[fold], fold)


_kept: dict[str, Weights] = {}


def load(wanted: str, artifacts: Artifacts, rubric: str) -> Weights:
    """The artifact under that digest, proved to be it and to fit this code.

    A digest says what must come back, so what was read once is not looked up again. Raises
    Refused where it is not there, is another, or was trained by other code.
    """
    found = _kept.get(wanted) or _read(dict(artifacts(wanted)), wanted, rubric)
    if wanted not in _kept and len(_kept) >= KEPT:
        _kept.pop(next(iter(_kept)), None)
    _kept[wanted] = found
    return found


def _read(payload: dict[str, Any], wanted: str, rubric: str) -> Weights:
    if digest(payload) != wanted:
        raise Refused(f"{rubric} names the trained weights {wanted}, and others came back")
    try:
        return Weights.model_validate_json(json.dumps(payload))
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise Refused(f"{rubric}: its trained weights cannot be used here: {reason}") from None


def from_files(*paths: Path) -> Artifacts:
    """Artifacts from JSON files, for grading outside of the app."""
    read = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    by_digest = {digest(payload): payload for payload in read}

    def up(wanted: str) -> Mapping[str, Any]:
        try:
            return dict(by_digest[wanted])
        except KeyError:
            raise Refused(f"none of these files holds the trained weights {wanted}") from None

    return up


def likeliest(shares: Mapping[str, float], order: Sequence[str]) -> str:
    """The answer with the largest share; of equals the first in ``order``."""
    return max((one for one in order if one in shares), key=lambda one: shares[one])
