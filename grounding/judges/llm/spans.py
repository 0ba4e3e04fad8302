"""Spans of OpenTelemetry, where somebody in this process has set a tracer provider up.

One for each request, under the names that the conventions for generative models have, and below
it one for each try, under those for HTTP clients: https://opentelemetry.io/docs/specs/semconv/.
No text that was sent or came back is in them, and no header.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from grounding.interchange.models import Outcome
from grounding.judges.llm.calls import CallFailed, Reply, Request, Try
from grounding.judges.llm.endpoints import Endpoint

Values = Mapping[str, Any]


class Span:
    """A span under way; without a provider, one that nobody sees."""

    def __init__(self, made: Any = None, failed: Any = None) -> None:
        self._made = made
        self._failed = failed

    def answered(self, reply: Reply) -> None:
        last = reply.tries[-1]
        self._ends(
            Outcome.GRADED,
            {
                "gen_ai.response.model": reply.model,
                "gen_ai.usage.input_tokens": last.usage.input_tokens,
                "gen_ai.usage.output_tokens": last.usage.output_tokens,
                "assize.cached": last.cached,
            },
        )

    def failed(self, failure: CallFailed) -> None:
        self._ends(failure.outcome, {})

    def tried(self, one: Try) -> None:
        self._ends(one.outcome, {"http.response.status_code": one.status})

    def _ends(self, outcome: Outcome, values: Values) -> None:
        if self._made is None:
            return
        self._made.set_attributes(_known(values))
        if outcome is not Outcome.GRADED:
            self._made.set_attribute("error.type", outcome.value)
            self._made.set_status(self._failed)


NO_SPAN: Final = Span()


class Spans:
    """Makes the spans of one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        place = endpoint.place
        self._server = {"server.address": place.host, "server.port": place.port}

    def of_request(self, request: Request) -> AbstractContextManager[Span]:
        body = request.body
        values = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": request.dialect,
            "gen_ai.request.model": body.get("model"),
            "gen_ai.request.temperature": body.get("temperature"),
            "gen_ai.request.max_tokens": body.get("max_tokens"),
        }
        return self._span(f"chat {body.get('model')}", values)

    def of_try(self, retry: int) -> AbstractContextManager[Span]:
        values = {"http.request.method": "POST", "http.request.resend_count": retry or None}
        return self._span("POST", values)

    @contextmanager
    def _span(self, name: str, values: Values) -> Iterator[Span]:
        # Whoever set a provider up has imported this; nothing is imported for who has not.
        trace = sys.modules.get("opentelemetry.trace")
        if trace is None or isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            yield NO_SPAN
            return
        # An exception is told by its outcome: its text and its frames would say more than that.
        with trace.get_tracer("assize").start_as_current_span(
            name,
            kind=trace.SpanKind.CLIENT,
            attributes=_known({**values, **self._server}),
            record_exception=False,
            set_status_on_exception=False,
        ) as made:
            yield Span(made, trace.StatusCode.ERROR)


def _known(values: Values) -> dict[str, Any]:
    """Without what is not known, and without what is no plain value."""
    return {name: one for name, one in values.items() if isinstance(one, str | int | float)}
