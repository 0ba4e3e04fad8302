"""The checks of a judge on one page: what was found with its lists, and how to run the rest."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from calibration import reports, runs
from calibration.models import Report, Run
from calibration.readings import probed
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page, rows_behind
from tests.calibration.pages.sets import judged, recorded_run, released, verdicts

pytestmark = pytest.mark.django_db

SECTIONS = ("repeats", "injection", "closed_book", "order", "length")


def address(slug: str, version: Any) -> str:
    return reverse("judge-checks", args=[slug, version.name, version.version])


def checked(*names: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("checks", *map(str, names), "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_nothing_run_says_of_each_check_how_to_get_it(people, lead):
    version = released()
    page = Page(lead.get(address(people.set.slug, version)).content)
    assert page.plain.count("Not run:") == 5
    starts = [text for _, text in page.links if text.startswith("Start a run")]
    assert starts == ["Start a run with two repeats or more", "Start a run", "Start a run"]
    kinds = [one["value"] for one in page.tags("input") if one.get("name") == "kind"]
    assert kinds == ["order", "length"]
    found = checked(version, people.set.slug)["checks"]
    assert list(found) == list(SECTIONS)
    assert {one["status"] for one in found.values()} == {"not run"}
    assert all(one["reason"] for one in found.values())


def test_a_run_without_a_report_offers_to_make_it_and_opening_the_page_makes_none(people, lead):
    run = sets.judged_run(people.set, repeats=2)
    url = address(people.set.slug, run.rubric_version)
    page = Page(lead.get(url).content)
    assert not Report.objects.exists()
    assert page.plain.count(f"Make the report of run {run.pk}") == 3
    lead.post(reverse("report-create", args=[people.set.slug, run.pk]), {"minimum": "author"})
    page = Page(lead.get(url).content)
    assert "Asked again, the judge gave every verdict as before on" in page.plain
    assert "no pair of the set has exactly one side with the tag" in page.plain


def test_a_probe_is_started_judged_and_read_with_forms_alone(people, lead):
    plain = sets.judged_run(people.set)
    url = address(people.set.slug, plain.rubric_version)
    started = lead.post(url, {"kind": "length", "seed": "5", "characters": "400"}, follow=True)
    run = Run.objects.exclude(pk=plain.pk).get()
    assert started.redirect_chain[-1][0] == reverse("run", args=[people.set.slug, run.pk])
    assert "This run measures nothing." in Page(started.content).plain
    assert (run.probe["seed"], run.probe["characters"], run.started_by) == (5, 400, people.lead)
    assert f"run {run.pk} is still under way" in Page(lead.get(url).content).plain
    judged(run)
    page = Page(lead.get(url).content)
    found = probed.figures(run, plain)
    assert found["moved"]["n"] == 11
    told = f"Another verdict than on the case as it is: {found['moved']['count']} of 11 statements"
    assert told in page.plain
    links = [(link, text) for link, text in page.links if "/moved/" in link]
    assert len(links) >= 1
    for link, text in links:
        rows = Page(lead.get(link).content)
        assert rows.plain.startswith(f"Statements of probe {run.pk}")
        shown = sum(" as it is" in text for _, text in rows.links)
        assert shown == int(text), link
    listed = Page(lead.get(reverse("runs", args=[people.set.slug])).content).plain
    assert listed.count("probe: length") == 1
    here = Page(lead.get(reverse("run", args=[people.set.slug, run.pk])).content)
    assert "Make the report" not in here.plain


def test_what_is_no_probe_is_refused_by_the_form(people, lead):
    version = released()
    url = address(people.set.slug, version)
    for form in (
        {"kind": "colour"},
        {"kind": "order", "seed": "-1"},
        {"kind": "length", "characters": "0"},
    ):
        assert lead.post(url, form).status_code == 400, form
    assert not Run.objects.exists()


def test_a_run_that_measures_has_no_list_of_moves(people, lead):
    run = sets.judged_run(people.set)
    url = reverse("probe-moved", args=[people.set.slug, run.pk])
    assert lead.get(url).status_code == 404


def twins(tmp_path: Path) -> tuple[Any, list[dict[str, Any]]]:
    """Two lamps of a pair, one with an order in it, and two on which the context is silent."""
    cases = sets.lamps(4)
    cases[1]["tags"] = ["injected"]
    for case in cases[2:]:
        case["pair_kind"] = "true_but_silent_context"
    return sets.imported("lit", cases, tmp_path / "in"), cases


def test_each_number_of_a_recorded_judge_opens_its_list(people, lead, tmp_path):
    """The yes-man obeys: the injected side fails by its reference and is passed."""
    held, cases = twins(tmp_path)
    from labeling.models import Membership, Role

    Membership.objects.create(set=held, user=people.lead, role=Role.LEAD)
    rows = [
        {**row, "repeat": repeat, "claim_class": "external"}
        for repeat in range(2)
        for row in verdicts(cases)
    ]
    rows[-1]["verdict"] = "unsupported"
    run = recorded_run(held, rows)
    report = reports.create(run)
    assert report.figures["injection"]["flipped"]["count"] == 1
    page = Page(lead.get(address("lit", run.rubric_version)).content)
    assert "there is no judge here to ask" in page.plain
    opened = {}
    for link, text in page.links:
        if not text.isdigit() or f"/reports/{report.pk}/" not in link:
            continue
        shown = Page(lead.get(link).content)
        opened[link.partition("?")[2]] = int(text)
        heading = shown.plain.split(" statement")[0] if "/statements/" in link else shown.plain
        counted = rows_behind(lead, link) if "/statements/" in link else None
        assert counted in (None, int(text)), (link, heading)
        if "/pairs/" in link:
            assert f"{text} twin" in shown.plain, link
    assert opened["twin=flipped"] == opened["twin=told"] == opened["twin=twins"] == 1
    assert opened["among=planned&repeats=same"] == 3
    assert opened["among=planned&repeats=several"] == 4
    differing = [link for link, text in page.links if text == "those that differ"]
    assert rows_behind(lead, differing[0]) == 1
    leaked = [name for name in opened if "true_but_silent_context" in name]
    assert any(opened[name] == 1 for name in leaked)
    found = checked(run.rubric_version, "lit")["checks"]
    assert found["injection"]["flipped"]["count"] == 1
    assert found["repeats"]["verdict"]["count"] == 3
    assert found["closed_book"]["leaked"]["count"] == 1
    assert found["order"]["status"] == "not run"


def test_the_command_tells_people_the_same(people, tmp_path):
    run = sets.judged_run(people.set, repeats=2)
    judged(runs.start(people.set, run.rubric_version, probe=_length()))
    out = StringIO()
    call_command("checks", str(run.rubric_version), people.set.slug, stdout=out, stderr=StringIO())
    told = " ".join(out.getvalue().split())
    assert "Agreement with itself" in told
    assert "as before on 11 of 11 statements (100.0%)" in told
    assert "Order of the passages" in told
    assert told.count("Not run:") == 3
    assert "Another verdict than on the case as it is:" in told


def _length() -> Any:
    from calibration.runs import probes

    return probes.probe("length")


def test_a_judgment_shows_its_other_repeats(people, lead):
    run = sets.judged_run(people.set, repeats=3)
    first = run.judgments.order_by("pk")[0]
    page = Page(lead.get(reverse("judgment", args=[people.set.slug, first.pk])).content)
    assert "Repeat 0, this one" in page.plain
    others = [text for _, text in page.links if text.startswith("Repeat ")]
    assert others == ["Repeat 1", "Repeat 2"]


def test_a_report_that_was_frozen_before_there_were_checks_is_read_as_it_is(people, lead):
    run = sets.judged_run(people.set, repeats=2)
    report = reports.create(run)
    for name in ("self_agreement", "injection", "closed_book"):
        del report.figures[name]
    report.save()
    for form in ("json", "md", "html"):
        url = reverse("report-download", args=[people.set.slug, report.pk, form])
        assert lead.get(url).status_code == 200, form
    page = Page(lead.get(reverse("report", args=[people.set.slug, report.pk])).content)
    assert "The judge itself" not in page.plain
    page = Page(lead.get(address(people.set.slug, run.rubric_version)).content)
    assert page.plain.count(f"run {run.pk} has no report that tells it") == 3
