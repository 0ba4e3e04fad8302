"""Claims of thousands of sentences that no one here wrote, found through ASSIZE_DATA alone."""

import json
import os
from itertools import islice
from pathlib import Path

import pytest

from tests.grounding.splitting.test_claims import invariants

DATA = os.environ.get("ASSIZE_DATA")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA, reason="ASSIZE_DATA is not set: no real data"),
]


def answers(name):
    path = Path(DATA or "") / name / "cases.jsonl"
    if not path.exists():
        pytest.skip(f"ASSIZE_DATA has no {name}/cases.jsonl")
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line)["answer"] for line in lines)


def passages(name):
    path = Path(DATA or "") / name / "cases.jsonl"
    if not path.exists():
        pytest.skip(f"ASSIZE_DATA has no {name}/cases.jsonl")
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield from (passage["text"] for passage in json.loads(line)["context"])


@pytest.mark.parametrize(
    ("name", "sentences", "cut"),
    [("begin_wow_test", 5000, 80), ("qags", 2400, 40), ("wice", 500, 15)],
)
def test_claims_of_real_answers_hold_their_invariants(name, sentences, cut):
    found = [claims for claims in map(invariants, answers(name)) if claims]
    by_sentence = [(id(one), claim.sentence) for one in found for claim in one]
    assert len(set(by_sentence)) > sentences
    assert len(by_sentence) - len(set(by_sentence)) >= cut


def test_claims_of_real_passages_hold_their_invariants():
    found = [invariants(text) for text in islice(passages("wice"), 3000)]
    assert sum(map(len, found)) > 3000
