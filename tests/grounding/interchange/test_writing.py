import hashlib
import io
import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounding.errors import BadInput
from grounding.interchange.bundle import open_bundle
from grounding.interchange.checking import CaseChecker, CaseTexts, LabelChecker, checked
from grounding.interchange.models import Attempt, Case, Judgment, Label, Record, Source
from grounding.interchange.writing import dump_line, write_records

from .examples import ATTEMPT, CASE, JUDGMENT, LABEL, SCRIPTS, SOURCE, case, lines, read

EXAMPLES = {Case: CASE, Label: LABEL, Judgment: JUDGMENT, Source: SOURCE, Attempt: ATTEMPT}
MODELS = {"cases": Case, "labels": Label, "judgments": Judgment, "judgments-": Judgment}


def written(records: list[Any]) -> bytes:
    stream = io.BytesIO()
    count, digest = write_records(stream, records)
    assert count == len(records)
    assert digest == hashlib.sha256(stream.getvalue()).hexdigest()
    return stream.getvalue()


@pytest.mark.parametrize(("model", "example"), EXAMPLES.items())
def test_every_key_is_written_in_the_order_of_the_format(
    model: type[Record], example: dict[str, Any]
) -> None:
    (record,) = read(lines(example), model)
    line = dump_line(record)
    assert line == json.dumps(example, ensure_ascii=False, separators=(",", ":")) + "\n"
    required = {
        name: example[name] for name, info in model.model_fields.items() if info.is_required()
    }
    (least,) = read(
        lines(required | ({"verdict": "supported"} if model is Judgment else {})), model
    )
    assert list(json.loads(dump_line(least))) == list(example)


@pytest.mark.parametrize("text", SCRIPTS)
def test_texts_of_every_script_survive_to_the_byte(text: str) -> None:
    given = case(
        question=text, answer=f"{text}. {text}", tags=[text], context=[{"id": "p1", "text": text}]
    )
    given["statements"] = [{"statement_id": "s", "text": text, "span": [0, len(text) + 1]}]
    (record,) = records = read(lines(given))
    assert (record.question, record.context[0].text) == (text, text)
    once = written(records)
    assert b"\n" not in once[:-1]
    assert b"\\u20" not in once
    assert written(read(once)) == once


def test_a_record_that_no_reader_would_take_is_not_written() -> None:
    record = Case.model_validate(case(tags=["x" * 1_000_000] * 17))
    with pytest.raises(BadInput, match="longer"):
        dump_line(record)


