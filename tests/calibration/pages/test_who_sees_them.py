"""Pages for leads: who gets them, and what opening one means for labelling blind."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from calibration import runs
from labeling.models import Case, Membership, Role
from labeling.sets import exposures
from tests.calibration.pages import sets

pytestmark = pytest.mark.django_db

OUTSIDERS = ("annotator", "second", "ex_member", "stranger")
WITHOUT_RESULTS = {"exports"}


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def test_a_lead_and_an_admin_get_every_page(people, signed_in, lead_pages, rubric_pages):
    for user in (people.lead, people.admin):
        client = signed_in(user)
        for name, url in {**lead_pages, **rubric_pages}.items():
            response = client.get(url)
            assert response.status_code == 200, (user.username, name)
            assert body(response), name


@pytest.mark.parametrize("who", OUTSIDERS)
def test_everyone_else_gets_404_and_leaves_no_trace(people, signed_in, lead_pages, who):
    user = getattr(people, who)
    client = signed_in(user)
    for name, url in lead_pages.items():
        assert client.get(url).status_code == 404, name
    assert not exposures.exposed(people.set, user)


def test_rubric_pages_are_for_whoever_leads_a_set(people, signed_in, rubric_pages):
    for name, url in rubric_pages.items():
        assert signed_in(people.stranger).get(url).status_code == 200, name
        assert signed_in(people.annotator).get(url).status_code == 404, name
        assert signed_in(people.ex_member).get(url).status_code == 404, name


def test_nobody_signed_in_is_sent_to_sign_in(lead_pages, rubric_pages):
    for name, url in {**lead_pages, **rubric_pages}.items():
        response = Client().get(url)
        assert response.status_code == 302, name
        assert response["Location"].startswith(reverse("sign-in")), name


def test_a_lead_who_is_demoted_is_refused_on_the_next_request(people, lead, lead_pages):
    assert lead.get(lead_pages["report"]).status_code == 200
    Membership.objects.filter(user=people.lead).update(role=Role.ANNOTATOR)
    for name, url in lead_pages.items():
        assert lead.get(url).status_code == 404, name


@pytest.mark.parametrize("who", OUTSIDERS)
def test_nobody_else_starts_cancels_or_reports(people, signed_in, run, who):
    client = signed_in(getattr(people, who))
    waiting = runs.start(people.set, run.rubric_version)
    slug = people.set.slug
    posts = [
        (reverse("runs", args=[slug]), {"rubric_version": run.rubric_version.pk, "repeats": 1}),
        (reverse("run-cancel", args=[slug, waiting.pk]), {}),
        (reverse("report-create", args=[slug, run.pk]), {"minimum": "single"}),
    ]
    for url, data in posts:
        assert client.post(url, data).status_code == 404, url
    waiting.refresh_from_db()
    assert waiting.cancelled_at is None
    assert people.set.runs.count() == 2
    assert not run.reports.exists()


def test_the_things_of_another_set_do_not_exist_under_mine(people, signed_in, lead_pages):
    client = signed_in(people.stranger)
    for name, url in lead_pages.items():
        # A released version may be checked on whichever set one leads.
        of_every_set = ("cases", "lint", "runs", "set-statements", "judge-checks", "plan")
        of_every_set += ("plan-statements", "suite", "suite-download", "versions", "holdout")
        if name in of_every_set or name.startswith("export"):
            continue
        moved = url.replace(f"/sets/{people.set.slug}/", f"/sets/{people.elsewhere.slug}/")
        assert client.get(moved).status_code == 404, name


def test_a_recorded_version_shows_only_where_its_results_do(people, signed_in, tmp_path):
    cases = sets.lamps(2)
    measured = sets.imported("lamps", cases, tmp_path)
    sets.recorded_run(measured, sets.verdicts(cases))
    Membership.objects.create(set=measured, user=people.lead, role=Role.LEAD)
    url = reverse("rubric-version", args=["yes-man", "1.0.0"])
    assert signed_in(people.lead).get(url).status_code == 200
    assert signed_in(people.stranger).get(url).status_code == 404
    assert b"yes-man" not in signed_in(people.stranger).get(reverse("rubrics")).content


@pytest.mark.parametrize("version", ["2024/06", "a b", "x\ny", "v?#%", "1.0.0/", "<b>", "é💊"])
def test_a_recorded_version_of_any_name_has_its_page(people, lead, version):
    run = sets.recorded_run(people.set, _of_the_small_set(version))
    assert lead.get(reverse("rubric-version", args=["yes-man", version])).status_code == 200
    assert lead.get(reverse("run", args=[people.set.slug, run.pk])).status_code == 200
    assert lead.get(reverse("rubrics")).status_code == 200


def _of_the_small_set(version: str):
    case = {"case_id": "jobs-001-a", "statements": [{"statement_id": "s1"}]}
    return sets.verdicts([case], version=version)


@pytest.mark.parametrize("path", ["sets/%00/", "sets/%00/runs/", "sets/small/pairs/%00/",
                                  "rubrics/%00/1.0.0/", "rubrics/a/%00/"])  # fmt: skip
def test_what_no_database_could_be_asked_about_is_404(lead, people, path):
    assert lead.get(f"/{path}").status_code == 404


def test_whoever_led_a_set_once_sees_its_recorded_versions_no_more(people, signed_in, tmp_path):
    cases = sets.lamps(2)
    measured = sets.imported("lamps", cases, tmp_path)
    sets.recorded_run(measured, sets.verdicts(cases))
    once = Membership.objects.create(set=measured, user=people.stranger, role=Role.LEAD)
    url = reverse("rubric-version", args=["yes-man", "1.0.0"])
    assert signed_in(people.stranger).get(url).status_code == 200
    for change in ({"active": False}, {"active": True, "role": Role.ANNOTATOR}):
        Membership.objects.filter(pk=once.pk).update(**change)
        assert signed_in(people.stranger).get(url).status_code == 404, change


def test_every_page_with_results_ends_blind_labelling_there(people, signed_in, lead_pages):
    for name, url in lead_pages.items():
        if name in WITHOUT_RESULTS:
            continue
        people.set.exposures.all().delete()
        body(signed_in(people.lead).get(url))
        assert exposures.exposed(people.set, people.lead), name


def test_a_rubric_page_shows_no_result_and_ends_nothing(people, signed_in, rubric_pages):
    for url in rubric_pages.values():
        signed_in(people.lead).get(url)
    assert not exposures.exposed(people.set, people.lead)


def test_the_record_is_there_before_the_page_is(people, signed_in, lead_pages, monkeypatch):
    """A page that breaks while it is drawn may have shown something all the same."""

    def broken(*_args, **_kwargs):
        raise RuntimeError("the template broke")

    for module in ("calibration.views.reports", "calibration.views.runs", "labeling.views.cases"):
        monkeypatch.setattr(f"{module}.render", broken)
    for name in ("report", "run", "judgments", "cases", "pair"):
        people.set.exposures.all().delete()
        with pytest.raises(RuntimeError, match="the template broke"):
            signed_in(people.lead).get(lead_pages[name])
        assert exposures.exposed(people.set, people.lead), name


def test_a_superseded_revision_of_a_case_can_still_be_read(people, lead, tmp_path):
    first = Case.objects.live().get(set=people.set, case_id="jobs-001-a")
    url = reverse("case", args=[people.set.slug, first.pk])
    Case.objects.filter(pk=first.pk).update(superseded_in=people.set.revision + 1)
    assert b"newer revision" in lead.get(url).content


def test_a_rubric_page_says_what_its_judge_cannot_see(lead, rubric_pages):
    page = lead.get(rubric_pages["rubric-version"]).content.decode()
    assert "What its judge cannot see" in page
    assert "arithmetic over passages" in page


@pytest.mark.parametrize("kind", ["ragas", "deepeval"])
def test_a_rubric_page_says_that_an_adapter_cites_nothing_and_whose_classes_it_has(lead, kind):
    from calibration import rubrics
    from tests.grounding.adapters.setting import draft

    released = rubrics.release(draft(kind)).rubric_version
    url = reverse("rubric-version", args=[released.name, released.version])
    page = lead.get(url).content.decode()
    assert "It cites nothing, so what it calls supported is kept and counted without" in page
    assert "Classes, and any agreement on them, are the lexical judge" in page
