"""What a provider's answer says, in either dialect: text, model, tokens, or why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from grounding.interchange.models import Outcome
from grounding.judges.llm.calls import Dialect, Usage

MOST_EXCERPT: Final = 200
_NO_USAGE: Final = Usage()
_AGAIN = frozenset({408, 429})
_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|window|size)|prompt is too long|input is too long|too many tokens",
    re.IGNORECASE,
)
# What the provider itself calls it, in a code or a type.
_TOO_LONG_CODES = ("context_length_exceeded", "exceed_context_size_error", "request_too_large")
_NO_USE_CODES = ("insufficient_quota", "billing_hard_limit_reached")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one exchange came to. ``again`` says that another try may fare better."""

    outcome: Outcome
    text: str = ""
    error: str | None = None
    model: str | None = None
    usage: Usage = _NO_USAGE
    again: bool = False


def read(dialect: Dialect, status: int, text: str) -> Finding:
    """What an answer with this HTTP status and body says. ``text`` holds no key any more."""
    value = _json(text)
    if status != 200:
        return _failed(status, value)
    if not isinstance(value, dict):
        return _broken("the body is not the JSON of an answer")
    if isinstance(value.get("error"), dict) and not value.get("choices"):
        return _failed(_status_in(value["error"]), value)
    try:
        return _READERS[dialect](value)
    except (KeyError, IndexError, TypeError, AttributeError):
        return _broken("the body is JSON, and not that of an answer")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _broken(error: str) -> Finding:
    return Finding(Outcome.UNREADABLE, error=error, again=True)


def _status_in(error: Mapping[str, Any]) -> int:
    """Gateways put the status of an upstream failure into a body that is fine by its own."""
    code = error.get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else 502


def _failed(status: int, value: Any) -> Finding:
    """An HTTP failure, in the provider's own words as far as they are its own JSON."""
    if 300 <= status < 400:
        return Finding(Outcome.UNAVAILABLE, error=f"HTTP {status}: redirects are not followed")
    codes, message = _said(value)
    error = f"HTTP {status}: {_excerpt(message)}" if message else f"HTTP {status}"
    if any(code in _TOO_LONG_CODES for code in codes) or status == 413:
        return Finding(Outcome.TOO_LONG, error=error)
    if status in (400, 422) and _TOO_LONG.search(message):
        return Finding(Outcome.TOO_LONG, error=error)
    if status == 400 and "content_filter" in codes:
        return Finding(Outcome.REFUSED, error=error)
    again = (status in _AGAIN or status >= 500) and not any(code in _NO_USE_CODES for code in codes)
    return Finding(Outcome.UNAVAILABLE, error=error, again=again)


def _said(value: Any) -> tuple[tuple[str, ...], str]:
    """The codes and the message of a provider's error; empty where it is not one."""
    error = value.get("error") if isinstance(value, dict) else None
    if isinstance(error, str):
        return (), error
    if not isinstance(error, dict):
        return (), ""
    codes = tuple(error[key] for key in ("code", "type") if isinstance(error.get(key), str))
    message = error.get("message")
    return codes, message if isinstance(message, str) else ""


def _excerpt(message: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in message).split())
    return line if len(line) <= MOST_EXCERPT else line[:MOST_EXCERPT] + "…"


def _openai(value: Mapping[str, Any]) -> Finding:
    choice = value["choices"][0]
    message = choice["message"]
    said = _Said(
        text=_texts(message.get("content")) or _arguments(message),
        stop=choice.get("finish_reason"),
        refusal=message.get("refusal"),
        model=value.get("model"),
        usage=_usage(value.get("usage"), "prompt_tokens", "completion_tokens"),
    )
    return said.finding()


def _anthropic(value: Mapping[str, Any]) -> Finding:
    blocks = value["content"]
    used = [one["input"] for one in blocks if one.get("type") == "tool_use"]
    said = _Said(
        # A forced tool's input is the answer; what stands before it is talk.
        text=json.dumps(used[0], ensure_ascii=False) if used else _texts(blocks),
        stop=value.get("stop_reason"),
        refusal=None,
        model=value.get("model"),
        usage=_usage(value.get("usage"), "input_tokens", "output_tokens"),
    )
    return said.finding()


_READERS: Final[Mapping[Dialect, Callable[[Mapping[str, Any]], Finding]]] = MappingProxyType(
    {"openai": _openai, "anthropic": _anthropic}
)


@dataclass(frozen=True, slots=True)
class _Said:
    """Both dialects' answers in one form, as they came: nothing here is checked yet."""

    text: str
    stop: Any
    refusal: Any
    model: Any
    usage: Usage

    def finding(self) -> Finding:
        outcome, error = self._outcome()
        model = self.model if isinstance(self.model, str) else None
        text = self.text if outcome is Outcome.GRADED else ""
        return Finding(outcome, text, error, model, self.usage)

    def _outcome(self) -> tuple[Outcome, str | None]:
        if isinstance(self.refusal, str) and self.refusal:
            return Outcome.REFUSED, f"the model refused: {_excerpt(self.refusal)}"
        if self.stop in ("content_filter", "refusal"):
            return Outcome.REFUSED, f"the provider withheld the answer ({self.stop})"
        if self.stop == "model_context_window_exceeded":
            return Outcome.TOO_LONG, "the model's context ended before its answer did"
        if self.stop in ("length", "max_tokens"):
            tokens = self.usage.output_tokens
            after = f" after {tokens} tokens" if tokens is not None else ""
            return Outcome.UNREADABLE, f"the answer was cut off{after} ({self.stop})"
        if not self.text.strip():
            return Outcome.UNREADABLE, "the answer is empty"
        return Outcome.GRADED, None


def _texts(content: Any) -> str:
    """A text, or the texts among the parts; parts of other kinds (thoughts) are no answer."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part["text"] for part in content if part.get("type") == "text")


def _arguments(message: Mapping[str, Any]) -> str:
    """The arguments of the first function that the model called: JSON text, or JSON itself."""
    calls = message.get("tool_calls")
    if not calls:
        return ""
    arguments = calls[0]["function"]["arguments"]
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _usage(counted: Any, taken: str, given: str) -> Usage:
    if not isinstance(counted, dict):
        return _NO_USAGE
    return Usage(_count(counted.get(taken)), _count(counted.get(given)))


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 2**31 else None
