"""A definition as fields and back: nothing that was typed is lost, nothing else changes."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from calibration.drafting import RUBRIC, Action, lay_out, read
from calibration.drafting.shapes import shape_of
from calibration.drafting.showing import MOST_FIELDS, Layout
from calibration.rubrics.definitions import moves_of
from grounding.contract import ClaimType
from grounding.errors import BadInput
from grounding.rubrics import RubricDefinition, Splitting, examine
from grounding.rubrics.levels import leaves
from tests.calibration.drafting.posting import posted
from tests.calibration.rubrics.test_rubrics import EXAMPLE
from tests.grounding.rubric_examples import with_changes

ODD = "two\r\nlines\rand\nmore \u202e {{ settings.SECRET_KEY }}"


def whole(**changes: Any) -> dict[str, Any]:
    return with_changes(**changes).model_dump(mode="json")


def laid(definition: dict[str, Any]) -> Layout:
    return lay_out(RUBRIC, definition, examine(definition)[1])


def resent(definition: dict[str, Any], action: str = "save", **typed: str) -> dict[str, Any]:
    form = posted(laid(definition)) | {key.replace("__", "."): typed[key] for key in typed}
    return read(RUBRIC, form, definition, Action.of(action))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"title": ODD, "notes": " "},
        {"prompts__classify": "", "prompts__verify": ODD},
        {"examples": [EXAMPLE, {**EXAMPLE, "case_id": "c1", "rationale": ODD}]},
        {"verdict_mapping": {"a.b": "supported", "x\ny": "unsupported", "z": "contradictory"}},
        {"answer_policy__ratio_threshold": 1e-05, "answer_policy__strict_claim_types": []},
        {"judge": {"kind": "recorded", "implementation": 1, "model": "elsewhere"}},
    ],
)
def test_a_form_that_is_sent_as_it_came_changes_nothing(changes: dict[str, Any]) -> None:
    definition = whole(**changes)
    again = resent(definition)
    assert json.dumps(again) == json.dumps(definition)


@pytest.mark.parametrize(
    "broken",
    [
        {"judge": 3},
        {"examples": "none"},
        {"verdict_mapping": [["a", "supported"], ["a", "unsupported"]]},
        {"contract": {"version": "1"}},
        {"unheard": {"of": [1]}},
        {"answer_policy": {"ratio_threshold": "lots", "more": None}},
        {"claim_types": {"precedence": ["date", {"no": "type"}]}},
        {"examples": [{"statement": "x"}, 5]},
        {"judge": {"kind": "lexical", "model": "x"}},
    ],
)
def test_what_is_wrong_stays_as_it_is_and_every_fault_has_its_place(broken: Any) -> None:
    definition = whole() | broken
    layout = laid(definition)
    assert resent(definition) == definition
    messages = {message for field in layout.fields for message in field.errors}
    faults = examine(definition)[1]
    assert faults
    assert messages
    assert list(layout.unplaced) == []


def test_every_leaf_of_the_definition_has_a_field() -> None:
    definition = whole(examples=[EXAMPLE], prompts__verify="Look.")
    names = {field.name for field in laid(definition).fields}
    missing = [
        path
        for path in leaves(definition)
        if not (path in names or path.rpartition(".")[0] in names)
        and not path.startswith(("contract.version", "verdict_mapping."))
    ]
    # The lexical judge's model is always null: there is nothing to type.
    assert missing in ([], ["judge.model"])
    assert {"contract.version", "verdict_mapping.0.key", "verdict_mapping.0.value"} <= names


def test_what_is_typed_is_read_by_its_type_and_kept_where_it_is_none() -> None:
    found = resent(
        whole(),
        answer_policy__ratio_threshold="0.75",
        judge__implementation="two",
        contract__rationale_required="no",
        contract__speech_acts__assertion__claim_class="external",
        claim_types__precedence="date\r\n\r\n entity \r\n",
        prompts__verify="Look\r\ntwice.",
    )
    assert found["answer_policy"]["ratio_threshold"] == 0.75
    assert found["judge"]["implementation"] == "two"
    assert found["contract"]["rationale_required"] is False
    assert found["contract"]["speech_acts"]["assertion"]["claim_class"] == "external"
    assert found["claim_types"]["precedence"] == ["date", "entity"]
    assert found["prompts"]["verify"] == "Look\ntwice."
    assert resent(found, prompts__verify="")["prompts"]["verify"] is None
    assert {field.name: field for field in laid(found).fields}["judge.implementation"].errors


def test_a_number_that_a_file_gave_in_quotes_becomes_one() -> None:
    definition = whole()
    definition["gate"]["failure_ceiling"] = "0.1"
    assert resent(definition)["gate"]["failure_ceiling"] == 0.1


def test_rows_and_examples_are_added_and_removed() -> None:
    definition = whole()
    added = resent(definition, "add:examples")
    assert added["examples"] == [{}]
    filled = resent(added, "add:examples.0.context", examples__0__statement="Three failed.")
    assert filled["examples"] == [{"statement": "Three failed.", "context": [{}]}]
    assert resent(filled, "remove:examples.0.context.0")["examples"][0]["context"] == []
    assert resent(filled, "remove:examples.0")["examples"] == []
    words = resent(
        definition, verdict_mapping__3__key="unclear", verdict_mapping__3__value="unsupported"
    )
    assert list(words["verdict_mapping"]) == ["entailed", "not_stated", "refuted", "unclear"]
    less = resent(words, "remove:verdict_mapping.0")
    assert list(less["verdict_mapping"]) == ["not_stated", "refuted", "unclear"]


def test_each_move_stands_at_one_field_or_at_the_part_that_lost_it() -> None:
    before = with_changes(examples=[EXAMPLE])
    after = with_changes(
        examples=[],
        contract__version="1.0.1",
        claim_types__precedence=[*reversed(before.claim_types.precedence)],
        verdict_mapping__refuted="unsupported",
        gate__failure_ceiling=0.5,
    )
    layout = lay_out(RUBRIC, after.model_dump(mode="json"), (), moves_of(before, after))
    places = {field.name: [move.path for move in field.moves] for field in layout.fields}
    found = {name: paths for name, paths in places.items() if paths}
    position = list(after.model_dump(mode="json")["verdict_mapping"]).index("refuted")
    assert set(found) == {
        "examples",
        "contract.version",
        "claim_types.precedence",
        f"verdict_mapping.{position}.value",
        "gate.failure_ceiling",
    }
    assert found["contract.version"] == ["contract.version.rest"]
    every = [path for paths in found.values() for path in paths]
    assert sorted(every) == sorted(move.path for move in moves_of(before, after))


def test_a_word_that_stands_twice_loses_neither() -> None:
    twice = resent(whole(), verdict_mapping__0__key="refuted")
    assert twice["verdict_mapping"][0] == ["refuted", "supported"]
    assert len(twice["verdict_mapping"]) == 3
    fields = {field.name: field for field in laid(twice).fields}
    assert fields["verdict_mapping"].errors == ["one word stands twice"]
    mended = resent(twice, verdict_mapping__0__key="entailed")
    assert mended["verdict_mapping"] == whole()["verdict_mapping"]


def test_another_kind_of_judge_keeps_what_the_first_had_until_it_is_removed() -> None:
    other = resent(whole(), judge__kind="recorded")
    assert other["judge"]["parameters"] == whole()["judge"]["parameters"]
    fields = {field.name: field for field in laid(other).fields}
    assert fields["judge.!0"].errors
    back = resent(other, judge__kind="lexical")
    assert back == whole()
    gone = resent(other, "remove:judge.!0")
    assert examine(gone)[0] is not None


def test_what_a_form_does_not_send_stays() -> None:
    definition = whole(examples=[EXAMPLE])
    found = read(RUBRIC, {"title": "New"}, definition, Action())
    assert found == definition | {"title": "New"}


def test_lists_that_no_form_could_hold_stay_and_say_so() -> None:
    example = {**EXAMPLE, "context": [{"id": f"p{n}", "text": "x"} for n in range(30)]}
    for examples in ([EXAMPLE] * 41, [example] * 30):
        definition = whole(examples=examples)
        layout = laid(definition)
        assert sum(1 for _ in layout.fields) <= MOST_FIELDS
        shown = {field.name: field for field in layout.fields}["examples"]
        assert (shown.kind, shown.value) == ("long", str(len(examples)))
        assert resent(definition, title="New")["examples"] == definition["examples"]


@pytest.mark.parametrize("count", ["-1", "9" * 30, "99999999", "x", "42", "¹", "0000300000"])
def test_a_count_of_rows_that_is_none_of_ours_is_refused(count: str) -> None:
    with pytest.raises(BadInput, match="number of rows"):
        resent(whole(), verdict_mapping__rows=count)


def test_buttons_that_are_not_there_are_refused() -> None:
    for text in ("drop", "save:all", "add", "remove", "check:x"):
        with pytest.raises(BadInput, match="nothing that this form can do"):
            Action.of(text)


def test_reading_changes_nothing_in_what_is_stored() -> None:
    definition = whole(examples=[EXAMPLE])
    before = copy.deepcopy(definition)
    resent(definition, "remove:examples.0", title="x")
    assert definition == before
    assert RubricDefinition.model_validate_json(json.dumps(before))


class Other(BaseModel):
    """Fields of kinds that no rubric has today."""

    weights: Mapping[str, float]
    table: Mapping[str, Mapping[str, int]]
    cuts: tuple[float, ...]
    maybe: Splitting | None = None
    either: int | str
    pair: tuple[int, str]
    day: date | None = None
    limits: Mapping[ClaimType, Annotated[float, Field(ge=0)]]


def test_fields_of_any_kind_that_a_rubric_may_gain_can_be_typed() -> None:
    schema = Other.model_json_schema()
    shape = shape_of(schema, schema.get("$defs", {}))
    definition = {
        "weights": {"a.b": 0.5, "c": -1e-07},
        "table": {"x": {"y": 1}, "z": {}},
        "cuts": [0.1, 2],
        "maybe": {"method": "sentences", "language": "en"},
        "either": 5,
        "pair": [1, "x"],
        "day": None,
        "limits": {word.value: 1.5 for word in ClaimType},
    }
    form = posted(lay_out(shape, definition, ()))
    assert json.dumps(read(shape, form, definition, Action())) == json.dumps(definition)
    typed = {"weights.0.value": "0.75", "cuts": "0.1\r\n3", "pair": '[2, "y"]', "either": "now"}
    found = read(shape, form | typed, definition, Action())
    assert found["weights"]["a.b"] == 0.75
    assert (found["cuts"], found["pair"], found["either"]) == ([0.1, 3], [2, "y"], "now")
    Other.model_validate_json(json.dumps(found))
    for text in ("[NaN]", "1e999", "[" * 9_000, "{"):
        assert read(shape, form | {"pair": text}, definition, Action())["pair"] == text
