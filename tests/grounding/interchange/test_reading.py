import codecs
import gzip
import io
import json
import time
import tracemalloc
from typing import Any

import pytest

from grounding.errors import BadInput, ContractViolation
from grounding.interchange.models import Attempt, Case, Judgment, Label, Record, Source
from grounding.interchange.reading import read_records

from .examples import ATTEMPT, CASE, JUDGMENT, LABEL, SOURCE, case, lines, read, refusal

LINE = json.dumps(CASE)


def with_value(old: str, new: str) -> bytes:
    assert LINE.count(old) == 1
    return (LINE + "\n" + LINE.replace(old, new) + "\n").encode()


@pytest.mark.parametrize(
    ("content", "field", "words"),
    [
        (with_value('"demo"', '"de\\u0000mo"'), "tags.0", "U+0000"),
        (with_value('"demo"', '"de\\ud800mo"'), "tags.0", "surrogate at character 2"),
        (with_value('[0, 38]', "[0, NaN]"), "statements.0.span.1", "NaN"),
        (with_value('"answerable": true', '"answerable": -Infinity'), "answerable", "-Infinity"),
        (with_value('"start": 16', '"start": 16, "start": 17'),
         "statements.0.expected.evidence.0.start", "twice"),
        (with_value('"case_id"', '"answer": "", "case_id"'), "answer", "twice"),
        (with_value('"start": 16', '"start": 16, "strat": 1'),
         "statements.0.expected.evidence.0.strat", "not a key"),
        (with_value("38]", "9" * 5000 + "]"), "statements.0.span.1", "64 bits"),
        (with_value("38]", "9223372036854775808]"), "statements.0.span.1", "64 bits"),
        (with_value("38]", "1e999]"), "statements.0.span.1", "64 bits"),
        (with_value("38]", "38.0]"), "statements.0.span.1", "whole number"),
        (with_value("38]", '"38"]'), "statements.0.span.1", "whole number"),
        (with_value("38]", "true]"), "statements.0.span.1", "whole number"),
        (with_value("[0, 38]", "[-1, 38]"), "statements.0.span.0", "at least 0"),
        (with_value("[0, 38]", "[0]"), "statements.0.span.1", "required"),
        (with_value('"jobs-001-a"', '"jobs 001"'), "case_id", "A–Z a–z 0–9"),
        (with_value('"jobs-001-a"', '"jobs\\n"'), "case_id", "A–Z a–z 0–9"),
        (with_value('"jobs-001-a"', '"' + "a" * 9000 + '"'), "case_id", "128"),
        (with_value('"jobs-001-a"', "null"), "case_id", "null"),
        (with_value('"hand-written"', '"' + "é" * 1_000_001 + '"'), "source", "1000000"),
        (with_value('"quantity"', '"number"'), "statements.0.claim_type", "'quantity', 'date'"),
        (with_value('"p1", "source_id": null', '"p1", "source_id": "x"'),
         "statements.0.expected.evidence.0.passage_id", "one of the two"),
        (b"{}\n" + b"{}\n", "case_id", "required"),
        ((LINE + "\n[]\n").encode(), None, "object"),
        ((LINE + "\n" + LINE[:-1] + "\n").encode(), None, "not JSON: expecting"),
        ((LINE + "\n" + LINE + LINE + "\n").encode(), None, "not JSON: extra data"),
    ],
)  # fmt: skip
def test_a_line_that_breaks_the_format_is_refused_with_line_and_field(
    content: bytes, field: str | None, words: str
) -> None:
    error = refusal(content)
    assert error.source == "cases.jsonl"
    assert error.line == (1 if content.startswith(b"{}") else 2)
    assert error.field == field
    assert words in error.message
    assert "\n" not in str(error)
    assert len(str(error)) < 300


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize("closed", [True, False])
def test_nesting_of_100_000_is_refused_without_recursion(opening: str, closed: bool) -> None:
    closing = "".join({"[": "]", "{": "}"}[c] for c in reversed(opening) if c in "[{")
    nest = opening * 100_000 + ("1" + closing * 100_000 if closed else "")
    error = refusal(LINE.replace('"demo"', nest).encode())
    assert (error.line, error.message) == (1, "nested more than 32 deep")


