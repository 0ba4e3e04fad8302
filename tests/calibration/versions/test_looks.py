"""How often the hold-out was looked at: counted from the reports, by hand."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from scipy.integrate import quad
from scipy.stats import norm

from calibration import rendering, reports
from calibration.rendering import holdout
from calibration.reports import looks
from calibration.wording.numbers import read
from labeling import references
from labeling.models import Annotator, Case, Statement
from tests.calibration.report_records import label
from tests.calibration.versions.records import a_ground, ran


def hold_out(made, *positions):
    Case.objects.filter(set=made, position__in=positions).update(tags=["number", looks.HOLDOUT])


def found(made):
    return {one.statement: one for one in looks.held_out(made)}


def test_the_limit_is_where_choosing_costs_a_standard_error():
    """The mean of the largest of k normal deviates: 0.846 for three, 1.029 for four (Harter 1961,
    Biometrika 48:151, table 1)."""

    def largest(k):
        return quad(lambda x: x * k * norm.pdf(x) * norm.cdf(x) ** (k - 1), -9, 9)[0]

    assert largest(looks.MOST) == pytest.approx(0.84628, abs=1e-5)
    assert largest(looks.MOST + 1) == pytest.approx(1.02938, abs=1e-5)
    assert largest(looks.MOST) < 1 < largest(looks.MOST + 1)


@pytest.mark.django_db
def test_looks_are_runs_with_a_report_in_which_the_statement_was_compared():
    """Statement 0 is compared in both runs, of which the first has two reports; statement 1
    failed in the second run; statement 2 has no reference; statement 3 is not held out."""
    made = a_ground(["Ss", "Ss", "..", "Ss"])
    hold_out(made, 0, 1, 2)
    first = ran(made, ["Ss", "Ss", "Ss", "Ss"], "1.0.0", day=0)
    second = ran(made, ["Ss", "timeout", "Ss", "Ss"], "1.1.0", day=1)
    reports.create(first)
    reports.create(first, seed=7)
    reports.create(second)
    statements = Statement.objects.filter(case__set=made).order_by("position")
    one, two, three = (found(made)[each.pk] for each in statements[:3])
    assert (one.looked, len(one.looks), one.versions) == (2, 3, ["judge@1.0.0", "judge@1.1.0"])
    assert (two.looked, len(two.looks), two.versions) == (1, 2, ["judge@1.0.0"])
    assert (three.looked, three.looks) == (0, [])
    assert looks.figures(looks.held_out(made)) == {
        "statements": 3,
        "never": 1,
        "looks": {"min": 0, "median": 1, "max": 2},
        "reports": {"min": 0, "median": 2, "max": 3},
        "versions": ["judge@1.0.0", "judge@1.1.0"],
        "most_versions": 3,
        "worn": 0,
    }


@pytest.mark.django_db
def test_a_round_with_a_report_of_its_own_is_another_look():
    """Statement 0 failed in the first round and was graded in the second; statement 1 was graded
    in the first, and is in both reports."""
    made = a_ground(["Ss", "Ss"])
    hold_out(made, 0, 1)
    run = ran(made, ["timeout", "Ss"])
    reports.create(run)
    run.judgments.filter(outcome="timeout").update(
        outcome="graded", verdict="supported", claim_class="subject_specific", round=2
    )
    run.round = 2
    run.save()
    reports.create(run)
    assert [one.looked for one in looks.held_out(made)] == [1, 2]


@pytest.mark.django_db
def test_a_reference_that_a_report_did_not_take_is_no_look():
    made = a_ground(["Ss"])
    hold_out(made, 0)
    reports.create(ran(made, ["Ss"]), minimum=references.ADJUDICATED)
    assert looks.held_out(made)[0].looks == []


@pytest.mark.django_db
def test_more_versions_than_the_limit_wear_a_statement_out():
    made = a_ground(["Ss", "Ss"])
    hold_out(made, 0)
    for day in range(looks.MOST):
        reports.create(ran(made, ["Ss", "Su"], f"1.{day}.0", day=day))
    assert not looks.held_out(made)[0].worn
    reports.create(ran(made, ["Ss", "Su"], "2.0.0", day=9))
    assert looks.held_out(made)[0].worn
    told = looks.figures(looks.held_out(made))
    assert (told["statements"], told["worn"]) == (1, 1)
    assert "by more than 3 versions" in read(holdout.sentence(told))


@pytest.mark.django_db
def test_the_same_content_keeps_its_looks_over_revisions_and_other_content_does_not():
    made = a_ground(["Ss", "Ss"])
    reports.create(ran(made, ["Ss", "Ss"]))
    for position, content in ((0, "sha256:0"), (1, "sha256:changed")):
        old = Case.objects.get(set=made, position=position)
        statement = old.statements.get()
        old.superseded_in = 2
        old.save()
        old.pk, old.added_in, old.superseded_in = None, 2, None
        old.content_digest, old.tags = content, [looks.HOLDOUT]
        old.save()
        Statement.objects.create(
            case=old, statement_id=statement.statement_id, position=position, text=statement.text
        )
    made.revision = 2
    assert [one.looked for one in looks.held_out(made)] == [1, 0]


@pytest.mark.django_db
def test_nothing_held_out_is_nothing_and_costs_one_query():
    made = a_ground(["Ss"])
    reports.create(ran(made, ["Ss"]))
    with CaptureQueriesContext(connection) as queries:
        assert looks.held_out(made) == []
    assert len(queries) == 1
    told = looks.figures([])
    assert told["looks"] == {"min": None, "median": None, "max": None}
    assert "nothing is held out" in read(holdout.sentence(told))


@pytest.mark.django_db
def test_queries_do_not_grow_with_reports_or_statements():
    counted = []
    for size in (1, 6):
        made = a_ground(["Ss"] * size, slug=f"of-{size}")
        hold_out(made, *range(size))
        for day in range(size):
            reports.create(ran(made, ["Ss"] * size, f"1.{day}.0", day=day))
        with CaptureQueriesContext(connection) as queries:
            looks.held_out(made)
        counted.append(len(queries))
    assert counted[0] == counted[1]


@pytest.mark.django_db
def test_a_report_says_how_worn_its_hold_out_was_and_counts_its_own_look():
    made = a_ground(["Ss", "Ss", "Ss"])
    hold_out(made, 0, 1)
    first = reports.create(ran(made, ["Ss", "timeout", "Ss"], "1.0.0", day=0))
    second = reports.create(ran(made, ["Ss", "Ss", "Ss"], "1.1.0", day=1))
    assert reports.figures(first)["holdout"] == {
        "statements": 1,
        "looks": {"min": 1, "median": 1, "max": 1},
        "versions": ["judge@1.0.0"],
        "worn": 0,
    }
    told = reports.figures(second)["holdout"]
    assert told["statements"] == 2
    assert told["looks"] == {"min": 1, "median": 1.5, "max": 2}
    assert told["versions"] == ["judge@1.0.0", "judge@1.1.0"]
    text = rendering.render(reports.full(second, most=rendering.most_listed("text")), "text")
    assert "Held out: 2 of its statements." in text
    # Frozen: what came later changes nothing of it.
    assert reports.figures(reports.create(first.run)) == reports.figures(first)


@pytest.mark.django_db
def test_labels_that_come_later_make_it_a_look_from_then_on():
    made = a_ground(["..", "Ss"])
    hold_out(made, 0)
    run = ran(made, ["Ss", "Ss"])
    reports.create(run)
    assert looks.held_out(made)[0].looked == 0
    annotator = Annotator.objects.create(set=made, code="later")
    label(Statement.objects.get(case__set=made, position=0), annotator, "Ss")
    reports.create(run)
    # Two reports of one run and round, of which the second compares it.
    assert (looks.held_out(made)[0].looked, len(looks.held_out(made)[0].looks)) == (1, 1)
