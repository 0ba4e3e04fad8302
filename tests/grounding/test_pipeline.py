import math

import pytest

from grounding.contract import (
    VOLATILE,
    ClaimClass,
    ClaimType,
    EvidenceOrigin,
    SpeechAct,
    Verdict,
)
from grounding.errors import Refused
from grounding.interchange.models import (
    Case,
    Evidence,
    Expected,
    Outcome,
    Passage,
    Source,
    Statement,
)
from grounding.judges.protocol import (
    Classification,
    HiddenPremise,
    JudgeFailure,
    PassAttempt,
    PassResult,
    StatementFailure,
    Verification,
)
from grounding.judges.registry import create_judge
from grounding.pipeline import grade_answer, grade_case
from grounding.rubrics import load_rubric
from grounding.splitting import IMPLEMENTATION
from tests.grounding.rubric_examples import SHIPPED, ScriptedJudge, case, with_changes

RUBRIC = load_rubric(SHIPPED.read_text(encoding="utf-8"))
QUOTE = Evidence(passage_id="p1", quote="3 failed jobs")
ONE = case("There were 3 failed jobs.")
TWO = case("There were 3 failed jobs.", "All is well.")


def subject(statement_id):
    return Classification(statement_id, "subject_specific", "quantity", "assertion")


def entailed(assignment):
    return Verification(
        assignment.statement.statement_id, "entailed", (QUOTE,), "Stated.", 0.9, "m"
    )


def not_stated(assignment):
    return Verification(assignment.statement.statement_id, "not_stated")


def says(raw="entailed", **values):
    given = {"evidence": (QUOTE,)} | values
    return lambda one: Verification(one.statement.statement_id, raw, **given)


def classed(claim_class, **values):
    return lambda key: Classification(key, claim_class, **values)


def grade(classify=subject, verify=entailed, given=ONE, rubric=RUBRIC, **more):
    return grade_case(given, ScriptedJudge(classify, verify), rubric, **more)


def invalid(match, classify=subject, verify=entailed, given=ONE, rubric=RUBRIC, **more):
    found = grade(classify, verify, given, rubric, **more)[0]
    assert (found.outcome, found.claim_class, found.verdict) == (Outcome.INVALID, None, None)
    assert match in found.error
    last = found.attempts[-1]
    assert (last.outcome, last.error) == (Outcome.INVALID, found.error)
    assert last.raw
    return found


def test_a_sound_answer_is_graded_with_all_that_was_said():
    found = grade(repeat=3)[0]
    assert found.outcome is Outcome.GRADED
    assert (found.case_id, found.statement_id, found.repeat) == ("c1", "s1", 3)
    assert (found.claim_class, found.verdict) == (ClaimClass.SUBJECT_SPECIFIC, Verdict.SUPPORTED)
    assert (found.raw_verdict, found.claim_type) == ("entailed", ClaimType.QUANTITY)
    assert (found.explanation, found.confidence, found.judge_model) == ("Stated.", 0.9, "m")
    assert found.evidence == (Evidence(passage_id="p1", quote="3 failed jobs", start=16, end=29),)
    assert not found.evidence_repaired
    assert [one.outcome for one in found.attempts] == [Outcome.GRADED]


# What the judge sees.


def test_a_judge_sees_neither_the_answer_key_nor_the_pool_that_was_not_admitted():
    secret = Case(
        case_id="c1",
        pair_id="secret-pair",
        pair_kind="secret-kind",
        tags=("secret-tag",),
        context=ONE.context,
        retrieved=(Passage(id="p2", text="secret pool"),),
        answer=ONE.answer,
        answerable=True,
        statements=(
            Statement(
                statement_id="s1",
                text="There were 3 failed jobs.",
                claim_type=ClaimType.DATE,
                expected=Expected(verdict=Verdict.CONTRADICTORY, rationale="secret reason"),
            ),
        ),
    )
    judge = ScriptedJudge(subject, entailed)
    grade_case(secret, judge, RUBRIC)
    shown = repr(judge.seen) + repr(judge.assignments)
    assert "secret" not in shown
    assert "contradictory" not in shown
    assert "date" not in shown


