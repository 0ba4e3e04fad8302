"""Every fault at once: each request comes to one end, by the name of what happened last to it in
the provider's own books, and every try is accounted for."""

from __future__ import annotations

import asyncio

from grounding.interchange.models import Outcome
from grounding.judges.llm.calls import CallFailed, Reply
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.pacing import Patience
from tests.grounding.carrier.asking import Counted, outcome, request, within
from tests.provider import Provider, at_random, faults_of

REQUESTS = 400
FAULTS = [
    name for name in faults_of("D5", "D6", "D10", "B4", "B8") if not name.startswith("rate_limited")
]
END: dict[str | None, Outcome] = {
    None: Outcome.GRADED,
    **dict.fromkeys(("refusal_in_words", "text_type", "gzip", "deflate"), Outcome.GRADED),
    **dict.fromkeys(("refusal", "content_filter"), Outcome.REFUSED),
    **dict.fromkeys(("truncated", "empty"), Outcome.UNREADABLE),
    **dict.fromkeys(("html_200", "no_json", "half_body", "other_json"), Outcome.UNREADABLE),
    **dict.fromkeys(("unknown_encoding", "false_gzip", "bomb"), Outcome.UNREADABLE),
    **dict.fromkeys(("huge", "huge_chunked"), Outcome.UNREADABLE),
    **dict.fromkeys(("drip", "endless_headers", "silence"), Outcome.TIMEOUT),
    "too_long": Outcome.TOO_LONG,
}


def test_of_many_requests_each_ends_once_and_no_try_is_lost() -> None:
    plan = at_random(3, 0.02, FAULTS)
    limiter = Counted(16)
    with Provider(plan, drip_seconds=0.05, huge_bytes=8_000_000) as provider:

        async def crowd(carrier: HttpCarrier) -> list[Reply | CallFailed]:
            asked = [request(number=number, deadline=2.5) for number in range(REQUESTS)]
            done = await asyncio.gather(*(outcome(carrier, one) for one in asked))
            assert len(asyncio.all_tasks()) == 1  # nothing goes on behind their backs
            return done

        ends = within(
            provider,
            crowd,
            limiter=limiter,
            patience=Patience(5, first_wait=0.001, share=0.2),
            queue_seconds=60.0,
        )
    assert len(ends) == REQUESTS
    # A connection may be reset before its request is read, and then it was a try all the same.
    assert sum(len(one.tries) for one in ends) >= len(provider.received)
    assert (limiter.peak, limiter.held) == (16, 0)
    assert len(limiter.log) == sum(len(one.tries) for one in ends)
    last = {call.json["messages"][0]["content"]: call.fault for call in provider.received}
    for number, end in enumerate(ends):
        fault = last[f"Question {number}?"]
        assert _name(end) is END.get(fault, Outcome.UNAVAILABLE), (number, fault)


def _name(end: Reply | CallFailed) -> Outcome:
    return Outcome.GRADED if isinstance(end, Reply) else end.outcome
