"""What a report freezes of its answers, on ten answers of which each is one of a kind.

Undecided: battery (the judge failed), plug (no reference), care (nothing to grade). Of the
other seven, people ground `colour` alone and the judge refund, price, colour and glass.
"""

from __future__ import annotations

import pytest

from calibration import rendering, reports
from calibration.models import Report
from calibration.reports import answer_lists, answersheets, computing, tracing
from grounding.answers import DEFAULT_POLICY
from labeling.models import Annotator, Case, Label, Statement
from tests.calibration.agreement import answer_records
from tests.calibration.pages import sets
from tests.kept_rows import put_back
from tests.sheets import forgotten

pytestmark = pytest.mark.django_db


@pytest.fixture
def report(db, tmp_path):
    return put_back("report with answers", lambda: answer_records.report(tmp_path))


def count(rate):
    return rate["count"], rate["n"]


def sheet(report):
    """Each case's id with its words."""
    kept = answer_lists.sheet_of(report)
    ids = dict(Case.objects.values_list("pk", "case_id"))
    return {
        ids[pk]: {name: kept.word(name, at) for name in kept.words}
        for at, pk in enumerate(kept.codes("case").tolist())
    }


def test_the_answers_of_a_run_reconcile(report):
    answers = report.figures["answers"]
    assert (answers["planned"], answers["decided"]) == (10, 7)
    assert answers["undecided"] == {
        "judge_failed": 1, "without_reference": 1, "nothing_to_grade": 1,
    }  # fmt: skip
    # Alike: warranty, colour, weight, origin. Passed: refund, price, glass of six.
    assert count(answers["agreement"]) == (4, 7)
    assert count(answers["lenient"]) == (3, 6)
    assert count(answers["strict"]) == (0, 1)
    # People support s1 of refund, the refusals of colour and origin: 3 of 9 claims.
    assert count(answers["claims"]["human"]) == (3, 9)


def test_a_recorded_judge_has_no_policy_and_is_held_to_the_default(report):
    policy = report.figures["answers"]["policy"]
    assert policy == {**DEFAULT_POLICY.model_dump(mode="json"), "stated_by_rubric": False}


def test_a_released_rubrics_own_policy_decides(small_set):
    policy, stated = answersheets.policy_of(sets.released())
    assert stated
    assert policy == DEFAULT_POLICY
    version = sets.released()
    version.definition["answer_policy"]["ratio_threshold"] = 0.5
    assert answersheets.policy_of(version)[0].ratio_threshold == 0.5


def test_speech_acts_are_compared_on_their_own(report):
    """Of ten compared statements (twelve less the failure and the one without a reference) the
    judge reads `weight` otherwise. Refusals: by people colour, weight, origin, two of them
    warranted; by the judge colour and origin, both."""
    acts = report.figures["speech_acts"]
    assert count(acts["agreement"]) == (9, 10)
    assert acts["not_judged"] == 0
    assert {name: count(rate) for name, rate in acts["refusals"].items()} == {
        "human": (2, 3), "judge": (2, 2), "agreement": (2, 2),
    }  # fmt: skip


def test_abstention_is_read_by_both(report):
    """Should abstain: price answers, colour abstains, origin refuses and asserts. Answerable:
    weight, which refuses by people and asserts by the judge."""
    abstention = report.figures["abstention"]
    assert abstention["should_abstain"]["cases"] == 3
    assert count(abstention["should_abstain"]["human"]["abstained"]) == (1, 3)
    assert abstention["should_abstain"]["human"]["mixed"] == 1
    assert count(abstention["answerable"]["human"]["abstained"]) == (1, 1)
    assert count(abstention["answerable"]["judge"]["abstained"]) == (0, 1)
    assert abstention["not_stated"] == 6