def test_the_second_pass_gets_its_policy_and_its_texts_from_the_contract():
    sources = (Source(id="w1", text="A retry reruns a failed operation."),)
    judge = ScriptedJudge(
        lambda key: classed("external" if key == "s2" else "subject_specific")(key), not_stated
    )
    grade_case(TWO, judge, RUBRIC, sources=sources)
    own, outer = judge.assignments
    assert own.policy is RUBRIC.contract.evidence[ClaimClass.SUBJECT_SPECIFIC]
    assert (own.passages, own.sources) == (TWO.context, ())
    assert outer.policy.origin is EvidenceOrigin.APPROVED_SOURCES
    assert (outer.passages, outer.sources) == ((), sources)


def test_the_policy_follows_the_rubrics_contract_and_not_the_products():
    rubric = with_changes(contract__evidence__external__origin="admitted_context")
    judge = ScriptedJudge(classed("external"), entailed)
    assert grade_case(ONE, judge, rubric)[0].outcome is Outcome.GRADED
    assert judge.assignments[0].passages == ONE.context


def test_an_interpretation_is_not_sent_to_be_verified():
    judge = ScriptedJudge(classed("interpretation", explanation="Advice."), entailed)
    found = grade_case(ONE, judge, RUBRIC)[0]
    assert judge.assignments == ()
    assert (found.outcome, found.verdict) == (Outcome.GRADED, Verdict.NOT_APPLICABLE)
    assert (found.raw_verdict, found.explanation) == (None, "Advice.")
    assert found.attempts[-1].judge_pass == "classify"


# Ids.


def test_answers_are_matched_by_id_and_never_by_position():
    given = case("a", "b", "c")
    raws = {"s1": "entailed", "s2": "not_stated", "s3": "refuted"}
    verify = PassResult(tuple(Verification(key, raws[key], (QUOTE,)) for key in ("s3", "s1", "s2")))
    classify = PassResult(tuple(subject(key) for key in ("s2", "s3", "s1")))
    found = grade(classify, verify, given)
    assert [one.statement_id for one in found] == ["s1", "s2", "s3"]
    assert [one.verdict for one in found] == [
        Verdict.SUPPORTED,
        Verdict.UNSUPPORTED,
        Verdict.CONTRADICTORY,
    ]


@pytest.mark.parametrize(
    ("classify", "verify", "judge_pass"),
    [
        (PassResult((subject("s2"),)), entailed, "classify"),
        (subject, PassResult((Verification("s2", "entailed", (QUOTE,)),)), "verify"),
    ],
)
def test_a_statement_left_out_is_missing_and_the_other_stands(classify, verify, judge_pass):
    first, second = grade(classify, verify, TWO)
    assert (first.outcome, first.verdict) == (Outcome.MISSING, None)
    assert first.error == f"the {judge_pass} pass left it out"
    assert first.attempts[-1].judge_pass == judge_pass
    assert second.outcome is Outcome.GRADED


@pytest.mark.parametrize(
    ("classify", "verify"),
    [
        (PassResult((subject("s1"), subject("s1"))), entailed),
        (subject, PassResult((Verification("s1", "entailed", (QUOTE,)),) * 2)),
        (
            subject,
            PassResult((Verification("s1", "entailed", (QUOTE,)), Verification("s1", "refuted"))),
        ),
    ],
)
def test_a_statement_answered_twice_is_invalid_even_where_both_agree(classify, verify):
    found = invalid("answered 2 times", classify, verify)
    assert found.attempts[-1].raw.count("s1") == 2


def test_an_unknown_id_is_passed_over_and_kept_in_mind():
    verify = PassResult((Verification("s9", "refuted"), Verification("s1", "entailed", (QUOTE,))))
    found = grade(subject, verify)
    assert len(found) == 1
    assert found[0].verdict is Verdict.SUPPORTED
    assert found[0].notes == ("the verify pass answered for 's9', which it was not asked about",)


def test_an_answer_for_an_interpretation_is_unknown_to_the_second_pass():
    verify = PassResult((Verification("s1", "entailed", (QUOTE,)),))
    classify = lambda key: classed("interpretation" if key == "s1" else "subject_specific")(key)  # noqa: E731
    first, second = grade(classify, verify, TWO)
    assert first.verdict is Verdict.NOT_APPLICABLE
    assert second.outcome is Outcome.MISSING


# The contract at the judge's door.


@pytest.mark.parametrize("word", ["Subject_Specific", "subject specific", "", "unknown", None, 3])
def test_a_class_off_the_menu_is_invalid(word):
    invalid("is not a class of the contract", classed(word))


