"""The lexical judge on data that no one here wrote, found through ASSIZE_DATA alone."""

import json
import os
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from grounding.interchange.models import Case, Outcome
from grounding.judges.registry import create_judge
from grounding.pipeline import grade_case
from grounding.rubrics import load_rubric
from tests.grounding.rubric_examples import SHIPPED

DATA = os.environ.get("ASSIZE_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="ASSIZE_DATA is not set: no real data")


def lines(name, file):
    path = Path(DATA or "") / name / file
    if not path.exists():
        pytest.skip(f"ASSIZE_DATA has no {name}/{file}")
    return path.read_text(encoding="utf-8").splitlines()


@cache
def measured(name):
    """Agreement, kappa (as Cohen defines it) and the share of the commonest reference."""
    definition = load_rubric(SHIPPED.read_text(encoding="utf-8"))
    judge = create_judge(definition)
    labels = {
        one["case_id"]: one["verdict"] for one in map(json.loads, lines(name, "labels.jsonl"))
    }
    cases = [Case.model_validate_json(line) for line in lines(name, "cases.jsonl")]
    grades = [grade for case in cases for grade in grade_case(case, judge, definition)]
    assert {grade.outcome for grade in grades} == {Outcome.GRADED}
    assert len(grades) == sum(len(case.statements) for case in cases)
    pairs = [(labels[grade.case_id], str(grade.verdict)) for grade in grades]
    human, other = Counter(one for one, _ in pairs), Counter(one for _, one in pairs)
    agreement = sum(one == two for one, two in pairs) / len(pairs)
    chance = sum(human[one] * other[one] for one in human) / len(pairs) ** 2
    return agreement, (agreement - chance) / (1 - chance), max(human.values()) / len(pairs)


@pytest.mark.parametrize(
    ("name", "least_kappa"), [("fever_symmetric", 0.2), ("cad_nli", 0.2), ("begin_wow_dev", 0.71)]
)
def test_it_agrees_beyond_chance_where_always_majority_does_not(name, least_kappa):
    _, kappa, _ = measured(name)
    assert kappa >= least_kappa


@pytest.mark.parametrize("name", ["cad_nli", "begin_wow_dev"])
def test_it_is_right_more_often_than_always_majority(name):
    agreement, _, floor = measured(name)
    assert agreement > floor


def test_every_citation_is_a_slice_of_its_passage():
    definition = load_rubric(SHIPPED.read_text(encoding="utf-8"))
    judge = create_judge(definition)
    for line in lines("wice", "cases.jsonl"):
        case = Case.model_validate_json(line)
        texts = {passage.id: passage.text for passage in case.context}
        for grade in grade_case(case, judge, definition):
            assert not grade.evidence_repaired
            for one in grade.evidence:
                assert texts[one.passage_id][one.start : one.end] == one.quote
