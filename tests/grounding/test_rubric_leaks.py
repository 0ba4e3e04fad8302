from grounding.interchange.models import Passage
from grounding.rubrics import examples_leaking_into, fingerprint
from tests.grounding.rubric_examples import with_changes

EXAMPLE = {
    "statement": "The report contains three failed jobs.",
    "context": [{"id": "p1", "text": "Nightly report: 3 failed jobs.", "source": None}],
    "claim_class": "subject_specific",
    "verdict": "supported",
    "rationale": "The count is stated.",
    "case_id": "jobs-001-a",
    "pair_id": "jobs-001",
}


def leaks(example, case_ids=(), pair_ids=(), fingerprints=()):
    definition = with_changes(examples=[EXAMPLE | {"case_id": None, "pair_id": None}, example])
    return examples_leaking_into(definition, case_ids, pair_ids, fingerprints)


def test_an_example_that_shares_a_pair_with_a_scored_case_is_named():
    assert leaks(EXAMPLE, ["jobs-001-b"], ["jobs-001"]) == (
        "examples.1: shares pair jobs-001 with a scored case",
    )


def test_ids_compare_without_regard_to_letter_case():
    loud = EXAMPLE | {"case_id": "JOBS-001-A", "pair_id": "JOBS-001"}
    for example in (EXAMPLE, loud):
        for ids in (["jobs-001"], ["Jobs-001"]):
            assert leaks(example, pair_ids=ids)
        for ids in (["jobs-001-a"], ["Jobs-001-A"]):
            assert leaks(example | {"pair_id": None}, case_ids=ids)


def test_an_example_that_is_a_scored_case_is_named():
    assert leaks(EXAMPLE | {"pair_id": None}, ["jobs-001-a"]) == (
        "examples.1: is case jobs-001-a, which is scored",
    )


def test_an_example_with_a_scored_cases_text_is_named_whatever_its_ids():
    passages = [Passage(id="other", text="Nightly  report: 3 failed jobs.\n")]
    scored = fingerprint(" The report contains three failed jobs. ", passages)
    found = leaks(EXAMPLE | {"case_id": "x", "pair_id": "y"}, fingerprints={scored})
    assert [line.split(":")[0] for line in found] == ["examples.0", "examples.1"]


def test_another_context_is_no_leak():
    scored = fingerprint(EXAMPLE["statement"], [Passage(id="p1", text="Nothing failed.")])
    assert leaks(EXAMPLE, ["other"], ["another"], {scored}) == ()