@pytest.mark.parametrize("word", ["Entailed", "supported", "", "entailed ", None, 1])
def test_a_verdict_off_the_rubrics_menu_is_invalid_and_kept(word):
    found = invalid("is not a verdict that the rubric maps", subject, says(word))
    assert found.raw_verdict == (word if isinstance(word, str) else None)


def test_claim_types_and_speech_acts_off_the_menu_are_invalid():
    invalid("is not a claim type", classed("subject_specific", claim_type="Date"))
    invalid("is not a speech act", classed("subject_specific", speech_act="aside"))


def test_not_applicable_is_no_verdict_for_a_factual_claim():
    rubric = with_changes(verdict_mapping__opinion="not_applicable")
    for word in ("subject_specific", "external"):
        invalid("not a verdict for a claim classed", classed(word), says("opinion"), rubric=rubric)


@pytest.mark.parametrize(
    ("speech_act", "claim_class"),
    [
        ("refusal", "interpretation"),
        ("refusal", "external"),
        ("retrieval_statement", "interpretation"),
        ("clarification", "subject_specific"),
        ("procedural", "external"),
    ],
)
def test_a_speech_act_outside_the_class_it_belongs_to_is_invalid(speech_act, claim_class):
    invalid(f"the contract classes a {speech_act} as", classed(claim_class, speech_act=speech_act))


def test_a_finer_verdict_list_is_mapped_and_the_raw_verdict_kept():
    rubric = with_changes(
        verdict_mapping={"grounded": "supported", "partially grounded": "unsupported"}
    )
    found = grade(subject, says("partially grounded"), rubric=rubric)[0]
    assert (found.verdict, found.raw_verdict) == (Verdict.UNSUPPORTED, "partially grounded")


@pytest.mark.parametrize("value", [1.7, -0.1, math.nan, math.inf, "high", True])
def test_a_confidence_that_is_none_is_invalid(value):
    invalid("is not a number from 0 to 1", subject, says(confidence=value))


# Evidence.


@pytest.mark.parametrize("raw", ["entailed", "not_stated", "refuted"])
@pytest.mark.parametrize(
    ("evidence", "match"),
    [
        (Evidence(passage_id="p9", quote="3 failed jobs"), "there is no passage 'p9'"),
        (Evidence(source_id="p1", quote="3 failed jobs"), "there is no approved source 'p1'"),
        (Evidence(passage_id="p1", quote="4 failed jobs"), "does not occur"),
        (Evidence(passage_id="p1", quote="3  failed jobs"), "does not occur"),
        (Evidence(passage_id="p1", quote="4 failed jobs", start=16, end=29), "does not occur"),
        (Evidence(passage_id="p1", quote=":", start=14, end=15), "supports nothing"),
        (Evidence(passage_id="p1", start=20, end=900), "is not inside a text"),
    ],
)
def test_evidence_that_is_not_there_is_invalid_under_any_verdict(evidence, match, raw):
    invalid(match, subject, says(raw, evidence=(QUOTE, evidence)))


def test_a_wrong_offset_is_mended_and_marked_where_the_quote_stands_once():
    wrong = Evidence(passage_id="p1", quote="3 failed jobs", start=0, end=13)
    found = grade(subject, says(evidence=(wrong,)))[0]
    assert (found.outcome, found.evidence_repaired) == (Outcome.GRADED, True)
    assert (found.evidence[0].start, found.evidence[0].end) == (16, 29)


def test_a_wrong_offset_of_a_quote_that_stands_twice_is_not_guessed():
    twice = case("x", context=("3 failed. 3 failed.",))
    wrong = Evidence(passage_id="p1", quote="3 failed", start=1, end=9)
    invalid("occurs more than once", subject, says(evidence=(wrong,)), twice)


def test_supported_without_a_quote_is_invalid():
    invalid("no quote is cited from admitted_context", subject, says(evidence=()))


def test_unsupported_needs_no_quote():
    assert grade(subject, says("not_stated", evidence=()))[0].verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize("speech_act", ["refusal", "retrieval_statement"])
def test_a_warranted_refusal_has_nothing_to_quote(speech_act):
    found = grade(
        classed("subject_specific", speech_act=speech_act), says("entailed", evidence=())
    )[0]
    assert (found.verdict, found.without_evidence) == (Verdict.SUPPORTED, False)
    assert found.speech_act is SpeechAct(speech_act)


SOURCES = (Source(id="w1", text="A retry reruns a failed operation."),)
CITED = Evidence(source_id="w1", quote="reruns a failed operation")


