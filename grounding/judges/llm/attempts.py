"""From one try at a provider to the attempt that is kept of it."""

from __future__ import annotations

from grounding.judges.llm.calls import Request, Try
from grounding.judges.protocol import PassAttempt, PassName


def attempt(
    one: Try,
    request: Request,
    judge_pass: PassName,
    statement_ids: tuple[str, ...],
    cost: float | None = None,
) -> PassAttempt:
    """The attempt, not numbered yet. ``statement_ids`` are those that the request was for."""
    return PassAttempt(
        number=0,
        judge_pass=judge_pass,
        outcome=one.outcome,
        raw=one.raw,
        error=one.error,
        judge_model=one.model,
        started_at=one.started_at,
        seconds=one.seconds,
        statement_ids=statement_ids,
        request_digest=request.digest,
        sent=request.sent,
        http_status=one.status,
        retry=one.retry,
        input_tokens=one.usage.input_tokens,
        output_tokens=one.usage.output_tokens,
        cost=cost,
        cached=one.cached,
    )
