import json

import pytest
import yaml

from grounding.errors import BadInput
from grounding.rubrics import dump_rubric, load_rubric
from tests.grounding.rubric_examples import SHIPPED, shipped_data, with_changes

TEXT = SHIPPED.read_text(encoding="utf-8")
SENTENCES = "{method: sentences, language: en}"


def refused(text, match=None, *, field=None, line=None):
    with pytest.raises(BadInput, match=match) as caught:
        load_rubric(text, source="r.yaml")
    assert caught.value.source == "r.yaml"
    if field is not None:
        assert caught.value.field == field
    if line is not None:
        assert caught.value.line == line


def test_the_shipped_rubric_is_named_as_its_file():
    assert f"{load_rubric(TEXT).reference}.yaml" == SHIPPED.name


def test_the_shipped_rubric_writes_out_every_field():
    definition = load_rubric(TEXT)
    assert json.loads(dump_rubric(definition)) == json.loads(json.dumps(shipped_data()))


def test_yaml_and_json_mean_the_same():
    definition = load_rubric(TEXT)
    assert load_rubric(dump_rubric(definition)) == definition
    assert load_rubric("\ufeff" + TEXT) == definition


def test_a_definition_cannot_be_changed():
    definition = load_rubric(TEXT)
    with pytest.raises(ValueError, match="frozen"):
        definition.version = "2.0.0"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("version: 1.0.0\n\n#", "version: 1.0\n\n#", "version"),
        ("version: 1.0.0\n\n#", "version: 2026-01-01\n\n#", "version"),
        ("version: 1.0.0\n\n#", "version: 01.0.0\n\n#", "version"),
        ("version: 1.0.0\n\n#", "version: '1.0.0\\n'\n\n#", "version"),
        ("name: groundedness", "name: ../groundedness", "name"),
        ("name: groundedness", "name: 12", "name"),
        ("ratio_threshold: 0.9", "ratio_threshold: '0.9'", "answer_policy.ratio_threshold"),
        ("ratio_threshold: 0.9", "ratio_threshold: 1.5", "answer_policy.ratio_threshold"),
        (
            "contradiction_fails: true",
            "contradiction_fails: 1",
            "answer_policy.contradiction_fails",
        ),
        (
            "contradiction_fails: true",
            "contradiction_fails: yes",
            "answer_policy.contradiction_fails",
        ),
        ("regression: {level: 0.05}", "regression: {level: 0.05}\n  extra: 1", "gate.extra"),
        ("implementation: 4", "implementation: 4.0", "judge.implementation"),
        ("kind: lexical", "kind: oracle", "judge"),
        ("entailed: supported", "entailed: Supported", "verdict_mapping.entailed"),
        ("language: en", "language: xx", "splitting.language"),
        (SENTENCES, "{method: claims, language: de, implementation: 1}", "splitting.language"),
        (SENTENCES, "{method: claims, language: en}", "splitting.implementation"),
        (SENTENCES, "{method: words, language: en}", "splitting"),
        ("[date, quantity,", "[date, date, quantity,", "claim_types"),
        ("origin: nothing", "origin: anything", "contract.evidence.interpretation.origin"),
        ("    procedural: {claim_class: interpretation, quotable: false}\n", "", "contract"),
    ],
)
def test_a_wrong_value_is_refused_and_its_field_named(old, new, field):
    assert TEXT.count(old) >= 1
    refused(TEXT.replace(old, new, 1), field=field)


def test_a_key_given_twice_is_refused_at_its_line():
    refused(TEXT + "name: other\n", "stands twice", field="name", line=TEXT.count("\n") + 1)
    refused('{"name": "a", "name": "b"}', "stands twice", field="name")


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [1]\nb: *x\n",
        "a: &x 1\n",
        "a: [&l [x,x], &m [*l,*l], [*m,*m]]\n",
        "base: &b {k: v}\nname:\n  <<: *b\n",
    ],
)
def test_anchors_and_aliases_are_refused(text):
    refused(text, "anchors and aliases")


def test_tags_are_refused():
    refused("name: !!python/object/apply:os.system [id]\n", "tags are not allowed")
    refused("name: !!str 5\n", "tags are not allowed")


@pytest.mark.parametrize("opening", ["[" * 100_000, '{"a":' * 100_000, "a: " + "[" * 100])
def test_deep_nesting_is_refused(opening):
    refused(opening, "nested more than 32 deep|mapping|not JSON|not YAML")


def test_size_is_bounded_in_bytes():
    refused(TEXT.replace("notes: ''", "") + "#" + "é" * 600_000, "at most 1048576 bytes")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n",
        "text",
        "a: b: c",
        "1: x\n",
        "\x00",
        '{"name": NaN}',
        '{"a": 1}x',
        "{",
        "a: .nan",
    ],
)
def test_what_is_no_rubric_is_refused_without_a_traceback(text):
    refused(text)


def test_a_lone_surrogate_or_nul_is_refused_by_field():
    refused('{"title": "\\ud800"}', "surrogate", field="title")
    refused('{"title": "\\u0000"}', "U\\+0000", field="title")
    refused('title: "\\0"\n', r"U\+0000|special|not YAML")


def test_a_number_of_five_thousand_digits_is_refused():
    refused('{"name": ' + "9" * 5000 + "}")
    refused("name: " + "9" * 5000 + "\n")


def test_both_notations_hold_the_same_numbers():
    refused('{"a": [9223372036854775808]}', "64 bits", field="a.0")
    refused("a: [9223372036854775808]\n", "64 bits", field="a.0")
    refused('{"a": 1e999}', "64 bits", field="a")
    refused("a: 1.0e999\n", "64 bits", field="a")


def test_json_that_cannot_be_read_is_refused_at_its_line():
    refused('{"name": "a",\n "version": }', "not JSON: expecting value at character 13", line=2)


def test_template_syntax_in_rubric_text_is_literal():
    hostile = "{claim.__class__} {{settings.SECRET_KEY}} %(x)s ${HOME} {% load x %}"
    definition = with_changes(
        prompts__verify=hostile, title=hostile, common_knowledge__statement=hostile
    )
    assert definition.prompts.verify == hostile
    assert definition.title == hostile
    assert json.loads(dump_rubric(definition))["prompts"]["verify"] == hostile


def test_dates_and_no_stay_text_where_text_is_asked_for():
    data = yaml.safe_dump(shipped_data()).replace(
        "title: Groundedness, lexical", "title: 2026-01-01"
    )
    assert load_rubric(data).title == "2026-01-01"
    data = yaml.safe_dump(shipped_data()).replace("title: Groundedness, lexical", "title: no")
    assert load_rubric(data).title == "no"
