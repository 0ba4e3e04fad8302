"""From the judge that a rubric names to one that runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from grounding.errors import Refused
from grounding.judges import adapters, learned, lexical, llm, nli
from grounding.judges.llm.calls import Carrier
from grounding.judges.protocol import Judge
from grounding.rubrics import RubricDefinition


@dataclass(frozen=True)
class Services:
    """What a judge may need of the place it runs in; each is None where the place has none.

    ``carrier`` brings requests to providers. ``artifact`` gives what stands under a digest
    in a rubric and not in this package (trained weights), and raises Refused if nothing does.
    ``fresh`` asks that nothing be answered from a cache.
    """

    carrier: Carrier | None = None
    artifact: Callable[[str], Mapping[str, Any]] | None = None
    fresh: bool = False


NO_SERVICES: Final = Services()

Factory = Callable[[RubricDefinition, Services], Judge]

FACTORIES: Final[Mapping[str, Factory]] = MappingProxyType(
    {
        lexical.NAME: lambda definition, _: lexical.LexicalJudge.of(definition),
        learned.NAME: lambda definition, services: learned.LearnedJudge.of(
            definition, services.artifact
        ),
        llm.NAME: lambda definition, services: llm.LlmJudge.of(
            definition, services.carrier, fresh=services.fresh
        ),
        nli.NAME: lambda definition, _: nli.NliJudge.of(definition),
        **dict.fromkeys(
            adapters.HOOKS,
            lambda definition, services: adapters.AdapterJudge.of(
                definition, services.carrier, fresh=services.fresh
            ),
        ),
    }
)

COMPUTING: Final[frozenset[str]] = frozenset({learned.NAME, lexical.NAME})
"""Kinds that wait for nobody: their passes never suspend, and need no event loop."""

LIMITS: Final[Mapping[str, str]] = MappingProxyType(
    {
        learned.NAME: learned.LIMITS,
        lexical.NAME: lexical.LIMITS,
        llm.NAME: llm.LIMITS,
        nli.NAME: nli.LIMITS,
        **adapters.LIMITS,
    }
)
"""What a kind of judge cannot see, for whoever reads its verdicts."""


def create_judge(definition: RubricDefinition, services: Services = NO_SERVICES) -> Judge:
    """The judge that ``definition`` was calibrated with, exactly.

    Raises Refused where its kind cannot run here (recorded results are imported, see
    `grounding.judges.recorded`), or where this installation's code is another
    implementation than the one that the rubric names.
    """
    spec = definition.judge
    factory = FACTORIES.get(spec.kind)
    if factory is None:
        raise Refused(
            f"{definition.reference} names a {spec.kind} judge, which cannot run here; "
            "import its results instead"
        )
    judge = factory(definition, services)
    if judge.implementation != spec.implementation:
        raise Refused(
            f"{definition.reference} names {spec.kind} implementation {spec.implementation}, "
            f"and this installation has implementation {judge.implementation}"
        )
    return judge
