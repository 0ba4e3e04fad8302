"""Several runs of one version: what they scatter, and how far they agree with each other."""

from __future__ import annotations

import pytest

from calibration import loading, versions
from calibration.agreement import selfcheck
from calibration.loading import selfcheck_rows
from labeling.columns.frozen import Frozen
from tests.calibration.versions.records import NAME, a_ground, ran

pytestmark = pytest.mark.django_db

HUMANS = ["Ss", "Ss", "Su", "Su", "Su"]


def repeated(made):
    return versions.full(versions.read(NAME, made))["repeated"]


def test_the_spread_is_over_the_statements_that_all_runs_graded():
    """The last failed once, so four are left: verdicts right 4, 3 and 2; lenient 0, 1, 1 of 2."""
    made = a_ground(HUMANS)
    runs = [
        ran(made, ["Ss", "Ss", "Su", "Su", "Su"], day=0),
        ran(made, ["Ss", "Ss", "Ss", "Su", "timeout"], day=1),
        ran(made, ["Ss", "Su", "Ss", "Su", "Su"], day=2),
    ]
    (found,) = repeated(made)
    assert found["statements"] == 4
    assert [run["id"] for run in found["runs"]] == [run.pk for run in runs]
    assert [(run["verdict"]["count"], run["verdict"]["n"]) for run in found["runs"]] == [
        (4, 4),
        (3, 4),
        (2, 4),
    ]
    assert found["spread"]["verdict"] == {"min": 0.5, "max": 1.0}
    assert found["spread"]["lenient"] == {"min": 0.0, "max": 0.5}
    assert found["spread"]["strict"] == {"min": 0.0, "max": 0.5}


def test_agreement_between_runs_is_that_of_repeats_within_a_run():
    """Statement by statement the verdicts are sss, ssu, uss, uuu, uu: 3 of 5 all alike. Of pairs
    equal: 1, 1/3, 1/3, 1, 1, so 11/15 on the mean."""
    made = a_ground(HUMANS)
    ran(made, ["Ss", "Ss", "Su", "Su", "Su"], day=0)
    ran(made, ["Ss", "Ss", "Ss", "Su", "timeout"], day=1)
    ran(made, ["Ss", "Su", "Ss", "Su", "Su"], day=2)
    steady = repeated(made)[0]["self_agreement"]
    assert (steady["verdict"]["count"], steady["verdict"]["n"]) == (3, 5)
    assert steady["pairwise"]["verdict"]["value"] == pytest.approx(11 / 15)
    assert (steady["class"]["count"], steady["class"]["n"]) == (5, 5)
    assert steady["too_few"] == 0


def test_no_reference_is_needed_to_agree_with_oneself():
    made = a_ground(["..", ".."])
    ran(made, ["Ss", "Su"], day=0)
    ran(made, ["Ss", "Ss"], day=1)
    (found,) = repeated(made)
    assert found["statements"] == 0
    assert found["spread"]["verdict"] == {"min": None, "max": None}
    steady = found["self_agreement"]
    assert (steady["verdict"]["count"], steady["verdict"]["n"]) == (1, 2)


def test_a_statement_that_one_run_alone_graded_is_too_few():
    made = a_ground(["Ss", "Ss"])
    ran(made, ["Ss", "timeout"], day=0)
    ran(made, ["Ss", "Ss"], day=1)
    steady = repeated(made)[0]["self_agreement"]
    assert (steady["statements"], steady["too_few"]) == (1, 1)


def test_runs_that_graded_nothing_in_common_have_no_agreement():
    made = a_ground(["Ss", "Ss"])
    ran(made, ["Ss", "timeout"], day=0)
    ran(made, ["timeout", "Ss"], day=1)
    steady = repeated(made)[0]["self_agreement"]
    assert steady["verdict"]["rate"] is None
    assert steady["pairwise"]["verdict"]["value"] is None
    assert steady["verdict"]["reason"]


def test_one_run_scatters_nothing_and_partial_ones_do_not_count():
    made = a_ground(["Ss", "Ss"])
    ran(made, ["Ss", "Ss"], day=0)
    ran(made, ["Ss", "timeout"], day=1, failure_ceiling=0.05)
    assert repeated(made) == []


def test_the_statistic_is_the_one_of_selfcheck():
    """Two runs of a version say what one run with two repeats says."""
    made = a_ground(HUMANS)
    said = (["Ss", "Ss", "Su", "Su", "Sc"], ["Ss", "Su", "Su", "Es", "Sc"])
    ran(made, said[0], day=0)
    ran(made, said[1], day=1)
    twice = ran(made, said[0], "2.0.0", repeats=2)
    other = ran(made, said[1], "9.9.9")
    other.judgments.update(run=twice, repeat=1)
    loaded = loading.load(twice, Frozen.of({}))
    within = selfcheck.self_agreement(
        loaded.columns, selfcheck_rows.repeats(twice, loaded), seed=1960
    )
    between = repeated(made)[0]["self_agreement"]
    for name in ("verdict", "class", "pairwise", "statements", "too_few"):
        assert between[name] == within[name]
