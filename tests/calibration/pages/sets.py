"""Sets, runs and reports for the pages' tests, made through the modules that make them in use."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from calibration import bundles, judging, reports, rubrics, runs
from calibration.bundles import recorded
from calibration.models import Report, RubricVersion, Run
from grounding.rubrics import load_rubric
from labeling import sets
from labeling.models import CalibrationSet
from tests.calibration.bundles.bundle_fixtures import Record, plain_case, write

SHIPPED = Path(rubrics.__file__).parent / "groundedness@1.0.0.yaml"


def released() -> RubricVersion:
    return rubrics.release(load_rubric(SHIPPED.read_text("utf-8"))).rubric_version


def judged(run: Run) -> Run:
    """``run`` with every planned statement judged, as a worker would."""
    while runs.status(run) == "running":
        judging.judge_batch(run.pk, worker="tests")
    run.refresh_from_db()
    return run


def judged_run(calibration_set: CalibrationSet, **options: Any) -> Run:
    return judged(runs.start(calibration_set, released(), **options))


def imported(slug: str, cases: list[Record], folder: Path) -> CalibrationSet:
    folder.mkdir(exist_ok=True)
    bundles.import_set(slug, write(folder / f"{slug}.jsonl", cases), supersede=True)
    return sets.get(slug)


def lamps(count: int) -> list[Record]:
    """Cases in pairs: the even one is expected to be supported, the odd one unsupported."""
    cases = [plain_case(number) for number in range(count)]
    for number, case in enumerate(cases):
        case |= {"pair_id": f"pair-{number // 2}", "pair_kind": "lamp", "tags": ["lit"]}
        if number % 2:
            case["statements"][0]["expected"] = {"verdict": "unsupported"}
        case["case_id"] = f"lamp-{number}"
    return cases


def verdicts(cases: list[Record], **fields: Any) -> list[Record]:
    """A judge that calls everything supported; ``fields`` go into each judgment."""
    return [
        {
            "rubric": "yes-man",
            "version": "1.0.0",
            "case_id": case["case_id"],
            "statement_id": statement["statement_id"],
            "outcome": "graded",
            "verdict": "supported",
            **fields,
        }
        for case in cases
        for statement in case["statements"]
    ]


def recorded_run(calibration_set: CalibrationSet, judgments: list[Record]) -> Run:
    lines = "".join(json.dumps(judgment) + "\n" for judgment in judgments)
    stream = io.BytesIO(lines.encode())
    return recorded.import_judgments(calibration_set, stream, source="judgments.jsonl").run


def lenient_report(slug: str, count: int, folder: Path) -> Report:
    """A set of ``count`` lamps on which half of the judgments are lenient."""
    cases = lamps(count)
    measured = imported(slug, cases, folder)
    return reports.create(recorded_run(measured, verdicts(cases, explanation="It says so.")))
