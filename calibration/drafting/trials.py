"""Trying a definition on a few cases: real grading, in the request, and nothing is kept.

A trial is no measurement. It has no run, no judgment and no report, and whoever tunes a
rubric on cases that it is later scored on measures nothing either; the page says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final
from uuid import uuid4

from calibration import judges
from calibration.calls import permits
from calibration.calls.permits import Asked
from calibration.judges import grading, providers
from calibration.judges.grading import Grading
from calibration.runs.spending import Standing
from grounding.errors import BadInput, Unavailable
from grounding.grades import Grade
from grounding.interchange import models as interchange
from grounding.judges.llm.limits import LocalLimiter
from grounding.judges.registry import NO_SERVICES, Services
from grounding.rubrics import RubricDefinition
from grounding.waiting import finish
from labeling.models import CalibrationSet, Case, Expectation, Statement

MOST_CASES: Final = 5
# A request answers in seconds whatever the judge: no case is begun after these, and none
# that is so long that it alone could take them.
SECONDS: Final = 20.0
MOST_CALLS: Final = 4
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
    cases = _named(calibration_set, case_ids) if case_ids else _spread(calibration_set)
    sources = grading.sources_of(calibration_set)
    with _services(definition) as services:
        judge = judges.create(definition, services)
        work = Grading(definition, judge, sources, of=f"trial of {definition.reference}")
        return list(_tried(cases, work))


@contextmanager
def _services(definition: RubricDefinition) -> Iterator[Services]:
    """What the judge calls with, where it calls: a few permits of those that all share."""
    endpoint = providers.endpoint_of(definition)
    if endpoint is None:
        yield NO_SERVICES
        return
    endpoint.require()
    token = uuid4()
    provider = permits.provider(providers.address_of(endpoint))
    asked, nothing = Asked(MOST_CALLS), Standing()
    leave = permits.renew(provider, None, token, asked, lambda _: nothing, seconds=2 * SECONDS)
    try:
        if leave.held == 0:
            raise Unavailable("every call that the provider may be asked at once is taken by runs")
        # Imported where calls are made: it brings an HTTP client along.
        from grounding.judges.llm.carrier import HttpCarrier

        yield Services(carrier=HttpCarrier(endpoint, limiter=LocalLimiter(leave.held)), fresh=True)
    finally:
        permits.give_back(token)


def _tried(cases: Sequence[Case], work: Grading) -> Iterator[TriedCase]:
    statements = _statements(cases)
    records = grading.records_of([case.pk for case in cases])
    end = monotonic() + SECONDS
    for case in cases:
        reason = _too_long(case, statements[case.pk]) or _too_late(end)
        if reason is not None:
            yield TriedCase(case, passed_over=reason)
            continue
        found = _graded(work, records[case.pk], end)
        if found is None:
            yield TriedCase(case, passed_over=_too_late(0))
            continue
        grades = {one.statement_id: one for one in found}
        yield TriedCase(
            case,
            [
                TriedStatement(one, getattr(one, "expectation", None), grades[one.statement_id])
                for one in statements[case.pk]
            ],
        )


def _graded(work: Grading, case: interchange.Case, end: float) -> Sequence[Grade] | None:
    """None where the judge had not answered when the time was over."""
    if grading.computes(work.definition):
        return work.grade(case, 0)
    try:
        return finish(asyncio.wait_for(work.agrade(case, 0), max(0.1, end - monotonic())))
    except TimeoutError:
        return None


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
