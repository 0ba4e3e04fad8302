"""The trained part: one weight per feature, shipped as data, held to the rubric's digest."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from math import exp
from typing import Final, NamedTuple

from grounding.digests import digest
from grounding.errors import Refused
from grounding.judges.lexical.features import Features

FILE: Final = "coefficients.json"


class Model(NamedTuple):
    """A logistic regression: an intercept, and a weight for each feature in its order."""

    intercept: float
    weights: tuple[float, ...]

    def probability(self, features: Features) -> float:
        """That a person would call the claim supported, in (0, 1)."""
        score = self.intercept
        for weight, value in zip(self.weights, features, strict=True):
            score += weight * value
        return 1 / (1 + exp(-score))


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, Model]:
    data = json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    weights = data["weights"]
    if set(weights) != set(Features._fields):
        raise Refused(f"lexical: {FILE} was trained on other features than this code computes")
    return digest(data), Model(data["intercept"], tuple(weights[name] for name in Features._fields))


def load_model(wanted: str, rubric: str) -> Model:
    """The shipped model; Refused where its digest is not the one that ``rubric`` names."""
    found, model = _shipped()
    if found != wanted:
        raise Refused(
            f"{rubric} names the lexical coefficients {wanted}, and this installation has {found}"
        )
    return model
