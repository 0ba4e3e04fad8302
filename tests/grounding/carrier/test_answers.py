"""D5, and what else an answer may be: each its own outcome, in both dialects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounding.interchange.models import Outcome
from grounding.judges.llm.calls import CallFailed, Dialect, Reply, Usage
from grounding.judges.llm.envelopes import read
from grounding.judges.llm.pacing import Patience
from tests.grounding.carrier.asking import DIALECTS, ask, request, within
from tests.provider import Provider, ReadsSchema, always, status

ONCE = Patience(tries=1)
both = pytest.mark.parametrize("dialect", DIALECTS)


class Says:
    """A model that says one text, whatever it is asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.read = ReadsSchema().read

    def answer(self, asked: Any) -> str:
        return self.text


@both
def test_an_answer_comes_with_its_text_its_model_and_its_tokens(dialect: Dialect) -> None:
    with_model = {"answerer": Says("Gewiß, 💊."), "model": "small-2026-01"}
    reply = ask(dialect=dialect, provider=with_model)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.model) == ("Gewiß, 💊.", "small-2026-01")
    (only,) = reply.tries
    assert (only.outcome, only.status, only.retry) == (Outcome.GRADED, 200, 0)
    assert (only.model, only.error, only.cached) == ("small-2026-01", None, False)
    assert only.usage.output_tokens == len("Gewiß, 💊.") // 4
    assert json.loads(str(only.raw))["model"] == "small-2026-01"


@both
@pytest.mark.parametrize(
    ("fault", "outcome", "says"),
    [
        ("refusal", Outcome.REFUSED, "refus"),
        ("content_filter", Outcome.REFUSED, "withheld"),
        ("truncated", Outcome.UNREADABLE, "cut off after"),
        ("empty", Outcome.UNREADABLE, "the answer is empty"),
        ("blank", Outcome.UNREADABLE, "the answer is empty"),
        ("too_long", Outcome.TOO_LONG, "HTTP 400"),
    ],
)
def test_what_is_no_answer_has_its_own_outcome_and_is_not_asked_again(
    dialect: Dialect, fault: str, outcome: Outcome, says: str
) -> None:
    failed = ask(always(fault), dialect)
    assert isinstance(failed, CallFailed)
    assert failed.outcome is outcome
    assert says in failed.error
    (only,) = failed.tries
    assert only.outcome is outcome
    assert (only.raw is None) == (fault == "too_long")


@both
@pytest.mark.parametrize(
    "fault",
    ["html_200", "no_json", "half_body", "other_json", "unknown_encoding", "false_gzip", "bomb"],
)
def test_a_body_that_is_no_answer_is_unreadable_after_the_last_try(
    dialect: Dialect, fault: str
) -> None:
    sized = {"huge_bytes": 20_000_000}
    failed = ask(always(fault), dialect, provider=sized, patience=Patience(3, first_wait=0.01))
    assert isinstance(failed, CallFailed)
    assert failed.outcome is Outcome.UNREADABLE
    assert [one.outcome for one in failed.tries] == [Outcome.UNREADABLE] * 3
    assert [one.status for one in failed.tries] == [200] * 3


@both
@pytest.mark.parametrize("fault", ["text_type", "gzip", "deflate", "model_changed"])
def test_an_answer_is_read_whatever_its_label_and_packing(dialect: Dialect, fault: str) -> None:
    reply = ask(always(fault), dialect)
    assert isinstance(reply, Reply)
    assert json.loads(reply.text) == {"answer": "yes"}


@both
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (400, Outcome.UNAVAILABLE),
        (401, Outcome.UNAVAILABLE),
        (403, Outcome.UNAVAILABLE),
        (404, Outcome.UNAVAILABLE),
        (422, Outcome.UNAVAILABLE),
        (413, Outcome.TOO_LONG),
    ],
)
def test_a_request_that_is_turned_down_is_not_made_again(
    dialect: Dialect, code: int, outcome: Outcome
) -> None:
    plan = always(status(code, "some_error", "Not\n\tlike   this. " + "x" * 1000))
    failed = ask(plan, dialect)
    assert isinstance(failed, CallFailed)
    assert failed.outcome is outcome
    (only,) = failed.tries
    assert (only.status, only.raw) == (code, None)
    assert failed.error.startswith(f"HTTP {code}: Not like this. xxx")
    assert len(failed.error) < 250


