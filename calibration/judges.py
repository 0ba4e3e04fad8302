"""Judges with what they need of this installation."""

from __future__ import annotations

from typing import Final

from calibration import artifacts
from grounding.judges import registry
from grounding.judges.protocol import Judge
from grounding.judges.registry import Services
from grounding.rubrics import RubricDefinition

HERE: Final = Services(artifact=artifacts.payload)


def create(definition: RubricDefinition, services: Services = HERE) -> Judge:
    """The definition's judge; Refused where it cannot run here as it was calibrated."""
    return registry.create_judge(definition, services)
