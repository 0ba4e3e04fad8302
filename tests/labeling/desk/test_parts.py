"""Parts split off a statement: under the contract, by code points, exact in the export."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from calibration import bundles
from grounding.contract import ClaimClass, Verdict
from grounding.errors import BadInput
from grounding.evidence import Texts
from grounding.interchange.models import Evidence, Premise
from labeling import labels, values
from labeling.desk import parts
from labeling.models import Case, Statement
from labeling.values import LabelValues, Part
from tests.cast import Cast, handed

ANSWER = "💊 It failed 👩‍🔧 because the disk was full. المهمة فشلت. 失敗したジョブは三件です。"
QUOTE = Evidence(passage_id="p1", quote="3 failed jobs")
PREMISE = Part(
    text="the disk was full",
    span=(ANSWER.index("the disk"), ANSWER.index(". ")),
    claim_class=ClaimClass.SUBJECT_SPECIFIC,
    verdict=Verdict.SUPPORTED,
    rationale="Line 1.",
    evidence=(QUOTE,),
)
OPINION = LabelValues(
    claim_class=ClaimClass.INTERPRETATION, verdict=Verdict.NOT_APPLICABLE, rationale="A view."
)
TEXTS = Texts({"p1": "There were 3 failed jobs."})


def faults(**changes: Any) -> list[tuple[str | None, str]]:
    split = replace(OPINION, parts=(PREMISE, replace(PREMISE, **changes)))
    return [(one.field, one.message) for one in values.faults(split, TEXTS, answer=ANSWER)]


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({}, []),
        ({"claim_class": None, "verdict": None}, ["claim_class", "verdict"]),
        ({"claim_class": ClaimClass.INTERPRETATION}, ["verdict"]),
        ({"verdict": Verdict.NOT_APPLICABLE}, ["verdict"]),
        ({"evidence": ()}, ["evidence"]),
        ({"claim_class": ClaimClass.EXTERNAL}, ["evidence.0.passage_id"]),
        ({"rationale": " "}, ["rationale"]),
        ({"text": "a\x00b", "span": None}, ["text"]),
        ({"text": "  ", "span": None}, ["text"]),
        ({"text": "the disk was empty"}, ["span"]),
        ({"span": (5, 5000)}, ["span.start"]),
        ({"text": "In words of its own", "span": None}, []),
    ],
)
def test_a_part_is_held_to_the_contract_and_its_words_to_the_answer(
    changes: dict[str, Any], fields: list[str]
) -> None:
    assert [field for field, _ in faults(**changes)] == [f"parts.1.{name}" for name in fields]


def test_every_fault_of_a_form_is_found_at_once() -> None:
    empty = LabelValues(claim_class=None, verdict=None, confidence=7, parts=(Part(""),))
    found = values.faults(empty, TEXTS, answer=ANSWER)
    assert [one.field for one in found] == [
        "claim_class",
        "verdict",
        "confidence",
        "rationale",
        "parts.0.text",
        "parts.0.claim_class",
        "parts.0.verdict",
        "parts.0.rationale",
    ]


@pytest.mark.parametrize("words", ["the disk was full", "فشلت", "三件", "👩‍🔧", "💊 It"])
def test_the_words_of_a_part_are_found_by_code_points(words: str) -> None:
    start = ANSWER.index(words)
    part = parts.quoted(ANSWER, parts.span_in(f"{start}-{start + len(words)}"), "")
    assert part.text == words
    assert part.span is not None
    assert ANSWER[slice(*part.span)] == words
    assert parts.read(parts.value_of(part)) == part


@pytest.mark.parametrize("words", ["5", "a-b", "-1-4", "5-2", "0-99999", "٣-٤", "1-1"])
def test_what_names_no_words_of_the_answer_is_refused(words: str) -> None:
    with pytest.raises(BadInput):
        parts.quoted(ANSWER, parts.span_in(words), "")


@pytest.mark.parametrize("raw", ["no JSON", "[]", "{}", '{"text": "a", "more": 1}', '{"text": 5}'])
def test_a_part_that_cannot_be_read_is_refused_at_its_field(raw: str) -> None:
    with pytest.raises(BadInput) as refused:
        parts.read(raw)
    assert refused.value.field == "parts"
    assert parts.readable([raw, parts.value_of(PREMISE)]) == [PREMISE]


def test_the_export_holds_the_parts_exactly(people: Cast, tmp_path: Path) -> None:
    statement = Statement.objects.get(case__case_id="jobs-001-a", statement_id="s1")
    Case.objects.filter(pk=statement.case_id).update(answer=ANSWER)
    statement.case.answer = ANSWER
    own = replace(PREMISE, text="Disks fill up.", span=None, verdict=Verdict.UNSUPPORTED)
    split = replace(OPINION, parts=(PREMISE, replace(own, evidence=())))
    work = handed(statement, people.annotator)
    work.statement.case.answer = ANSWER
    label = labels.submit(work, split, submission=uuid4())

    bundles.export_bundle(people.set, tmp_path / "out")
    lines = (tmp_path / "out" / "labels.jsonl").read_text().splitlines()
    code = label.annotator.code
    (record,) = [one for one in map(json.loads, lines) if one["annotator"] == code]
    first, second = record["premises"]
    assert ANSWER[slice(*first["span"])] == first["text"] == "the disk was full"
    assert (first["claim_class"], first["verdict"]) == ("subject_specific", "supported")
    (cited,) = first["evidence"]
    passage = statement.case.context[0]["text"]
    assert passage[cited["start"] : cited["end"]] == cited["quote"] == "3 failed jobs"
    assert (second["text"], second["span"]) == ("Disks fill up.", None)
    assert [Premise.model_validate(one).model_dump(mode="json") for one in record["premises"]] == (
        record["premises"]
    )
