"""How many failures a run may have (row E8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calibration import judging, rubrics, runs
from calibration.models import Run
from grounding.rubrics import load_rubric
from labeling.models import CalibrationSet
from tests.calibration.calls.scene import Start, definition, lamps
from tests.provider import Provider

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


def _judged(held: CalibrationSet, version: str, ceiling: float) -> Run:
    data = definition().model_dump(mode="json")
    data |= {"version": version, "gate": data["gate"] | {"failure_ceiling": ceiling}}
    released = rubrics.release(load_rubric(json.dumps(data))).rubric_version
    run = runs.start(held, released)
    judging.judge_batch(run.pk, worker="w")
    run.refresh_from_db()
    return run


def test_one_bad_case_in_a_thousand_costs_itself_and_the_ceiling_says_whether_the_run_counts(
    start: Start, provider: Provider, tmp_path: Path
) -> None:
    provider.latency = 0.0

    def refuses_one(call: Any) -> str | None:
        return "refusal" if b"Lamp 500 burns" in call.body else None

    provider.plan = refuses_one
    held = lamps(tmp_path, 1_000)
    strict = _judged(held, "1.0.0", 0.0)
    assert runs.status(strict) == "partial"
    assert runs.baseline("groundedness-llm", 1, held) is None
    # Of the second run the first's answers are kept; the one that refused is asked once more.
    lenient = _judged(held, "1.1.0", 0.001)
    assert runs.status(lenient) == "complete"
    assert runs.baseline("groundedness-llm", 1, held) == lenient
    for run in (strict, lenient):
        found = runs.outcomes(run)
        assert (found["graded"], found["refused"], run.planned) == (999, 1, 1_000)
        (bad,) = run.judgments.exclude(outcome="graded").select_related("statement__case")
        assert bad.statement.case.case_id == "lamp-500"
        assert (bad.verdict, bad.claim_class) == (None, None)