def test_an_external_claim_is_supported_by_an_approved_source_alone():
    found = grade(classed("external"), says(evidence=(CITED,)), sources=SOURCES)[0]
    assert (found.verdict, found.evidence[0].source_id) == (Verdict.SUPPORTED, "w1")
    invalid("no quote is cited from approved_sources", classed("external"), says(evidence=()))
    invalid("there is no passage 'p1'", classed("external"), says(), sources=SOURCES)
    invalid("there is no approved source", classed("external"), says(evidence=(CITED,)))


def test_common_knowledge_is_exempt_only_where_the_rubric_says_so_and_only_if_stable():
    lax = with_changes(common_knowledge__exempt="stable_definitions")
    stable, bare = classed("external", stable=True, topic="general"), says(evidence=())
    found = grade(stable, bare, rubric=lax)[0]
    assert (found.verdict, found.without_evidence) == (Verdict.SUPPORTED, True)
    invalid("no quote is cited", stable, bare)
    invalid("no quote is cited", classed("external", topic="general"), bare, rubric=lax)
    elsewhere = classed("subject_specific", stable=True, topic="general")
    invalid("no quote is cited", elsewhere, bare, rubric=lax)


@pytest.mark.parametrize("topic", [*sorted(VOLATILE), None])
def test_a_volatile_topic_is_never_common_knowledge_however_stable_the_judge_calls_it(topic):
    lax = with_changes(common_knowledge__exempt="stable_definitions")
    said = classed("external", stable=True, topic=topic)
    invalid("no quote is cited", said, says(evidence=()), rubric=lax)


def test_a_topic_off_the_menu_is_invalid():
    invalid("'General' is not a topic", classed("external", stable=True, topic="General"))


# Hidden premises.


def healthy(span=(23, 47), text="your error rate fell", claim_class="subject_specific"):
    premise = HiddenPremise(text, span, claim_class)
    return classed("interpretation", premises=(premise,))


LOOKS = case("This looks healthy because your error rate fell.")


def test_a_hidden_premise_is_verified_and_kept_with_the_interpretation():
    judge = ScriptedJudge(healthy(), not_stated)
    found = grade_case(LOOKS, judge, RUBRIC)[0]
    assert judge.assignments[0].passages == LOOKS.context
    assert judge.assignments[0].statement.text == "your error rate fell"
    assert found.verdict is Verdict.NOT_APPLICABLE
    (premise,) = found.premises
    assert (premise.claim_class, premise.verdict) == (
        ClaimClass.SUBJECT_SPECIFIC,
        Verdict.UNSUPPORTED,
    )
    assert found.attempts[-1].judge_pass == "verify"


def test_a_premise_that_could_not_be_verified_leaves_no_verdict():
    found = grade(healthy(), PassResult(()), LOOKS)[0]
    assert (found.outcome, found.verdict) == (Outcome.MISSING, None)


def test_a_premise_is_held_to_evidence_like_any_claim():
    invalid("no quote is cited", healthy(), says(evidence=()), LOOKS)


@pytest.mark.parametrize(
    ("premise", "match"),
    [
        (healthy(claim_class="interpretation"), "not an interpretation"),
        (healthy(claim_class="fact"), "class of a premise"),
        (healthy(text=" "), "has no text"),
        (healthy(span=(20, 900)), "outside the answer"),
        (healthy(span=(9, 3)), "outside the answer"),
    ],
)
def test_a_premise_that_is_none_is_invalid(premise, match):
    invalid(match, premise, entailed, LOOKS)


# Failures.


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.GRADED])
def test_a_failed_pass_is_that_failure_for_each_statement(outcome):
    for classify, verify in (
        (JudgeFailure(outcome, "why", raw="half an ans"), entailed),
        (subject, JudgeFailure(outcome, "why", raw="half an ans")),
    ):
        found = grade(classify, verify, TWO)
        assert [one.outcome for one in found] == [outcome, outcome]
        assert {(one.error, one.attempts[-1].raw) for one in found} == {("why", "half an ans")}
        assert all(one.verdict is None and one.claim_class is None for one in found)


def test_one_statement_may_fail_while_the_other_stands():
    verify = PassResult(
        (
            StatementFailure("s1", Outcome.REFUSED, "it declined", "I would rather not"),
            Verification("s2", "entailed", (QUOTE,)),
        )
    )
    first, second = grade(subject, verify, TWO)
    assert (first.outcome, first.attempts[-1].raw) == (Outcome.REFUSED, "I would rather not")
    assert second.outcome is Outcome.GRADED


