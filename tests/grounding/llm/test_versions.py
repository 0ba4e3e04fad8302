"""What of a language model's rubric can move a verdict moves its digest, and nothing else does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounding.errors import BadInput, VersionRefused
from grounding.rubrics import check_release, dump_rubric, load_rubric, required_bump
from grounding.rubrics.levels import Level, leaves, level_of
from tests.grounding.llm.asked import SHIPPED, rubric

FIRST = load_rubric(SHIPPED.read_text("utf-8"))
PRICED = rubric(
    judge__prices={"currency": "EUR", "input_per_million": 2.0, "output_per_million": 8.0}
)
_LEAVES = [
    path
    for path, value in leaves(PRICED.model_dump(mode="json")).items()
    if isinstance(value, str | bool | int | float) and not path.startswith("contract.version")
]


def _other(value: object, draw: st.DataObject) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.draw(st.integers(1, 3))
    if isinstance(value, float):
        return value + draw.draw(st.floats(0.001, 0.5))
    at = draw.draw(st.integers(0, len(str(value))))
    return f"{str(value)[:at]}{draw.draw(st.sampled_from('x .é'))}{str(value)[at:]}"


def _edited(path: str, draw: st.DataObject) -> str:
    changed: Any = json.loads(dump_rubric(PRICED))
    node = changed
    *parents, last = path.split(".")
    for parent in parents:
        node = node[int(parent)] if isinstance(node, list) else node[parent]
    key: Any = int(last) if isinstance(node, list) else last
    node[key] = _other(node[key], draw)
    return json.dumps(changed)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(_LEAVES), st.data())
def test_any_character_that_is_edited_under_the_same_version_is_refused_by_digest(
    path, data
) -> None:
    try:
        new = load_rubric(_edited(path, data))
    except BadInput:
        return  # the edit made it no rubric at all
    level = level_of(path)
    assert (new.digest != PRICED.digest) == (level in (Level.MAJOR, Level.MINOR))
    if level is Level.IDENTITY:
        return
    with pytest.raises(VersionRefused, match="released with other content") as caught:
        check_release(new, [PRICED])
    assert caught.value.fields == (path,)


def test_the_edits_reach_every_part_of_the_judge() -> None:
    parts = {path for path in _LEAVES if path.startswith("judge.")}
    assert {"judge.model", "judge.dialect", "judge.risk", "judge.constraints.0"} <= parts
    assert {path for path in parts if path.startswith("judge.parameters.")} == {
        f"judge.parameters.{name}"
        for name in type(FIRST.judge.parameters).model_fields  # type: ignore[union-attr]
    }


@pytest.mark.parametrize(
    ("change", "level", "field"),
    [
        ({"judge__model": "another-model"}, "minor", "judge.model"),
        ({"judge__risk": "high"}, "minor", "judge.risk"),
        ({"judge__constraints": []}, "minor", "judge.constraints"),
        ({"judge__parameters__calls": "statement"}, "minor", "judge.parameters.calls"),
        (
            {"judge__parameters__deadline_seconds": 60.0},
            "minor",
            "judge.parameters.deadline_seconds",
        ),
        (
            {
                "judge__prices": {
                    "currency": "EUR",
                    "input_per_million": 1.0,
                    "output_per_million": 2.0,
                }
            },
            "patch",
            "judge.prices.currency",
        ),
    ],
)
def test_each_change_asks_for_its_bump(change, level, field) -> None:
    bump = required_bump(rubric(), rubric(**change))
    assert bump.level == level
    assert field in bump.fields


def test_prices_move_no_digest() -> None:
    assert PRICED.digest == rubric().digest
