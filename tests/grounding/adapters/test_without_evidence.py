"""Which kinds of judges may leave out a quote that the contract asks for."""

from __future__ import annotations

import pytest

from grounding.interchange.models import Evidence
from grounding.judges.protocol import Classification, Verification
from grounding.pipeline import grade_case
from tests.grounding.adapters.setting import draft, verdicts_of
from tests.grounding.rubric_examples import ScriptedJudge, case, with_changes

ONE = case("There were 3 failed jobs.")
NONE: tuple[Evidence, ...] = ()


def graded(definition, word, evidence=NONE):
    judge = ScriptedJudge(
        lambda key: Classification(key, "subject_specific"),
        lambda one: Verification(one.statement.statement_id, word, evidence),
    )
    return grade_case(ONE, judge, definition)


@pytest.mark.parametrize(("kind", "yes"), [("ragas", "1"), ("deepeval", "yes")])
def test_a_kind_that_cannot_cite_is_supported_without_evidence(kind, yes):
    found = graded(draft(kind), yes)
    assert verdicts_of(found) == ["supported"]
    assert found[0].without_evidence


def test_a_kind_that_can_cite_is_invalid_without_a_quote():
    assert verdicts_of(graded(with_changes(), "entailed")) == ["(invalid)"]


def test_evidence_of_a_kind_that_need_not_cite_is_held_to_what_is_there_all_the_same():
    false = (Evidence(passage_id="p1", quote="4 failed jobs"),)
    assert verdicts_of(graded(draft("ragas"), "1", false)) == ["(invalid)"]
