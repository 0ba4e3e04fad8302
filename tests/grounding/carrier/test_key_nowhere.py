"""B8: the key is in the header of each request, and nowhere else."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import logging
import pickle
import re
import traceback
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from grounding.errors import BadInput, Refused
from grounding.judges.llm.bodies import Redaction
from grounding.judges.llm.calls import CallFailed, Dialect, Reply
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.llm.pacing import Patience
from tests.grounding.carrier.asking import DIALECTS, KEY, endpoint, outcome, request
from tests.provider import FAULTS, Fault, Provider, always, status
from tests.provider.exchange import Exchange

_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")
TWICE = Patience(2, first_wait=0.001)


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def everywhere(key: str) -> list[Fault]:
    """Answers and failures that repeat the key in every place that is read or kept."""
    hidden = escaped(key)
    nested = hidden.replace("\\", "\\\\")

    def answering(made: str) -> Fault:
        async def send(exchange: Exchange) -> None:
            await exchange.send(200, made.encode())

        return Fault("repeats_key", "B8", send=send)

    def openai(**message: Any) -> str:
        choice = {"message": message, "finish_reason": "stop"}
        return json.dumps({"model": f"m-{key}", "choices": [choice], "usage": {key: key}})

    return [
        status(401, key, f"Wrong key: Bearer {key}", key),
        status(401, key, "x" * 190 + key),
        status(500, key, f"Authorization: Bearer {key}"),
        status(429, key, key, retry_after=key),
        answering(openai(content=f"The key is {key}.")),
        answering(openai(content=json.dumps({"verdict": key}))),
        answering(openai(content="?").replace("?", hidden)),
        answering(openai(content="?").replace("?", f'{{\\"a\\": \\"{nested}\\"}}')),
        answering(openai(content="?").replace("?", hidden.replace("\\", "\\u005c"))),
        answering(openai(refusal=f"I refuse, {key}")),
        answering(f"<html>{key}</html>"),
        answering(f'{{"half": "{hidden}'),
        answering(json.dumps({"error": {"message": key, "code": 502}})),
        answering(json.dumps({"model": key, "content": [{"type": "text", "text": key}]})),
    ]  # fmt: skip


def said(value: object) -> Iterator[str]:
    """Everything that could be shown or kept of an answer, a failure or a carrier."""
    yield repr(value)
    yield str(value)
    if isinstance(value, BaseException):
        yield from traceback.format_exception(value)
        for linked in (value.__cause__, value.__context__):
            if linked is not None:
                yield from said(linked)
    tries = value.tries if isinstance(value, Reply | CallFailed) else ()
    for one in tries:
        yield repr(one)
    if isinstance(value, Reply | CallFailed):
        yield pickle.dumps(tries).decode("latin-1")
    if isinstance(value, Reply):
        yield from (value.text, str(value.model), str(json.loads(json.dumps(value.text))))


def assert_absent(texts: Iterator[str] | list[str], key: str) -> None:
    for text in texts:
        assert key not in text
        assert key not in _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
        assert key[: len(key) // 2] not in text  # half a key is half a secret


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_that_comes_back_holds_the_key(
    dialect: Dialect, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    faults = [*everywhere(KEY), *(FAULTS[name] for name in FAULTS if name not in _SLOW)]
    plan = iter([fault for fault in faults for _ in range(2)])
    with Provider(lambda call: next(plan, None), huge_bytes=10_000_000) as provider:

        async def run() -> list[Reply | CallFailed]:
            made = HttpCarrier(endpoint(provider, dialect), patience=TWICE)
            made_of = [made, made._endpoint, made._wire, vars(made), vars(made._wire)]
            assert_absent([text for one in made_of for text in said(one)], KEY)
            async with made:
                asked = [request(dialect, number) for number in range(2 * len(faults))]
                return [await outcome(made, one) for one in asked]

        came = asyncio.run(run())
        name = {"openai": "authorization", "anthropic": "x-api-key"}[dialect]
        for call in provider.received:  # the control: it was sent, in this one header
            assert call.headers.pop(name).removeprefix("Bearer ") == KEY
            assert KEY not in f"{call.path} {call.headers} {call.body!r}"
    assert any("[key]" in repr(one) for one in came)
    assert_absent([text for one in came for text in said(one)], KEY)
    shown = capsys.readouterr()
    assert_absent([caplog.text, shown.out, shown.err], KEY)


_SLOW = ("drip", "endless_headers", "silence", "rate_limited", "rate_limited_until")


def test_no_exception_that_is_left_over_holds_the_key() -> None:
    """Errors of the library hold the request with its headers; they are let go."""
    with Provider(always("reset")) as provider:

        async def run() -> Reply | CallFailed:
            async with HttpCarrier(endpoint(provider), patience=TWICE) as carrier:
                return await outcome(carrier, request())

        failed = asyncio.run(run())
    gc.collect()
    held: list[Any] = [failed]
    seen: set[int] = set()
    while held:
        error = held.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        assert KEY not in repr(vars(error))
        held += [error.__cause__, error.__context__]
    assert len(seen) == 1


def test_an_endpoint_shows_its_address_and_not_its_key() -> None:
    made = Endpoint("openai", "https://api.example/v1", SecretStr(KEY))
    for shown in (repr(made), str(made), f"{made}", repr(copy.copy(made)), repr([made])):
        assert "api.example" in shown
        assert KEY not in shown


@pytest.mark.parametrize("key", ["sk with space", "sk-line\nbreak", "sk-ümlaut", "sk-\x00nul"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(key: str) -> None:
    for dialect, name in (("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")):
        with pytest.raises(BadInput) as refused:
            Endpoint.from_environment({name: key}, dialect)  # type: ignore[arg-type]
        assert refused.value.field == name
        assert key not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "a sk-canary-7Qx2/+= b",
        r"a sk-canary-7Qx2\/+= b",
        r"a \u0073k-canary-7Qx2/+= b",
        r"a \\u0073k\\u002Dcanary-7Qx2\\/+= b",
        "a " + escaped("sk-canary-7Qx2/+=") + " b",
        "a " + escaped("sk-canary-7Qx2/+=").upper().replace("\\U", "\\u") + " b",
    ],
)
def test_a_key_is_found_however_json_spells_it(text: str) -> None:
    assert Redaction(SecretStr("sk-canary-7Qx2/+="))(text) == "a [key] b"


def test_a_word_that_a_server_without_keys_wants_is_no_secret() -> None:
    """A model may well say it."""
    assert Redaction(SecretStr("ollama"))("ollama says so") == "ollama says so"
    assert Redaction(None)("nothing") == "nothing"


@pytest.mark.parametrize(
    ("variables", "dialect", "url"),
    [
        ({}, "openai", "https://api.openai.com/v1/chat/completions"),
        ({}, "anthropic", "https://api.anthropic.com/v1/messages"),
        ({"OPENAI_BASE_URL": " "}, "openai", "https://api.openai.com/v1/chat/completions"),
        (
            {"OPENAI_BASE_URL": "https://m.example/openai/v1/"},
            "openai",
            "https://m.example/openai/v1/chat/completions",
        ),
        (
            {"ANTHROPIC_BASE_URL": "https://m.example"},
            "anthropic",
            "https://m.example/v1/messages",
        ),
    ],
)
def test_variables_mean_what_they_mean_to_the_providers_clients(
    variables: dict[str, str], dialect: Dialect, url: str
) -> None:
    assert Endpoint.from_environment(variables, dialect).url == url


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_missing_key_is_refused_by_name_before_anything_is_asked(dialect: Dialect) -> None:
    with pytest.raises(Refused, match=f"^{dialect.upper()}_API_KEY is not set, and api"):
        HttpCarrier(Endpoint.from_environment({}, dialect))


def test_a_server_on_this_machine_needs_no_key_and_is_sent_none() -> None:
    with Provider() as provider:

        async def run() -> Reply | CallFailed:
            async with HttpCarrier(endpoint(provider, key=None)) as carrier:
                return await outcome(carrier, request())

        assert isinstance(asyncio.run(run()), Reply)
        assert "authorization" not in provider.received[0].headers


def test_a_host_may_be_on_the_operators_list_by_the_environment() -> None:
    variables = {"JUDGE_ALLOWED_HOSTS": "10.0.0.7, .inside.example"}
    for host in ("10.0.0.7", "models.inside.example"):
        named = variables | {"OPENAI_BASE_URL": f"http://{host}/v1", "OPENAI_API_KEY": KEY}
        HttpCarrier(Endpoint.from_environment(named, "openai"))
    other = variables | {"OPENAI_BASE_URL": "http://10.0.0.8/v1", "OPENAI_API_KEY": KEY}
    made = Endpoint.from_environment(other, "openai")
    with pytest.raises(Refused, match="JUDGE_ALLOWED_HOSTS"):
        HttpCarrier(made)
