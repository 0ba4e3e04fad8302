"""Answers decided on both sides. Every expected figure is derived by hand beside its answers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from calibration.agreement import answering
from calibration.agreement.answering import BEHAVIOURS, DECISIONS, UNDECIDED, Reading
from calibration.agreement.columns import CLAIM_TYPES, NOTHING, SPEECH_ACTS, VERDICTS
from calibration.stats.rates import wilson
from grounding.answers import DEFAULT_POLICY, decide
from grounding.contract import ClaimClass, ClaimType, SpeechAct, Verdict
from grounding.grades import Grade
from grounding.interchange.models import Outcome, Premise
from tests.calibration.report_fixtures import Row, columns

LETTERS = "sucn"


def measured(*answers, premises=None, judge_acts=None, policy=DEFAULT_POLICY):
    """Each answer is pairs of human and judge, two letters a statement: verdict, and q for a
    quantity or a dot for a qualitative claim; a dot for the verdict is no reading."""
    rows = [
        Row(_row(human), _row(judge, "timeout"), pair=at, side=0, claim_type=_type(human))
        for at, answer in enumerate(answers)
        for human, judge in (one.split("/") for one in answer.split())
    ]
    cut = columns(rows)
    human = Reading(cut.reference_verdict, cut.claim_type, cut.speech_act, premises or {})
    acts = cut.speech_act if judge_acts is None else judge_acts
    judge = Reading(cut.judge_verdict, cut.claim_type, acts, {})
    return cut, human, judge, answering.answers(cut, human, judge, policy)


def _row(said, nothing=".."):
    if said[0] == ".":
        return nothing
    return ("I" if said[0] == "n" else "S") + said[0]


def _type(said):
    return "quantity" if said.endswith("q") else "qualitative"


# Nine answers. Decided are 1, 2, 3, 4 and 9.
HAND = [
    "s/s s/s",  # 1: grounded by both
    "s/s uq/s",  # 2: a quantity is unsupported, and the judge passes it: lenient
    "s/u",  # 3: strict
    "c/c",  # 4: ungrounded by both
    "c/c s/.",  # 5: the judge failed on one, though what it judged already fails the answer
    "s/s ./s",  # 6: no reference for one
    "n/n",  # 7: nothing to grade
    "./.",  # 8: both; counted as the judge's
    "s/s s/s s/s s/s s/s s/s s/s s/s s/u u/u",  # 9: 9 of 10 by people, 8 of 10 by the judge: strict
]


def test_the_answers_add_up():
    figures = answering.figures(measured(*HAND)[3])
    assert figures["planned"] == 9
    assert figures["decided"] == 5
    assert figures["undecided"] == {
        "judge_failed": 2, "without_reference": 1, "nothing_to_grade": 1,
    }  # fmt: skip
    assert figures["planned"] == figures["decided"] + sum(figures["undecided"].values())


def test_agreement_leniency_and_strictness_count_answers():
    """Alike are 1 and 4 of five. Ungrounded by people are 2 and 4, of which the judge passes 2;
    grounded are 1, 3 and 9, of which it fails 3 and 9."""
    figures = answering.figures(measured(*HAND)[3])
    for name, count, n in (("agreement", 2, 5), ("lenient", 1, 2), ("strict", 2, 3)):
        assert (figures[name]["count"], figures[name]["n"]) == (count, n)
        assert figures[name]["interval"] == pytest.approx(wilson(count, n))
    assert figures["confusion"] == {
        "labels": ["grounded", "ungrounded"],
        "rows_human_columns_judge": [[1, 2], [1, 1]],
    }
    grounded = figures["grounded"]
    assert (grounded["human"]["count"], grounded["judge"]["count"]) == (3, 2)


def test_groundedness_is_the_share_of_supported_claims():
    """People: 2/2, 1/2, 1/1, 0/1, 9/10, so 13 of 16; the judge: 2/2, 2/2, 0/1, 0/1, 8/10."""
    claims = answering.figures(measured(*HAND)[3])["claims"]
    assert (claims["human"]["count"], claims["human"]["n"]) == (13, 16)
    assert (claims["judge"]["count"], claims["judge"]["n"]) == (12, 16)


def test_where_nothing_is_decided_every_rate_is_undefined_with_its_reason():
    figures = answering.figures(measured("./s", "n/n")[3])
    for rate in (figures["agreement"], figures["lenient"], figures["strict"]):
        assert (rate["n"], rate["rate"], rate["interval"]) == (0, None, None)
        assert rate["reason"]
    assert figures["agreement"]["reason"].startswith("no answer is decided")


def test_a_failed_judgment_leaves_an_answer_undecided_on_its_side_alone():
    found = measured("c/c s/.")[3]
    assert DECISIONS[found.human.decision[0]] == "ungrounded"
    assert DECISIONS[found.judge.decision[0]] == "undecided"
    assert UNDECIDED[found.undecided[0]] == "judge_failed"


def test_the_verdicts_of_what_was_split_off_count():
    """One statement of opinion, whose premise people find unsupported: 0 of 1."""
    found = measured("n/n", premises={0: [VERDICTS.index(Verdict.UNSUPPORTED)]})[3]
    assert DECISIONS[found.human.decision[0]] == "ungrounded"
    assert found.human.graded.tolist() == [1]
    assert DECISIONS[found.judge.decision[0]] == "undefined"


def test_answers_stand_in_the_order_of_the_columns_whatever_their_numbers():
    cut, human, judge, _ = measured("s/s", "c/c", "s/s")
    turned = cut.where(np.array([0, 1, 2]))
    object.__setattr__(turned, "case", np.array([70, 5, 31]))
    found = answering.answers(turned, human, judge, DEFAULT_POLICY)
    assert found.case.tolist() == [70, 5, 31]
    assert [DECISIONS[code] for code in found.human.decision] == [
        "grounded", "ungrounded", "grounded",
    ]  # fmt: skip


def test_each_answer_is_decided_as_the_rule_outside_the_app_decides_it():
    """500 answers of 1 to 12 statements, some with premises, under three policies."""
    draw = random.Random(7)
    for policy in (
        DEFAULT_POLICY,
        DEFAULT_POLICY.model_copy(update={"contradiction_fails": False, "ratio_threshold": 0.5}),
        DEFAULT_POLICY.model_copy(update={"strict_claim_types": (ClaimType.DATE,)}),
    ):
        answers = [[_claim(draw) for _ in range(draw.randint(1, 12))] for _ in range(500)]
        rows = [claim for answer in answers for claim in answer]
        cut = columns(
            [
                Row("S" + letter, "S" + letter, pair=at, side=0)
                for at, answer in enumerate(answers)
                for letter, *_ in answer
            ]
        )
        reading = Reading(
            cut.judge_verdict,
            np.array([CLAIM_TYPES.index(kind) for _, kind, _ in rows]),
            cut.speech_act,
            {
                row: [VERDICTS.index(verdict) for verdict in premises]
                for row, (_, _, premises) in enumerate(rows)
                if premises
            },
        )
        found = answering.answers(cut, reading, reading, policy).judge
        for at, answer in enumerate(answers):
            decided = decide([_grade(one) for one in answer], policy)
            assert DECISIONS[found.decision[at]] is decided.decision
            graded = decided.supported + decided.unsupported + decided.contradictory
            assert (found.supported[at], found.graded[at]) == (decided.supported, graded)


def _claim(draw):
    letter = draw.choice("ssssssssssuc" if draw.random() < 0.8 else "n")
    premises = [draw.choice(list(VERDICTS[:3]))] if draw.random() < 0.05 else []
    return letter, draw.choice(CLAIM_TYPES), premises


def _grade(claim):
    letter, kind, premises = claim
    subject = ClaimClass.SUBJECT_SPECIFIC
    return Grade(
        "c", "s", 0, Outcome.GRADED,
        ClaimClass.INTERPRETATION if letter == "n" else subject,
        VERDICTS[LETTERS.index(letter)], None, kind, None,
        tuple(Premise(text="p", claim_class=subject, verdict=one) for one in premises),
    )  # fmt: skip


# ---- speech acts

ACT = {letter: at for at, letter in enumerate("arctp")}
"""assertion, refusal, clarification, retrieval statement, procedural."""


def acts(letters):
    return np.array([NOTHING if letter == "." else ACT[letter] for letter in letters])


def test_speech_acts_agree_on_their_own():
    """Five compared statements; the judge states no act for the fourth. Alike are 1 and 5 of
    four. The sixth has no reference and is not compared."""
    cut, human, judge, _ = measured("s/s s/s s/s s/s s/u ./s")
    human = Reading(human.verdict, human.claim_type, acts("arraa."), {})
    judge = Reading(judge.verdict, judge.claim_type, acts("aac.aa"), {})
    figures = answering.speech_acts(cut, human, judge)
    assert (figures["agreement"]["count"], figures["agreement"]["n"]) == (2, 4)
    assert figures["not_judged"] == 1
    assert figures["confusion"]["labels"][:3] == ["assertion", "refusal", "clarification"]
    assert figures["confusion"]["rows_human_columns_judge"][:2] == [
        [2, 0, 0, 0, 0],
        [1, 0, 1, 0, 0],
    ]


def test_a_refusal_is_judged_by_whether_it_was_warranted():
    """By people refusals are 1, 2, 3: warranted 1 and 2. By the judge 1, 2, 4: warranted 1 and 4.
    Both read 1 and 2 so, and give the first the same verdict."""
    cut, human, judge, _ = measured("s/s s/c c/c s/s")
    human = Reading(human.verdict, human.claim_type, acts("rrra"), {})
    judge = Reading(judge.verdict, judge.claim_type, acts("rrar"), {})
    refusals = answering.speech_acts(cut, human, judge)["refusals"]
    assert {name: (rate["count"], rate["n"]) for name, rate in refusals.items()} == {
        "human": (2, 3), "judge": (2, 3), "agreement": (1, 2),
    }  # fmt: skip


def test_abstention_is_counted_where_it_should_be_and_where_it_should_not():
    """1 should abstain and does; 2 should, and the human reads a refusal beside a fact while the
    judge reads two facts; 3 should, and the judge failed; 4 is answerable and refuses; 5 is
    answerable and answers; 6 is answerable and only asks back; of 7 nobody says."""
    cut, human, judge, _ = measured("s/s", "s/s u/u", "s/.", "c/c", "s/s", "n/n", "s/s")
    human = Reading(human.verdict, human.claim_type, acts("rrarraca"), {})
    judge = Reading(judge.verdict, judge.claim_type, acts("raa.raca"), {})
    found = answering.answers(cut, human, judge, DEFAULT_POLICY)
    figures = answering.abstention(found, np.array([0, 0, 0, 1, 1, 1, NOTHING]))
    should, could = figures["should_abstain"], figures["answerable"]
    assert (should["cases"], could["cases"], figures["not_stated"]) == (3, 3, 1)
    assert told(should["human"]) == {
        "abstained": (2, 3), "mixed": 1, "asserted": 0, "neither": 0, "unread": 0,
    }  # fmt: skip
    assert told(should["judge"]) == {
        "abstained": (1, 2), "mixed": 0, "asserted": 1, "neither": 0, "unread": 1,
    }  # fmt: skip
    assert told(could["human"]) == told(could["judge"]) == {
        "abstained": (1, 3), "mixed": 0, "asserted": 1, "neither": 1, "unread": 0,
    }  # fmt: skip


def told(behaviours):
    rate = behaviours["abstained"]
    return {**behaviours, "abstained": (rate["count"], rate["n"])}


def test_a_judge_that_states_no_speech_acts_is_read_nowhere():
    cut, human, judge, _ = measured("s/s")
    judge = Reading(judge.verdict, judge.claim_type, acts("."), {})
    found = answering.answers(cut, human, judge, DEFAULT_POLICY)
    assert found.judge.behaviour.tolist() == [NOTHING]
    assert BEHAVIOURS[found.human.behaviour[0]] == "asserted"
    abstained = answering.abstention(found, np.array([0]))["should_abstain"]["judge"]["abstained"]
    assert (abstained["rate"], abstained["reason"]) == (None, "no such answer was read whole")
    acts_of = answering.speech_acts(cut, human, judge)
    assert (acts_of["agreement"]["rate"], acts_of["not_judged"]) == (None, 1)


def test_the_letters_stand_for_the_contracts_speech_acts():
    assert [SPEECH_ACTS[ACT[letter]] for letter in "arctp"] == list(SpeechAct)


def test_the_answers_of_a_pair_are_worth_less_than_two():
    """Eight answers in four pairs that are right or wrong together against eight alone: the same
    share, and a wider interval."""
    alone = measured(*["s/s", "s/u"] * 4)[3]
    rows = [
        Row("Ss", "Ss" if pair % 2 else "Su", pair, side) for pair in range(4) for side in (0, 1)
    ]
    cut = columns(rows)
    sides = (
        Reading(verdict, cut.claim_type, cut.speech_act, {})
        for verdict in (cut.reference_verdict, cut.judge_verdict)
    )
    paired = answering.answers(cut, *sides, DEFAULT_POLICY)
    for name in ("agreement", "strict"):
        by_itself, in_pairs = answering.figures(alone)[name], answering.figures(paired)[name]
        assert (in_pairs["count"], in_pairs["n"]) == (by_itself["count"], by_itself["n"]) == (4, 8)
        assert in_pairs["interval"][0] < by_itself["interval"][0]
        assert in_pairs["interval"][1] > by_itself["interval"][1]