def test_nesting_is_counted_outside_of_strings_only() -> None:
    text = '[{"\\\\\\"' * 500
    assert read(lines(case(question=text)))[0].question == text


def test_32_levels_are_not_too_deep_and_33_are() -> None:
    deep = LINE.replace('"demo"', "[" * 30 + "]" * 30)
    assert refusal(deep.encode()).field == "tags.0"
    assert "deep" in refusal(LINE.replace('"demo"', "[" * 31 + "]" * 31).encode()).message


def test_an_unclosed_string_full_of_escapes_takes_linear_time() -> None:
    began = time.process_time()
    error = refusal(b'{"a": "' + b'\\"[' * 2_000_000)
    assert "not JSON" in error.message
    assert time.process_time() - began < 5


def test_millions_of_containers_are_refused_before_they_fill_memory() -> None:
    content = LINE.replace('"demo"', ",".join(["[]"] * 1_000_000)).encode()
    tracemalloc.start()
    error = refusal(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "lists and objects" in error.message
    assert peak < 10 * len(content)


def test_a_million_bad_items_cost_no_more_than_one() -> None:
    content = LINE.replace('"demo"', ",".join("1" * 1_000_000)).encode()
    tracemalloc.start()
    error = refusal(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (error.field, error.message) == ("tags.0", "must be text")
    assert peak < 50_000_000


def test_a_key_from_outside_is_shown_short_and_printable() -> None:
    error = refusal(lines({**CASE, "\u202e\r\n\x1b[31m" + "x" * 10_000: 1}))
    assert error.field is not None
    assert error.field.isprintable()
    assert error.field.startswith("\\u202e\\u000d\\u000a\\u001b[31m")
    assert len(error.field) < 100


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LINE.encode("utf-16"), "UTF-16"),
        (LINE.encode("utf-16-le"), "UTF-16"),
        (LINE.encode("utf-16-be"), "UTF-16"),
        (LINE.encode("utf-32-be"), "UTF-32"),
        (codecs.BOM_UTF32_BE + LINE.encode("utf-32-be"), "UTF-32"),
        (gzip.compress(LINE.encode()), "gzip"),
        (b"PK\x03\x04" + b"\0" * 50, "zip"),
        ('{"case_id": "é"}'.encode("latin-1"), "not UTF-8: byte 0xE9 at byte 14"),
        (b'{"case_id": "\xed\xa0\x80"}', "not UTF-8"),
    ],
)
def test_another_encoding_is_named(content: bytes, words: str) -> None:
    error = refusal(content)
    assert (error.source, error.line) == ("cases.jsonl", 1)
    assert words in error.message


def test_a_byte_order_mark_is_accepted_at_the_start_only() -> None:
    assert len(read(codecs.BOM_UTF8 + lines(CASE))) == 1
    assert refusal(lines(CASE) + codecs.BOM_UTF8 + lines(CASE)).line == 2


def test_windows_line_ends_blank_lines_and_a_missing_last_line_end_are_accepted() -> None:
    content = (LINE + "\r\n\r\n  \n" + LINE).encode()
    found = list(read_records(io.BytesIO(content), Case, source="cases.jsonl"))
    assert [line for line, _ in found] == [1, 4]


class Endless(io.RawIOBase):
    """A line that never ends; ``served`` says how much of it was asked for."""

    served = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        buffer[:] = b"x" * len(buffer)
        self.served += len(buffer)
        return len(buffer)


def test_a_line_over_16_mib_is_refused_without_reading_further() -> None:
    raw = Endless()
    with pytest.raises(BadInput, match="longer than 16777216 bytes") as caught:
        next(read_records(io.BufferedReader(raw), Case, source="x"))
    assert caught.value.line == 1
    assert raw.served < 17 * 1024 * 1024


