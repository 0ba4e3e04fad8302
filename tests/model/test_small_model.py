"""A real model, end to end: a dozen statements of the shipped set through a run of the app, over
HTTP, held to JSON schemas.

It is a poor judge, and no test asks it to be a good one. What must hold is that each statement has
one outcome, that what it said is kept, that nothing it said became a verdict unchecked, and that
the report tells the score, whatever it is.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grounding.errors import Refused
from grounding.interchange.models import Case
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
from grounding.rubrics import RubricDefinition, load_rubric
from tests.model import served

if TYPE_CHECKING:
    from calibration.models import Run

pytestmark = served.with_model

ROOT = Path(__file__).parents[2] / "calibration"
STARTER = ROOT / "sets" / "starter"
MODEL = "SmolLM2-135M-Instruct"
STATEMENTS = 12
MOST_TOKENS = 600
CLASSIFY = """Keep the explanation to a few words and leave premises empty. Answer like this:
{"answers": [{"statement_id": "s1", "explanation": "It is about the records.", \
"claim_class": "subject_specific", "speech_act": "assertion", "claim_type": null, \
"premises": [], "stable": false, "topic": "general"}]}"""
VERIFY = "Keep the explanation to a few words. Copy quotes word by word."


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served.serve()


def rubric() -> RubricDefinition:
    """The shipped one for language models, in few words and with an answer to copy: the model
    is small."""
    shipped = load_rubric((ROOT / "rubrics" / "groundedness-llm@1.0.0.yaml").read_text())
    data = shipped.model_dump(mode="json")
    data["name"] = "groundedness-small"
    data["judge"]["model"] = MODEL
    data["judge"]["constraints"] = []
    data["judge"]["parameters"] |= {
        "max_output_tokens": MOST_TOKENS,
        "max_output_field": "max_tokens",
        "answer_format": "bounded",
        "calls": "statement",
        "confidence": False,
        "deadline_seconds": 600.0,
    }
    data["prompts"] = {"classify": CLASSIFY, "verify": VERIFY}
    data["examples"] = []
    return load_rubric(json.dumps(data))


def dozen() -> list[str]:
    """The first cases of the shipped set with one statement each, as lines."""
    lines = (STARTER / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    alone = (line for line in lines if len(Case.model_validate_json(line).statements) == 1)
    return list(islice(alone, STATEMENTS))


@pytest.mark.django_db(transaction=True)
def test_a_run_of_a_dozen_statements_and_its_report(
    address: str, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _judged(address, settings, tmp_path)
    _one_outcome_each(run)
    _every_attempt_kept(run)
    _no_verdict_without_words_that_are_there(run)
    with capsys.disabled():
        print(f"\n{_told(run)}")


def _judged(address: str, settings: Any, folder: Path) -> Run:
    from calibration import bundles, judging, rubrics, runs
    from labeling import sets

    environment = {"OPENAI_BASE_URL": address, "JUDGE_ALLOWED_HOSTS": "127.0.0.1"}
    settings.JUDGE_ENDPOINTS = {"openai": Endpoint.from_environment(environment, "openai")}
    settings.JUDGE_CONCURRENCY = 1
    (folder / "cases.jsonl").write_text("\n".join(dozen()) + "\n", encoding="utf-8")
    shutil.copy(STARTER / "sources.jsonl", folder)
    bundles.import_set("dozen", folder)
    run = runs.start(sets.get("dozen"), rubrics.release(rubric()).rubric_version)
    while run.finished_at is None:
        judging.judge_batch(run.pk, worker="here")
        run.refresh_from_db()
    return run


def _one_outcome_each(run: Run) -> None:
    """The server never fails, and holds answers to their schema: unreadable is what was cut off."""
    from calibration import runs

    outcomes = runs.outcomes(run)
    assert outcomes.pop("planned") == STATEMENTS == sum(outcomes.values())
    away = {"unavailable", "timeout", "refused"}
    assert {name: outcomes[name] for name in away} == dict.fromkeys(away, 0)
    for judgment in run.judgments.filter(outcome="unreadable"):
        assert judgment.attempt_rows.order_by("-number")[0].output_tokens == MOST_TOKENS


def _every_attempt_kept(run: Run) -> None:
    from calibration.models import Attempt, SentRequest

    for judgment in run.judgments.all():
        asked = Attempt.objects.filter(judgment=judgment, request_digest__isnull=False)
        assert asked.exists()
        for attempt in asked:
            sent = SentRequest.objects.get(digest=attempt.request_digest)
            assert json.loads(sent.body)["model"] == MODEL
            assert attempt.raw
            assert attempt.http_status == 200
            assert attempt.input_tokens
            assert attempt.output_tokens


def _no_verdict_without_words_that_are_there(run: Run) -> None:
    for judgment in run.judgments.select_related("statement__case"):
        assert (judgment.verdict is None) == (judgment.outcome != "graded")
        texts = {one["id"]: one["text"] for one in judgment.statement.case.context}
        for cited in judgment.evidence:
            quoted = texts[cited["passage_id"]][cited["start"] : cited["end"]]
            assert quoted == cited["quote"]


def _told(run: Run) -> str:
    """The report's first lines; where nothing was graded, that there is none and why."""
    from calibration import rendering, reports

    try:
        return rendering.brief(reports.full(reports.create(run)))
    except Refused as refusal:
        return str(refusal)


def test_an_address_that_the_operator_did_not_allow_is_not_asked(address: str) -> None:
    with pytest.raises(Refused, match="not named in JUDGE_ALLOWED_HOSTS"):
        HttpCarrier(Endpoint.from_environment({"OPENAI_BASE_URL": address}, "openai"))
