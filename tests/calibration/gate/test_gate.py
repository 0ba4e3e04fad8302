"""The gate over stored runs: what counts, what it exits with, what it writes."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from calibration import gate, reports, rubrics, runs
from calibration.models import RubricVersion, Run
from calibration.rendering import gate as rendering
from grounding.errors import Refused
from labeling import sets
from labeling.models import Annotator, CalibrationSet, Expectation, Label, Role, Statement
from labeling.people import accounts
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set, label
from tests.grounding.rubric_examples import with_changes

pytestmark = pytest.mark.django_db

OPEN: dict[str, Any] = {"cells": [], "lenient": None, "class_escape": None, "regression": None}
CELL = {"claim_class": None, "verdict": "supported", "minimum_n": 3, "minimum_rate": 0.7}
GOOD = [Row("Ss", "Ss")] * 3 + [Row("Ss", "Su")]
BAD = [Row("Ss", "Su")] * 3 + [Row("Ss", "Ss")]


def released(version: str = "1.0.0", **policy: Any) -> RubricVersion:
    changes = {f"gate__{name}": value for name, value in {**OPEN, **policy}.items()}
    return rubrics.release(with_changes(version=version, **changes)).rubric_version


def measured(version: RubricVersion, made: CalibrationSet, rows: list[Row], **others: Any) -> Run:
    run = a_run(made, rows, **others)
    Run.objects.filter(pk=run.pk).update(rubric_version=version)
    return run


def a_lead(users: type[User]) -> User:
    lead = users.objects.create_user("lead")
    accounts.join(sets.get("made"), lead, Role.LEAD)
    return lead


def gated(version: RubricVersion, *more: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("gate", str(version), "made", *more, stdout=out, stderr=StringIO())
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


@pytest.mark.parametrize(
    ("rows", "least", "exit_code", "result"),
    [(GOOD, 3, 0, "pass"), (BAD, 3, 1, "fail"), (GOOD, 5, 2, "inconclusive")],
)
def test_it_exits_with_what_came_of_it(rows, least, exit_code, result):
    version = released(cells=[{**CELL, "minimum_n": least}])
    measured(version, a_set(rows), rows)
    code, said = gated(version, "--json")
    document = json.loads(said)
    assert (code, document["result"]) == (exit_code, result)
    assert {"name", "result", "measured", "required"} <= document["checks"][1].keys()
    assert document["checks"][1]["measured"]["n"] == 4


@pytest.mark.parametrize(
    "changes",
    [{"origin": "revealed"}, {"origin": "model"}, {"selected": "judge_disagreement"}],
)
def test_labels_that_do_not_count_are_nothing_to_be_measured_by(changes):
    version = released(cells=[CELL])
    measured(version, a_set(GOOD), GOOD)
    Label.objects.update(**changes)
    Expectation.objects.bulk_create(
        Expectation(statement=one, claim_class="subject_specific", verdict="supported")
        for one in Statement.objects.all()
    )
    with pytest.raises(CommandError, match="no statement that run") as refused:
        gated(version)
    assert refused.value.returncode == 3


def test_a_partial_run_passes_no_gate_and_the_complete_one_before_it_still_does():
    version = released(cells=[CELL])
    made = a_set(GOOD)
    partial = [Row("Ss", "Ss"), *[Row("Ss", "timeout")] * 3]
    only = measured(version, made, partial)
    with pytest.raises(Refused, match=f"run {only.pk} is partial"):
        gate.measure(version, made)
    complete = measured(version, made, GOOD, finished_at=timezone.now() - timedelta(days=1))
    assert gate.measure(version, made).run == complete
    assert runs.latest_finished(version, made) == only


def test_a_recorded_version_has_no_gate():
    made = a_set(GOOD)
    run = a_run(made, GOOD)
    with pytest.raises(Refused, match="recorded"):
        gate.measure(run.rubric_version, made)


def test_a_version_more_lenient_than_its_baseline_fails():
    regression = {"level": 0.05}
    first = released(regression=regression)
    second = released("1.1.0", regression=regression, failure_ceiling=0.06)
    strict, lax = [Row("Su", "Su")] * 6, [Row("Su", "Ss")] * 5 + [Row("Su", "Su")]
    made = a_set(strict)
    measured(first, made, strict)
    measured(second, made, lax)
    assert gate.measure(first, made).result == "inconclusive"
    found = gate.measure(second, made)
    assert [check.result for check in found.checks] == ["pass", "fail"]
    assert gated(second)[0] == 1


def test_a_policy_that_asks_nothing_of_agreement_lets_nothing_through():
    version = released()
    measured(version, a_set(BAD), BAD)
    code, said = gated(version, "--json")
    document = json.loads(said)
    assert (code, document["result"]) == (2, "inconclusive")
    assert document["checks"][1]["required"] == {"minimum_checks": 1}
    told = " ".join(gated(version)[1].split())
    assert "1 check stands in the way, of 2" in told
    assert "checks neither agreement with people nor the direction of errors" in told


def test_what_passes_is_counted_in_words_that_fit_the_number():
    document = {"result": "pass", "checks": [{"result": "pass"}] * 2}
    assert rendering.sentence(document).endswith("Both checks pass.")
    document["checks"] *= 2
    assert rendering.sentence(document).endswith("All 4 checks pass.")


# 3 of 4 have Wilson's interval [0.3006, 0.9544], 1 of 4 [0.0456, 0.6994].
@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ({"cells": [CELL]}, "its interval begins at 30.1%"),
        ({"cells": [{**CELL, "minimum_lower_bound": 0.3}]}, None),
        ({"cells": [{**CELL, "minimum_rate": 0.3}]}, None),
    ],
)
def test_a_rate_that_passes_while_its_interval_does_not_says_so(policy, told):
    version = released(**policy)
    measured(version, a_set(GOOD), GOOD)
    assert ("✓ pass" + (f"; {told}" if told else "")) in " ".join(gated(version)[1].split())
    assert ("its interval" in gated(version)[1]) == (told is not None)


@pytest.mark.parametrize(("bound", "told"), [(None, "its interval reaches 69.9%"), (0.7, None)])
def test_a_ceiling_that_is_kept_while_the_interval_reaches_over_it_says_so(bound, told):
    ceiling = {"minimum_n": 1, "maximum_rate": 0.25, "maximum_upper_bound": bound}
    rows = [Row("Su", "Ss"), *[Row("Su", "Su")] * 3]
    version = released(lenient=ceiling)
    measured(version, a_set(rows), rows)
    code, said = gated(version)
    assert code == 0
    assert ("its interval reaches 69.9%" in " ".join(said.split())) == (told is not None)


def test_junit_has_a_case_for_each_check(tmp_path):
    lenient = {"minimum_n": 1, "maximum_rate": 0.1}
    version = released(cells=[CELL, {**CELL, "verdict": "unsupported"}], lenient=lenient)
    rows = [*BAD, Row("Su", "Su")]
    measured(version, a_set(rows), rows)
    file = tmp_path / "gate.xml"
    assert gated(version, "--junit", str(file))[0] == 1
    suite = ElementTree.parse(file).getroot()
    assert {k: suite.get(k) for k in ("tests", "failures", "errors")} == {
        "tests": "4",
        "failures": "1",
        "errors": "1",
    }
    tags = {case.get("name"): [child.tag for child in case] for case in suite}
    assert tags["agreement: supported"] == ["failure"]
    assert tags["agreement: unsupported"] == ["error"]
    assert tags["errors: lenient"] == []


def test_markdown_is_for_a_pull_request():
    version = released(cells=[CELL])
    measured(version, a_set(GOOD), GOOD)
    code, said = gated(version, "--format", "md")
    assert code == 0
    assert said.startswith("# Gate:")
    assert "| agreement: supported | 3 | 4 | 75.0% |" in said


def test_the_page_says_what_stands_in_the_way(client, django_user_model):
    version = released(cells=[{**CELL, "minimum_n": 9}])
    made = a_set(GOOD)
    run = measured(version, made, GOOD)
    client.force_login(a_lead(django_user_model))
    path = f"/sets/made/gate/{version.name}/{version.version}/"
    page = client.get(path).content.decode()
    assert "4 human-labelled statements, and it takes 9" in page
    assert "/sets/made/plan/#cells" in page
    client.post(f"/sets/made/runs/{run.pk}/report/", {"minimum": "single"})
    linked = client.get(path).content.decode()
    assert "statements/?human_verdict=supported" in linked


def test_the_page_says_how_far_the_interval_of_a_passing_check_reaches(client, django_user_model):
    version = released(cells=[CELL])
    measured(version, a_set(GOOD), GOOD)
    client.force_login(a_lead(django_user_model))
    page = client.get(f"/sets/made/gate/{version.name}/{version.version}/").content.decode()
    assert "its interval begins at 30.1%" in page


def test_labels_are_not_asked_for_where_they_would_not_help(client, django_user_model):
    version = released()
    measured(version, a_set(GOOD), GOOD)
    client.force_login(a_lead(django_user_model))
    page = client.get(f"/sets/made/gate/{version.name}/{version.version}/").content.decode()
    assert "checks neither agreement with people nor the direction of errors" in page
    assert "Too few statements have labels" not in page


def test_a_report_against_the_same_references_is_found_whatever_tier_it_was_asked_down_to():
    version = released(cells=[CELL])
    made = a_set(GOOD)
    run = measured(version, made, GOOD)
    report = reports.create(run, minimum="author")
    found = gate.measure(version, made)
    assert report.snapshot.digest != found.digest
    assert gate.report_of(found) == report
    consensus = reports.create(run, minimum="consensus")
    assert gate.report_of(found) == report
    single = reports.create(run, minimum="single")
    assert gate.report_of(found) == single
    assert consensus.snapshot.frozen.statements.size == 0


def test_a_report_against_other_references_is_not_found():
    version = released(cells=[CELL])
    rows = [*GOOD, Row("..", "Ss")]
    made = a_set(rows)
    run = measured(version, made, rows)
    unlabelled = Statement.objects.get(labels__isnull=True)
    Expectation.objects.create(
        statement=unlabelled, claim_class="subject_specific", verdict="supported"
    )
    reports.create(run, minimum="author")
    assert gate.report_of(gate.measure(version, made)) is None
    Expectation.objects.all().delete()
    label(unlabelled, Annotator.objects.get(), "Ss")
    reports.create(run, minimum="author")
    relabelled = gate.measure(version, made)
    assert gate.report_of(relabelled) is not None
    label(unlabelled, Annotator.objects.create(set=made, code="ann-2"), "Su")
    assert gate.report_of(gate.measure(version, made)) is None