def test_each_ungrounded_answer_is_traced(report):
    """Seven are ungrounded by their references. Generation: battery (contradicted), weight
    (answerable). Budget: price (as its author states), refund (as the lexical judge finds).
    Retrieval: origin, whose pool holds no more than was admitted. Untraced: warranty, glass."""
    source = report.figures["failure_source"]
    assert source["ungrounded"] == 7
    stages = {name: count(source[name]) for name in ("generation", "budget", "retrieval")}
    assert stages == {"generation": (2, 5), "budget": (2, 5), "retrieval": (1, 5)}
    assert source["untraced"] == {"pool_not_captured": 1, "external": 1, "not_searched": 0}
    assert source["basis"] == {"stated": 2, "reference": 2, "lexical": 1}
    assert source["searched_by"].startswith("lexical-")
    traced = {case: (row["stage"], row["basis"]) for case, row in sheet(report).items()}
    assert traced == {
        "refund": ("budget", "lexical"),
        "warranty": ("pool_not_captured", None),
        "battery": ("generation", "reference"),
        "price": ("budget", "stated"),
        "colour": (None, None),
        "weight": ("generation", "stated"),
        "origin": ("retrieval", "reference"),
        "care": (None, None),
        "glass": ("external", None),
        "plug": (None, None),
    }


def test_the_gap_between_pool_and_admitted_context_is_counted(report):
    """Pools: refund 2 passages of which 1 was admitted, price 2 and 1, origin 1 and 1. Of one
    case it is stated that the pool holds the answer, and the admitted context does not."""
    gap = report.figures["failure_source"]["gap"]
    assert gap["captured"] == 3
    assert count(gap["dropped"]) == (2, 5)
    assert count(gap["lost"]) == (1, 1)


def test_what_would_take_too_long_to_search_is_counted_and_not_guessed(report, monkeypatch):
    monkeypatch.setattr(tracing, "MOST_CHARACTERS", 10)
    monkeypatch.setattr(computing, "IMPLEMENTATION", computing.IMPLEMENTATION + 1)
    again = reports.create(report.run)
    assert sheet(again)["refund"]["stage"] == "not_searched"
    assert again.figures["failure_source"]["untraced"]["not_searched"] == 1


def test_a_label_says_what_kind_of_claim_it_is_and_how_it_is_meant(report):
    """The statement says quantity and assertion, two blind labels say neither: the human side
    goes by what the labels say, so that the answer is not failed for a quantity."""
    statement = Statement.objects.get(case__case_id="warranty")
    for code in ("a", "b"):
        Label.objects.create(
            statement=statement,
            annotator=Annotator.objects.create(set=report.run.set, code=code),
            role="label",
            origin="blind",
            claim_class="subject_specific",
            verdict="supported",
            claim_type="qualitative",
            speech_act="refusal",
            premises=[{"text": "p", "verdict": "unsupported"}],
            contract_version="1.0.0",
            contract_major=1,
        )
    again = reports.create(report.run)
    assert sheet(again)["warranty"]["human_behaviour"] == "abstained"
    # One claim is supported, one that was split off is not: 1 of 2.
    assert sheet(again)["warranty"]["human"] == "ungrounded"
    assert count(again.figures["answers"]["claims"]["human"]) == (4, 10)


def test_what_a_judge_split_off_counts_in_its_answer(report):
    judgment = report.run.judgments.get(statement__case__case_id="colour")
    judgment.premises = [{"text": "p", "claim_class": "subject_specific", "verdict": "unsupported"}]
    judgment.save()
    forgotten()
    Report.objects.filter(pk=report.pk).update(implementation=0)
    assert sheet(reports.create(report.run))["colour"]["judge"] == "ungrounded"


def test_a_full_report_lists_answers_case_by_case(report):
    full = reports.full(report)
    assert [(one["case_id"], one["direction"]) for one in full["answers"]["disagreements"]] == [
        ("refund", "lenient"),
        ("price", "lenient"),
        ("glass", "lenient"),
    ]
    stages = {one["case_id"]: one["stage"] for one in full["failure_source"]["answers"]}
    assert stages == {
        case: row["stage"] for case, row in sheet(report).items() if row["stage"] is not None
    }
    text = rendering.render(full, "text")
    assert "lenient: refund" in text
    assert "budget: refund\n     traced      as the lexical judge finds it" in text
