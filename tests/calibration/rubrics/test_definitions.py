"""A rubric definition as people read it: nothing left out, and YAML that is the same again."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration import rubrics
from calibration.rubrics import definitions
from calibration.rubrics.rubric_yaml import as_yaml
from calibration.wording.numbers import words
from grounding.rubrics import content_digest, load_rubric
from grounding.rubrics.levels import leaves

SHIPPED = Path(rubrics.__file__).parent / "groundedness@1.0.0.yaml"

# Each is text in a rubric, and something else to one YAML or another.
TRICKY = ["yes", "on", "null", "~", "1e3", "0o7", "1_000", "2026-11-02", "12:30:45", ".inf", "=",
          "<<", "- a", "a: b", "# c", "&x", "*x", "!t", "'", '"', "\\", " lead", "trail ", "a\nb\n",
          "a\r\nb", "tab\there", "💊", "\u202e", "\u2028", "{{ x }}", ""]  # fmt: skip


def shipped():
    return load_rubric(SHIPPED.read_text("utf-8"))


def test_the_yaml_reads_back_as_the_same_definition():
    text = as_yaml(shipped().model_dump(mode="json"))
    assert content_digest(load_rubric(text)) == content_digest(shipped())


@pytest.mark.parametrize("text", TRICKY)
def test_text_that_yaml_could_take_for_something_else_stays_text(text):
    example = {
        "statement": text,
        "context": [{"id": "p1", "text": text, "source": None}],
        "claim_class": "subject_specific",
        "verdict": "supported",
        "rationale": text,
        "case_id": None,
        "pair_id": None,
    }
    dumped = shipped().model_dump(mode="json") | {"notes": text, "examples": [example, example]}
    dumped["prompts"] = {"classify": text, "verify": text}
    again = load_rubric(as_yaml(dumped))
    # A carriage return before a line feed is taken away at every door.
    wanted = text.replace("\r\n", "\n")
    assert again.notes == wanted
    assert again.prompts.classify == wanted
    assert again.examples[1].context[0].text == wanted


def test_every_value_of_the_definition_is_on_the_page():
    dumped = shipped().model_dump(mode="json")
    shown = {part.title: dict(part.rows) for part in definitions.parts_of(dumped)}
    told = "\n".join(f"{path} {value}" for rows in shown.values() for path, value in rows.items())
    for path, value in leaves(dumped).items():
        if path.split(".")[0] in definitions.PARTS and isinstance(value, str | float):
            assert str(value) in told or words(str(value)) in told, path
    apart = {"name", "version", "title", "description", "notes"}
    assert set(dumped) == set(definitions.PARTS) | apart


def test_examples_are_numbered_and_their_passages_too():
    passage = {"id": "p1", "text": "Five lamps.", "source": None}
    example = {"statement": "Five.", "context": [passage], "verdict": "supported"}
    dumped = shipped().model_dump(mode="json") | {"examples": [example]}
    [rows] = [dict(p.rows) for p in definitions.parts_of(dumped) if p.title == "Examples"]
    assert rows["1 › statement"] == "Five."
    assert rows["1 › context › 1 › text"] == "Five lamps."


@pytest.mark.django_db
def test_a_version_is_compared_with_the_highest_below_it():
    """1.0.10 is above 1.0.9, though as text it is below."""
    first = shipped()
    made = {}
    for version, notes in (("1.0.9", "nine"), ("1.0.10", "ten"), ("1.0.11", "eleven")):
        newer = first.model_copy(update={"version": version, "notes": notes})
        made[version] = rubrics.release(newer).rubric_version
    assert definitions.version_below(made["1.0.9"]) is None
    assert definitions.version_below(made["1.0.11"]) == made["1.0.10"]
    [move] = definitions.moves_between(made["1.0.10"], made["1.0.11"])
    assert (move.path, move.level, move.before, move.after) == ("notes", "patch", "ten", "eleven")


@pytest.mark.django_db
def test_what_moved_comes_heaviest_first_with_what_was_absent():
    first = rubrics.release(shipped()).rubric_version
    policy = shipped().answer_policy.model_copy(update={"strict_claim_types": ()})
    newer = shipped().model_copy(
        update={"version": "1.1.0", "answer_policy": policy, "notes": "looser"}
    )
    moves = definitions.moves_between(first, rubrics.release(newer).rubric_version)
    assert [move.level for move in moves] == ["minor"] * (len(moves) - 1) + ["patch"]
    by_path = {move.path: move for move in moves}
    assert by_path["answer_policy.strict_claim_types"].before == definitions.ABSENT
    assert by_path["answer_policy.strict_claim_types"].after == "[]"


@pytest.mark.parametrize("text", ["1e3", "0o7", "12:30:45", "2026-11-02"])
def test_what_some_yaml_would_take_for_a_number_or_a_date_is_quoted(text):
    dumped = shipped().model_dump(mode="json") | {"notes": text}
    assert f'notes: "{text}"\n' in as_yaml(dumped)


def test_sentences_of_a_list_stand_one_a_line_and_words_beside_each_other() -> None:
    shipped = load_rubric((SHIPPED.parent / "groundedness-llm@1.0.0.yaml").read_text("utf-8"))
    rows = {
        name: told
        for part in definitions.parts_of(shipped.model_dump(mode="json"))
        for name, told in part.rows
    }
    constraints = getattr(shipped.judge, "constraints", ())
    assert len(constraints) > 1
    assert rows["constraints"].split("\n") == list(constraints)
    assert rows["strict claim types"].startswith("quantity, date, ")