def test_every_attempt_is_kept_in_order_and_numbered_over_both_passes():
    first = PassResult(
        (subject("s1"),),
        (
            PassAttempt(1, "classify", Outcome.UNREADABLE, "{", "not JSON"),
            PassAttempt(2, "classify", Outcome.GRADED, "{}"),
        ),
    )
    second = PassResult(
        (Verification("s1", "Entailed"),),
        (
            PassAttempt(1, "verify", Outcome.TIMEOUT, statement_ids=("s2",)),
            PassAttempt(1, "verify", Outcome.GRADED, "the raw text", seconds=1.5),
        ),
    )
    found = grade(first, second)[0]
    assert [(one.number, one.judge_pass, one.outcome, one.raw) for one in found.attempts] == [
        (1, "classify", Outcome.UNREADABLE, "{"),
        (2, "classify", Outcome.GRADED, "{}"),
        (3, "verify", Outcome.INVALID, "the raw text"),
    ]
    assert found.attempts[-1].seconds == 1.5


def test_nothing_that_a_judge_writes_is_beyond_storing():
    failure = JudgeFailure(Outcome.UNREADABLE, "NUL \x00", raw="lone \ud800")
    found = grade(failure)[0]
    assert found.error == "NUL \\u0000"
    assert found.attempts[-1].raw == "lone \\ud800"
    assert grade(subject, says(explanation="\x00"))[0].explanation == "\\u0000"


def test_a_fault_in_a_judges_code_is_not_taken_for_an_outcome():
    with pytest.raises(ZeroDivisionError):
        grade(ZeroDivisionError())


def test_a_failure_cannot_call_itself_graded():
    with pytest.raises(ValueError, match="cannot be graded"):
        StatementFailure("s1", Outcome.GRADED, "")
    with pytest.raises(ValueError, match="cannot be graded"):
        JudgeFailure(Outcome.GRADED, "")


# Text that is not ours.


def test_template_syntax_in_passages_and_statements_is_literal():
    hostile = "{claim.__class__} {{settings.SECRET_KEY}} equals 3."
    found = grade_case(case(hostile, context=(hostile,)), create_judge(RUBRIC), RUBRIC)[0]
    assert found.evidence[0].quote == hostile


# Outside the app.


def test_engineers_grade_an_answer_with_the_very_definition():
    context = [Passage(id="p1", text="Nightly report: 3 failed jobs, 2 skipped.")]
    answer = "The nightly report shows 3 failed jobs. The nightly report shows 7 failed jobs."
    found = grade_answer("What failed?", context, answer, RUBRIC)
    assert (found.rubric, found.version) == ("groundedness", "1.0.0")
    assert (found.digest, found.scope_digest) == (RUBRIC.digest, RUBRIC.scope_digest)
    assert [one.verdict for one in found.grades] == [Verdict.SUPPORTED, Verdict.CONTRADICTORY]
    assert [answer[slice(*one.span)] for one in found.case.statements] == [
        one.text for one in found.case.statements
    ]


def test_an_answer_is_graded_claim_by_claim_where_the_rubric_says_so():
    by_claims = {"method": "claims", "language": "en", "implementation": IMPLEMENTATION}
    context = [Passage(id="p1", text="The plant has 50 staff. The office has ten desks.")]
    answer = "The plant has 50 staff, and the office has nine desks."
    found = grade_answer(None, context, answer, with_changes(splitting=by_claims))
    assert [(one.text, one.span) for one in found.case.statements] == [
        ("The plant has 50 staff", (0, 22)),
        ("the office has nine desks.", (28, 54)),
    ]
    assert [one.verdict for one in found.grades] == [Verdict.SUPPORTED, Verdict.CONTRADICTORY]


def test_an_empty_answer_has_no_grades():
    assert grade_answer(None, [], " ", RUBRIC).grades == ()


def test_a_rubric_of_another_implementation_is_refused_by_name():
    with pytest.raises(Refused, match=r"groundedness@1\.0\.0 names lexical implementation 99"):
        create_judge(with_changes(judge__implementation=99))


def test_a_recorded_judge_is_not_run():
    rubric = with_changes(judge={"kind": "recorded", "implementation": 1, "model": "m"})
    with pytest.raises(Refused, match="import its results"):
        create_judge(rubric)
