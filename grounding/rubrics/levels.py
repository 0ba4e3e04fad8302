"""How much each part of a rubric weighs when it changes: the one table.

A path covers everything below it; the longest path that matches decides. Every
field of `RubricDefinition` and of its contract is covered, and a test fails for
one that is not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

from grounding import trees


class Level(StrEnum):
    """What a change asks of the next version number."""

    IDENTITY = "identity"
    """Says which version this is; moves nothing by itself."""
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"


LEVELS: Final[Mapping[str, Level]] = MappingProxyType(
    {
        "name": Level.IDENTITY,
        "version": Level.IDENTITY,
        # For people; no verdict and no decision depends on these.
        "title": Level.PATCH,
        "description": Level.PATCH,
        "notes": Level.PATCH,
        # The labelling scope: what a right label is.
        "contract.version.major": Level.MAJOR,
        "contract.version.rest": Level.PATCH,
        "contract.evidence": Level.MAJOR,
        "contract.speech_acts": Level.MAJOR,
        # Asks something of annotators, nothing of a judge, and changes no right label.
        "contract.rationale_required": Level.PATCH,
        "splitting": Level.MAJOR,
        "verdict_mapping": Level.MAJOR,
        "claim_types": Level.MAJOR,
        # Decides which external claims need evidence, so it is an evidence policy.
        "common_knowledge.exempt": Level.MAJOR,
        # A judge that reads prompts is shown it, so its wording can move a verdict.
        "common_knowledge.statement": Level.MINOR,
        # Anything else that can move a verdict or a decision.
        "judge": Level.MINOR,
        # What a call costs moves no verdict.
        "judge.prices": Level.PATCH,
        "prompts": Level.MINOR,
        "examples": Level.MINOR,
        "answer_policy": Level.MINOR,
        "gate": Level.MINOR,
    }
)


LATER: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "gate.cells": [
            {
                "claim_class": None,
                "verdict": verdict,
                "minimum_n": 30,
                "minimum_rate": 0.8,
                "minimum_lower_bound": None,
            }
            for verdict in ("supported", "unsupported", "contradictory")
        ],
        "gate.lenient": {"minimum_n": 50, "maximum_rate": 0.1, "maximum_upper_bound": None},
        "gate.class_escape": {"minimum_n": 50, "maximum_rate": 0.1, "maximum_upper_bound": None},
        "gate.regression": {"level": 0.05},
    }
)
"""Fields that came after the first rubrics were released, each with the default that holds where
it is not stated. There it counts as not stated, so that no released digest moves; whoever
changes one of these defaults changes what released versions say, and may not."""


def level_of(path: str) -> Level:
    """The level of a dotted path, by the longest entry that covers it.

    Raises KeyError for a path that no entry covers: a new field needs its level first.
    """
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        found = LEVELS.get(".".join(parts[:length]))
        if found is not None:
            return found
    raise KeyError(f"no level is stated for {path}")


def leaves(dumped: Mapping[str, Any]) -> dict[str, Any]:
    """A dumped definition as dotted path → value.

    An empty list or mapping is a leaf of its own, so that emptying one is a change.
    The contract's version counts as two leaves, since only its major is scope.
    """
    stated = reduce(_without_default, LATER.items(), dumped)
    flat = {dotted(path): value for path, value in trees.leaves(stated)}
    version = flat.pop("contract.version")
    major, _, rest = version.partition(".")
    return flat | {"contract.version.major": major, "contract.version.rest": rest}


def dotted(path: trees.Path) -> str:
    """The path as `leaves` names it."""
    return ".".join(map(_escaped, path))


def fields_at(dumped: Mapping[str, Any], levels: Collection[Level]) -> dict[str, Any]:
    """The leaves whose level is one of ``levels``."""
    return {path: value for path, value in leaves(dumped).items() if level_of(path) in levels}


def _without_default(dumped: Mapping[str, Any], later: tuple[str, Any]) -> Mapping[str, Any]:
    """``dumped`` less the field, by its dotted path, where it says its default."""
    path, default = later
    head, _, rest = path.partition(".")
    if head not in dumped:
        return dumped
    if not rest:
        return {key: value for key, value in dumped.items() if (key, value) != (head, default)}
    return {**dumped, head: _without_default(dumped[head], (rest, default))}


def _escaped(key: str | int) -> str:
    # A raw verdict may hold a dot; unescaped, two different mappings could flatten alike.
    return str(key).replace("\\", "\\\\").replace(".", "\\.")
