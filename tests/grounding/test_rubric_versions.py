import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from grounding.contract import Contract
from grounding.errors import BadInput, VersionRefused
from grounding.rubrics import (
    BumpLevel,
    GatePolicy,
    RubricDefinition,
    check_release,
    content_digest,
    dump_rubric,
    load_rubric,
    required_bump,
)
from grounding.rubrics.levels import LATER, LEVELS, Level, fields_at, leaves, level_of
from tests.grounding.rubric_examples import SHIPPED, with_changes

FIRST = load_rubric(SHIPPED.read_text(encoding="utf-8"))
EXAMPLE = {
    "statement": "A",
    "context": [{"id": "p", "text": "B", "source": None}],
    "claim_class": "subject_specific",
    "verdict": "supported",
    "rationale": "C",
    "case_id": None,
    "pair_id": None,
}
FULL = with_changes(
    examples=[EXAMPLE],
    prompts={"classify": "Classify.", "verify": "Verify."},
    notes="Notes.",
)

# One change a line: what it asks for, and which path moved.
MOVES = [
    ({"title": "Other"}, "patch", "title"),
    ({"description": "Other"}, "patch", "description"),
    ({"notes": "Other"}, "patch", "notes"),
    ({"contract__version": "1.0.1"}, "patch", "contract.version.rest"),
    ({"contract__rationale_required": False}, "patch", "contract.rationale_required"),
    ({"contract__version": "2.0.0"}, "major", "contract.version.major"),
    (
        {"contract__evidence__external__supported_needs_quote": False},
        "major",
        "contract.evidence.external.supported_needs_quote",
    ),
    (
        {"contract__speech_acts__refusal__quotable": True},
        "major",
        "contract.speech_acts.refusal.quotable",
    ),
    ({"splitting__language": "de"}, "major", "splitting.language"),
    (
        {"splitting": {"method": "claims", "language": "en", "implementation": 1}},
        "major",
        "splitting.method",
    ),
    ({"verdict_mapping__partly": "unsupported"}, "major", "verdict_mapping.partly"),
    ({"claim_types__precedence": ["qualitative"]}, "major", "claim_types.precedence.0"),
    ({"common_knowledge__exempt": "stable_definitions"}, "major", "common_knowledge.exempt"),
    ({"common_knowledge__statement": "Other"}, "minor", "common_knowledge.statement"),
    ({"judge__implementation": 2}, "minor", "judge.implementation"),
    (
        {"judge__parameters__support_probability": 0.81},
        "minor",
        "judge.parameters.support_probability",
    ),
    ({"prompts__verify": "Verify "}, "minor", "prompts.verify"),
    ({"examples": [EXAMPLE]}, "minor", "examples.0.statement"),
    ({"answer_policy__ratio_threshold": 0.8}, "minor", "answer_policy.ratio_threshold"),
    ({"answer_policy__strict_claim_types": []}, "minor", "answer_policy.strict_claim_types"),
    ({"gate__failure_ceiling": 0.1}, "minor", "gate.failure_ceiling"),
]


@pytest.mark.parametrize(("change", "level", "field"), MOVES)
def test_each_change_asks_for_its_bump_and_names_what_moved(change, level, field):
    bump = required_bump(FIRST, with_changes(**change))
    assert bump.level == level
    assert field in bump.fields
    assert bump.against == "1.0.0"


@pytest.mark.parametrize(("change", "level", "field"), MOVES)
def test_digests_move_with_what_they_cover(change, level, field):
    changed = with_changes(**change)
    assert (changed.digest != FIRST.digest) == (level in ("major", "minor"))
    assert (changed.scope_digest != FIRST.scope_digest) == (level == "major")
    assert content_digest(changed) != content_digest(FIRST)


@pytest.mark.parametrize(("change", "level", "field"), MOVES)
def test_the_same_version_with_other_content_is_refused(change, level, field):
    with pytest.raises(VersionRefused, match="released with other content") as caught:
        check_release(with_changes(**change), [FIRST])
    assert field in caught.value.fields


@pytest.mark.parametrize(("change", "level", "field"), MOVES)
def test_too_small_a_step_is_refused_and_the_right_one_taken(change, level, field):
    versions = {"patch": "1.0.1", "minor": "1.1.0", "major": "2.0.0"}
    levels = list(versions)
    for step, version in versions.items():
        new = with_changes(**change, version=version)
        if levels.index(step) >= levels.index(level):
            assert check_release(new, [FIRST]).level == level
        else:
            with pytest.raises(VersionRefused, match=f"a {level} bump is needed") as caught:
                check_release(new, [FIRST])
            assert field in caught.value.fields


def test_the_same_content_again_needs_nothing():
    bump = check_release(load_rubric(dump_rubric(FIRST)), [FIRST])
    assert bump.level is BumpLevel.NONE
    assert bump.fields == ()


def test_the_first_release_of_a_name_needs_nothing():
    assert check_release(FIRST, []).against is None
    assert check_release(FIRST, [with_changes(name="other", title="Other")]).against is None


def test_the_step_is_taken_from_the_highest_version_below():
    second = with_changes(version="1.9.0", judge__parameters__anchor_overlap=0.4)
    tenth = with_changes(version="1.10.0", judge__parameters__anchor_overlap=0.3)
    later = with_changes(version="3.0.0", splitting__language="de")
    new = with_changes(version="1.10.1", judge__parameters__anchor_overlap=0.3, title="x")
    bump = check_release(new, [later, second, FIRST, tenth])
    assert (bump.level, bump.fields, bump.against) == ("patch", ("title",), "1.10.0")


