"""A model's answer is read as it stands or not at all."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding.judges.llm.reading import Item, Reading, RefusedInWords, Unreadable, read


class Said(Item):
    verdict: str


def found(text: str, *asked: str) -> Reading[Said]:
    return read(text, asked or ("s1", "s2"), Said.model_validate)


def answers(*rows: str) -> str:
    return '{"answers": [' + ", ".join(rows) + "]}"


S1 = '{"statement_id": "s1", "verdict": "a"}'
S2 = '{"statement_id": "s2", "verdict": "b"}'


def test_what_is_sound_is_found_by_its_id() -> None:
    reading = found(answers(S2, S1))
    assert {key: one.verdict for key, one in reading.sound.items()} == {"s1": "a", "s2": "b"}
    assert (reading.faults, list(reading.doubled), reading.unknown) == ({}, [], ())


@pytest.mark.parametrize("space", [" ", "\n", "\r\n\t "])
def test_white_space_around_is_no_fault(space) -> None:
    assert found(f"{space}{answers(S1)}{space}").sound.keys() == {"s1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("supported", "not JSON"),
        ("The answer is: supported.", "not JSON"),
        (f"```json\n{answers(S1)}\n```", "not JSON"),
        (f"{answers(S1)}\n{answers(S2)}", "not JSON"),
        (f"{answers(S1)} That is all.", "not JSON"),
        (f"[{answers(S1)}]", "not one object"),
        ('"supported"', "not one object"),
        ("null", "not one object"),
        ("{}", "not one object"),
        (f'{{"answers": [{S1}], "note": "x"}}', "not one object"),
        (f'{{"answers": [{S1}], "answers": []}}', "answers stands twice"),
        ('{"answers": {"s1": "supported"}}', "not a list"),
        (answers('"supported"'), "names no statement_id"),
        (answers('{"verdict": "a"}'), "names no statement_id"),
        (answers('{"statement_id": 1, "verdict": "a"}'), "names no statement_id"),
        (answers('{"statement_id": null, "verdict": "a"}'), "names no statement_id"),
        (answers('{"statement_id": "s1", "verdict": "a", "verdict": "b"}'), "verdict stands twice"),
        ("[" * 100_000, "nested more than 32 deep"),
        ('{"answers": ' + "[" * 50 + "]" * 50 + "}", "nested more than 32 deep"),
    ],
)
def test_a_text_that_is_not_the_one_object_is_unreadable(text, message) -> None:
    with pytest.raises(Unreadable, match=message):
        found(text)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"statement_id": "s1"}', "verdict: is required"),
        ('{"statement_id": "s1", "verdict": null}', "verdict: must not be null"),
        ('{"statement_id": "s1", "verdict": true}', "verdict: must be text"),
        ('{"statement_id": "s1", "verdict": NaN}', "verdict: holds NaN"),
        ('{"statement_id": "s1", "verdict": "a", "sure": 1}', "sure: is not a key"),
    ],
)
def test_an_answer_that_breaks_its_form_is_a_fault_of_that_statement_alone(row, message) -> None:
    reading = found(answers(row, S2))
    assert reading.sound.keys() == {"s2"}
    assert message in reading.faults["s1"]


def test_an_id_with_several_answers_is_not_sound_and_not_asked_again() -> None:
    for second in (S1, '{"statement_id": "s1"}'):
        reading = found(answers(S1, second, S2))
        assert reading.sound.keys() == {"s2"}
        assert (set(reading.doubled), reading.faults) == ({"s1"}, {})


def test_ids_that_were_not_asked_about_are_named_once_and_never_used() -> None:
    reading = found(answers(S1, S1.replace("s1", "s9"), S1.replace("s1", "s9")))
    assert reading.sound.keys() == {"s1"}
    assert reading.unknown == ("s9",)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot assist with this request.",
        "Sorry, I can't do that.",
        "I am unable to comply.",
        "I cannot provide an assessment of this.",
        "As an AI, I do not judge.",
    ],
)
def test_a_plain_refusal_is_one(text) -> None:
    with pytest.raises(RefusedInWords):
        found(text)


@pytest.mark.parametrize(
    "text",
    [
        "I cannot find the number in the passages, so it is unsupported.",
        "The answer says: I'm sorry, I can't help.",
        "I'm sorry for the delay. {",
        "Unsupported.",
    ],
)
def test_prose_that_is_no_plain_refusal_is_unreadable(text) -> None:
    with pytest.raises(Unreadable):
        found(text)


@given(st.text())
def test_no_text_breaks_the_reader(text: Any) -> None:
    with contextlib.suppress(Unreadable, RefusedInWords):
        assert not found(text).sound
