"""Sets, rubrics and runs whose judge asks a provider on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from calibration import bundles, judging, rubrics, runs
from calibration.judging import inflight
from calibration.models import Run
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.llm.pacing import Patience
from grounding.rubrics import RubricDefinition, load_rubric
from labeling import sets
from labeling.models import CalibrationSet
from tests.provider import Provider, ReadsSchema

KEY = "sk-of-nobody-0123456789"
ANSWER = {"claim_class": "subject_specific", "verdict": "not_stated"}
SHIPPED = Path("calibration/rubrics/groundedness-llm@1.0.0.yaml")

Start = Callable[..., Run]


def answers() -> ReadsSchema:
    return ReadsSchema(says={f"s{number}": ANSWER for number in range(1, 10)})


def definition(**judge: Any) -> RubricDefinition:
    """The shipped rubric, with a price on everything."""
    data = yaml.safe_load(SHIPPED.read_text())
    data["judge"]["prices"] = {
        "currency": "USD",
        "input_per_million": 1.0,
        "output_per_million": 10.0,
    }
    data["judge"]["parameters"]["deadline_seconds"] = 20.0
    data["judge"] |= judge
    return load_rubric(json.dumps(data))


def lamps(tmp_path: Path, number: int, statements: int = 1, slug: str = "lamps") -> CalibrationSet:
    lines = []
    for index in range(number):
        texts = [f"Lamp {index} burns for {index + n} hours." for n in range(statements)]
        case = {
            "case_id": f"lamp-{index}",
            "context": [{"id": "p1", "text": f"Lamp {index} stands on the pier."}],
            "answer": " ".join(texts),
            "statements": [
                {"statement_id": f"s{n}", "text": text} for n, text in enumerate(texts, 1)
            ],
        }
        lines.append(json.dumps(case))
    path = tmp_path / f"{slug}.jsonl"
    path.write_text("\n".join(lines) + "\n")
    bundles.import_set(slug, path)
    return sets.get(slug)


def started(held: CalibrationSet, *, judged: bool = True, **options: Any) -> Run:
    """A run whose judge asks the provider; with ``judged``, by one worker at once."""
    run = runs.start(held, rubrics.release(definition()).rubric_version, **options)
    if judged:
        judging.judge_batch(run.pk, worker="w")
        run.refresh_from_db()
    return run


def set_up(provider: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = Endpoint("openai", f"{provider.url}/v1", SecretStr(KEY), ("127.0.0.1",))
    settings.JUDGE_ENDPOINTS = {"openai": endpoint}
    monkeypatch.setattr(inflight, "FLUSH_SECONDS", 0.1)
    # How long is waited before asking again is for the carrier's own tests to see.
    defaults = HttpCarrier.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "patience", Patience(first_wait=0.05))
