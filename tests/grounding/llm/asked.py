"""A rubric with a language model as its judge, asked over real HTTP on 127.0.0.1."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from grounding.grades import Grade
from grounding.interchange.models import Case, Source
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.llm.pacing import Patience
from grounding.judges.registry import Services, create_judge
from grounding.pipeline import agrade_case
from grounding.rubrics import RubricDefinition, load_rubric
from tests.provider import Provider

SHIPPED = Path(__file__).parents[3] / "calibration" / "rubrics" / "groundedness-llm@1.0.0.yaml"
QUICK = Patience(tries=2, first_wait=0.01, longest_wait=0.02)
# The words that the provider's answers are made of.
PLAIN_WORDS = {
    "supported": "supported",
    "unsupported": "unsupported",
    "contradictory": "contradictory",
}


def rubric_data() -> dict[str, Any]:
    """The shipped rubric for a language model, with the contract's own words for its verdicts."""
    data = yaml.safe_load(SHIPPED.read_text("utf-8"))
    assert isinstance(data, dict)
    return data | {"verdict_mapping": dict(PLAIN_WORDS)}


def rubric(**changes: Any) -> RubricDefinition:
    """That rubric with dotted paths set; a double underscore stands for the dot."""
    data = rubric_data()
    for path, value in changes.items():
        node = data
        *parents, last = path.split("__")
        for parent in parents:
            node = node[parent]
        node[last] = value
    return load_rubric(json.dumps(data), source="changed.json")


def anthropic(**changes: Any) -> RubricDefinition:
    """The same in the other dialect."""
    own = {
        "judge__dialect": "anthropic",
        "judge__model": "claude-sonnet-4-5-20250929",
        "judge__parameters__seed": None,
        "judge__parameters__max_output_field": "max_tokens",
    }
    return rubric(**(own | changes))


def endpoint_of(provider: Provider, definition: RubricDefinition) -> Endpoint:
    dialect = getattr(definition.judge, "dialect", "openai")
    base = f"{provider.url}/v1" if dialect == "openai" else provider.url
    return Endpoint(dialect, base, allowed_hosts=("127.0.0.1",))


async def agraded(
    provider: Provider,
    case: Case,
    definition: RubricDefinition,
    *,
    sources: Sequence[Source] = (),
    fresh: bool = False,
) -> tuple[Grade, ...]:
    async with HttpCarrier(endpoint_of(provider, definition), patience=QUICK) as carrier:
        judge = create_judge(definition, Services(carrier=carrier, fresh=fresh))
        return await agrade_case(case, judge, definition, sources=sources)


def graded(
    provider: Provider, case: Case, definition: RubricDefinition, **more: Any
) -> tuple[Grade, ...]:
    """Grades of ``case`` by the provider that ``definition`` names, over HTTP."""
    return asyncio.run(agraded(provider, case, definition, **more))


def document_in(text: str) -> Any:
    """The JSON document of a user's message, as it stands between its marks."""
    return json.loads(text.split("<data>\n", 1)[1].split("\n</data>", 1)[0])
