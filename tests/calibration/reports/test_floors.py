"""What stands beside a report as the floor to beat: on the same statements, and as it was."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calibration import judging, learned, rendering, reports, rubrics, runs
from calibration.models import FloorBeside, Judgment, Run
from calibration.reports import floors
from calibration.stats.rates import wilson
from labeling.models import Label
from tests import cast
from tests.calibration.learned import learned_records
from tests.grounding.rubric_examples import with_changes
from tests.kept_rows import put_back
from tests.sheets import forgotten

pytestmark = pytest.mark.django_db


@pytest.fixture
def houses(db, tmp_path):
    return put_back("houses", lambda: learned_records.a_set(tmp_path))


@pytest.fixture
def report(houses):
    """Of a version that stands for a judge that costs something: another name, the same scope."""
    costly = with_changes(name="costly", judge__parameters__support_probability=0.9)

    def make():
        return reports.create(run_of(houses, rubrics.release(costly).rubric_version))

    return put_back("costly report on the houses", make)


def run_of(calibration_set, version):
    run = runs.start(calibration_set, version)
    while runs.status(run) == "running":
        judging.judge_batch(run.pk, worker="tests")
        run.refresh_from_db()
    return run


def learned_run(houses):
    return run_of(houses, learned.train(houses).rubric_version)


def answered(run, which):
    rows = Judgment.objects.filter(run=run, repeat=0, outcome="graded")
    return dict(rows.values_list("statement_id", which))


def in_order(run: Run) -> list[int]:
    """Its judgments by statement: a table has no order of its own."""
    rows = Judgment.objects.filter(run=run).order_by("statement")
    return list(rows.values_list("pk", flat=True))


def test_both_are_counted_on_the_statements_that_both_graded(houses, report):
    run = learned_run(houses)
    gone = in_order(run)[:3]
    Judgment.objects.filter(pk__in=gone).update(outcome="timeout", verdict=None, claim_class=None)
    own = in_order(report.run)[3:5]
    Judgment.objects.filter(pk__in=own).update(outcome="invalid", verdict=None, claim_class=None)
    forgotten()
    (found,) = floors.beside(report)
    labels = dict(Label.objects.values_list("statement_id", "verdict"))
    judge, floor = answered(report.run, "verdict"), answered(run, "verdict")
    both = judge.keys() & floor.keys()
    assert len(both) == 43
    for side, said in (("judge", judge), ("floor", floor)):
        counted = sum(said[pk] == labels[pk] for pk in both)
        assert (found["verdict"][side]["count"], found["verdict"][side]["n"]) == (counted, 43)
    assert (found["kind"], found["run"]) == ("learned", run.pk)


def test_both_sides_of_a_pair_are_as_sure_as_the_pair(houses, report):
    """24 pairs, each right as a whole on both sides: 48 of 48, worth 24."""
    run = learned_run(houses)
    labels = dict(Label.objects.values_list("statement_id", "verdict"))
    for one in Judgment.objects.filter(run=run):
        one.verdict = labels[one.statement_id]
        one.save()
    (found,) = floors.beside(report)
    assert (found["verdict"]["floor"]["count"], found["verdict"]["floor"]["n"]) == (48, 48)
    assert found["verdict"]["floor"]["interval"] == pytest.approx(list(wilson(24, 24)))


def test_right_is_what_a_comparison_of_the_two_runs_counts(houses, report):
    run = learned_run(houses)
    Judgment.objects.filter(run=run, statement__case__pair_id="house-1").update(
        claim_class="external"
    )
    Judgment.objects.filter(run=run, statement__case__pair_id="house-2").update(claim_class=None)
    forgotten()
    (found,) = floors.beside(report)
    out = StringIO()
    call_command(
        *("compare", str(run.rubric_version), str(report.run.rubric_version), "houses"),
        *("--format", "json"),
        stdout=out,
    )
    compared = json.loads(out.getvalue())
    right = found["right"]
    assert right["floor"]["n"] == compared["n"] == 48
    assert right["floor"]["count"] == compared["both_right"] + compared["only_first"]
    assert right["judge"]["count"] == compared["both_right"] + compared["only_second"]
    assert right["floor"]["count"] == found["verdict"]["floor"]["count"] - 2


def test_each_floor_tells_the_direction_of_its_errors_and_of_the_judges(houses, report):
    """On the same statements: of those that fail, passed; of those that hold, refused."""
    run = learned_run(houses)
    (found,) = floors.beside(report)
    labels = dict(Label.objects.values_list("statement_id", "verdict"))
    for side, judged in (("judge", report.run), ("floor", run)):
        said = answered(judged, "verdict")
        fail = [pk for pk in said if labels[pk] in ("unsupported", "contradictory")]
        hold = [pk for pk in said if labels[pk] == "supported"]
        passed = sum(said[pk] == "supported" for pk in fail)
        refused = sum(said[pk] in ("unsupported", "contradictory") for pk in hold)
        assert (found["lenient"][side]["count"], found["lenient"][side]["n"]) == (passed, len(fail))
        assert (found["strict"][side]["count"], found["strict"][side]["n"]) == (refused, len(hold))
    assert found["lenient"]["judge"]["n"] + found["strict"]["judge"]["n"] == 48


def test_a_reference_whose_label_states_more_than_class_and_verdict_is_measured_too(houses, report):
    Label.objects.update(claim_type="quantity")
    more = reports.create(report.run)
    assert more.pk != report.pk
    learned_run(houses)
    (found,) = floors.beside(more)
    assert found["verdict"]["judge"]["n"] == 48


def test_a_floor_that_was_kept_without_directions_is_told_with_them(houses, report):
    learned_run(houses)
    before = floors.beside(report)
    kept = FloorBeside.objects.get(report=report)
    kept.figures = {key: kept.figures[key] for key in ("verdict", "right")}
    kept.save()
    assert floors.beside(report) == before


def test_a_report_that_is_made_beside_a_floor_has_it_at_once(houses, report):
    learnt = learned_run(houses)
    more = reports.create(report.run, seed=report.seed + 1)
    assert [kept.run_id for kept in FloorBeside.objects.filter(report=more)] == [learnt.pk]
    # The same as where it is added later.
    (late,), (at_once,) = floors.beside(report), floors.beside(more)
    assert at_once == late


def test_what_stood_beside_a_report_stays_as_it_was(houses, report):
    learned_run(houses)
    before = floors.beside(report)
    Label.objects.update(verdict="unsupported")
    assert floors.beside(report) == before
    with CaptureQueriesContext(connection) as again:
        floors.beside(report)
    assert not [one for one in again if Judgment._meta.db_table in one["sql"]]
    # Against the labels as they are now, in a report of its own.
    assert floors.beside(reports.create(report.run)) != before


def test_the_lexical_and_the_learned_stand_beside_and_none_beside_itself(houses, report, rubric):
    lexical, learnt = run_of(houses, rubric), learned_run(houses)
    kinds = {str(one["run"]): one["kind"] for one in floors.beside(report)}
    # The report's own judge is lexical: another version of that kind tells it nothing.
    assert kinds == {str(learnt.pk): "learned"}
    assert [one["run"] for one in floors.beside(reports.create(learnt))] == [lexical.pk]


def test_the_latest_finished_run_of_a_kind_counts(houses, report):
    learned_run(houses)
    version = rubrics.get("learned-houses@1.0.0")
    latest = run_of(houses, version)
    runs.start(houses, version)
    assert [one["run"] for one in floors.beside(report)] == [latest.pk]


def test_another_scope_or_revision_is_no_floor(houses, report, tmp_path):
    definition = with_changes(name="other", splitting__language="de")
    other = learned.train(houses, scope=definition).rubric_version
    run_of(houses, other)
    assert floors.beside(report) == []
    assert floors.missing(report, []) == ["learned"]
    learned_records.a_set(tmp_path, pairs=25)
    houses.refresh_from_db()
    learned_run(houses)
    assert floors.beside(report) == []


def test_nothing_stands_beside_results_from_elsewhere(houses, report):
    learned_run(houses)
    report.run.rubric_version.recorded = True
    assert floors.beside(report) == floors.missing(report, []) == []


def test_every_rendering_has_the_floor_with_its_n(houses, report):
    assert "learned-houses" not in rendering.render(reports.full(report), "text")
    learned_run(houses)
    full = reports.full(report)
    assert full["floor"]["judges"][0]["verdict"]["floor"]["n"] == 48
    for form in ("text", "md", "html"):
        shown = rendering.render(full, form)
        assert "Beside the learned judge" in shown
        assert "48" in shown


def test_the_page_shows_floors_with_links_or_says_how_to_get_one(houses, report, client):
    people = cast.assemble(houses)
    client.force_login(people.lead)
    url = reverse("report", args=["houses", report.pk])
    page = client.get(url).content.decode()
    assert "No learned judge of this labelling scope" in page
    assert reverse("rubrics") + "?set=houses#train" in page
    run = learned_run(houses)
    page = client.get(url).content.decode()
    assert "No learned judge" not in page
    (found,) = floors.beside(report)
    for side, which in (("floor", "first_right"), ("judge", "second_right")):
        listed = client.get(
            reverse("compare-statements", args=["houses"]),
            {"first": run.pk, "second": report.run_id, which: "yes"},
        )
        assert listed.context["page"].paginator.count == found["right"][side]["count"]
        assert f"{which}=yes" in page
    for name, filters in (
        ("lenient", {"human_verdict": "failing", "passed": "yes"}),
        ("strict", {"human_verdict": "supported", "refused": "yes"}),
    ):
        (held, value), (what, yes) = filters.items()
        for side, which in (("floor", "first"), ("judge", "second")):
            asked = {"first": run.pk, "second": report.run_id, held: value}
            url = reverse("compare-statements", args=["houses"])
            n = client.get(url, asked).context["page"].paginator.count
            count = client.get(url, {**asked, f"{which}_{what}": yes}).context["page"].paginator
            assert (count.count, n) == (found[name][side]["count"], found[name][side]["n"])