def test_a_quota_that_is_used_up_does_not_come_back_by_asking() -> None:
    plan = always(status(429, "insufficient_quota", "Quota exceeded", "insufficient_quota"))
    failed = ask(plan)
    assert isinstance(failed, CallFailed)
    assert len(failed.tries) == 1


def test_nothing_of_a_page_that_is_not_the_providers_own_is_in_the_error() -> None:
    failed = ask(always("html_page"), patience=ONCE)
    assert isinstance(failed, CallFailed)
    assert failed.error == "HTTP 502"
    assert failed.tries[0].raw is None


def openai(message: Any, finish: Any = "stop", **more: Any) -> str:
    choice = {"message": message, "finish_reason": finish}
    return json.dumps({"model": "m", "choices": [choice]} | more)


def anthropic(content: Any, stop: Any = "end_turn", **more: Any) -> str:
    return json.dumps({"model": "m", "content": content, "stop_reason": stop} | more)


TOOL = {"type": "tool_use", "name": "answer", "input": {"verdict": "supported"}}


@pytest.mark.parametrize(
    ("dialect", "body", "text"),
    [
        ("openai", openai({"content": "a"}), "a"),
        ("openai", openai({"content": [{"type": "text", "text": "a"}]}), "a"),
        ("openai", openai({"content": "a", "reasoning_content": "b"}), "a"),
        ("openai", openai({"tool_calls": [{"function": {"arguments": "{}"}}]}), "{}"),
        ("openai", openai({"content": "a", "refusal": None}, None), "a"),
        ("openai", openai({"content": "a", "refusal": ""}, "tool_calls"), "a"),
        ("anthropic", anthropic([{"type": "text", "text": "a"}]), "a"),
        ("anthropic", anthropic([{"type": "thinking", "thinking": "b"}, TOOL]),
         '{"verdict": "supported"}'),
        ("anthropic", anthropic([{"type": "text", "text": "Sure."}, TOOL], "tool_use"),
         '{"verdict": "supported"}'),
        ("anthropic", anthropic([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
         "ab"),
    ],
)  # fmt: skip
def test_the_text_is_found_wherever_the_dialect_puts_it(
    dialect: Dialect, body: str, text: str
) -> None:
    found = read(dialect, 200, body)
    assert (found.outcome, found.text, found.error) == (Outcome.GRADED, text, None)


@pytest.mark.parametrize(
    ("dialect", "body", "outcome"),
    [
        ("openai", openai({"content": "a"}, "length"), Outcome.UNREADABLE),
        ("openai", openai({"content": "Sure"}, "content_filter"), Outcome.REFUSED),
        ("openai", openai({"content": "a", "refusal": "No."}), Outcome.REFUSED),
        ("openai", openai({"content": None}), Outcome.UNREADABLE),
        ("openai", openai({}), Outcome.UNREADABLE),
        ("openai", openai(None), Outcome.UNREADABLE),
        ("openai", openai("a"), Outcome.UNREADABLE),
        ("openai", openai({"content": 1}), Outcome.UNREADABLE),
        ("openai", openai({"content": {"type": "text"}}), Outcome.UNREADABLE),
        ("openai", openai({"content": [{"type": "text", "text": 1}]}), Outcome.UNREADABLE),
        ("openai", openai({"tool_calls": [{}]}), Outcome.UNREADABLE),
        ("openai", '{"choices": []}', Outcome.UNREADABLE),
        ("openai", '{"choices": {"message": {}}}', Outcome.UNREADABLE),
        ("openai", "", Outcome.UNREADABLE),
        ("openai", "[]", Outcome.UNREADABLE),
        ("openai", "null", Outcome.UNREADABLE),
        ("openai", "[" * 100_000, Outcome.UNREADABLE),
        ("openai", '{"model": ' + "9" * 5000 + "}", Outcome.UNREADABLE),
        ("openai", '{"error": {"message": "upstream", "code": 502}}', Outcome.UNAVAILABLE),
        ("anthropic", anthropic([{"type": "text", "text": "a"}], "max_tokens"),
         Outcome.UNREADABLE),
        ("anthropic", anthropic([{"type": "text", "text": "a"}], "refusal"), Outcome.REFUSED),
        ("anthropic", anthropic([TOOL], "max_tokens"), Outcome.UNREADABLE),
        ("anthropic", anthropic([], "model_context_window_exceeded"), Outcome.TOO_LONG),
        ("anthropic", anthropic([]), Outcome.UNREADABLE),
        ("anthropic", anthropic("a"), Outcome.UNREADABLE),
        ("anthropic", anthropic(None), Outcome.UNREADABLE),
        ("anthropic", anthropic([{"type": "tool_use"}]), Outcome.UNREADABLE),
        ("anthropic", anthropic([7]), Outcome.UNREADABLE),
    ],
)  # fmt: skip
def test_whatever_else_comes_back_is_a_failure_by_name(
    dialect: Dialect, body: str, outcome: Outcome
) -> None:
    found = read(dialect, 200, body)
    assert (found.outcome, found.text) == (outcome, "")
    assert found.error


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 0}, Usage(7, 0)),
        ({"prompt_tokens": True, "completion_tokens": -1}, Usage()),
        ({"prompt_tokens": "7", "completion_tokens": 10**30}, Usage()),
        ({}, Usage()),
        (None, Usage()),
        ([], Usage()),
        ("many", Usage()),
    ],
)
def test_tokens_are_what_the_provider_counted_or_not_known(usage: Any, counted: Usage) -> None:
    found = read("openai", 200, openai({"content": "a"}, usage=usage))
    assert (found.text, found.usage) == ("a", counted)


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (400, {"error": {"message": "This model's maximum context length is 8192 tokens."}}),
        (400, {"error": {"message": "x", "code": "context_length_exceeded"}}),
        (400, {"error": {"message": "x", "type": "exceed_context_size_error"}}),
        (400, {"error": {"message": "the request exceeds the available context size"}}),
        (400, {"error": {"message": "prompt is too long: 208310 tokens > 200000 maximum"}}),
        (422, {"error": "Input is too long: max 4096 tokens"}),
        (413, None),
    ],
)
def test_a_question_beyond_the_models_context_is_too_long(code: int, body: Any) -> None:
    found = read("openai", code, json.dumps(body))
    assert (found.outcome, found.again) == (Outcome.TOO_LONG, False)


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (401, {"error": {"message": "Your context length is fine, your key is not"}}),
        (500, {"error": {"message": "context window"}}),
        (400, {"error": {"message": "max_tokens is too large"}}),
        (400, {"detail": "context length"}),
        (400, "context length"),
    ],
)
def test_not_every_mention_of_a_context_means_that_it_is_too_long(code: int, body: Any) -> None:
    assert read("openai", code, json.dumps(body)).outcome is Outcome.UNAVAILABLE


def test_a_question_that_the_provider_filters_is_refused() -> None:
    body = {"error": {"message": "The prompt was filtered", "code": "content_filter"}}
    assert read("openai", 400, json.dumps(body)).outcome is Outcome.REFUSED


def test_what_is_sent_is_the_body_in_its_own_order_and_letters() -> None:
    with Provider() as provider:
        asked = request()
        within(provider, lambda carrier: carrier.ask(asked))
        assert provider.received[0].body == asked.sent.encode()
        assert list(provider.received[0].json) == ["model", "max_tokens", "messages"]
