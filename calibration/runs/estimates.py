"""What a run will take, before it starts: nothing is called for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from calibration.judges import grading
from calibration.runs import probes
from calibration.runs.probes import Probe
from grounding.judges.llm.estimating import Estimate, estimate, total
from grounding.rubrics import LlmSpec, RubricDefinition
from labeling.models import CalibrationSet, Case

# Of larger sets so many cases, at even distances, stand for all.
SAMPLE: Final = 200


def of(
    definition: RubricDefinition,
    calibration_set: CalibrationSet,
    repeats: int,
    probe: Probe | None = None,
) -> Estimate:
    """Of all the set's live cases, or of those that ``probe`` changes, ``repeats`` times; nothing
    where nobody is called.

    Raises Refused as `grounding.judges.llm.estimating.estimate` does.
    """
    if not calls(definition):
        return Estimate()
    live = Case.objects.live().filter(set=calibration_set).order_by("position", "pk")
    pks = list(live.values_list("pk", flat=True))
    taken = min(SAMPLE, len(pks))
    chosen = [pks[number * len(pks) // taken] for number in range(taken)]
    if probe is None:
        records = grading.records_of(chosen)
    else:
        records = probes.told(probes.drawn_up(probe, calibration_set), chosen)
    found = total(estimate(definition, record) for record in records.values())
    return _scaled(found, repeats * len(pks) / taken) if taken else found


def calls(definition: RubricDefinition) -> bool:
    """Whether the definition's judge calls a provider, which takes time and may take money."""
    return isinstance(definition.judge, LlmSpec)


def _scaled(found: Estimate, times: float) -> Estimate:
    return replace(
        found,
        calls=round(found.calls * times),
        input_tokens=round(found.input_tokens * times),
        output_tokens=round(found.output_tokens * times),
        cost=found.cost * times if found.cost is not None else None,
    )
