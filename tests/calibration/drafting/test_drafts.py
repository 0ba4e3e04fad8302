"""Drafts of rubric versions: what they need, who overwrites whom, what a release of one is."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from calibration import rubrics
from calibration.drafting import drafts
from calibration.models import RubricDraft, RubricVersion
from calibration.rubrics.rubric_yaml import as_yaml
from grounding.errors import BadInput, Refused, VersionRefused
from grounding.rubrics import load_rubric
from tests.cast import Cast
from tests.grounding.rubric_examples import with_changes

CHANGES: list[tuple[str, Any, str, str]] = [
    ("contract__evidence__external__supported_needs_quote", False, "major", "2.0.0"),
    ("contract__speech_acts__refusal__quotable", True, "major", "2.0.0"),
    ("splitting__language", "de", "major", "2.0.0"),
    ("verdict_mapping__refuted", "unsupported", "major", "2.0.0"),
    ("claim_types__precedence", ["date", "quantity"], "major", "2.0.0"),
    ("common_knowledge__exempt", "stable_definitions", "major", "2.0.0"),
    ("common_knowledge__statement", "It is exempt.", "minor", "1.1.0"),
    ("prompts__verify", "Look twice.", "minor", "1.1.0"),
    ("judge__implementation", 999, "minor", "1.1.0"),
    ("answer_policy__ratio_threshold", 0.5, "minor", "1.1.0"),
    ("gate__failure_ceiling", 0.5, "minor", "1.1.0"),
    ("title", "Another", "patch", "1.0.1"),
    ("notes", "Another", "patch", "1.0.1"),
]


def changed(**changes: Any) -> dict[str, Any]:
    return with_changes(version="1.0.1", **changes).model_dump(mode="json")


def test_a_draft_begins_as_the_next_number_of_the_version_and_nothing_else_moves(
    people: Cast, rubric: RubricVersion
) -> None:
    draft = drafts.begin(rubric, people.lead)
    assert (str(draft), draft.based_on) == ("groundedness@1.0.1", rubric)
    assert drafts.definition_of(draft) == changed()
    found = drafts.check(drafts.definition_of(draft))
    assert (found.bump, found.moves, found.refusal) == ("none", [], None)


def test_a_gate_policy_by_which_nothing_ever_passes_is_warned_of(rubric: RubricVersion) -> None:
    nothing = {f"gate__{name}": None for name in ("lenient", "class_escape", "regression")}
    found = drafts.check(changed(gate__cells=[], **nothing))
    assert found.warning is not None
    assert "no run can pass a gate by it" in found.warning
    del nothing["gate__regression"]
    assert drafts.check(changed(gate__cells=[], **nothing)).warning is None
    assert drafts.check(changed()).warning is None


@pytest.mark.parametrize(("field", "value", "bump", "number"), CHANGES)
def test_each_change_shows_the_bump_it_needs_and_the_field_that_moved(
    rubric: RubricVersion, field: str, value: Any, bump: str, number: str
) -> None:
    found = drafts.check(changed(**{field: value}))
    assert (found.against, found.bump, found.suggested) == ("groundedness@1.0.0", bump, number)
    assert all(move.path.startswith(field.replace("__", ".")) for move in found.moves)
    assert found.moves
    assert (found.refusal is None) == (bump == "patch")


def test_the_suggested_number_passes_whatever_else_is_released(rubric: RubricVersion) -> None:
    rubrics.release(with_changes(version="1.1.0", prompts__classify="Which class?"))
    rubrics.release(with_changes(version="2.0.0", splitting__language="de"))
    for field, value, bump, _ in CHANGES:
        renumbered = drafts.renumbered(changed(**{field: value}))
        assert renumbered["version"] == {"major": "3.0.0"}.get(bump, "1.2.0")
        assert drafts.check(renumbered).refusal is None


def test_a_number_that_is_too_small_is_refused_with_its_fields_and_the_draft_stays(
    people: Cast, rubric: RubricVersion
) -> None:
    draft = drafts.begin(rubric, people.lead)
    drafts.save(draft, changed(splitting__language="de"), people.lead, edition=1)
    with pytest.raises(VersionRefused) as refused:
        drafts.release(draft, edition=2)
    assert refused.value.fields == ("splitting.language",)
    assert RubricVersion.objects.count() == 1
    assert drafts.open_drafts().get().edition == 2


def test_a_released_draft_is_the_release_of_its_file_and_is_open_no_more(
    people: Cast, rubric: RubricVersion, tmp_path: Any
) -> None:
    draft = drafts.begin(rubric, people.lead)
    definition = changed(prompts__verify="Look\ntwice.") | {"version": "1.1.0"}
    drafts.save(draft, definition, people.lead, edition=1)
    file = tmp_path / "draft.yaml"
    file.write_text(as_yaml(drafts.definition_of(draft)))
    released = drafts.release(draft, edition=2)
    assert (released.required_bump, str(released.rubric_version)) == ("minor", "groundedness@1.1.0")
    assert load_rubric(file.read_text()).digest == released.rubric_version.digest
    call_command("release_rubric", str(file))
    assert RubricVersion.objects.count() == 2
    with pytest.raises(Refused, match="no longer open"):
        drafts.save(draft, definition, people.lead, edition=3)
    with pytest.raises(Refused, match="no longer open"):
        drafts.release(draft, edition=3)


def test_what_is_no_rubric_yet_is_kept_and_not_released(
    people: Cast, rubric: RubricVersion
) -> None:
    draft = drafts.begin(rubric, people.lead)
    broken = changed() | {"judge": {"kind": "lexical"}, "version": "one"}
    drafts.save(draft, broken, people.lead, edition=1)
    assert drafts.definition_of(draft) == broken
    assert str(draft) == "groundedness@one"
    paths = {fault.path for fault in drafts.check(broken).faults}
    assert {("judge", "parameters"), ("judge", "implementation"), ("version",)} <= paths
    with pytest.raises(Refused, match="no rubric yet: 3 fields are to be mended"):
        drafts.release(draft, edition=2)


def test_a_save_that_began_from_an_older_edition_changes_nothing(
    people: Cast, rubric: RubricVersion
) -> None:
    draft = drafts.begin(rubric, people.lead)
    other = RubricDraft.objects.get()
    drafts.save(other, changed(title="First"), people.admin, edition=1)
    for late in (
        lambda: drafts.save(draft, changed(title="Second"), people.lead, edition=1),
        lambda: drafts.release(draft, edition=1),
        lambda: drafts.discard(draft, edition=1),
    ):
        with pytest.raises(drafts.StaleDraft) as stale:
            late()
        assert drafts.definition_of(stale.value.stored)["title"] == "First"
    assert RubricVersion.objects.count() == 1
    assert drafts.open_drafts().get().updated_by == people.admin


def test_where_two_versions_differ_both_are_told() -> None:
    before = {"a": {"b.c": 1, "same": True}, "list": ["x", "y"], "gone": None}
    after = {"a": {"b.c": "1", "same": True}, "list": ["x"], "new": {}}
    assert drafts.differences(before, after) == [
        ("a.b.c", "1", "1"),
        ("list.1", "y", "absent"),
        ("gone", "null", "absent"),
        ("new", "absent", "{}"),
    ]
    assert drafts.differences(before, before) == []


def test_a_discarded_draft_stays_in_its_row_and_on_no_list(
    people: Cast, rubric: RubricVersion
) -> None:
    draft = drafts.begin(rubric, people.lead)
    drafts.discard(draft, edition=1)
    assert not drafts.open_drafts().exists()
    assert drafts.definition_of(RubricDraft.objects.get()) == changed()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"name": "other", "title": "1e3", "notes": "null", "description": " two\n\nlines \n"},
        {"prompts": {"classify": "", "verify": "{{ settings.SECRET_KEY }}"}},
        {"judge": "none", "version": 3, "unheard": [{}, [], None, True, 1.5]},
        {"verdict_mapping": [["a", "supported"], ["a", "unsupported"]]},
        {"gate": {"failure_ceiling": 0.00012345678901234567}},
        {"gate": {"failure_ceiling": 1e-300}},
    ],
)
def test_yaml_out_and_in_is_the_same_draft(people: Cast, changes: dict[str, Any]) -> None:
    draft = drafts.take_in(as_yaml(changed() | changes), people.lead)
    assert drafts.definition_of(draft) == changed() | changes
    again = drafts.take_in(as_yaml(drafts.definition_of(draft)), people.lead)
    assert again.definition == draft.definition


@pytest.mark.parametrize("text", ["a: [", "- a", "", "a: &x 1", "a: 1\na: 2", 'a: "\\0"'])
def test_what_cannot_be_read_is_no_draft(people: Cast, text: str) -> None:
    with pytest.raises(BadInput):
        drafts.take_in(text, people.lead)
    assert not RubricDraft.objects.exists()
