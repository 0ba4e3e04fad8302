"""Judges with what they need of this installation."""

from __future__ import annotations

from dataclasses import replace

from calibration.judges import artifacts
from grounding.judges import registry
from grounding.judges.protocol import Judge
from grounding.judges.registry import NO_SERVICES, Services
from grounding.rubrics import RubricDefinition


def create(definition: RubricDefinition, services: Services = NO_SERVICES) -> Judge:
    """The definition's judge, with ``services`` and the artifacts that are stored here; Refused
    where it cannot run here as it was calibrated."""
    return registry.create_judge(definition, replace(services, artifact=artifacts.payload))
