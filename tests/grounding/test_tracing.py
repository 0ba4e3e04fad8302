"""Where the fact was: what people stated first, then the words of what was not admitted."""

from __future__ import annotations

import pytest

from grounding.contract import SpeechAct
from grounding.interchange.models import Passage
from grounding.judges.lexical import LexicalJudge
from grounding.rubrics import load_rubric
from grounding.tracing import (
    TRACED,
    UNTRACED,
    Failing,
    Known,
    Stage,
    settled,
    speaks_of,
    trace,
)
from tests.grounding.rubric_examples import SHIPPED

RUBRIC = load_rubric(SHIPPED.read_text(encoding="utf-8"))
JUDGE = LexicalJudge.of(RUBRIC)
POOL = [Passage(id="p2", text="Sale items are refunded as store credit within 14 days.")]
MADE_UP = Failing("It was made up.", contradictory=False)
CONTRADICTED = Failing("It was contradicted.", contradictory=True)
EXTERNAL = Failing("Glass melts.", contradictory=False, external=True)


def finds(answer):
    return lambda one, passages: answer


def never(one, passages):
    raise AssertionError("it searched")


@pytest.mark.parametrize(
    ("failing", "known", "stage"),
    [
        # Whoever wrote the case says what holds the answer.
        ([MADE_UP], Known(answerable=True), "generation"),
        ([MADE_UP], Known(False, True), "budget"),
        ([CONTRADICTED], Known(False, False), "retrieval"),
        # What contradicts a claim is the fact, and it stands in the admitted context.
        ([CONTRADICTED], Known(), "generation"),
        ([CONTRADICTED], Known(None, True), "generation"),
        # An unsupported claim has nothing there, and the pool holds no more than that.
        ([MADE_UP], Known(beyond=()), "retrieval"),
        ([MADE_UP], Known(), "pool_not_captured"),
        ([MADE_UP], Known(False), "pool_not_captured"),
        # Claims about the world do not rest on retrieval.
        ([EXTERNAL], Known(answerable=True), "external"),
        ([EXTERNAL, CONTRADICTED], Known(), "generation"),
    ],
)
def test_what_people_stated_settles_it(failing, known, stage):
    assert settled(failing, known)
    assert trace(failing, known, never).stage == stage


@pytest.mark.parametrize(
    ("found", "stage", "basis"),
    [(True, "budget", "lexical"), (False, "retrieval", "lexical"), (None, "not_searched", None)],
)
def test_where_people_are_silent_the_rest_of_the_pool_is_searched(found, stage, basis):
    assert not settled([MADE_UP], Known(beyond=POOL))
    assert trace([MADE_UP], Known(beyond=POOL), finds(found)) == (stage, basis)


def test_a_context_that_is_said_not_to_answer_contradicts_nothing_it_was_asked():
    known = Known(answerable=False, beyond=POOL)
    assert trace([CONTRADICTED], known, finds(True)) == ("budget", "lexical")


def test_of_several_the_one_that_was_lost_furthest_from_the_model_decides():
    known = Known(beyond=POOL)
    both = [CONTRADICTED, MADE_UP]
    assert trace(both, known, finds(True)).stage == "budget"
    assert trace(both, known, finds(False)).stage == "retrieval"
    assert trace(both, Known(), never).stage == "pool_not_captured"


def test_every_stage_is_either_a_trace_or_the_reason_why_there_is_none():
    assert {*TRACED, *UNTRACED} == set(Stage)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sale items are refunded within 14 days.", True),
        # Another number of the same thing: the fact is there, and was not what was said.
        ("Sale items are refunded as store credit within 40 days.", True),
        ("The lamp weighs 2 kg.", False),
    ],
)
def test_the_lexical_judge_finds_what_a_pool_says(text, found):
    assert speaks_of(Failing(text, False), POOL, None, JUDGE, RUBRIC) is found


@pytest.mark.parametrize(
    ("question", "found"),
    [("Within how many days are sale items refunded?", True), ("Who wrote it?", False)],
)
def test_a_refusal_is_spoken_of_where_its_question_is_answered(question, found):
    refusal = Failing("The documents do not say.", True, speech_act=SpeechAct.REFUSAL)
    assert speaks_of(refusal, POOL, question, JUDGE, RUBRIC) is found
