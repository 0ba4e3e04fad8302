import pytest

from grounding.contract import ClaimClass, Verdict
from grounding.errors import BadInput
from grounding.interchange.models import Evidence, Judgment, Outcome
from grounding.judges.recorded import RecordedResults
from tests.grounding.rubric_examples import case

CASE = case("There were 3 failed jobs.", "All is well.")


def record(statement_id="s1", **values):
    given = {"outcome": Outcome.GRADED, "verdict": Verdict.SUPPORTED} | values
    return Judgment(rubric="r", version="1", case_id="c1", statement_id=statement_id, **given)


def replay(*records, repeat=0):
    return RecordedResults(records).grade_case(CASE, repeat=repeat)


def test_what_was_not_recorded_is_missing():
    first, second = replay(record())
    assert (first.outcome, second.outcome) == (Outcome.GRADED, Outcome.MISSING)
    assert second.verdict is None
    assert second.attempts[-1].outcome is Outcome.MISSING


def test_repeats_are_kept_apart():
    records = record(), record(repeat=1, verdict=Verdict.UNSUPPORTED)
    assert replay(*records)[0].verdict is Verdict.SUPPORTED
    assert replay(*records, repeat=1)[0].verdict is Verdict.UNSUPPORTED
    assert replay(*records, repeat=2)[0].outcome is Outcome.MISSING


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.GRADED])
def test_a_recorded_failure_stays_that_failure(outcome):
    grade = replay(record(outcome=outcome, verdict=None, raw_verdict="Supported!"))[0]
    assert (grade.outcome, grade.verdict, grade.claim_class) == (outcome, None, None)
    assert grade.raw_verdict == "Supported!"
    assert '"raw_verdict":"Supported!"' in grade.attempts[-1].raw


def test_a_result_without_class_or_evidence_is_kept_and_marked():
    grade = replay(record(raw_verdict="grounded", judge_model="m"))[0]
    assert (grade.outcome, grade.claim_class, grade.without_evidence) == (
        Outcome.GRADED,
        None,
        True,
    )
    assert (grade.raw_verdict, grade.judge_model) == ("grounded", "m")


@pytest.mark.parametrize(
    "values",
    [
        {"verdict": Verdict.UNSUPPORTED},
        {"speech_act": "refusal", "claim_class": ClaimClass.SUBJECT_SPECIFIC},
        {"evidence": (Evidence(passage_id="p1", quote="3 failed jobs"),)},
    ],
)
def test_a_result_that_owes_no_quote_or_has_one_is_not_marked(values):
    from grounding.contract import SpeechAct

    if "speech_act" in values:
        values = values | {"speech_act": SpeechAct.REFUSAL}
    assert replay(record(**values))[0].without_evidence is False


def test_recorded_evidence_is_checked_like_any_other():
    wrong = replay(record(evidence=(Evidence(passage_id="p1", quote="4 failed jobs"),)))[0]
    assert (wrong.outcome, wrong.verdict) == (Outcome.INVALID, None)
    mended = replay(
        record(evidence=(Evidence(passage_id="p1", quote="3 failed jobs", start=0, end=13),))
    )[0]
    assert (mended.outcome, mended.evidence_repaired) == (Outcome.GRADED, True)
    assert (mended.evidence[0].start, mended.evidence[0].end) == (16, 29)


def test_two_records_for_one_judgment_are_refused():
    with pytest.raises(BadInput, match="two judgments for case c1, statement s1, repeat 0"):
        RecordedResults([record(), record(verdict=Verdict.UNSUPPORTED)])


def test_records_that_match_nothing_are_listed():
    results = RecordedResults([record(), record("s9", repeat=2)])
    assert results.unmatched([CASE]) == (("c1", "s9", 2),)
