"""Evidence in a report: whose it is, how it meets, what is kept of it."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.utils import timezone

from calibration import loading, reports
from calibration.agreement import evidence
from calibration.loading import evidence_rows
from calibration.models import EvidenceSheet, Judgment
from calibration.readings.comparisons import ComparedList
from calibration.reports import rating_sheets
from calibration.stats.overlap import Sizes, span_overlap
from labeling import sets
from labeling.models import Annotator, Expectation, Label, Statement
from tests.calibration.report_fixtures import Row, columns
from tests.calibration.report_records import a_run, a_set, label
from tests.calibration.reports.test_floors import run_of


def cite(*spans, place="p1"):
    return [
        {
            "passage_id": place,
            "source_id": None,
            "quote": "x" * (end - start),
            "start": start,
            "end": end,
        }
        for start, end in spans
    ]


def sizes(*rows):
    return Sizes(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def test_the_states_and_means_by_hand():
    """Both cite 10 and 20 characters and share 5; both cite and share none; one side alone; none.
    The last two rows are not compared."""
    rows = [Row("Ss", "Ss")] * 5 + [Row("..", "Ss"), Row("Ss", "timeout")]
    found = evidence.figures(
        columns(rows),
        sizes((10, 20, 5), (4, 4, 0), (0, 1, 0), (1, 0, 0), (0, 0, 0), (9, 9, 9), (0, 9, 0)),
        seed=1,
    )
    counts = {
        name: found[name] for name in ("both_cite", "apart", "only_human", "only_judge", "neither")
    }
    assert counts == {"both_cite": 2, "apart": 1, "only_human": 1, "only_judge": 1, "neither": 1}
    assert (found["shared"]["count"], found["shared"]["n"]) == (1, 2)
    assert found["precision"]["value"] == pytest.approx((5 / 10 + 0) / 2)
    assert found["recall"]["value"] == pytest.approx((5 / 20 + 0) / 2)
    assert found["f1"]["value"] == pytest.approx((10 / 30 + 0) / 2)
    assert found["iou"]["value"] == pytest.approx((5 / 25 + 0) / 2)
    assert found["f1"]["n"] == 2


@pytest.mark.parametrize(
    ("rows", "held"),
    [([], []), ([Row("Ss", "Ss")], [(0, 3, 0)]), ([Row("..", "Ss")], [(3, 3, 3)])],
)
def test_where_both_sides_never_cite_the_means_are_null_with_a_reason(rows, held):
    found = evidence.figures(columns(rows), sizes(*held), seed=1)
    for name in ("precision", "recall", "f1", "iou"):
        assert (found[name]["value"], found[name]["n"], found[name]["interval"]) == (None, 0, None)
        assert found[name]["reason"]
    assert (found["shared"]["rate"], found["shared"]["n"]) == (None, 0)
    json.dumps(found, allow_nan=False)


# ---- in the database: whose evidence is the human's

pytestmark = pytest.mark.django_db


def measured(rows, cited):
    """A finished run of which the judge cites so."""
    run = a_run(a_set(rows), rows, failure_ceiling=0.5)
    for judgment, held in zip(run.judgments.order_by("statement__position"), cited, strict=True):
        Judgment.objects.filter(pk=judgment.pk).update(evidence=held)
    return run


def statement(run, place):
    return Statement.objects.get(case__set=run.set, statement_id=f"s{place}")


def held(run, place, **told):
    Label.objects.filter(statement=statement(run, place)).update(**told)


def sizes_of(run):
    report = reports.create(run)
    loaded = loading.load(run, report.snapshot.frozen)
    return evidence_rows.of(loaded, rating_sheets.told_of(run)), report


def test_the_humans_evidence_is_of_the_labels_that_say_what_the_consensus_says():
    """Two of three say "supported" and cite 0..10 and 5..15 of p1, together 15; the third says
    "unsupported" and cites 100..200, which counts for nothing. The judge cites 12..20 of p1."""
    run = measured([Row("Ss", "Ss")], [cite((12, 20))])
    held(run, 0, evidence=cite((0, 10)))
    second, third = (Annotator.objects.create(set=run.set, code=f"ann-{n}") for n in (2, 3))
    label(statement(run, 0), second, "Ss", evidence=cite((5, 15)))
    label(statement(run, 0), third, "Su", evidence=cite((100, 200)))
    found, report = sizes_of(run)
    assert report.figures["reference"]["tiers"]["consensus"] == 1
    assert (found.judge.tolist(), found.human.tolist(), found.both.tolist()) == ([8], [15], [3])
    expected = span_overlap([("p1", 12, 20)], [("p1", 0, 15)])
    for name in ("precision", "recall", "f1", "iou"):
        assert report.figures["evidence"][name]["value"] == pytest.approx(getattr(expected, name))


def test_an_adjudication_decides_the_evidence_too():
    run = measured([Row("Ss", "Ss")], [cite((0, 4))])
    held(run, 0, evidence=cite((0, 4)))
    lead = Annotator.objects.create(set=run.set, code="lead")
    label(statement(run, 0), lead, "Ss", role="adjudication", evidence=cite((2, 4)))
    found, _ = sizes_of(run)
    assert (found.human.tolist(), found.both.tolist()) == ([2], [2])


def test_labels_that_do_not_count_lend_no_evidence():
    run = measured([Row("Ss", "Ss")] * 2, [cite((0, 4))] * 2)
    late = Annotator.objects.create(set=run.set, code="late")
    for place, why in enumerate([{"origin": "revealed"}, {"selected": "judge_disagreement"}]):
        label(statement(run, place), late, "Ss", evidence=cite((0, 4)), **why)
    found, _ = sizes_of(run)
    assert found.human.tolist() == [0, 0]


def test_the_authors_evidence_counts_only_where_nobody_labelled():
    run = measured([Row("..", "Ss"), Row("Ss", "Ss")], [cite((0, 4))] * 2)
    for place in (0, 1):
        Expectation.objects.create(
            statement=statement(run, place),
            claim_class="subject_specific",
            verdict="supported",
            evidence=cite((1, 3)),
        )
    found, report = sizes_of(run)
    assert report.figures["reference"]["tiers"]["author"] == 1
    assert (found.human.tolist(), found.both.tolist()) == ([2, 0], [2, 0])


def test_a_label_that_only_cites_something_else_makes_another_report():
    run = measured([Row("Ss", "Ss")], [cite((0, 4))])
    held(run, 0, evidence=cite((2, 6)))
    first = reports.create(run)
    assert reports.create(run) == first
    older = Label.objects.get()
    Label.objects.filter(pk=older.pk).update(superseded_at=timezone.now())
    newer = label(older.statement, older.annotator, "Ss", evidence=cite((0, 4)))
    second = reports.create(run)
    assert second.snapshot == first.snapshot
    means = [one.figures["evidence"]["iou"]["value"] for one in (first, second)]
    assert means == [pytest.approx(2 / 6), 1.0]
    # What cites nothing is no evidence, and superseding it changes nothing.
    Label.objects.filter(pk=newer.pk).update(evidence=[])
    silent = reports.create(run)
    Label.objects.filter(pk=newer.pk).update(superseded_at=timezone.now())
    label(older.statement, older.annotator, "Ss")
    assert reports.create(run) == silent


def test_a_passage_and_a_source_of_one_name_are_two_places():
    run = measured([Row("Es", "Es")], [cite((0, 4))])
    source = [{**one, "passage_id": None, "source_id": "p1"} for one in cite((0, 4))]
    held(run, 0, evidence=source)
    found, report = sizes_of(run)
    assert found.both.tolist() == [0]
    assert report.figures["evidence"]["apart"] == 1


MET = [
    Row("Ss", "Ss"),  # shared
    Row("Ss", "Ss"),  # apart: another passage
    Row("Su", "Ss"),  # the human alone
    Row("Ss", "Su"),  # the judge alone
    Row("Su", "Su"),  # neither
    Row("Ss", "timeout"),  # the human cites, and nothing is compared
    Row("..", "Ss"),  # the judge cites, and nothing is compared
]


@pytest.fixture
def met():
    quoted = cite((0, 4))
    run = measured(MET, [quoted, cite((0, 4), place="p2"), [], quoted, [], [], quoted])
    for place in (0, 1, 2, 5):
        held(run, place, evidence=quoted)
    return run


def lists(report):
    return {
        name: ComparedList(report, {"evidence": name}).count()
        for name in ("both", *evidence.STATES)
    }


def test_each_count_of_evidence_is_the_length_of_its_list(met):
    report = reports.create(met)
    found = report.figures["evidence"]
    assert report.figures["compared"] == 5
    assert lists(report) == {
        "both": found["both_cite"],
        "shared": found["shared"]["count"],
        **{name: found[name] for name in ("apart", "only_human", "only_judge", "neither")},
    }
    assert lists(report) == {
        "both": 2, "shared": 1, "apart": 1, "only_human": 1, "only_judge": 1, "neither": 1,
    }  # fmt: skip
    [row] = ComparedList(report, {"evidence": "apart"})[0:50]
    assert row.judgment.statement.statement_id == "s1"


def test_the_lists_of_a_report_hold_what_it_counted_when_labels_have_moved_on(met):
    report = reports.create(met)
    before = lists(report)
    Label.objects.update(evidence=[])
    assert lists(report) == before
    again = reports.create(met, seed=9)
    assert again.figures["evidence"]["only_human"] == 0
    assert lists(again)["only_judge"] == 3


def test_a_report_of_before_evidence_was_measured_lists_none(met):
    report = reports.create(met)
    EvidenceSheet.objects.filter(report=report).delete()
    assert evidence_rows.states_of(report) == {}


@pytest.mark.slow
def test_the_evidence_of_a_judge_on_real_data_is_what_counting_characters_gives(
    data_folder, rubric
):
    """The 400 labels of this set all cite evidence."""
    call_command(
        *("import_set", "fever", str(data_folder / "fever_symmetric")),
        stdout=StringIO(),
        stderr=StringIO(),
    )
    run = run_of(sets.get("fever"), rubric)
    found = reports.create(run).figures["evidence"]
    labels = dict(Label.objects.values_list("statement_id", "evidence"))
    judged = run.judgments.filter(outcome="graded").values_list("statement_id", "evidence")
    pairs = [(_characters(labels[pk]), _characters(cited)) for pk, cited in judged]
    both = [(human, judge) for human, judge in pairs if human and judge]
    assert found["both_cite"] == len(both) > 50
    assert found["only_human"] == sum(bool(human) and not judge for human, judge in pairs)
    assert found["shared"]["count"] == sum(bool(human & judge) for human, judge in both)
    f1 = np.mean([2 * len(human & judge) / (len(human) + len(judge)) for human, judge in both])
    assert found["f1"]["value"] == pytest.approx(f1)
    assert found["f1"]["interval"][0] < f1 < found["f1"]["interval"][1]


def _characters(cited):
    return {(one["passage_id"], at) for one in cited for at in range(one["start"], one["end"])}
