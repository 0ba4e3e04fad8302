"""Runs of several recorded versions over one set, from a few letters a statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from calibration.models import Judgment, Run
from labeling.models import CalibrationSet
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set

NAME = "judge"
"""The rubric of all recorded runs of `report_records`."""
FIRST_DAY = datetime(2026, 3, 1, tzinfo=UTC)


def a_ground(humans: Sequence[str], slug: str = "made") -> CalibrationSet:
    """A statement, alone in its case, for each human answer."""
    return a_set([Row(human, "..") for human in humans], slug=slug)


def ran(
    made: CalibrationSet,
    judged: Sequence[str],
    version: str = "1.0.0",
    *,
    day: int = 0,
    model: str | None = "model-1",
    **others: Any,
) -> Run:
    """A run of it that ended so many days after the first; graded or not, as the words say."""
    rows = [Row("..", judge) for judge in judged]
    at = FIRST_DAY + timedelta(days=day)
    run = a_run(made, rows, version, **{"finished_at": at, "failure_ceiling": 0.5, **others})
    Judgment.objects.filter(run=run, outcome="graded").update(judge_model=model)
    return run
