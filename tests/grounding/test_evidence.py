from typing import Any

import pytest

from grounding.errors import BadInput
from grounding.evidence import Texts, repair, resolve, slice_of
from grounding.interchange.models import Evidence, Passage, Source

TEXTS = Texts.of(
    [Passage(id="p", text="👩‍👧 said: aaa, cafe\u0301."), Passage(id="q", text="")],
    [Source(id="p", text="the source that shares its id")],
)


def cite(**given: Any) -> Evidence:
    return Evidence(**({"passage_id": "p"} | given))


def test_a_quote_is_located_in_code_points() -> None:
    assert resolve(cite(quote="cafe\u0301"), TEXTS) == cite(quote="cafe\u0301", start=15, end=20)


def test_offsets_are_filled_with_their_slice() -> None:
    assert resolve(cite(start=0, end=3), TEXTS).quote == "👩‍👧"


def test_whole_evidence_is_handed_back_itself() -> None:
    whole = cite(quote="said", start=4, end=8)
    assert resolve(whole, TEXTS) is whole


def test_a_passage_and_a_source_of_one_id_are_two_texts() -> None:
    source = cite(passage_id=None, source_id="p", quote="source")
    assert resolve(source, TEXTS).start == 4
    with pytest.raises(BadInput, match="does not occur"):
        resolve(cite(quote="source"), TEXTS)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"quote": "Said"}, "at.quote"),
        ({"quote": "café"}, "at.quote"),  # another spelling of the same letters
        ({"quote": "aa"}, "at.start"),  # twice, overlapping
        ({"quote": ""}, "at.quote"),
        ({"quote": "said", "start": 5, "end": 9}, "at.quote"),
        ({"start": 4, "end": 4}, "at.start"),
        ({"start": 8, "end": 4}, "at.start"),
        ({"start": 4, "end": 22}, "at.start"),
        ({"passage_id": "q", "start": 0, "end": 1}, "at.start"),
        ({"passage_id": "r", "quote": "said"}, "at.passage_id"),
        ({"passage_id": None, "source_id": "q", "quote": "said"}, "at.source_id"),
    ],
)
def test_what_is_not_there_is_refused_by_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        resolve(cite(**given), TEXTS, at="at")
    assert caught.value.field == field


def test_wrong_offsets_are_mended_where_the_quote_occurs_once() -> None:
    assert repair(cite(quote="said", start=0, end=4), TEXTS) == (
        cite(quote="said", start=4, end=8),
        True,
    )
    assert repair(cite(quote="said"), TEXTS)[1] is False


@pytest.mark.parametrize(
    "given",
    [
        {"quote": "aa", "start": 0, "end": 2},
        {"quote": "nowhere", "start": 0, "end": 2},
        {"passage_id": "r", "quote": "said", "start": 4, "end": 8},
        {"start": 0, "end": 99},
    ],
)
def test_nothing_else_is_mended(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        repair(cite(**given), TEXTS)


def test_a_slice_may_reach_the_end() -> None:
    assert slice_of("ab", 1, 2, at="x") == "b"
