"""A provider of language models on 127.0.0.1, honest or hostile, over real HTTP.

    with Provider(plan=in_order("fences", None)) as provider:
        … POST provider.url + "/v1/chat/completions" (or "/v1/messages") …
        provider.received    # what it was sent, byte by byte
        provider.peak        # how many calls were open at once

`answering` says what it answers, `plans` on which call which fault of `faults` happens.
"""

from tests.provider.answering import Answerer, Asked, Obedient, ReadsSchema
from tests.provider.faults import FAULTS, Fault, faults_of, rate_limited, status
from tests.provider.plans import always, at_random, honest, in_order
from tests.provider.server import Provider, Received

__all__ = [
    "FAULTS",
    "Answerer",
    "Asked",
    "Fault",
    "Obedient",
    "Provider",
    "ReadsSchema",
    "Received",
    "always",
    "at_random",
    "faults_of",
    "honest",
    "in_order",
    "rate_limited",
    "status",
]
