"""Whether a rubric shows, among its examples, a case that it would be measured on (row D11).

Held against the cases as they are scored and against every revision that they ever had: what
a case said before it was superseded gives it away as well, and so does a pair that it has left.
A rubric belongs to no set, so this is asked of each set at the time: when a run is planned,
and when results of a released version are brought in from elsewhere.
"""

from __future__ import annotations

from grounding.errors import Refused
from grounding.interchange.models import Passage
from grounding.rubrics import RubricDefinition, examples_leaking_into, fingerprint
from labeling.models import CalibrationSet, Case, CaseQuerySet, Statement


def require_none(
    definition: RubricDefinition, calibration_set: CalibrationSet, scored: CaseQuerySet
) -> None:
    """Refused, naming the example, where one gives away one of the ``scored`` cases."""
    if not definition.examples:
        return
    ever = Case.objects.filter(set=calibration_set, case_id__in=scored.values("case_id"))
    statements = Statement.objects.filter(case__in=ever).select_related("case")
    named = list(ever.order_by().values_list("case_id", "pair_id").distinct())
    leaks = examples_leaking_into(
        definition,
        {case_id for case_id, _ in named},
        {pair_id for _, pair_id in named if pair_id is not None},
        {fingerprint(one.text, _passages(one.case)) for one in statements.iterator()},
    )
    if leaks:
        raise Refused(f"{definition.reference} cannot be scored on {calibration_set}: {leaks[0]}")


def _passages(case: Case) -> list[Passage]:
    return [Passage.model_validate(passage) for passage in case.context]
