"""Connections belong to an event loop, and none outlives it."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

import pytest

from grounding.errors import BadInput
from grounding.judges.llm.calls import Reply
from grounding.judges.llm.carrier import HttpCarrier
from grounding.waiting import finish
from tests.grounding.carrier.asking import QUICK, endpoint, request
from tests.provider import Provider


def asked(carrier: HttpCarrier, number: int = 0) -> Reply:
    return asyncio.run(carrier.ask(request(number=number)))


def without_warnings(work: Callable[[], None]) -> None:
    """Runs ``work``; whatever is left open warns when it is collected, and is an error here."""
    unraised: list[object] = []
    hook, sys.unraisablehook = sys.unraisablehook, unraised.append
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            work()
            gc.collect()
    finally:
        sys.unraisablehook = hook
    assert unraised == []


def test_one_carrier_serves_one_loop_after_another() -> None:
    with Provider() as provider:

        def three_loops() -> None:
            carrier = HttpCarrier(endpoint(provider), patience=QUICK)
            assert [asked(carrier, number).text for number in range(3)]
            assert len(carrier._wire._sessions) == 1  # those of ended loops are let go

        without_warnings(three_loops)
        assert provider.connections == 3


def test_within_one_loop_connections_are_used_again() -> None:
    with Provider() as provider:

        async def several() -> None:
            async with HttpCarrier(endpoint(provider), patience=QUICK) as carrier:
                for number in range(5):
                    await carrier.ask(request(number=number))

        without_warnings(lambda: asyncio.run(several()))
        assert provider.connections == 1


def test_connections_end_with_the_loop_also_where_nobody_closes_them() -> None:
    with Provider() as provider:
        carrier = HttpCarrier(endpoint(provider), patience=QUICK)
        asked(carrier)
        (opened,) = carrier._wire._sessions.values()
        assert opened.session.closed


def test_a_carrier_that_was_closed_opens_again() -> None:
    with Provider() as provider:

        async def twice() -> None:
            carrier = HttpCarrier(endpoint(provider), patience=QUICK)
            for number in range(2):
                await carrier.ask(request(number=number))
                (opened,) = carrier._wire._sessions.values()
                await carrier.close()
                assert opened.session.closed
            await carrier.close()

        without_warnings(lambda: asyncio.run(twice()))
        assert provider.connections == 2


def test_one_carrier_serves_the_loops_of_several_threads_at_once() -> None:
    with Provider(latency=0.05) as provider:
        carrier = HttpCarrier(endpoint(provider), patience=QUICK)
        texts: list[str] = []

        def thread(number: int) -> None:
            texts.append(asked(carrier, number).text)

        def several() -> None:
            threads = [threading.Thread(target=thread, args=(number,)) for number in range(4)]
            for one in threads:
                one.start()
            for one in threads:
                one.join(10)

        without_warnings(several)
        assert len(texts) == 4


def test_a_caller_that_waits_inside_a_loop_gets_its_answer() -> None:
    """As a notebook does: it runs a loop already."""
    with Provider() as provider:
        carrier = HttpCarrier(endpoint(provider), patience=QUICK)

        async def cell() -> Reply:
            return finish(carrier.ask(request()))

        without_warnings(lambda: asyncio.run(cell()) and None)


def test_a_request_in_the_other_dialect_is_a_mistake() -> None:
    with Provider() as provider, pytest.raises(BadInput, match="anthropic"):
        asyncio.run(HttpCarrier(endpoint(provider)).ask(request("anthropic")))


PROGRAM = """
import importlib, pkgutil, sys
import grounding
for module in pkgutil.walk_packages(grounding.__path__, "grounding."):
    importlib.import_module(module.name)
assert "aiohttp" not in sys.modules
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
made = Endpoint.from_environment({"OPENAI_API_KEY": "sk-any"}, "openai")
if "without" in sys.argv:
    sys.modules["aiohttp"] = None
HttpCarrier(made)
assert "aiohttp" in sys.modules
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=False
    )


def test_no_module_of_grounding_imports_the_client_before_a_carrier_is_made() -> None:
    done = run()
    assert done.returncode == 0, done.stderr


def test_without_the_client_a_carrier_is_refused_with_what_to_install() -> None:
    done = run("without")
    assert "grounding.errors.Refused: a judge over HTTP needs aiohttp" in done.stderr
