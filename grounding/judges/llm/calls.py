"""What stands between a judge that writes requests and a provider that answers them.

The judge knows prompts and answers, and nothing of HTTP; whoever carries its requests knows
HTTP, limits and caches, and nothing of verdicts. Every try comes back with its answer or its
error, so that each can be kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, Protocol

from grounding.digests import digest, plain_json
from grounding.interchange.models import Outcome

Dialect = Literal["openai", "anthropic"]


@dataclass(frozen=True)
class Request:
    """One question to a provider, as it is sent but for the key and the address.

    ``body`` is the JSON body. Two requests with one digest ask the same thing of the same model.
    ``deadline_seconds`` is for all tries together; ``fresh`` is neither answered from a cache
    nor kept in one.
    """

    dialect: Dialect
    body: Mapping[str, Any]
    deadline_seconds: float
    fresh: bool = False

    @cached_property
    def digest(self) -> str:
        return digest({"dialect": self.dialect, "body": self.body})

    @cached_property
    def sent(self) -> str:
        """The body as it goes over the wire, letter for letter: keys in the order given,
        since a model answers in the order of its schema. Raises BadInput as `digest` does."""
        return plain_json(self.body)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Try:
    """One exchange with a provider, as it was, whatever came of it.

    ``outcome`` is graded where an answer with text came back, which says nothing of what the
    text is worth; else it is unavailable, timeout, refused, too_long or unreadable.
    ``retry`` counts from 0 within one `Request`. ``seconds`` is wall time.
    """

    retry: int
    outcome: Outcome
    started_at: datetime
    seconds: float
    status: int | None = None
    raw: str | None = None
    error: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What a provider answered: the text, the model that it says it is, and all tries."""

    text: str
    model: str | None
    tries: tuple[Try, ...]


class CallFailed(Exception):
    """No answer with text came back, in none of ``tries``; ``outcome`` is never graded."""

    def __init__(self, outcome: Outcome, error: str, tries: tuple[Try, ...]) -> None:
        if outcome is Outcome.GRADED:
            raise ValueError("a failure cannot be graded")
        super().__init__(error)
        self.outcome = outcome
        self.error = error
        self.tries = tries


class Carrier(Protocol):
    """Brings a request to its provider and the answer back: tries again, waits, gives up."""

    async def ask(self, request: Request) -> Reply:
        """The first answer with text. Raises CallFailed with every try that was made."""
        ...


class Limiter(Protocol):
    """Leave to call: how many calls may be in flight, how many may start a minute."""

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Held while one call is in flight; entering waits for leave. A call that waits
        before it tries again holds none.

        Raises CallFailed from entering where no further call is allowed (a budget is spent).
        """
        ...

    def hold_off(self, seconds: float) -> None:
        """The provider asked for quiet: nobody starts a call before ``seconds`` are over."""
        ...

    def spent(self, one: Try) -> None:
        """A try was made; for whoever counts calls, tokens and money."""
        ...


class Cache(Protocol):
    """Answers by the digest of their request."""

    async def get(self, key: str) -> Reply | None: ...

    async def put(self, key: str, reply: Reply) -> None: ...
