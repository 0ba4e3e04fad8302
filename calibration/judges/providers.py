"""From what a rubric says of its judge to who answers, and what a call costs."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from grounding.judges.llm.asking import cost_of
from grounding.judges.llm.calls import Reply, Request, Try
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.registry import NO_SERVICES, Services
from grounding.rubrics import LlmSpec, RubricDefinition


def endpoint_of(definition: RubricDefinition) -> Endpoint | None:
    """Who answers this definition's judge; None where it asks nobody that is set up here."""
    dialect = getattr(definition.judge, "dialect", None)
    endpoints: dict[Any, Endpoint] = settings.JUDGE_ENDPOINTS
    return endpoints.get(dialect)


def unasked(definition: RubricDefinition) -> Services:
    """What a judge is made with where it is only looked at: nothing is called by it.

    Raises Refused where its provider could not be asked from here.
    """
    endpoint = endpoint_of(definition)
    if endpoint is None:
        return NO_SERVICES
    endpoint.require()
    return Services(carrier=_Uncalled())


class _Uncalled:
    async def ask(self, request: Request) -> Reply:
        raise RuntimeError("this judge was made to be looked at")


def address_of(endpoint: Endpoint) -> str:
    """What tells one provider from another, for limits and kept answers; no key is in it."""
    return f"{endpoint.dialect} {endpoint.base_url}"


def price(definition: RubricDefinition, one: Try) -> float | None:
    """What a try cost, in the currency of the rubric's prices; None where that is not known."""
    spec = definition.judge
    if not isinstance(spec, LlmSpec):
        return None
    return cost_of(one.usage.input_tokens, one.usage.output_tokens, spec.prices)
