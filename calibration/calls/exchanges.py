"""What went to a provider and what came back, laid out for people. All of it is text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from calibration.bundles.recorded_rows import sent_of
from calibration.models import Attempt, Judgment

ROLES: Final = ("system", "developer", "user", "assistant")


@dataclass(frozen=True)
class Part:
    """A piece of a request: a message by its role, or the settings that went with them."""

    name: str
    text: str


@dataclass(frozen=True)
class Exchange:
    """One attempt with what was sent in it, in parts; none where that was not kept."""

    attempt: Attempt
    sent: tuple[Part, ...]

    @property
    def characters(self) -> int:
        return sum(len(part.text) for part in self.sent)


def of(judgment: Judgment) -> list[Exchange]:
    """A judgment's attempts in their order."""
    attempts = list(judgment.attempt_rows.all())
    sent = sent_of(attempts)
    return [Exchange(one, tuple(parts(sent.get(one.request_digest)))) for one in attempts]


def parts(body: str | None) -> Iterable[Part]:
    """Messages first, as whoever was asked read them; then the rest of the body."""
    if body is None:
        return ()
    try:
        sent = json.loads(body)
    except ValueError:
        sent = None
    if not isinstance(sent, dict):
        return (Part("body", body),)
    return tuple(_parts(sent))


def _parts(sent: dict[str, Any]) -> Iterator[Part]:
    if isinstance(sent.get("system"), str):
        yield Part("system", sent.pop("system"))
    if isinstance(sent.get("messages"), list):
        yield from map(_message, sent.pop("messages"))
    yield Part("settings", json.dumps(sent, ensure_ascii=False, indent=2))


def _message(message: Any) -> Part:
    if isinstance(message, dict) and set(message) == {"role", "content"}:
        role, content = message["role"], message["content"]
        if role in ROLES and isinstance(content, str):
            return Part(role, content)
    return Part("message", json.dumps(message, ensure_ascii=False, indent=2))
