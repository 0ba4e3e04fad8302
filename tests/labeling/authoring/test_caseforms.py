"""A case on a form and back: nothing lost, spans and quotes found, each error at its field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings

from grounding.errors import BadInput
from grounding.interchange.models import Case as Record
from grounding.interchange.resolving import resolved_case
from labeling.authoring.caseforms import fields, places, reading, rows
from labeling.authoring.caseforms.typed import (
    NOWHERE,
    TypedCase,
    TypedEvidence,
    TypedPair,
    TypedPassage,
    TypedStatement,
    read,
)
from tests.cast import SMALL

STARTER = Path(settings.BASE_DIR) / "calibration" / "sets" / "starter"
ANSWER = "It rained. It rained. The sun shone."


def written() -> list[tuple[Record, dict[str, str]]]:
    found = []
    for folder in (SMALL, STARTER):
        sources = [json.loads(line) for line in (folder / "sources.jsonl").read_text().splitlines()]
        texts = {source["id"]: source["text"] for source in sources}
        for line in (folder / "cases.jsonl").read_text().splitlines():
            found.append((resolved_case(Record.model_validate_json(line), texts), texts))
    return found


def pair_of(record: Record) -> TypedPair:
    typed = reading.typed_of(record, opened="sha256:x")
    return TypedPair(record.pair_id or "", record.pair_kind or "", {"a": typed})


@pytest.mark.parametrize(
    ("record", "texts"), written(), ids=lambda one: getattr(one, "case_id", "")
)
def test_a_case_that_goes_through_a_form_comes_out_as_it_was(record, texts) -> None:
    sent = fields.posted_of(pair_of(record))
    again = resolved_case(reading.record_of(read(sent), "a"), texts)
    assert again == record


def test_what_a_form_cannot_carry_is_named() -> None:
    record, _ = written()[0]
    odd = record.model_copy(update={"question": "", "tags": ("a\nb",)})
    again = reading.record_of(read(fields.posted_of(pair_of(odd))), "a")
    lost = set(reading.altered(odd.model_dump(), again.model_dump()))
    assert {"question", "tags"} <= lost


def test_rows_are_read_in_order_whichever_numbers_are_missing() -> None:
    sent = {
        "a.case_id": "c",
        "a.context.7.id": "p7",
        "a.context.2.id": "p2",
        "a.context.x.id": "no",
    }
    assert [one.id for one in read(sent).sides["a"].context] == ["p2", "p7"]
    assert "b" not in read(sent).sides


def test_line_ends_that_a_browser_sends_become_one() -> None:
    assert read({"a.case_id": "c", "a.answer": "x\r\ny\rz\r\r\n"}).sides["a"].answer == "x\ny\nz\n"


def test_a_span_is_found_by_its_text_where_that_stands_once() -> None:
    assert places.span_of("found", "The sun shone.", ANSWER, field="f") == (22, 36)
    for text, said in (
        ("It snowed.", "word for word"),
        ("It rained.", "more than once"),
        ("", "word for word"),
    ):
        with pytest.raises(BadInput, match=said) as refused:
            places.span_of("found", text, ANSWER, field="statements.3.span")
        assert refused.value.field == "statements.3.span"


def test_a_chosen_sentence_moves_along_and_never_slides_onto_other_words() -> None:
    chosen = places.sentence_place(ANSWER, 22, 36)
    assert places.span_of(chosen, "any", ANSWER, field="f") == (22, 36)
    assert places.span_of(chosen, "any", "Hm. The sun shone.", field="f") == (4, 18)
    with pytest.raises(BadInput, match="choose again"):
        places.span_of(chosen, "any", ANSWER.replace("sun", "moon"), field="f")
    assert places.span_of(NOWHERE, "any", ANSWER, field="f") is None
    for nonsense in ("0-5", "1-2-zz", "9999999-9999999-00000000", "found "):
        with pytest.raises(BadInput):
            places.span_of(nonsense, "any", ANSWER, field="f")


def test_a_quote_keeps_its_offset_only_where_it_needs_one() -> None:
    record, _ = written()[0]
    twice = record.model_copy(
        update={"context": (record.context[0].model_copy(update={"text": "3 failed, 3 failed"}),)}
    )
    evidence = [{"passage_id": "p1", "quote": "3 failed", "start": 10, "end": 18}]
    statement = record.statements[0].model_dump() | {"expected": {"evidence": evidence}}
    twice = Record.model_validate(twice.model_dump() | {"statements": [statement]})
    typed = reading.typed_of(twice, opened="").statements[0].evidence[0]
    assert typed.start == "10"
    assert reading.typed_of(record, opened="").statements[0].evidence[0].start == ""


def test_an_offset_that_is_no_number_is_refused_at_its_field() -> None:
    side = TypedCase(case_id="c", context=[TypedPassage("p1", "one")])
    quote = TypedEvidence("p1", "", "one", "²")
    side.statements = [TypedStatement("s1", "x", NOWHERE, evidence=[quote])]
    with pytest.raises(BadInput, match="whole number") as refused:
        reading.record_of(TypedPair(sides={"a": side}), "a")
    assert refused.value.field == "statements.0.expected.evidence.0.start"


def test_an_error_stands_at_its_field_or_at_the_nearest_one() -> None:
    pair = pair_of(written()[0][0])
    titles = {"a": "Side A"}
    for name, place in (
        ("a.statements.0.span", "field-a-statements-0-span"),
        ("a.tags.3", "field-a-tags"),
        (
            "a.statements.0.expected.evidence.0.end",
            "field-a-statements-0-expected-evidence-0-start",
        ),
        ("a.statements.0.expected.evidence.0", "row-a-statements-0-expected-evidence-0"),
        ("a.statements", "row-a-statements"),
        ("pair_id", "field-pair_id"),
        ("a.", ""),
    ):
        form = fields.lay_out(pair, {name: "is wrong"}, titles=titles)
        assert [(id_, message) for id_, _, message in form.problems] == [(place, "is wrong")], name
    form = fields.lay_out(pair, {"a.statements.0.span": "is wrong"}, titles=titles)
    assert form.problems[0][1] == "Side A, statement 1, in the answer"
    assert form.sides[0].statements[0].fields["span"].error == "is wrong"


def test_a_value_that_is_no_choice_stays_on_the_form() -> None:
    side = TypedCase(case_id="c", statements=[TypedStatement("s1", verdict="<maybe>")])
    drawn = fields.lay_out(TypedPair(sides={"a": side}), {}, titles={}).sides[0].statements[0]
    assert ("<maybe>", "<maybe>") in drawn.fields["verdict"].options


def test_buttons_add_and_take_away_rows_and_nothing_else() -> None:
    pair = TypedPair(sides={"a": rows.new_case()})
    side = pair.sides["a"]
    for button in ("add.a.context", "add.a.retrieved", "add.a.statements.0.expected.evidence"):
        assert rows.act(pair, button)
    assert [one.id for one in side.context] == ["p1", "p2"]
    assert [one.id for one in side.retrieved] == ["p3"]
    assert len(side.statements[0].evidence) == 1
    assert rows.act(pair, "remove.a.statements.0.expected.evidence.0")
    assert rows.act(pair, "remove.a.context.0")
    assert [one.id for one in side.context] == ["p2"]
    for button in ("remove.a.context.9", "add.b.context", "add.a.context.0", "split.b"):
        before = repr(pair)
        assert rows.act(pair, button)
        assert repr(pair) == before, button
    for button in ("check", "save", "add.a.__class__", "remove.a.context.-1", "add.c.context"):
        assert not rows.act(pair, button), button


def test_the_other_side_starts_as_a_copy_that_can_be_changed_alone() -> None:
    pair = TypedPair(sides={"a": rows.new_case("jobs-1-a")})
    pair.sides["a"].opened = "sha256:x"
    rows.act(pair, "copy.b")
    other = pair.sides["b"]
    assert (other.case_id, other.opened) == ("jobs-1-b", "")
    other.statements[0].text = "changed"
    assert pair.sides["a"].statements[0].text == ""
    rows.act(pair, "copy.b")
    assert pair.sides["b"] is other
    rows.act(pair, "remove.b")
    assert set(pair.sides) == {"a"}


def test_an_answer_is_split_into_statements_that_are_not_there_yet() -> None:
    side = TypedCase(answer=ANSWER, statements=[TypedStatement("s1", "The sun shone.")])
    pair = TypedPair(sides={"a": side})
    rows.act(pair, "split.a")
    assert [one.text for one in side.statements] == ["The sun shone.", "It rained.", "It rained."]
    assert len({one.statement_id for one in side.statements}) == 3
    rows.act(pair, "split.a")
    assert len(side.statements) == 3
    spans = [one.span for one in reading.record_of(_named(pair), "a").statements]
    assert spans == [(22, 36), (0, 10), (11, 21)]


def test_an_answer_becomes_claims_split_from_the_sentences_that_are_there() -> None:
    answer = "It rained. Marie Curie discovered radium and won two prizes."
    side = TypedCase(answer=answer)
    pair = TypedPair(sides={"a": side})
    rows.act(pair, "split.a")
    rows.act(pair, "claims.a")
    rows.act(pair, "claims.a")
    assert [(one.text, one.parent_id) for one in side.statements] == [
        ("It rained.", ""),
        ("Marie Curie discovered radium and won two prizes.", ""),
        ("Marie Curie discovered radium", "s2"),
        ("Marie Curie won two prizes.", "s2"),
    ]
    spans = [one.span for one in reading.record_of(_named(pair), "a").statements]
    assert spans == [(0, 10), (11, 60), (11, 40), (11, 60)]


def test_what_a_statement_takes_for_granted_is_proposed_behind_it() -> None:
    text = "You should buy it because it is cheap."
    side = TypedCase(
        answer=text, statements=[TypedStatement("s1", text), TypedStatement("s2", "x")]
    )
    pair = TypedPair(sides={"a": side})
    assert rows.act(pair, "premises.a.statements.0")
    assert rows.act(pair, "premises.a.statements.0")
    assert rows.act(pair, "premises.a.statements.7")
    assert [(one.statement_id, one.text, one.parent_id) for one in side.statements] == [
        ("s1", text, ""),
        ("s1.1", "it is cheap", "s1"),
        ("s2", "x", ""),
    ]
    assert side.statements[1].verdict == side.statements[1].claim_class == ""


@pytest.mark.parametrize(
    ("text", "span", "warns"),
    [
        ("Lamps burn long.", "0-22-", True),
        ("Lamps burn long.", "nowhere", False),
        ("Lamps may burn long.", "found", False),
        ("Lamps burn for ever.", "found", False),
    ],
)
def test_a_statement_that_lost_a_qualifier_is_warned_of(text: str, span: str, warns: bool) -> None:
    answer = "Lamps may burn long."
    place = places.sentence_place(answer, 0, 20) if span.startswith("0") else span
    side = TypedCase(answer=answer, statements=[TypedStatement("s1", text, span=place)])
    form = fields.lay_out(TypedPair(sides={"a": side}), {}, titles={"a": "The case"})
    (row,) = form.sides[0].statements
    told = "Its sentence in the answer has “may” (hedge), and this has not."
    assert row.warning == (told if warns else "")


def test_a_form_that_a_server_would_not_read_does_not_grow_that_far() -> None:
    pair = TypedPair(sides={"a": rows.new_case()})
    pair.sides["a"].context *= 700
    with pytest.raises(BadInput, match="full"):
        rows.act(pair, "add.a.context")
    pair.sides["a"].context = pair.sides["a"].context[:500]
    assert rows.act(pair, "add.a.context")
    assert rows.size(pair) < settings.DATA_UPLOAD_MAX_NUMBER_FIELDS


def _named(pair: TypedPair) -> TypedPair:
    pair.sides["a"].case_id = "c"
    return pair


@pytest.mark.parametrize("name", ["begin_wow_dev", "wice", "cad_nli"])
def test_real_cases_go_through_a_form_unchanged(data_folder: Path, name: str) -> None:
    lines = (data_folder / name / "cases.jsonl").read_text().splitlines()[:200]
    for line in lines:
        record = resolved_case(Record.model_validate_json(line), {})
        sent = fields.posted_of(pair_of(record))
        again = resolved_case(reading.record_of(read(sent), "a"), {})
        assert again == record, record.case_id
