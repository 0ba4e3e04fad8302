"""How often the hold-out was looked at: counted from what finished runs graded, by hand."""

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
from labeling.models import Case, Statement
from tests.calibration.versions.records import FIRST_DAY, a_ground, ran


def hold_out(made, *positions):
    Case.objects.filter(set=made, position__in=positions).update(tags=["number", looks.HOLDOUT])


def test_the_limit_is_where_choosing_costs_a_standard_error():
    """The mean of the largest of k normal deviates: 0.846 for three, 1.029 for four (Harter 1961,
    Biometrika 48:151, table 1)."""

    def largest(k):
        return quad(lambda x: x * k * norm.pdf(x) * norm.cdf(x) ** (k - 1), -9, 9)[0]

    assert largest(looks.MOST) == pytest.approx(0.84628, abs=1e-5)
    assert largest(looks.MOST + 1) == pytest.approx(1.02938, abs=1e-5)
    assert largest(looks.MOST) < 1 < largest(looks.MOST + 1)


def looked(made):
    """How often at each held-out statement, in the set's order."""
    return [len(one.looks) for one in looks.held_out(made)]


@pytest.mark.django_db
def test_a_look_is_a_finished_run_that_graded_the_statement_whether_or_not_it_has_a_report():
    """Statement 0 is graded in both runs, of which the second has no report; statement 1 failed in
    the second run; statement 2 has no reference, and its verdicts are told over time all the same;
    statement 3 is not held out."""
    made = a_ground(["Ss", "Ss", "..", "Ss"])
    hold_out(made, 0, 1, 2)
    first = ran(made, ["Ss", "Ss", "Ss", "Ss"], "1.0.0", day=0)
    ran(made, ["Ss", "timeout", "Ss", "Ss"], "1.1.0", day=1)
    reports.create(first)
    reports.create(first, seed=7)
    assert looked(made) == [2, 1, 2]
    both = ["judge@1.0.0", "judge@1.1.0"]
    assert [one.versions for one in looks.held_out(made)] == [both, both[:1], both]
    assert looks.figures(looks.held_out(made)) == {
        "statements": 3,
        "never": 0,
        "looks": {"min": 1, "median": 2, "max": 2},
        "versions": both,
        "most_versions": 3,
        "worn": 0,
    }


@pytest.mark.django_db
def test_a_partial_run_is_a_look_and_one_that_measures_nothing_or_never_ended_is_none():
    made = a_ground(["Ss", "Ss"])
    hold_out(made, 0, 1)
    ran(made, ["Ss", "timeout"], failure_ceiling=0.05)
    assert looked(made) == [1, 0]
    probe = {"kind": "order", "seed": 1}
    ran(made, ["Ss", "Ss"], "1.1.0", day=1, probe=probe)
    ran(made, ["Ss", "Ss"], "1.2.0", day=2, finished_at=None)
    ran(made, ["Ss", "Ss"], "1.3.0", day=3, cancelled_at=FIRST_DAY)
    assert looked(made) == [1, 0]


@pytest.mark.django_db
def test_each_finished_round_is_a_look_at_what_it_had_graded():
    """Statement 0 failed in the first round and is graded in the second; statement 1 was graded in
    the first, and stands in both. A round counts when it ends, and keeps counting when a later one
    is cancelled."""
    made = a_ground(["Ss", "Ss"])
    hold_out(made, 0, 1)
    run = ran(made, ["timeout", "Ss"])
    run.judgments.filter(outcome="timeout").update(
        outcome="graded", verdict="supported", claim_class="subject_specific", round=2
    )
    ended = run.finished_at
    for finished, cancelled, counts in (
        (None, None, [0, 1]),
        (ended, None, [1, 2]),
        (ended, ended, [0, 1]),
    ):
        run.round, run.finished_at, run.cancelled_at = 2, finished, cancelled
        run.save()
        assert looked(made) == counts


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((0, 0, 0), "never each"),
        ((1, 1, 1), "once each"),
        ((2, 2, 2), "twice each"),
        ((12, 12, 12), "12 times each"),
        ((0, 1.5, 3), "between 0 and 3 times each (median 1.5)"),
    ],
)
def test_how_often_is_said_as_people_say_it(ends, said):
    assert holdout.times(dict(zip(("min", "median", "max"), ends, strict=True))) == said


@pytest.mark.django_db
def test_what_no_version_graded_yet_is_said_to_be_fresh():
    made = a_ground(["Ss", "Ss"])
    hold_out(made, 0, 1)
    told = looks.figures(looks.held_out(made))
    assert read(holdout.sentence(told)) == (
        "Held out: 2 statements. No rubric version has looked yet."
    )


@pytest.mark.django_db
def test_more_versions_than_the_limit_wear_a_statement_out():
    made = a_ground(["Ss", "Ss"])
    hold_out(made, 0)
    for day in range(looks.MOST):
        ran(made, ["Ss", "Su"], f"1.{day}.0", day=day)
    assert not looks.held_out(made)[0].worn
    ran(made, ["Ss", "Su"], "2.0.0", day=9)
    assert looks.held_out(made)[0].worn
    told = looks.figures(looks.held_out(made))
    assert (told["statements"], told["worn"]) == (1, 1)
    assert "by more than 3 versions" in read(holdout.sentence(told))


@pytest.mark.django_db
def test_the_same_content_keeps_its_looks_over_revisions_and_other_content_does_not():
    made = a_ground(["Ss", "Ss"])
    ran(made, ["Ss", "Ss"])
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
    assert looked(made) == [1, 0]


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
def test_queries_do_not_grow_with_runs_or_statements():
    counted = []
    for size in (1, 6):
        made = a_ground(["Ss"] * size, slug=f"of-{size}")
        hold_out(made, *range(size))
        for day in range(size):
            ran(made, ["Ss"] * size, f"1.{day}.0", day=day)
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
    assert "Held out: 2 of its statements. When it was made, 2 rubric versions had looked" in text
    # Frozen: what came later changes nothing of it.
    assert reports.figures(reports.create(first.run)) == reports.figures(first)
