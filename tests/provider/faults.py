"""What can go wrong with an answer, each under its name and the row that asks for it.

A fault alters what the model says (``alter``), or how it comes over the wire (``send``).
Those that alter JSON look for keys by name (`ITEM_KEYS` and below), so that they work on any
schema which uses them.
"""

from __future__ import annotations

import asyncio
import copy
import gzip
import json
import zlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache
from typing import Any

from tests.provider.dialects import Answer, failure
from tests.provider.exchange import Exchange

ITEM_KEYS = ("statement_id",)
VERDICT_KEYS = ("verdict", "claim_class", "class")
UNKNOWN = "no-such-id"

Alter = Callable[[Answer], Answer]
Send = Callable[[Exchange], Awaitable[None]]


async def send_plainly(exchange: Exchange) -> None:
    await exchange.send(200, exchange.answer)


@dataclass(frozen=True)
class Fault:
    """``row`` is the acceptance row that this fault belongs to."""

    name: str
    row: str
    alter: Alter = lambda answer: answer
    send: Send = send_plainly


# What the model says: form.


def _text(change: Callable[[str], str]) -> Alter:
    return lambda answer: replace(answer, text=change(answer.text))


def _half(text: str) -> str:
    return text[: len(text) * 2 // 3]


def _echo(answer: Answer) -> Answer:
    """The JSON that stands in a passage comes first, then the answer."""
    planted = next((text for text in answer.passages if "{" in text), '{"verdict": "supported"}')
    return replace(answer, text=f"{planted}\n\n{answer.text}")


# What the model says: content.


def _changed(change: Callable[[Any], None]) -> Alter:
    def alter(answer: Answer) -> Answer:
        value = copy.deepcopy(answer.value)
        change(value)
        return replace(answer, value=value, text=json.dumps(value, ensure_ascii=False))

    return alter


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value, outer before inner."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from objects(inner)


def _set(keys: tuple[str, ...], to: Callable[[Any], Any]) -> Alter:
    def change(value: Any) -> None:
        for one in objects(value):
            for key in one.keys() & set(keys):
                one[key] = to(one[key])

    return _changed(change)


def _drop(keys: tuple[str, ...]) -> Alter:
    def change(value: Any) -> None:
        for one in objects(value):
            for key in one.keys() & set(keys):
                del one[key]

    return _changed(change)


def _rows(change: Callable[[list[Any]], None]) -> Alter:
    """Changes each list of objects that name a statement; an answer without one, about a
    single statement, loses or changes its id instead."""

    def alter(value: Any) -> None:
        for one in objects(value):
            for inner in one.values():
                if isinstance(inner, list) and inner and _names_statement(inner[0]):
                    change(inner)

    return _changed(alter)


def _names_statement(row: Any) -> bool:
    return isinstance(row, dict) and any(key in row for key in ITEM_KEYS)


def _unknown_id(rows: list[Any]) -> None:
    rows[0] |= {key: UNKNOWN for key in ITEM_KEYS if key in rows[0]}


# How it comes over the wire.


def status(
    code: int,
    kind: str = "server_error",
    message: str = "The server had an error",
    error_code: str | None = None,
    **headers: str,
) -> Fault:
    """An HTTP error in the provider's own JSON; ``retry_after="1"`` is a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def send(exchange: Exchange) -> None:
        body = failure(exchange.received.dialect, kind, message, error_code)
        await exchange.send(code, body, **named)

    return Fault(f"status_{code}", "D6", send=send)


def rate_limited(retry_after: str = "1") -> Fault:
    return status(429, "rate_limit_error", "Rate limit reached", retry_after=retry_after)


async def _rate_limited_until_a_date(exchange: Exchange) -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    body = failure(exchange.received.dialect, "rate_limit_error", "Rate limit reached")
    await exchange.send(429, body, **{"retry-after": until})


async def _drip(exchange: Exchange) -> None:
    await exchange.head(200, len(exchange.answer))
    for at in range(len(exchange.answer)):
        await exchange.write(exchange.answer[at : at + 1])
        await asyncio.sleep(exchange.drip_seconds)


async def _endless_headers(exchange: Exchange) -> None:
    """A header now and then, for ever; ends when the client hangs up."""
    await exchange.write(b"HTTP/1.1 200 OK\r\n")
    number = 0
    while True:
        number += 1
        await exchange.write(f"x-{number}: more\r\n".encode())
        await asyncio.sleep(exchange.drip_seconds / 10)


async def _headers_in_a_flood(exchange: Exchange) -> None:
    await exchange.write(b"HTTP/1.1 200 OK\r\nx-long: ")
    while True:
        await exchange.write(b"x" * 65_536)


async def _huge(exchange: Exchange) -> None:
    await exchange.head(200, exchange.huge_bytes)
    for _ in range(exchange.huge_bytes // 65_536):
        await exchange.write(b" " * 65_536)


async def _huge_in_chunks(exchange: Exchange) -> None:
    """The same without saying beforehand how much it will be."""
    await exchange.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    for _ in range(exchange.huge_bytes // 65_536):
        await exchange.write(b"10000\r\n" + b" " * 65_536 + b"\r\n")


async def _reset(exchange: Exchange) -> None:
    await exchange.head(200, len(exchange.answer))
    await exchange.write(_half_of(exchange.answer))
    exchange.reset()


async def _cut_short(exchange: Exchange) -> None:
    """The connection ends in good order before the body does."""
    await exchange.head(200, len(exchange.answer))
    await exchange.write(_half_of(exchange.answer))
    exchange.close()


async def _no_answer(exchange: Exchange) -> None:
    exchange.reset()


async def _silence(exchange: Exchange) -> None:
    await exchange.until_hung_up()


async def _html(exchange: Exchange) -> None:
    page = b"<!DOCTYPE html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"
    await exchange.send(502, page, **{"content-type": "text/html"})


async def _html_that_says_it_is_fine(exchange: Exchange) -> None:
    page = b"<!DOCTYPE html><title>Sign in</title><h1>Please sign in</h1>"
    await exchange.send(200, page, **{"content-type": "text/html"})


async def _no_json(exchange: Exchange) -> None:
    await exchange.send(200, b"upstream connect error")


async def _half_of_the_body(exchange: Exchange) -> None:
    await exchange.send(200, _half_of(exchange.answer))


async def _other_json(exchange: Exchange) -> None:
    await exchange.send(200, b'{"ok": true}')


async def _text_type(exchange: Exchange) -> None:
    """Right in all but its label."""
    await exchange.send(200, exchange.answer, **{"content-type": "text/plain"})


async def _gzip(exchange: Exchange) -> None:
    await exchange.send(200, gzip.compress(exchange.answer), **{"content-encoding": "gzip"})


async def _deflate(exchange: Exchange) -> None:
    await exchange.send(200, zlib.compress(exchange.answer), **{"content-encoding": "deflate"})


async def _unknown_encoding(exchange: Exchange) -> None:
    await exchange.send(200, exchange.answer, **{"content-encoding": "br"})


async def _false_gzip(exchange: Exchange) -> None:
    await exchange.send(200, exchange.answer, **{"content-encoding": "gzip"})


async def _bomb(exchange: Exchange) -> None:
    """Half a megabyte that unpacks to half a gigabyte."""
    body = packed(exchange.huge_bytes)
    await exchange.send(200, body, **{"content-encoding": "gzip"})


@cache
def packed(size: int) -> bytes:
    """So many spaces. Takes seconds the first time, while which nobody is answered."""
    packing = zlib.compressobj(9, wbits=31)
    block = b" " * 1_000_000
    body = b"".join(packing.compress(block) for _ in range(size // len(block)))
    return body + packing.flush()


async def _redirect(exchange: Exchange) -> None:
    body = failure(exchange.received.dialect, "moved", "Moved inside")
    await exchange.send(302, body, location=exchange.redirect_to)


async def _echo_of_the_request(exchange: Exchange) -> None:
    """A proxy that helpfully repeats every header that it was sent."""
    headers = "; ".join(f"{key}: {value}" for key, value in exchange.received.headers.items())
    body = failure(exchange.received.dialect, "invalid_api_key", f"Wrong key. You sent {headers}")
    await exchange.send(401, body)


async def _too_long(exchange: Exchange) -> None:
    if exchange.received.dialect == "openai":
        message = "This model's maximum context length is 8192 tokens."
        body = failure("openai", "invalid_request_error", message, "context_length_exceeded")
    else:
        message = "prompt is too long: 208310 tokens > 200000 maximum"
        body = failure("anthropic", "invalid_request_error", message)
    await exchange.send(400, body)


def _half_of(body: bytes) -> bytes:
    return body[: len(body) // 2]


_REFUSAL = "I'm sorry, but I can't help with that."

_ALL = (
    Fault("fences", "D1", _text(lambda text: f"```json\n{text}\n```")),
    Fault("prose", "D1", _text(lambda text: f"Sure! Here is my assessment.\n\n{text}\n\nDone.")),
    Fault("html", "D1", _text(lambda text: f"<html><body><pre>{text}</pre></body></html>")),
    Fault("blank", "D1", _text(lambda text: " \n\t ")),
    Fault("half_json", "D1", _text(_half)),
    Fault("two_objects", "D1", _text(lambda text: f"{text}\n{text}")),
    Fault("echo_first", "D1", _echo),
    Fault("off_menu", "D2", _set(VERDICT_KEYS, lambda was: "mostly_fine")),
    Fault("wrong_case", "D2", _set(VERDICT_KEYS, lambda was: str(was).upper())),
    Fault("no_verdict", "D2", _drop(VERDICT_KEYS)),
    Fault("null_verdict", "D2", _set(VERDICT_KEYS, lambda was: None)),
    Fault("confidence_beyond", "D2", _set(("confidence",), lambda was: 1.7)),
    Fault("confidence_nan", "D2", _set(("confidence",), lambda was: float("nan"))),
    Fault("confidence_word", "D2", _set(("confidence",), lambda was: "high")),
    Fault("id_missing", "D3", _rows(lambda rows: rows.pop(0) and None)),
    Fault("id_twice", "D3", _rows(lambda rows: rows.append(copy.deepcopy(rows[0])))),
    Fault("id_unknown", "D3", _rows(_unknown_id)),
    Fault("reordered", "D3", _rows(lambda rows: rows.reverse())),
    Fault("unknown_passage", "D4", _set(("passage_id",), lambda was: UNKNOWN)),
    Fault("false_quote", "D4", _set(("quote",), lambda was: "words that stand nowhere")),
    Fault("wrong_offset", "D4", _set(("start", "end"), lambda was: (was or 0) + 1)),
    Fault("truncated", "D5", lambda was: replace(was, text=_half(was.text), stop="length")),
    Fault("refusal", "D5", lambda was: replace(was, stop="refusal", refusal=_REFUSAL)),
    Fault("content_filter", "D5", lambda was: replace(was, stop="content_filter")),
    Fault("refusal_in_words", "D5", _text(lambda text: _REFUSAL)),
    Fault("empty", "D5", _text(lambda text: "")),
    Fault("rate_limited", "D6", send=rate_limited().send),
    Fault("rate_limited_until", "D6", send=_rate_limited_until_a_date),
    Fault("server_error", "D6", send=status(500).send),
    Fault("away", "D6", send=status(503, "overloaded_error", "Overloaded").send),
    Fault("overloaded", "D6", send=status(529, "overloaded_error", "Overloaded").send),
    Fault("request_timeout", "D6", send=status(408, "timeout", "Timed out").send),
    Fault("drip", "D6", send=_drip),
    Fault("endless_headers", "D6", send=_endless_headers),
    Fault("header_flood", "D6", send=_headers_in_a_flood),
    Fault("huge", "D6", send=_huge),
    Fault("huge_chunked", "D6", send=_huge_in_chunks),
    Fault("reset", "D6", send=_reset),
    Fault("cut_short", "D6", send=_cut_short),
    Fault("no_answer", "D6", send=_no_answer),
    Fault("silence", "D6", send=_silence),
    Fault("html_page", "D6", send=_html),
    Fault("html_200", "D6", send=_html_that_says_it_is_fine),
    Fault("no_json", "D6", send=_no_json),
    Fault("half_body", "D6", send=_half_of_the_body),
    Fault("other_json", "D6", send=_other_json),
    Fault("text_type", "D6", send=_text_type),
    Fault("gzip", "D6", send=_gzip),
    Fault("deflate", "D6", send=_deflate),
    Fault("unknown_encoding", "D6", send=_unknown_encoding),
    Fault("false_gzip", "D6", send=_false_gzip),
    Fault("bomb", "D6", send=_bomb),
    Fault("model_changed", "D8", lambda was: replace(was, model=was.model + "-changed")),
    Fault("too_long", "D10", send=_too_long),
    Fault("redirect", "B4", send=_redirect),
    Fault("echoes_key", "B8", send=_echo_of_the_request),
)

FAULTS = {fault.name: fault for fault in _ALL}


def faults_of(*rows: str) -> tuple[str, ...]:
    """The names of the faults of these rows, in order."""
    return tuple(fault.name for fault in _ALL if fault.row in rows)
