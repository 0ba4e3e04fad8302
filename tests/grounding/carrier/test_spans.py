"""Spans around requests and tries, where an exporter is set up; in a process of their own,
since a tracer provider is set once and for all."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import Any

import pytest

from tests.grounding.carrier.asking import KEY

PROGRAM = """
import json, sys
from tests.grounding.carrier.asking import outcome, request, within
from tests.provider import Provider, in_order
from opentelemetry import trace
exported = []
if "with" in sys.argv:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    kept = InMemorySpanExporter()
    trace.set_tracer_provider(TracerProvider())
    trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(kept))
with Provider(in_order("server_error", None, "refusal", "echoes_key")) as provider:
    async def three(carrier):
        for number in range(3):
            await outcome(carrier, request(number=number))
    within(provider, three)
if "with" in sys.argv:
    exported = [json.loads(span.to_json()) for span in kept.get_finished_spans()]
print(json.dumps(exported))
"""


def spans(*words: str) -> list[dict[str, Any]]:
    """Of three requests: one that needs two tries, one refused, one turned away."""
    if importlib.util.find_spec("opentelemetry") is None:
        pytest.skip("opentelemetry is not installed")
    if "with" in words and importlib.util.find_spec("opentelemetry.sdk") is None:
        pytest.skip("opentelemetry's SDK is not installed")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    exported: list[dict[str, Any]] = json.loads(done.stdout)
    return exported


def test_each_request_has_a_span_and_each_try_one_below_it() -> None:
    exported = spans("with")
    requests = [one for one in exported if one["name"] == "chat small"]
    tries = [one for one in exported if one["name"] == "POST"]
    ids = [one["context"]["span_id"] for one in requests]
    below = [ids.index(one["parent_id"]) for one in tries]
    assert below == [0, 0, 1, 2]
    assert [one["attributes"]["http.response.status_code"] for one in tries] == [
        500, 200, 200, 401,
    ]  # fmt: skip
    assert [one["attributes"].get("http.request.resend_count") for one in tries] == [
        None, 1, None, None,
    ]  # fmt: skip
    assert [one["attributes"].get("error.type") for one in requests] == [
        None, "refused", "unavailable",
    ]  # fmt: skip
    assert {one["kind"] for one in exported} == {"SpanKind.CLIENT"}


def test_a_span_says_which_model_and_how_much_and_nothing_of_what() -> None:
    exported = spans("with")
    said = next(one for one in exported if one["name"] == "chat small")["attributes"]
    assert said.pop("server.port") > 0
    assert said.pop("gen_ai.usage.input_tokens") > 0
    assert said == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "small",
        "gen_ai.request.max_tokens": 100,
        "gen_ai.response.model": "small",
        "gen_ai.usage.output_tokens": 4,
        "server.address": "127.0.0.1",
        "assize.cached": False,
    }
    assert [one["events"] for one in exported] == [[]] * len(exported)
    everything = json.dumps(exported)
    assert KEY not in everything
    assert "Question" not in everything
    assert "answer" not in everything


def test_without_a_provider_no_span_is_made() -> None:
    """The control: the package alone changes nothing."""
    assert spans() == []
