"""Trying a definition on a few cases: real grading, in the request, and nothing is kept.

A trial is no measurement. It has no run, no judgment and no report, and whoever tunes a
rubric on cases that it is later scored on measures nothing either; the page says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from calibration import judges, judging
from grounding.errors import BadInput
from grounding.grades import Grade
from grounding.rubrics import RubricDefinition
from labeling.models import CalibrationSet, Case, Expectation, Source, Statement
from labeling.records import source_record

MOST_CASES: Final = 5
# A request answers in seconds whatever the judge: no case is begun after these, and none
# that is so long that it alone could take them.
SECONDS: Final = 20.0
MOST_STATEMENTS: Final = 50
MOST_CHARACTERS: Final = 100_000


@dataclass(frozen=True)
class TriedStatement:
    statement: Statement
    expected: Expectation | None
    grade: Grade


@dataclass(frozen=True)
class TriedCase:
    """A case with its grades; ``passed_over`` says why there are none."""

    case: Case
    statements: Sequence[TriedStatement] = ()
    passed_over: str | None = None


def try_out(
    definition: RubricDefinition, calibration_set: CalibrationSet, case_ids: Sequence[str] = ()
) -> list[TriedCase]:
    """The definition's own judge over the cases named, or over five spread through the set.

    Raises Refused where the judge cannot run here, BadInput for more than five cases or
    one that the set does not hold.
    """
    judge = judges.create(definition)
    cases = _named(calibration_set, case_ids) if case_ids else _spread(calibration_set)
    sources = [source_record(source) for source in Source.objects.filter(set=calibration_set)]
    grade = judging.grader(definition, judge, sources, of=f"trial of {definition.reference}")
    return list(_tried(cases, grade))


def _tried(cases: Sequence[Case], grade: judging.Grader) -> Iterator[TriedCase]:
    statements = _statements(cases)
    records = judging.records_of([case.pk for case in cases])
    end = monotonic() + SECONDS
    for case in cases:
        reason = _too_long(case, statements[case.pk]) or _too_late(end)
        if reason is not None:
            yield TriedCase(case, passed_over=reason)
            continue
        grades = {one.statement_id: one for one in grade(records[case.pk], 0)}
        yield TriedCase(
            case,
            [
                TriedStatement(one, getattr(one, "expectation", None), grades[one.statement_id])
                for one in statements[case.pk]
            ],
        )


def _named(calibration_set: CalibrationSet, case_ids: Sequence[str]) -> list[Case]:
    wanted = list(dict.fromkeys(case_ids))
    if len(wanted) > MOST_CASES:
        raise BadInput(f"a trial takes at most {MOST_CASES} cases", field="cases")
    live = Case.objects.live().filter(set=calibration_set, case_id__in=wanted)
    found = {case.case_id: case for case in live}
    missing = [one for one in wanted if one not in found]
    if missing:
        raise BadInput(f"the set has no case {missing[0]}", field="cases")
    return [found[one] for one in wanted]


def _spread(calibration_set: CalibrationSet) -> list[Case]:
    """The same five each time, at even distances through the set."""
    live = Case.objects.live().filter(set=calibration_set).order_by("position", "pk")
    keys = list(live.values_list("pk", flat=True))
    taken = min(MOST_CASES, len(keys))
    chosen = [keys[number * len(keys) // taken] for number in range(taken)]
    return list(live.filter(pk__in=chosen))


def _statements(cases: Sequence[Case]) -> dict[int, list[Statement]]:
    found: dict[int, list[Statement]] = {case.pk: [] for case in cases}
    rows = Statement.objects.filter(case__in=cases).select_related("expectation")
    for statement in rows.order_by("case_id", "position"):
        found[statement.case_id].append(statement)
    return found


def _too_long(case: Case, statements: Sequence[Statement]) -> str | None:
    characters = len(case.answer) + sum(len(passage["text"]) for passage in case.context)
    if len(statements) <= MOST_STATEMENTS and characters <= MOST_CHARACTERS:
        return None
    return (
        f"too long for a trial: {len(statements)} statements, {characters} characters of "
        f"answer and context; the most are {MOST_STATEMENTS} and {MOST_CHARACTERS}"
    )


def _too_late(end: float) -> str | None:
    return f"not tried: {SECONDS:.0f} seconds had passed" if monotonic() > end else None