def test_a_line_of_exactly_16_mib_is_read() -> None:
    texts = ["x" * 1_000_000] * 16
    padding = 16 * 1024 * 1024 - len(lines(case(tags=[*texts, ""]))) + 1
    content = lines(case(tags=[*texts, "y" * padding]))
    assert len(content) == 16 * 1024 * 1024 + 1
    # Written with compact separators it is shorter, so it can be exported again.
    assert len(read(content)) == 1
    assert "longer" in refusal(content.replace(b"yy", b"yyy", 1)).message


def test_a_record_that_would_outgrow_a_line_when_written_is_refused() -> None:
    statements = [{"statement_id": f"s{n}", "text": ""} for n in range(200_000)]
    assert "every key" in refusal(lines(case(statements=statements))).message


def test_a_bad_row_9_999_of_10_000_is_named_and_the_rows_before_it_stream() -> None:
    rows = [case(case_id=f"c{n}") for n in range(1, 10_001)]
    rows[9_998]["statements"][0]["span"] = "0-38"
    seen = []
    records = read_records(io.BytesIO(lines(*rows)), Case, source="cases.jsonl")
    with pytest.raises(BadInput) as caught:
        seen.extend(line for line, _ in records)
    assert seen == list(range(1, 9_999))
    assert str(caught.value) == "cases.jsonl, line 9999, statements.0.span: must be a list"


@pytest.mark.parametrize(
    ("model", "record", "changes", "field"),
    [
        (Label, LABEL, {"claim_class": "interpretation"}, "verdict"),
        (Label, LABEL, {"verdict": "not_applicable"}, "verdict"),
        (Label, LABEL, {"premises": [{"text": "", "claim_class": "external",
                                      "verdict": "not_applicable"}]}, "premises.0.verdict"),
        (Judgment, JUDGMENT, {"claim_class": "interpretation"}, "verdict"),
        (Judgment, JUDGMENT, {"verdict": None}, "verdict"),
        (Judgment, JUDGMENT, {"outcome": "timeout"}, "verdict"),
        (Judgment, JUDGMENT, {"outcome": "refused", "verdict": None}, "claim_class"),
    ],
)  # fmt: skip
def test_the_contract_holds_at_the_door(
    model: type[Record], record: dict[str, Any], changes: dict[str, Any], field: str
) -> None:
    error = refusal(lines({**record, **changes}), model)
    assert isinstance(error, ContractViolation)
    assert (error.line, error.field) == (1, field)


@pytest.mark.parametrize("verdict", ["supported", "not_applicable"])
def test_a_null_class_goes_with_any_verdict(verdict: str) -> None:
    assert read(lines({**LABEL, "claim_class": None, "verdict": verdict}), Label)


REQUIRED = {
    Case: ("case_id", "context", "answer", "statements"),
    Label: ("case_id", "statement_id", "annotator", "role", "origin", "verdict"),
    Judgment: ("case_id", "statement_id", "rubric", "version", "outcome"),
    Source: ("id", "text"),
    Attempt: ("case_id", "statement_id", "rubric", "version", "outcome", "number"),
}
EXAMPLES = {Case: CASE, Label: LABEL, Judgment: JUDGMENT, Source: SOURCE, Attempt: ATTEMPT}
KEYS = [(model, key) for model, example in EXAMPLES.items() for key in example]


@pytest.mark.parametrize(("model", "key"), KEYS)
def test_what_is_required_may_be_neither_null_nor_absent_and_all_else_may_be_both(
    model: type[Record], key: str
) -> None:
    absent = {name: value for name, value in EXAMPLES[model].items() if name != key}
    null = {**EXAMPLES[model], key: None}
    if key == "verdict" and model is Judgment:  # a graded judgment has one
        absent = {**absent, "outcome": "timeout", "claim_class": None}
        null = {**null, "outcome": "timeout", "claim_class": None}
    if key == "request_digest":  # what was sent goes with its digest
        absent, null = {**absent, "sent": None}, {**null, "sent": None}
    if key in REQUIRED[model]:
        assert refusal(lines(absent), model).field == key
        assert refusal(lines(null), model).field == key
    else:
        assert read(lines(absent), model) == read(lines(null), model)


