"""What nothing can be said of is null with its reason, everywhere, and hides nothing beside it
(row G1): one class only, an empty cell, no overlap, a judge that always says the same."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from calibration import reports
from labeling.models import Annotator, Role, Statement
from labeling.people import accounts
from tests.calibration.pages.reading import Page
from tests.calibration.report_fixtures import Row
from tests.calibration.report_records import a_run, a_set, label

pytestmark = pytest.mark.django_db

ONE_CLASS = [Row("Ss", "Ss")] * 6
CONSTANT = [Row("Ss", "Ss")] * 4 + [Row("Su", "Ss")] * 3 + [Row("Sc", "Ss")]
NO_OVERLAP = [Row("Ss", "timeout"), Row("Su", "timeout"), Row("..", "Ss"), Row("..", "Su")]
ONE_EMPTY_CELL = [Row("Ss", "Ss"), Row("Ss", "Su"), Row("Eu", "Eu"), Row("In", "In")]
SETS = {
    "one class": ONE_CLASS,
    "constant judge": CONSTANT,
    "no overlap": NO_OVERLAP,
    "empty cell": ONE_EMPTY_CELL,
}
EACH = pytest.mark.parametrize("rows", SETS.values(), ids=SETS)


def objects(value):
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from objects(one)


def lawful(document):
    """Every rate and coefficient of a document by law 2; how many there are of each."""
    rates = [one for one in objects(document) if {"count", "n", "rate"} <= one.keys()]
    coefficients = [one for one in objects(document) if {"value", "n", "reason"} <= one.keys()]
    for one in rates:
        if one["n"]:
            assert one["rate"] == one["count"] / one["n"]
            assert one["reason"] is None
            assert one["interval"][0] <= one["rate"] <= one["interval"][1]
        else:
            assert (one["rate"], one["interval"]) == (None, None)
            assert one["reason"]
    for one in coefficients:
        assert one["value"] is not None or one["reason"], one
        assert one["n"] or one["value"] is None, one
    return len(rates), len(coefficients)


def in_json(*arguments):
    out = StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue(), parse_constant=pytest.fail)


@pytest.fixture
def lead(client, django_user_model):
    def lead_of(measured):
        account = django_user_model.objects.create_user("lead")
        accounts.join(measured, account, Role.LEAD)
        client.force_login(account)
        return client

    return lead_of


@EACH
def test_a_report_is_null_with_its_reason_and_a_dash_on_its_page(rows, lead):
    run = a_run(a_set(rows), rows)
    rates, coefficients = lawful(in_json("report", "judge@1.0.0", "made"))
    assert rates > 60
    assert coefficients >= 6
    response = lead(run.set).get(reverse("report", args=["made", reports.create(run).pk]))
    said = Page(response.content).plain
    assert response.status_code == 200
    assert "— n = 0;" in said
    assert "nan" not in said.lower().split()


@EACH
def test_a_comparison_is_null_with_its_reason_and_a_dash_on_its_page(rows, lead):
    made = a_set(rows)
    first, second = (a_run(made, rows, one, failure_ceiling=1.0) for one in ("1.0.0", "1.1.0"))
    rates, coefficients = lawful(in_json("compare", "judge@1.0.0", "judge@1.1.0", "made"))
    assert rates > 15
    assert coefficients >= 1
    url = f"{reverse('compare', args=['made'])}?first={first.pk}&second={second.pk}"
    response = lead(made).get(url)
    assert response.status_code == 200
    assert "—" in Page(response.content).plain


def test_one_bad_cell_hides_no_other():
    run = a_run(a_set(ONE_EMPTY_CELL), ONE_EMPTY_CELL)
    cells = {
        (one["claim_class"], one["verdict"]): (one["count"], one["n"])
        for one in reports.create(run).figures["by_class_and_verdict"]
    }
    assert cells["subject_specific", "contradictory"] == (0, 0)
    assert cells["subject_specific", "supported"] == (1, 2)
    assert cells["external", "unsupported"] == (1, 1)


def test_a_judge_that_always_says_the_same_is_worth_its_floor_and_no_more():
    """Of 8 it is right on the 4 that are supported: what always answering so would give, and so
    kappa is 0. Matthews' correlation and the precision of what it never says are nothing over
    nothing."""
    report = reports.full(reports.create(a_run(a_set(CONSTANT), CONSTANT)))
    floor = report["floor"]["always_majority"]
    assert (report["verdict"]["count"], floor["count"], floor["n"]) == (4, 4, 8)
    assert report["kappa"]["verdict"]["value"] == pytest.approx(0)
    assert report["mcc"]["verdict"]["value"] is None
    assert report["mcc"]["verdict"]["reason"]
    never = report["per_verdict"]["unsupported"]
    assert (never["precision"]["rate"], never["recall"]["rate"]) == (None, 0)
    assert (report["lenient"]["count"], report["lenient"]["n"]) == (4, 4)


@pytest.mark.parametrize(
    "said", [["Ss", "Ss"], ["Ss", ".s"]], ids=["one class", "no class in common"]
)
def test_agreement_between_humans_is_null_with_its_reason(said):
    rows = [Row("..", "Ss")] * 3
    made = a_set(rows)
    for number, letters in enumerate(said):
        annotator, _ = Annotator.objects.get_or_create(set=made, code=f"person-{number}")
        for statement in Statement.objects.filter(case__set=made):
            label(statement, annotator, letters)
    found = in_json("agreement", "made")
    lawful(found)
    assert (found["alpha"]["value"], found["pairwise"]["rate"]) == (None, 1)
    assert found["alpha"]["reason"]
