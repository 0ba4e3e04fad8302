"""People beside the judge in a report: which labels count, and that its figures stay."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from calibration import reports
from calibration.models import Report
from calibration.reports import rating_sheets
from labeling import sets
from labeling.models import Annotator, CalibrationSet, Case, Label, Statement
from labeling.references import ratings
from labeling.references.ratings import Ratings
from labeling.references.said import told_of
from tests.calibration.pages.sets import recorded_run
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, label, labelled

pytestmark = pytest.mark.django_db

PEOPLE = ["Ss Ss Su", "Su Su", ".s - Ec", "Ss Su Su", "Ss"]
JUDGE = ["Ss", "Ss", "Es", "timeout", "Ss"]


def a_report(people=PEOPLE, judge=JUDGE):
    made = labelled(*people)
    return reports.create(a_run(made, [Row("..", said) for said in judge]))


def beside(report):
    return report.figures["humans"], report.figures["alternative_annotator"]


def short(rate):
    return rate["count"], rate["n"]


def statement(number):
    return Statement.objects.get(statement_id=f"s{number}")


def annotator(number):
    return Annotator.objects.get(code=f"ann-{number}")


def test_a_report_holds_people_beside_its_judge():
    """The ratings of `test_humans`, where each number is derived by hand; s4 has one alone."""
    people, test = beside(a_report())
    assert (people["units"], people["ratings"], people["raters"]) == (4, 10, 3)
    assert (people["rated_once"], people["failed"]) == (1, 1)
    assert short(people["pairwise"]["verdict"]) == (3, 8)
    ceiling = people["ceiling"]
    assert [ceiling[name] for name in ("failed", "ties", "compared")] == [3, 2, 5]
    assert short(ceiling["verdict"]["human"]) == short(ceiling["verdict"]["judge"]) == (2, 5)
    assert short(ceiling["overall"]["human"]) == (2, 3)
    assert (test["stands_in"], test["statements"]) == (None, 3)
    assert test["left_out"] == {"rated_once": 1, "failed": 1}
    assert {one["annotator"] for one in test["annotators"]} == {"ann-1", "ann-2", "ann-3"}


@pytest.mark.parametrize(
    "fields",
    [
        {"role": "adjudication"},
        {"origin": "revealed"},
        {"origin": "model"},
        {"selected": "production_risk"},
        {"contract_version": "2.0.0", "contract_major": 2},
        {"superseded_at": timezone.now()},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_no_blind_rating_under_this_contract_never_counts(fields):
    first = a_report()
    label(statement(0), annotator(4), "Sc", **fields)
    assert beside(reports.create(first.run)) == beside(first)


def test_a_label_that_moves_no_reference_makes_another_report_and_leaves_the_first_as_it_was():
    first = a_report()
    figures, sheet = first.figures, first.rating_sheet.columns
    label(statement(1), annotator(4), "Su")
    second = reports.create(first.run)
    assert second.pk != first.pk
    assert second.snapshot_id == first.snapshot_id
    assert [beside(one)[0]["ratings"] for one in (first, second)] == [10, 11]
    again = Report.objects.get(pk=first.pk)
    assert (again.figures, again.rating_sheet.columns) == (figures, sheet)
    assert rating_sheets.sheet_of(again).annotators == ["ann-1", "ann-2", "ann-3"]


def ratings_of(made: CalibrationSet, revision: int = 1) -> Ratings:
    return ratings.of(told_of(made, revision, 1))


def test_asked_again_with_nothing_changed_it_is_the_same_report():
    first = a_report()
    assert reports.create(first.run) == first
    assert Report.objects.count() == 1


def test_ratings_are_of_the_revision_that_was_judged():
    first = a_report()
    Case.objects.filter(case_id="case-0").update(superseded_in=2)
    first.run.set.revision = 2
    first.run.set.save()
    found = ratings_of(first.run.set, 1), ratings_of(first.run.set, 2)
    assert [len(one.statements) for one in found] == [10, 7]
    assert reports.create(first.run) == first


def test_a_digest_tells_who_said_what_of_what():
    made = labelled(*PEOPLE)
    first = ratings_of(made).digest
    assert ratings_of(made).digest == first
    one = Label.objects.get(statement=statement(1), annotator=annotator(1))
    for name, other in (("claim_class", "external"), ("annotator", annotator(4))):
        before = getattr(one, name)
        setattr(one, name, other)
        one.save()
        assert ratings_of(made).digest != first, name
        setattr(one, name, before)
        one.save()
    label(statement(4), annotator(4), "Su", superseded_at=timezone.now())
    assert ratings_of(made).digest == first


def test_ratings_are_read_by_as_many_queries_however_many_there_are():
    few, many = labelled("Ss Su", "Ss"), labelled(*["Ss Su Ss"] * 40, "Ss", slug="many")
    for made in (few, many):
        ratings_of(made)
        with CaptureQueriesContext(connection) as queries:
            assert len(ratings_of(made).rated_once) == 1
        # The set as it stood, the labels, and the annotators' codes.
        assert len(queries) == 3


def test_where_nobody_rated_twice_a_report_says_so_and_keeps_an_empty_sheet():
    report = a_report(["Ss", "Su", "-"], ["Ss", "Ss", "Ss"])
    people, test = beside(report)
    assert (people["units"], people["rated_once"]) == (0, 2)
    assert people["ceiling"]["verdict"]["human"]["rate"] is None
    assert test["stands_in"] is None
    assert len(rating_sheets.sheet_of(report)) == 0


# ---- a judge beside people, on the command line


def call(*arguments):
    out = StringIO()
    call_command("agreement", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_says_of_the_latest_finished_run_what_a_report_would_and_keeps_nothing():
    made = labelled(*PEOPLE)
    a_run(made, [Row("..", "Ss")] * 5)
    run = a_run(made, [Row("..", said) for said in JUDGE])
    told = json.loads(call("made", "--against", "judge@1.0.0", "--json"))
    assert Report.objects.count() == 0
    report = reports.create(run)
    assert (told["against"]["run"]["id"], told["against"]["rubric"]["name"]) == (run.pk, "judge")
    humans, test = beside(report)
    assert told["against"]["humans"] == json.loads(json.dumps(humans))
    assert told["against"]["alternative_annotator"] == json.loads(json.dumps(test))
    assert {"alpha", "pairwise", "units"} < told.keys()
    assert "against" not in json.loads(call("made", "--json"))


def test_the_command_gives_what_it_is_told_to_give_and_says_it_in_words():
    made = labelled(*["Ss Ss Ss"] * 40)
    a_run(made, [Row("..", "Ss")] * 40)
    told = json.loads(call("made", "--against", "judge@1.0.0", "--epsilon", "0.25", "--json"))
    assert told["against"]["alternative_annotator"]["epsilon"] == 0.25
    text = call("made", "--against", "judge@1.0.0")
    assert "People agree with each other on 120 of 120 ratings (100.0%)" in text
    assert "This judge may stand in for an annotator: it wins against 3 of 3" in " ".join(
        text.split()
    )


@pytest.mark.parametrize(
    "asked",
    [
        ["--against", "judge@2.0.0"],
        ["--against", "failing@1.0.0"],
        ["--against", "judge@1.0.0", "--epsilon", "-0.1"],
        ["--against", "judge@1.0.0", "--epsilon", "nan"],
    ],
)
def test_what_cannot_be_put_beside_people_ends_with_3(asked):
    made = labelled(*PEOPLE)
    a_run(made, [Row("..", said) for said in JUDGE])
    failing = a_run(made, [Row("..", "timeout")] * 5, version="3.0.0")
    failing.rubric_version.name, failing.rubric_version.version = "failing", "1.0.0"
    failing.rubric_version.save()
    with pytest.raises(CommandError) as failed:
        call("made", *asked)
    assert failed.value.returncode == 3


# ---- real data


def test_on_qags_the_ceiling_and_the_seats_are_those_of_a_short_count(data_folder):
    """Three crowd workers a statement, beside a judge that calls everything supported. Counted
    here anew from the file, with none of the product's functions."""
    lines = [
        json.loads(line)
        for line in (data_folder / "qags" / "labels.jsonl").read_text("utf-8").splitlines()
    ]
    said = {}
    for one in lines:
        said.setdefault(one["case_id"], {})[one["annotator"]] = one["verdict"]
    human = judge = ties = 0
    seats = {}
    for by_worker in said.values():
        for worker, verdict in by_worker.items():
            others = Counter(by_worker.values()) - Counter([verdict])
            alike = others["supported"], others[verdict]
            seats.setdefault(worker, []).append((alike[0] >= alike[1], alike[1] >= alike[0]))
            if len(others) > 1:
                ties += 1
                continue
            human += verdict in others
            judge += "supported" in others

    people, test = beside(_constant_on_qags(data_folder))
    assert (people["units"], people["ratings"], people["raters"]) == (953, 2859, len(seats))
    assert people["alpha"]["verdict"]["value"] == pytest.approx(0.48788, abs=5e-6)
    ceiling = people["ceiling"]
    assert (ceiling["ties"], ceiling["compared"]) == (ties, 2859 - ties)
    assert short(ceiling["verdict"]["human"]) == (human, 2859 - ties)
    assert short(ceiling["verdict"]["judge"]) == (judge, 2859 - ties)
    # Figures seen once by hand, so that both counts cannot go wrong together.
    assert (human, judge, ties) == (1875, 1563, 656)
    assert test["tested"] == sum(len(each) >= 30 for each in seats.values()) == 28
    assert test["untested"] == len(seats) - 28 == 218
    assert (test["statements"], test["of_two"]) == (953, 0)
    for one in test["annotators"]:
        wins = seats[one["annotator"]]
        assert short(one["judge_as_good"]) == (sum(won for won, _ in wins), len(wins))
        assert short(one["annotator_as_good"]) == (sum(won for _, won in wins), len(wins))
        assert (one["won"] is None) == (len(wins) < 30)


def _constant_on_qags(data_folder):
    quiet = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("import_set", "qags", str(data_folder / "qags"), **quiet)
    made = sets.get("qags")
    judged = [
        {
            "rubric": "yes-man",
            "version": "1.0.0",
            "case_id": case_id,
            "statement_id": "s1",
            "outcome": "graded",
            "verdict": "supported",
        }
        for case_id in Case.objects.filter(set=made).values_list("case_id", flat=True)
    ]
    return reports.create(recorded_run(made, judged))
