"""How the two dialects put a question and an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

OPENAI_PATH = "/v1/chat/completions"
ANTHROPIC_PATH = "/v1/messages"
DIALECTS = {OPENAI_PATH: "openai", ANTHROPIC_PATH: "anthropic"}

_STOPS = {
    "stop": ("stop", "end_turn"),
    "length": ("length", "max_tokens"),
    "content_filter": ("content_filter", "refusal"),
    "refusal": ("stop", "refusal"),
}


@dataclass(frozen=True)
class Answer:
    """What the model says. ``value`` is the JSON that ``text`` holds, where it holds one.

    ``stop`` is one of stop, length, content_filter and refusal; of ``refusal`` only OpenAI's
    dialect has a field.
    """

    text: str
    value: Any
    model: str
    stop: str = "stop"
    refusal: str | None = None
    passages: tuple[str, ...] = ()
    usage: Mapping[str, int] = field(default_factory=lambda: {"input": 100, "output": 20})


def schema_of(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The JSON schema that the answer must obey, wherever the dialect keeps it."""
    asked = (
        (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        or (body.get("output_config") or {}).get("format", {}).get("schema")
        or (body.get("output_format") or {}).get("schema")
    )
    if asked is None and body.get("tools"):
        tool = body["tools"][0]
        asked = tool.get("input_schema") or tool.get("function", {}).get("parameters")
    return asked


def texts_of(body: Mapping[str, Any], *roles: str) -> list[str]:
    """The texts of the messages of ``roles``, in order."""
    messages = [one for one in body.get("messages", ()) if one.get("role") in roles]
    return [text for one in messages for text in _texts(one.get("content"))]


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or () if part.get("type") == "text"]


def written(dialect: str, body: Mapping[str, Any], answer: Answer, number: int) -> bytes:
    """The body of a successful HTTP answer."""
    envelope = {"openai": _openai, "anthropic": _anthropic}[dialect]
    return json.dumps(envelope(body, answer, number), ensure_ascii=False).encode()


def failure(dialect: str, kind: str, message: str, code: str | None = None) -> bytes:
    """The body of an HTTP error in the provider's own JSON."""
    if dialect == "openai":
        error = {"message": message, "type": kind, "param": None, "code": code}
        return json.dumps({"error": error}).encode()
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()


def _openai(body: Mapping[str, Any], answer: Answer, number: int) -> dict[str, Any]:
    silent = answer.refusal is not None or answer.stop == "content_filter"
    message = {
        "role": "assistant",
        "content": None if silent else answer.text,
        "refusal": answer.refusal,
    }
    given, taken = answer.usage["input"], answer.usage["output"]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": answer.model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": _STOPS[answer.stop][0],
            }
        ],
        "usage": {
            "prompt_tokens": given,
            "completion_tokens": taken,
            "total_tokens": given + taken,
        },
    }


def _anthropic(body: Mapping[str, Any], answer: Answer, number: int) -> dict[str, Any]:
    stop = _STOPS[answer.stop][1]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [] if stop == "refusal" else _blocks(body, answer),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.usage["input"],
            "output_tokens": answer.usage["output"],
        },
    }


def _blocks(body: Mapping[str, Any], answer: Answer) -> list[dict[str, Any]]:
    """A tool's input where a tool is forced and the text is its JSON, else text."""
    forced = (body.get("tool_choice") or {}).get("type") == "tool"
    if forced:
        try:
            made = json.loads(answer.text)
        except ValueError:
            made = None
        if isinstance(made, dict):
            name = body["tool_choice"]["name"]
            return [{"type": "tool_use", "id": "toolu_1", "name": name, "input": made}]
    return [{"type": "text", "text": answer.text}] if answer.text else []