ids = st.from_regex(r"[A-Za-z0-9._:\-]{1,128}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
maybe = st.none() | texts
passages = st.fixed_dictionaries({"id": ids, "text": texts}, optional={"source": maybe})
evidence = st.builds(
    lambda key, id_, start, length, quote: {
        key: id_, "start": start, "end": start + length, "quote": quote
    },
    st.sampled_from(["passage_id", "source_id"]), ids, st.integers(0, 10**5), st.integers(0, 10**5),
    maybe,
)  # fmt: skip
expected = st.sampled_from(["supported", "unsupported", "contradictory"]).flatmap(
    lambda verdict: st.fixed_dictionaries(
        {"verdict": st.just(verdict)},
        optional={
            "claim_class": st.sampled_from([None, "subject_specific", "external"]),
            "rationale": maybe,
            "evidence": st.none() | st.lists(evidence, max_size=3),
        },
    )
)
statements = st.fixed_dictionaries(
    {"statement_id": ids, "text": texts},
    optional={
        "span": st.none() | st.lists(st.integers(0, 10**6), min_size=2, max_size=2),
        "parent_id": st.none() | ids,
        "claim_type": st.sampled_from([None, "date", "causal"]),
        "speech_act": st.sampled_from([None, "refusal"]),
        "expected": st.none() | expected,
    },
)
cases = st.fixed_dictionaries(
    {
        "case_id": ids,
        "context": st.lists(passages, max_size=3),
        "answer": texts,
        "statements": st.lists(statements, min_size=1, max_size=3),
    },
    optional={
        "pair_id": st.none() | ids,
        "question": maybe,
        "retrieved": st.none() | st.lists(passages, max_size=2),
        "answerable": st.sampled_from([None, True, False]),
        "tags": st.none() | st.lists(texts, max_size=3),
    },
)
moments = st.builds(
    lambda moment, minutes: moment.replace(tzinfo=timezone(timedelta(minutes=minutes))).isoformat(),
    st.datetimes(*(datetime(year, 1, 1) for year in (2, 9999))),  # noqa: DTZ001  # the offset comes next
    st.integers(-23 * 60, 23 * 60),
)
attempts = st.fixed_dictionaries(
    {key: st.just(ATTEMPT[key]) for key in ("rubric", "version", "case_id", "statement_id")}
    | {"outcome": st.just("timeout"), "number": st.integers(0, 2**63 - 1)},
    optional={
        "raw": maybe,
        "seconds": st.none() | st.floats(min_value=0, allow_infinity=False),
        "started_at": st.none() | moments,
        "set_revision": st.none() | st.integers(0, 2**63 - 1),
    },
)


@settings(deadline=None, max_examples=100)
@given(values=st.lists(cases, max_size=3), ascii_only=st.booleans())
def test_any_case_that_is_read_is_written_and_read_the_same(
    values: list[Any], ascii_only: bool
) -> None:
    content = "".join(json.dumps(value, ensure_ascii=ascii_only) + "\n" for value in values)
    records = read(content.encode())
    for value, record in zip(values, records, strict=True):
        assert record.answer.replace("\r", "") == value["answer"].replace("\r", "") or (
            "\r" in value["answer"]
        )
    once = written(records)
    again = read(once)
    assert again == records
    assert written(again) == once


@settings(deadline=None, max_examples=200)
@given(value=attempts)
def test_any_number_and_any_time_that_is_read_is_written_and_read_the_same(value: Any) -> None:
    records = read(lines(value), Attempt)
    assert records[0].number == value["number"]
    assert records[0].seconds == value.get("seconds")
    if value.get("started_at"):
        assert records[0].started_at == datetime.fromisoformat(value["started_at"])
    once = written(records)
    assert read(once, Attempt) == records
    assert written(read(once, Attempt)) == once


DATA = os.environ.get("ASSIZE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="ASSIZE_DATA does not name the folder of data")


def data_files() -> list[Path]:
    return sorted(Path(DATA).glob("*/*.jsonl")) if DATA else []


@needs_data
@pytest.mark.parametrize("path", data_files(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_real_files_are_written_the_same_after_every_reading(path: Path) -> None:
    model = MODELS[path.stem.split("-")[0]]
    given = path.read_bytes()
    records = read(given, model)
    once = written(records)
    assert written(read(once, model)) == once
    for before, after in zip(given.splitlines(), once.splitlines(), strict=True):
        old, new = json.loads(before), json.loads(after)
        assert {key: new[key] for key in old if not isinstance(old[key], list)} == {
            key: old[key] for key in old if not isinstance(old[key], list)
        }


@needs_data
@pytest.mark.parametrize("folder", sorted({path.parent for path in data_files()}), ids=str)
def test_real_sets_pass_every_check_and_their_evidence_is_complete(folder: Path) -> None:
    with open_bundle(folder) as bundle:
        checker = CaseChecker()
        kept = [case for _, case in checked(bundle.records("cases"), checker, source="c")]
        find = {record.case_id: CaseTexts.of(record) for record in kept}.get
        labels = list(checked(bundle.records("labels"), LabelChecker(find), source="l"))
        assert checker.unpaired() == []
        assert labels == list(bundle.records("labels"))
        assert kept == [record for _, record in bundle.records("cases")]