def test_a_minor_change_back_to_an_older_content_is_still_a_change():
    second = with_changes(version="1.1.0", judge__parameters__anchor_overlap=0.4)
    with pytest.raises(VersionRefused):
        check_release(with_changes(version="1.1.1"), [FIRST, second])


def test_a_scope_cannot_slip_into_a_major_from_below():
    released = with_changes(version="1.1.0")
    new = with_changes(version="1.0.0", splitting__language="de")
    with pytest.raises(VersionRefused, match="one major version has one scope") as caught:
        check_release(new, [released])
    assert caught.value.fields == ("splitting.language",)


def test_heavier_fields_are_named_first():
    new = with_changes(title="x", gate__failure_ceiling=0.2, splitting__language="de")
    assert required_bump(FIRST, new).fields == (
        "splitting.language",
        "gate.failure_ceiling",
        "title",
    )


def test_one_and_one_point_zero_are_a_change_where_the_digest_says_so():
    whole = with_changes(answer_policy__ratio_threshold=1.0)
    assert required_bump(whole, with_changes(answer_policy__ratio_threshold=1)).level == "none"


def test_a_dot_in_a_raw_verdict_does_not_make_two_mappings_alike():
    one = with_changes(verdict_mapping={"a.b": "supported", "c": "unsupported"})
    assert any("a\\.b" in path for path in leaves(one.model_dump(mode="json")))


def _fields(model: type[BaseModel], prefix: str = "") -> list[str]:
    return [prefix + name for name in model.model_fields]


def test_every_field_of_a_rubric_and_of_its_contract_has_a_level():
    paths = [path for path in _fields(RubricDefinition) if path != "contract"]
    paths += [path for path in _fields(Contract, "contract.") if path != "contract.version"]
    paths.remove("common_knowledge")
    paths += ["common_knowledge.exempt", "common_knowledge.statement"]
    paths += ["contract.version.major", "contract.version.rest", "judge.prices"]
    assert sorted(paths) == sorted(LEVELS)


def test_a_field_without_a_level_is_an_error_and_not_a_patch():
    with pytest.raises(KeyError, match="no level is stated for surprise"):
        level_of("surprise.inner")


def test_every_leaf_of_a_full_rubric_has_a_level():
    assert {level_of(path) for path in leaves(FULL.model_dump(mode="json"))} == set(Level)


_LEAVES = [
    path
    for path, value in leaves(FULL.model_dump(mode="json")).items()
    if isinstance(value, str | bool | int | float) and not path.startswith("contract.version")
]


def _other(value: object, draw: st.DataObject) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.draw(st.integers(1, 3))
    if isinstance(value, float):
        return draw.draw(st.floats(0, 1).filter(lambda other: other != value))
    return f"{value}{draw.draw(st.sampled_from(['x', ' ', '.', 'é']))}"


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(_LEAVES), st.data())
def test_any_leaf_that_is_edited_moves_the_digest_its_level_says(path, data):
    changed = json.loads(dump_rubric(FULL))
    node = changed
    *parents, last = path.split(".")
    for parent in parents:
        node = node[int(parent)] if isinstance(node, list) else node[parent]
    key = int(last) if isinstance(node, list) else last
    node[key] = _other(node[key], data)
    try:
        new = load_rubric(json.dumps(changed))
    except BadInput:
        return  # the edit made it no rubric at all, which is refused elsewhere
    level = level_of(path)
    assert (new.digest != FULL.digest) == (level in (Level.MAJOR, Level.MINOR))
    assert (new.scope_digest != FULL.scope_digest) == (level is Level.MAJOR)
    assert content_digest(new) != content_digest(FULL)
    if level is not Level.IDENTITY:
        assert required_bump(FULL, new).fields == (path,)
        assert required_bump(FULL, new).level == level.value


def test_what_later_fields_leave_unsaid_is_their_default():
    unsaid = GatePolicy(failure_ceiling=0.05).model_dump(mode="json")
    assert {path: unsaid[path.removeprefix("gate.")] for path in LATER} == dict(LATER)


def test_stating_a_later_field_s_default_moves_no_digest():
    stated = FIRST.model_dump(mode="json")
    unstated = {**stated, "gate": {"failure_ceiling": stated["gate"]["failure_ceiling"]}}
    assert fields_at(stated, set(Level)) == fields_at(unstated, set(Level))
    assert with_changes(gate__regression=None).digest != FIRST.digest


@pytest.mark.parametrize(
    ("version", "digest"),
    [
        ("1.0.0", "5a7163a75119010415454a1932a4d91b5b9e6fd46ea1cd94b51de41456b07593"),
        ("1.1.0", "fb99790201e9412f768707af10bd7984c02a540ccede0852a24bba7a8c142530"),
        ("2.0.0", "e7c90f13c6e51ab97e4beadd832436ac51780645512daea8f92756d214d21cce"),
    ],
)
def test_what_was_released_keeps_its_digest(version, digest):
    text = SHIPPED.with_name(f"groundedness@{version}.yaml").read_text(encoding="utf-8")
    assert load_rubric(text).digest == f"sha256:{digest}"
