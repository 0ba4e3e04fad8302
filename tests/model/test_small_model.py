"""A real model, end to end: a dozen statements of the shipped set, over HTTP, with JSON schemas.

It is a poor judge, and no test asks it to be a good one. What must hold is that each statement has
one outcome, that what it said is kept, and that nothing it said became a verdict unchecked.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from grounding.contract import FAILING
from grounding.errors import Refused
from grounding.interchange.models import Case
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.registry import Services, create_judge
from grounding.pipeline import grade_case
from grounding.rubrics import RubricDefinition, load_rubric
from tests.model import served

pytestmark = served.with_model

ROOT = Path(__file__).parents[2] / "calibration"
STATEMENTS = 12
MOST_TOKENS = 120
CLASSIFY = """Keep the explanation to a few words and leave premises empty. Answer like this:
{"answers": [{"statement_id": "s1", "explanation": "It is about the records.", \
"claim_class": "subject_specific", "speech_act": "assertion", "claim_type": null, \
"premises": [], "stable": false, "topic": "general"}]}"""
VERIFY = "Keep the explanation to a few words. Copy quotes word by word."


@pytest.fixture(scope="module")
def address():
    yield from served.serve()


@pytest.fixture(scope="module")
def rubric() -> RubricDefinition:
    """The shipped one for language models, in few words and with an answer to copy: the model
    is small."""
    shipped = load_rubric((ROOT / "rubrics" / "groundedness-llm@1.0.0.yaml").read_text())
    data = shipped.model_dump(mode="json")
    data["name"] = "groundedness-small"
    data["judge"]["model"] = "SmolLM2-135M-Instruct"
    data["judge"]["constraints"] = []
    data["judge"]["parameters"] |= {
        "max_output_tokens": MOST_TOKENS,
        "max_output_field": "max_tokens",
        "calls": "statement",
        "confidence": False,
    }
    data["prompts"] = {"classify": CLASSIFY, "verify": VERIFY}
    data["examples"] = []
    return load_rubric(json.dumps(data))


@pytest.fixture(scope="module")
def graded(address, rubric):
    environment = {"OPENAI_BASE_URL": address, "JUDGE_ALLOWED_HOSTS": "127.0.0.1"}
    carrier = HttpCarrier(Endpoint.from_environment(environment, "openai"))
    judge = create_judge(rubric, Services(carrier=carrier))
    return [
        (statement, grade)
        for case in dozen()
        for statement, grade in zip(case.statements, grade_case(case, judge, rubric), strict=True)
    ]


def dozen() -> list[Case]:
    """The first cases of the shipped set, up to a dozen statements in all."""
    lines = (ROOT / "sets" / "starter" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = (Case.model_validate_json(line) for line in lines)
    alone = (case for case in cases if len(case.statements) == 1)
    return list(islice(alone, STATEMENTS))


def test_each_statement_has_one_outcome_and_the_score_is_told(graded, capsys):
    assert len(graded) == STATEMENTS
    outcomes = Counter(str(grade.outcome) for _, grade in graded)
    right = sum(
        grade.verdict is not None and grade.verdict == statement.expected.verdict
        for statement, grade in graded
    )
    lenient = sum(
        grade.verdict == "supported" and statement.expected.verdict in FAILING
        for statement, grade in graded
    )
    assert sum(outcomes.values()) == STATEMENTS
    with capsys.disabled():
        print(f"\n{dict(outcomes)}; verdict right {right} of {outcomes['graded']} graded, "
              f"{lenient} failing ones passed")  # fmt: skip


def test_an_answer_is_held_to_its_schema_unless_it_was_cut_off(graded):
    """Where the model talks on until its tokens are spent, the answer has no end; no other is
    unreadable, and the server itself never fails."""
    outcomes = {str(grade.outcome) for _, grade in graded}
    assert not outcomes & {"missing", "unavailable", "timeout", "refused"}
    for _, grade in graded:
        if grade.outcome == "unreadable":
            assert grade.attempts[-1].output_tokens == MOST_TOKENS


def test_every_attempt_is_kept_with_what_was_sent_and_what_came_back(graded):
    for _, grade in graded:
        asked = [one for one in grade.attempts if one.sent is not None]
        assert asked
        for attempt in asked:
            assert json.loads(attempt.sent)["model"] == "SmolLM2-135M-Instruct"
            assert attempt.raw
            assert attempt.http_status == 200
            assert attempt.input_tokens
            assert attempt.output_tokens
            assert attempt.seconds > 0


def test_no_verdict_stands_without_words_that_are_there(graded):
    passages = {(case.case_id, one.id): one.text for case in dozen() for one in case.context}
    for _, grade in graded:
        assert (grade.verdict is None) == (grade.outcome != "graded")
        for one in grade.evidence:
            assert passages[grade.case_id, one.passage_id][one.start : one.end] == one.quote


def test_an_address_that_the_operator_did_not_allow_is_not_asked(address):
    with pytest.raises(Refused, match="not named in JUDGE_ALLOWED_HOSTS"):
        HttpCarrier(Endpoint.from_environment({"OPENAI_BASE_URL": address}, "openai"))
