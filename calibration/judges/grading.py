"""Grading cases with one definition's judge, where a fault of its code is an outcome too."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grounding.grades import Grade
from grounding.interchange import models as interchange
from grounding.interchange.models import Outcome
from grounding.judges import registry
from grounding.judges.protocol import Judge, PassAttempt
from grounding.passes import storable
from grounding.pipeline import agrade_case
from grounding.rubrics import RubricDefinition
from grounding.waiting import computed, finish
from labeling.cases.records import case_record, source_record
from labeling.models import CalibrationSet, Case, Expectation, Source, Statement

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Grading:
    """A judge with all that it is given; ``of`` is what the log calls the work."""

    definition: RubricDefinition
    judge: Judge
    sources: Sequence[interchange.Source]
    of: str

    def grade(self, case: interchange.Case, repeat: int) -> Sequence[Grade]:
        """For callers that wait; in no event loop where the judge needs none."""
        work = self.agrade(case, repeat)
        return computed(work) if computes(self.definition) else finish(work)

    async def agrade(self, case: interchange.Case, repeat: int) -> Sequence[Grade]:
        """One grade for each statement of the case, whatever happens."""
        try:
            return await agrade_case(
                case, self.judge, self.definition, sources=self.sources, repeat=repeat
            )
        except Exception as error:
            # A fault in the judge's own code. Not a verdict, and no reason to ask again:
            # the same input would meet the same fault.
            logger.exception("%s: the judge broke on case %s", self.of, case.case_id)
            reason = f"the judge broke: {type(error).__name__}: {error}"
            return unavailable(case, repeat, reason)


def computes(definition: RubricDefinition) -> bool:
    """Whether the definition's judge waits for nobody."""
    return definition.judge.kind in registry.COMPUTING


def unavailable(case: interchange.Case, repeat: int, reason: str) -> list[Grade]:
    """A case of which no statement could be graded."""
    attempt = PassAttempt(1, "classify", Outcome.UNAVAILABLE, error=storable(reason))
    return [
        Grade(
            case_id=case.case_id,
            statement_id=statement.statement_id,
            repeat=repeat,
            outcome=Outcome.UNAVAILABLE,
            error=storable(reason),
            attempts=(attempt,),
        )
        for statement in case.statements
    ]


def sources_of(calibration_set: CalibrationSet) -> list[interchange.Source]:
    return [source_record(source) for source in Source.objects.filter(set=calibration_set)]


def records_of(case_pks: Iterable[int]) -> dict[int, interchange.Case]:
    """Cases as records, without what their authors expect."""
    wanted = list(case_pks)
    statements: dict[int, list[tuple[Statement, Expectation | None]]] = defaultdict(list)
    found = Statement.objects.filter(case_id__in=wanted).order_by("case_id", "position")
    for statement in found:
        statements[statement.case_id].append((statement, None))
    return {
        case.pk: case_record(case, statements[case.pk])
        for case in Case.objects.filter(pk__in=wanted)
    }
