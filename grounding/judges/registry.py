"""From the judge that a rubric names to one that runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from grounding.errors import Refused
from grounding.judges import lexical
from grounding.judges.protocol import Judge
from grounding.rubrics import RubricDefinition

Factory = Callable[[RubricDefinition], Judge]

FACTORIES: Final[Mapping[str, Factory]] = MappingProxyType({lexical.NAME: lexical.LexicalJudge.of})

LIMITS: Final[Mapping[str, str]] = MappingProxyType({lexical.NAME: lexical.LIMITS})
"""What a kind of judge cannot see, for whoever reads its verdicts."""


def create_judge(definition: RubricDefinition) -> Judge:
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
    judge = factory(definition)
    if judge.implementation != spec.implementation:
        raise Refused(
            f"{definition.reference} names {spec.kind} implementation {spec.implementation}, "
            f"and this installation has implementation {judge.implementation}"
        )
    return judge