def test_null_lists_are_empty_but_a_pool_that_was_not_captured_is_not_an_empty_pool() -> None:
    null, empty = read(lines(case(tags=None, retrieved=None), case(tags=[], retrieved=[])))
    assert null.tags == empty.tags == ()
    assert null.retrieved is None
    assert empty.retrieved == ()


def test_statements_may_not_be_empty() -> None:
    assert refusal(lines(case(statements=[]))).field == "statements"


def test_line_ends_inside_texts_become_line_feeds_once_and_for_all() -> None:
    (record,) = read(lines(case(answer="a\r\nb\r\r\nc\rd\n", tags=["x\r\ny"])))
    assert record.answer == "a\nb\nc\rd\n"
    assert record.tags == ("x\ny",)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2026-11-02T09:30:00Z", "2026-11-02T09:30:00Z"),
        ("2026-11-02t09:30:00z", "2026-11-02T09:30:00Z"),
        ("2026-11-02 11:30:00+02:00", "2026-11-02T09:30:00Z"),
        ("2026-11-02T09:30:00-00:00", "2026-11-02T09:30:00Z"),
        ("2026-11-02T09:30:00.5Z", "2026-11-02T09:30:00.500000Z"),
        ("2026-11-02T09:30:00.123456999Z", "2026-11-02T09:30:00.123456Z"),
        ("2026-11-02T09:30:00.000Z", "2026-11-02T09:30:00Z"),
    ],
)
def test_times_are_stored_as_utc(given: str, stored: str) -> None:
    (label,) = read(lines({**LABEL, "labeled_at": given}), Label)
    written = json.loads(label.model_dump_json())["labeled_at"]
    assert written == stored
    assert read(lines({**LABEL, "labeled_at": written}), Label) == [label]


@pytest.mark.parametrize(
    "given",
    [
        "2026-11-02T09:30:00", "2026-11-02", "2026-11-02T09:30Z", "1793611800", "20261102T093000Z",
        "2026-02-30T09:30:00Z", "2026-11-02T09:30:60Z", "2026-11-02T09:30:00+25:00",
        "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "٢٠٢٦-11-02T09:30:00Z",
        1793611800,
    ],
)  # fmt: skip
def test_a_time_that_is_not_one_is_refused(given: object) -> None:
    error = refusal(lines({**LABEL, "labeled_at": given}), Label)
    assert (error.line, error.field) == (1, "labeled_at")
    assert "2026-11-02T09:30:00Z" in error.message


@pytest.mark.parametrize("given", ["1", "1.0.0-rc", "01.0.0", "٣.0.0", "9" * 5000 + ".0.0"])
def test_a_contract_version_is_three_plain_numbers(given: str) -> None:
    assert refusal(lines({**LABEL, "contract_version": given}), Label).field == "contract_version"


@pytest.mark.parametrize(("given", "good"), [(0, True), (1, True), (1.5, False), (-0.1, False)])
def test_confidence_lies_between_0_and_1(given: float, good: bool) -> None:
    content = lines({**LABEL, "confidence": given})
    if good:
        assert read(content, Label)[0].confidence == given
    else:
        assert refusal(content, Label).field == "confidence"


def test_minus_zero_is_zero() -> None:
    (label,) = read(lines({**LABEL, "confidence": -0.0}), Label)
    assert '"confidence":0.0' in label.model_dump_json()


@pytest.mark.slow
def test_10_000_cases_are_read_at_a_small_multiple_of_bare_validation() -> None:
    rows = [json.dumps(case(case_id=f"c{n}")) for n in range(10_000)]
    content = "\n".join(rows).encode()

    def streamed() -> None:
        assert sum(1 for _ in read_records(io.BytesIO(content), Case, source="x")) == len(rows)

    def bare() -> None:
        for row in rows:
            Case.model_validate(json.loads(row))

    # Taken in turn, so that whatever else the machine does slows both.
    took = [(_seconds(streamed), _seconds(bare)) for _ in range(5)]
    assert min(whole for whole, _ in took) < 3 * min(least for _, least in took)


def _seconds(work: Any) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
