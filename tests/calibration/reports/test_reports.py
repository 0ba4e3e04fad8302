"""Reports as records: frozen, reused, refused where nothing was measured, read in few queries."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from calibration import agreement, loading, reports
from calibration.loading import judged
from calibration.models import (
    AnswerSheet,
    DisagreementSheet,
    EvidenceSheet,
    Judgment,
    PairSheet,
    RatingSheet,
    Report,
    RubricVersion,
)
from calibration.reports import computing
from grounding.errors import BadInput, Refused
from labeling import references
from labeling.models import Annotator, Case, Expectation, Label, Statement
from labeling.references.said import told_of
from tests.calibration import report_fixtures
from tests.calibration.report_fixtures import HAND, Row
from tests.calibration.report_records import a_run, a_set, label
from tests.kept_rows import put_back

pytestmark = pytest.mark.django_db

RATE = {"count", "n", "rate", "interval", "reason"}
COEFFICIENT = {"value", "n", "interval", "reason"}
CLASSES = {"subject_specific", "external", "interpretation"}
VERDICTS = {"supported", "unsupported", "contradictory", "not_applicable"}
CLAIM_TYPES = {"quantity", "date", "entity", "negation", "quantifier", "causal", "qualitative"}
SPEECH_ACTS = {"assertion", "refusal", "clarification", "retrieval_statement", "procedural"}
BEHAVIOUR = {"abstained": RATE, "mixed": None, "asserted": None, "neither": None, "unread": None}
SCORES = {"precision": RATE, "recall": RATE, "f1": None, "f1_score": COEFFICIENT}
BY_PASS = {"verdict": COEFFICIENT, "class": COEFFICIENT}
BESIDE = {"human": RATE, "judge": RATE, "difference": COEFFICIENT}

# Every key of a report as it is published. ``without_evidence`` is beyond the published list:
# what was recorded without evidence is kept and must be counted.
KEYS = {
    "set": {"slug", "revision"},
    "rubric": {"name", "version", "digest", "scope_digest"},
    "run": {"id", "status", "judge_models"},
    "seed": None,
    "reference": {
        "minimum": None,
        "digest": None,
        "tiers": {"adjudicated", "consensus", "single", "author", "disputed", "none"},
    },
    "outcomes": {
        "planned", "graded", "unreadable", "invalid", "refused", "timeout", "unavailable",
        "missing", "too_long",
    },
    "compared": None,
    "without_reference": None,
    "class_not_labelled": None,
    "class_not_judged": None,
    "without_evidence": None,
    "overall": RATE,
    "class": RATE,
    "verdict": RATE,
    "verdict_given_class": RATE,
    "by_class": dict.fromkeys(CLASSES, RATE),
    "by_verdict": dict.fromkeys(VERDICTS, RATE),
    "by_class_and_verdict": [{"claim_class", "verdict"} | RATE],
    "by_claim_type": dict.fromkeys(CLAIM_TYPES, RATE),
    "by_pair_kind": {"number": RATE},
    "by_speech_act": dict.fromkeys(SPEECH_ACTS, RATE),
    "by_tag": {},
    "by_risk": {},
    "tags_left_out": {"by_tag", "by_risk"},
    "kappa": BY_PASS,
    "ac1": BY_PASS,
    "mcc": BY_PASS,
    "per_verdict": dict.fromkeys(VERDICTS, SCORES),
    "per_class": dict.fromkeys(CLASSES, SCORES),
    "confusion": {
        "verdict": {"labels", "rows_human_columns_judge"},
        "class": {"labels", "rows_human_columns_judge"},
    },
    "lenient": RATE,
    "strict": RATE,
    "class_escape": RATE,
    "severity": {
        "lenient": COEFFICIENT,
        "strict": COEFFICIENT,
        "class_escape": COEFFICIENT,
        "weights": [{"direction", "reference", "judged", "weight", "count"}],
    },
    "confidence": {
        "with": None,
        "without": None,
        **dict.fromkeys(
            ("brier", "reliability", "resolution", "uncertainty", "within", "expected_error"),
            COEFFICIENT,
        ),
        "chance_error": COEFFICIENT,
        "bins": [{"low": None, "high": None, "confidence": None, "right": RATE}],
    },
    "evidence": {
        "shared": RATE,
        **dict.fromkeys(("precision", "recall", "f1", "iou"), COEFFICIENT),
        **dict.fromkeys(("both_cite", "apart", "only_human", "only_judge", "neither")),
    },
    "pairs": {
        "n", "both_right", "lenient_collapse", "strict_collapse", "inverted", "other", "incomplete",
    },
    "self_agreement": {
        "repeats": None,
        "statements": None,
        "too_few": None,
        "clusters": None,
        "verdict": RATE,
        "class": RATE,
        "pairwise": {"verdict": COEFFICIENT, "class": COEFFICIENT},
        "by_class": dict.fromkeys(CLASSES, RATE),
    },
    "injection": {
        "flipped": RATE,
        "twins": None,
        "lenient_flip": None,
        "strict_flip": None,
        "resisted": None,
        "clean_wrong": None,
        "incomplete": None,
    },
    "closed_book": {"leaked": RATE, "statements": None, "incomplete": None},
    "humans": {
        "digest": None,
        "units": None,
        "ratings": None,
        "raters": None,
        "rated_once": None,
        "failed": None,
        "pairwise": {"verdict": RATE, "class": RATE},
        "alpha": BY_PASS,
        "ceiling": {
            "failed": None,
            "ties": None,
            "compared": None,
            "class_not_stated": None,
            "verdict": BESIDE,
            "class": BESIDE,
            "overall": BESIDE,
            "by_verdict": dict.fromkeys(VERDICTS, BESIDE),
            "by_class": dict.fromkeys(CLASSES, BESIDE),
        },
    },
    "alternative_annotator": {
        "epsilon": None,
        "q": None,
        "min_annotators": None,
        "min_statements": None,
        "min_tested": None,
        "statements": None,
        "of_two": None,
        "left_out": {"rated_once", "failed"},
        "tested": None,
        "untested": None,
        "won": None,
        "stands_in": None,
        "reason": None,
        "winning_rate": COEFFICIENT,
        "advantage": COEFFICIENT,
        "annotators": [
            {
                "annotator": None,
                "judge_as_good": RATE,
                "annotator_as_good": RATE,
                "test": {"p", "n", "reason"},
                "adjusted": None,
                "won": None,
            }
        ],
        "by_epsilon": [{"who", "epsilon", "won", "stands_in", "reason"}],
    },
    "holdout": {
        "statements": None,
        "looks": {"min", "median", "max"},
        "versions": None,
        "worn": None,
    },
    "floor": {
        "always_majority": RATE,
        "always_majority_cell": RATE,
        "always_majority_lenient": RATE,
        "always_majority_strict": RATE,
        "judges": [
            {
                "kind": None,
                "rubric": {"name", "version", "digest"},
                "run": None,
                "verdict": {"judge": RATE, "floor": RATE},
                "right": {"judge": RATE, "floor": RATE},
                "lenient": {"judge": RATE, "floor": RATE},
                "strict": {"judge": RATE, "floor": RATE},
            }
        ],
    },
    "answers": {
        "planned": None,
        "decided": None,
        "undecided": {"judge_failed", "without_reference", "nothing_to_grade"},
        "agreement": RATE,
        "confusion": {"labels", "rows_human_columns_judge"},
        "lenient": RATE,
        "strict": RATE,
        "grounded": {"human": RATE, "judge": RATE},
        "claims": {"human": RATE, "judge": RATE},
        "policy": {
            "ratio_threshold", "contradiction_fails", "strict_claim_types", "stated_by_rubric",
        },
        "disagreements": [{"case_id", "human", "judge", "direction"}],
    },
    "speech_acts": {
        "agreement": RATE,
        "not_judged": None,
        "confusion": {"labels", "rows_human_columns_judge"},
        "refusals": {"human": RATE, "judge": RATE, "agreement": RATE},
    },
    "abstention": {
        "should_abstain": {"cases": None, "human": BEHAVIOUR, "judge": BEHAVIOUR},
        "answerable": {"cases": None, "human": BEHAVIOUR, "judge": BEHAVIOUR},
        "not_stated": None,
    },
    "failure_source": {
        "ungrounded": None,
        "generation": RATE,
        "budget": RATE,
        "retrieval": RATE,
        "untraced": {"pool_not_captured", "external", "not_searched"},
        "basis": {"stated", "reference", "lexical"},
        "searched_by": None,
        "gap": {"captured": None, "dropped": RATE, "lost": RATE},
        "answers": [{"case_id", "stage", "basis"}],
    },
    "made": {
        "standard", "round", "implementation", "created_at", "mixed_models", "asked", "prompts",
        "definition",
    },
    "disagreements": [
        {
            "case_id": None,
            "statement_id": None,
            "text": None,
            "span": None,
            "human": {"claim_class", "verdict", "tier"},
            "judge": {
                "claim_class", "verdict", "raw_verdict", "evidence", "explanation", "confidence",
                "judge_model",
            },
            "direction": None,
        }
    ],
}  # fmt: skip


def assert_keys(value, expected, path="report"):
    if expected is None:
        assert not isinstance(value, dict), path
    elif isinstance(expected, list):
        for at, item in enumerate(value):
            assert_keys(item, expected[0], f"{path}[{at}]")
    else:
        assert set(value) == set(expected), path
        if isinstance(expected, dict):
            for key, inner in expected.items():
                assert_keys(value[key], inner, f"{path}.{key}")


@pytest.fixture
def hand(db):
    """The hand-made rows as a set and a finished run."""

    def make():
        return a_run(a_set(HAND, kinds=["number"]), HAND, failure_ceiling=0.5)

    return put_back("run of the hand-made rows", make)


# ---- what a report holds


def test_a_report_of_stored_rows_has_the_figures_of_their_columns(hand):
    figures = reports.create(hand, seed=5).figures
    expected = agreement.figures(report_fixtures.columns(HAND), ("number",), seed=5)
    assert {key: figures[key] for key in expected} == json.loads(json.dumps(expected))


def test_the_keys_of_a_report_are_those_published(hand):
    assert_keys(reports.full(reports.create(hand)), KEYS)


def test_a_report_reads_the_same_from_either_database(hand):
    made = reports.create(hand)
    stored = Report.objects.get(pk=made.pk)
    shuffled = json.loads(json.dumps(made.figures, sort_keys=True))
    as_computed = json.dumps(reports.full(made))
    assert json.dumps(reports.full(stored)) == as_computed
    stored.figures = shuffled
    assert json.dumps(reports.full(stored)) == as_computed
    assert list(reports.figures(stored)["outcomes"])[:3] == ["planned", "graded", "unreadable"]
    assert list(reports.full(stored))[-1] == "disagreements"


def test_the_head_of_a_report_says_what_was_measured_against_what(hand):
    figures = reports.create(hand, seed=5).figures
    assert figures["set"] == {"slug": "made", "revision": 1}
    assert figures["rubric"] == {
        "name": "judge", "version": "1.0.0", "digest": None, "scope_digest": None,
    }  # fmt: skip
    assert figures["run"] == {"id": hand.pk, "status": "complete", "judge_models": ["model-1"]}
    assert figures["seed"] == 5
    assert figures["reference"]["tiers"] == {
        "adjudicated": 0, "consensus": 0, "single": 23, "author": 0, "disputed": 0, "none": 1,
    }  # fmt: skip


def test_the_list_names_each_disagreement_with_both_sides(hand):
    rows = reports.full(reports.create(hand))["disagreements"]
    assert [row["statement_id"] for row in rows] == [
        "s3", "s7", "s18", "s16", "s19", "s4", "s6", "s8", "s15", "s22",
    ]  # fmt: skip
    first = rows[0]
    assert (first["case_id"], first["direction"]) == ("case-3", "lenient")
    assert first["human"] == {
        "claim_class": "subject_specific", "verdict": "unsupported", "tier": "single",
    }  # fmt: skip
    assert (first["judge"]["verdict"], first["judge"]["explanation"]) == (
        "supported",
        "As it says.",
    )


def test_asked_for_a_direction_a_reader_gets_every_row_that_its_rate_counts(hand):
    report = reports.create(hand)
    counts = reports.disagreement_counts(report)
    assert counts == {"lenient": 3, "class_escape": 3, "strict": 3, "other": 3, "all": 10}
    for direction in agreement.DIRECTIONS:
        assert len(reports.disagreements(report, direction)) == counts[direction]
    escaped = [row.statement.statement_id for row in reports.disagreements(report, "class_escape")]
    # s18 is listed as lenient, and escapes as well.
    assert escaped == ["s18", "s16", "s19"]
    assert len(reports.disagreements(report, offset=8, limit=5)) == 2
    with pytest.raises(BadInput, match="a direction is one of"):
        reports.disagreements(report, "sideways")


def test_headlines_use_repeat_0_alone(hand):
    before = reports.create(hand, seed=1).figures
    Judgment.objects.bulk_create(
        Judgment(
            run=hand, statement=row.statement, case_pk=row.case_pk, repeat=1, outcome="graded",
            verdict="contradictory", judge_model="another",
        )
        for row in hand.judgments.select_related("statement")
    )  # fmt: skip
    after = reports.create(hand, seed=2).figures
    assert after["confusion"] == before["confusion"]
    assert after["run"]["judge_models"] == ["model-1"]


def test_a_partial_run_is_reported_on_and_said_to_be_partial():
    rows = [Row("Ss", "Ss"), Row("Su", "timeout")]
    report = reports.create(a_run(a_set(rows), rows))
    assert report.figures["run"]["status"] == "partial"
    assert report.figures["outcomes"]["timeout"] == 1
    assert report.figures["verdict"]["n"] == 1


# ---- which references count


def test_labels_after_a_reveal_by_a_model_or_selected_stay_out_of_the_headline():
    rows = [Row("..", "Ss")] * 4
    made = a_set(rows)
    annotator = Annotator.objects.get(set=made)
    revealed, model, selected, blind = Statement.objects.filter(case__set=made)
    label(revealed, annotator, "Su", origin="revealed")
    label(model, annotator, "Su", origin="model")
    label(selected, annotator, "Su", selected="judge_disagreement")
    label(blind, annotator, "Su")
    figures = reports.create(a_run(made, rows)).figures
    assert (figures["compared"], figures["without_reference"]) == (1, 3)
    assert (figures["lenient"]["count"], figures["lenient"]["n"]) == (1, 1)
    assert Label.objects.count() == 4


def test_a_rubric_meets_only_references_of_its_contracts_major_version():
    rows = [Row("..", "Ss")] * 3
    made = a_set(rows)
    annotator = Annotator.objects.get(set=made)
    *older, current = Statement.objects.filter(case__set=made)
    for statement in older:
        label(statement, annotator, "Ss")
    label(current, annotator, "Ss", contract_version="2.0.0", contract_major=2)
    run = a_run(made, rows)
    RubricVersion.objects.update(contract_major=2)
    run.refresh_from_db()
    figures = reports.create(run).figures
    assert (figures["compared"], figures["without_reference"]) == (1, 2)


def test_the_lowest_tier_taken_makes_another_report(hand):
    author = reports.create(hand)
    with_consensus = reports.create(hand, minimum="consensus")
    assert with_consensus.pk != author.pk
    assert with_consensus.figures["compared"] == 0
    assert with_consensus.figures["without_reference"] == 22
    with pytest.raises(BadInput):
        reports.create(hand, minimum="guess")


def test_the_authors_expectation_is_a_reference_where_there_is_no_label():
    rows = [Row("..", "Ss")]
    made = a_set(rows)
    Expectation.objects.create(
        statement=Statement.objects.get(case__set=made), claim_class="external", verdict="supported"
    )
    report = reports.create(a_run(made, rows))
    assert report.figures["reference"]["tiers"]["author"] == 1
    assert reports.full(report)["disagreements"][0]["human"]["tier"] == "author"


def test_a_report_is_of_the_revision_that_its_run_judged():
    rows = [Row("Ss", "Ss"), Row("Su", "Su")]
    made = a_set(rows)
    run = a_run(made, rows)
    Case.objects.filter(case_id="case-1").update(superseded_in=2)
    made.revision = 2
    made.save()
    figures = reports.create(run).figures
    assert figures["set"]["revision"] == 1
    assert figures["compared"] == 2


# ---- frozen, reused, refused


def test_asked_again_with_nothing_changed_it_is_the_same_report(hand):
    once = reports.create(hand)
    with CaptureQueriesContext(connection) as asked:
        assert reports.create(hand).pk == once.pk
    assert not [one for one in asked if one["sql"].startswith("INSERT")]
    assert reports.create(hand, seed=9).pk != once.pk
    assert Report.objects.count() == 2


def test_a_report_keeps_its_numbers_when_labels_arrive_and_a_new_one_shows_them(hand):
    old = reports.create(hand)
    unlabelled = Statement.objects.get(case__set=hand.set, statement_id="s12")
    label(unlabelled, Annotator.objects.get(set=hand.set), "Ss")
    new = reports.create(hand)
    assert new.pk != old.pk
    assert new.figures["reference"]["digest"] != old.figures["reference"]["digest"]
    old.refresh_from_db()
    assert (old.figures["without_reference"], new.figures["without_reference"]) == (1, 0)


def test_figures_of_an_older_computation_are_not_passed_off_as_todays(hand, monkeypatch):
    old = reports.create(hand)
    monkeypatch.setattr(computing, "IMPLEMENTATION", computing.IMPLEMENTATION + 1)
    new = reports.create(hand)
    assert new.pk != old.pk
    assert new.implementation == old.implementation + 1


def test_an_unfinished_or_cancelled_run_has_no_report(hand):
    hand.cancelled_at = datetime(2026, 11, 2, tzinfo=UTC)
    hand.save()
    with pytest.raises(Refused, match="is cancelled"):
        reports.create(hand)
    hand.cancelled_at = hand.finished_at = None
    hand.save()
    Judgment.objects.filter(run=hand, outcome="timeout").update(outcome=None)
    with pytest.raises(Refused, match="is running"):
        reports.create(hand)


def test_where_nothing_was_graded_there_is_no_report_and_the_failures_are_named():
    rows = [Row("Ss", "missing"), Row("Su", "missing"), Row("Su", "timeout")]
    run = a_run(a_set(rows), rows)
    with pytest.raises(Refused, match="of 3 planned judgments, 1 timeout, 2 missing"):
        reports.create(run)
    assert not Report.objects.exists()


def test_a_report_and_its_list_are_stored_both_or_neither(hand, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("the power went")

    monkeypatch.setattr(PairSheet, "save", fail)
    with pytest.raises(RuntimeError):
        reports.create(hand)
    assert not Report.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_at_once_get_the_same_report(monkeypatch):
    run = a_run(a_set(HAND, kinds=["number"]), HAND, failure_ceiling=0.5)
    both_looked = threading.Barrier(2, timeout=10)
    load = loading.load

    def load_when_both_have_looked(*args):
        both_looked.wait()
        return load(*args)

    monkeypatch.setattr(loading, "load", load_when_both_have_looked)
    references.snapshot(told_of(run.set, 1, 1))
    made, failed = [], []

    def ask():
        try:
            made.append(reports.create(run).pk)
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert not failed
    assert len(made) == 2
    assert len(set(made)) == 1
    assert Report.objects.count() == 1
    assert DisagreementSheet.objects.count() == 1


def test_without_its_defence_the_second_of_two_would_fail(hand, monkeypatch):
    """The control: the same clash, when nobody looks for who was first."""
    reports.create(hand)
    monkeypatch.setattr(computing, "existing", lambda *args: None)
    with pytest.raises(IntegrityError), transaction.atomic():
        reports.create(hand)


# ---- queries


def reading_queries(size):
    """How many queries read for a new report over so many pairs, when the run has been put in
    columns, and then for its page."""
    rows = [Row("Ss", "Ss", at, 0) for at in range(size)] + [Row("Su", "Ss", 0, 1)]
    run = a_run(a_set(rows, slug=f"of-{size}"), rows)
    judged.of(run)
    with CaptureQueriesContext(connection) as created:
        report = reports.create(run)
    report = Report.objects.get(pk=report.pk)
    with CaptureQueriesContext(connection) as shown:
        reports.disagreement_counts(report)
        reports.disagreements(report, "strict")
        reports.full(report)
    return len([one for one in created if one["sql"].startswith("SELECT")]), len(shown)


def test_the_number_of_reading_queries_does_not_grow_with_the_run():
    created, shown = reading_queries(20)
    assert reading_queries(400) == (created, shown)
    assert created <= 13
    # Counts, the sheet for a part of the list that is empty here, the sheet and its rows for the
    # whole list, those of answers; and for the floors the run and its version.
    assert shown == 8


# ---- the command


def call(*arguments):
    out = StringIO()
    call_command("report", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_one_json_object_in_either_spelling(hand):
    printed = call("judge@1.0.0", "made", "--json")
    assert printed == call("judge@1.0.0", "made", "--format", "json")
    assert printed.count("\n") == 1
    assert json.loads(printed)["run"]["id"] == hand.pk


def test_the_command_prints_its_seed_and_the_same_seed_gives_the_same_interval(hand):
    first = json.loads(call("judge@1.0.0", "made", "--json", "--seed", "3"))
    for sheets in (DisagreementSheet, PairSheet, AnswerSheet, EvidenceSheet, RatingSheet):
        sheets.objects.all().delete()
    Report.objects.all().delete()
    again = json.loads(call("judge@1.0.0", "made", "--json", "--seed", "3"))
    other = json.loads(call("judge@1.0.0", "made", "--json"))
    for one in (first, again):
        del one["made"]["created_at"]
    assert first == again
    assert (first["seed"], other["seed"]) == (3, agreement.DEFAULT_SEED)
    assert first["kappa"]["verdict"]["interval"] != other["kappa"]["verdict"]["interval"]


def test_the_command_takes_the_latest_finished_run_unless_told_which(hand):
    later = a_run(hand.set, HAND, failure_ceiling=0.5)
    assert json.loads(call("judge@1.0.0", "made", "--json"))["run"]["id"] == later.pk
    asked = call("judge@1.0.0", "made", "--json", "--run", str(hand.pk))
    assert json.loads(asked)["run"]["id"] == hand.pk


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["judge@9.9.9", "made"], "there is no rubric version judge@9.9.9"),
        (["judge@1.0.0", "nowhere"], "there is no calibration set 'nowhere'"),
        (["judge@1.0.0", "made", "--run", "999999"], "has no run 999999 on made"),
        (["judge@1.0.0", "empty"], "has no finished run on empty"),
        (["judge@1.0.0", "made", "--seed", "-1"], "a seed is a whole number"),
        (["judge@1.0.0", "made", "--reference", "guess"], "invalid choice"),
        (["judge@1.0.0", "made", "--format", "pdf"], "invalid choice"),
    ],
)
def test_what_cannot_be_reported_on_is_exit_3_with_one_line(hand, arguments, reason):
    a_set([], slug="empty")
    with pytest.raises(CommandError, match=reason) as failed:
        call(*arguments)
    assert failed.value.returncode == 3
    assert "\n" not in str(failed.value)


def test_nothing_graded_is_exit_3():
    rows = [Row("Ss", "unavailable")]
    a_run(a_set(rows), rows)
    with pytest.raises(CommandError, match="nothing was graded") as failed:
        call("judge@1.0.0", "made", "--json")
    assert failed.value.returncode == 3


# ---- real data, through the commands that people use


@pytest.fixture
def wice(data_folder):
    folder = data_folder / "wice"
    for command, path in [
        ("import_set", folder),
        ("import_judgments", folder / "judgments-gpt-4-0613.jsonl"),
        ("import_judgments", folder / "judgments-gpt-3.5-turbo-0613.jsonl"),
    ]:
        call_command(command, "wice", str(path), stdout=StringIO(), stderr=StringIO())


@pytest.mark.parametrize(
    ("judge", "agreed", "kappa", "lenient", "strict", "interval"),
    [
        ("gpt-4-0613", 77, 0.4616, 19, 4, [0.678, 0.842]),
        ("gpt-3.5-turbo-0613", 39, 0.0633, 58, 3, None),
    ],
)
def test_wice_shows_its_published_figures(wice, judge, agreed, kappa, lenient, strict, interval):
    report = json.loads(call(f"{judge}@1.0.0", "wice", "--json"))
    assert (report["verdict"]["count"], report["verdict"]["n"]) == (agreed, 100)
    assert report["kappa"]["verdict"]["value"] == pytest.approx(kappa, abs=5e-5)
    assert (report["lenient"]["count"], report["lenient"]["n"]) == (lenient, 78)
    assert (report["strict"]["count"], report["strict"]["n"]) == (strict, 22)
    floor = report["floor"]["always_majority"]
    assert (floor["count"], floor["n"]) == (78, 100)
    assert report["reference"]["tiers"]["single"] == 100
    assert report["class_not_labelled"] == 100
    assert len(report["disagreements"]) == 100 - agreed
    # 95 of the labels cite evidence; neither judge does, nor says how sure it is.
    cited = report["evidence"]
    assert (cited["only_human"], cited["neither"], cited["f1"]["value"]) == (95, 5, None)
    assert (report["confidence"]["with"], report["confidence"]["without"]) == (0, 100)
    assert report["severity"]["lenient"]["value"] == pytest.approx(lenient / 78)
    if interval:
        assert report["verdict"]["interval"] == pytest.approx(interval, abs=5e-4)
