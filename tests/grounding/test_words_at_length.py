"""Texts that nobody wrote to be read: long ones cost no more than their length."""

import time

import pytest

from grounding.contract import Verdict
from grounding.interchange.models import Case
from grounding.partners import propose
from grounding.splitting import claims_of, dropped, qualifiers
from grounding.splitting.premises import premises

pytestmark = pytest.mark.slow

PATTERNS = [
    "He was here and talked x ",
    "1234567890",
    ", and it was",
    "if it may not be up to 3 or more ",
    "said that and that ",
    "A B C ",
    ",",
    "the x that was ",
    " \t ",
    "because since given that ",
    "May 2019 in 2020 ",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_long_text_is_done_in_seconds(pattern):
    text = (pattern * 60_000)[:120_000]
    began = time.perf_counter()
    qualifiers(text)
    dropped("It was here.", text)
    premises(text)
    claims_of(text[:60_000])
    assert time.perf_counter() - began < 20


@pytest.mark.parametrize("pattern", PATTERNS)
def test_partners_of_a_long_case_are_proposed_in_seconds(pattern):
    text = (pattern * 10_000)[:40_000].strip() or "x"
    one = {
        "case_id": "c",
        "context": ({"id": "p1", "text": text},),
        "answer": text,
        "statements": (
            {
                "statement_id": "s1",
                "text": text,
                "span": (0, len(text)),
                "expected": {"verdict": Verdict.SUPPORTED},
            },
        ),
    }
    began = time.perf_counter()
    propose(Case.model_validate(one), seed=1)
    assert time.perf_counter() - began < 20
