"""Rubric versions belong to no set; their pages keep the one they were opened from at hand."""

from __future__ import annotations

import pytest
from django.urls import reverse

from calibration import rubrics
from labeling.models import Role
from labeling.people import accounts
from tests.calibration.pages import sets
from tests.calibration.pages.reading import Page
from tests.grounding.rubric_examples import with_changes

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(people):
    return sets.released()


def page_of(client, address: str) -> Page:
    response = client.get(address)
    assert response.status_code == 200, response.content
    return Page(response.content)


def address_of(version) -> str:
    return reverse("rubric-version", args=[version.name, version.version])


def navigations(page: Page) -> list[str | None]:
    return [one.get("aria-label") for one in page.tags("nav")]


def test_the_only_set_that_someone_leads_stands_beside_them(people, lead, version):
    for address in (reverse("rubrics"), address_of(version)):
        assert "Set small" in navigations(page_of(lead, address)), address


def test_of_several_it_is_the_one_that_they_were_opened_from(people, lead, version):
    accounts.join(people.elsewhere, people.lead, Role.LEAD)
    assert navigations(page_of(lead, reverse("rubrics"))) == ["Site", "Rubrics"]
    home = page_of(lead, reverse("set", args=["small"]))
    opened = page_of(lead, home.link("Rubrics"))
    assert "Set small" in navigations(opened)
    onward = page_of(lead, opened.link("groundedness@1.0.0"))
    assert "Set small" in navigations(onward)


def test_a_set_that_is_not_theirs_to_lead_does_not_stand_there(people, lead, version):
    accounts.join(people.elsewhere, people.lead, Role.ANNOTATOR)
    for slug in (people.elsewhere.slug, "nowhere"):
        assert lead.get(f"{reverse('rubrics')}?set={slug}").status_code == 404


def test_a_version_is_run_from_its_page_on_each_set_with_cases(people, lead, version):
    newer = rubrics.release(with_changes(version="1.0.1", notes="Later.")).rubric_version
    accounts.join(people.elsewhere, people.lead, Role.LEAD)
    people.elsewhere.revision = 0
    people.elsewhere.save()
    page = page_of(lead, address_of(newer))
    offered = [url for url, shown in page.links if shown.startswith("Run it on")]
    assert offered == [f"{reverse('runs', args=['small'])}?rubric=groundedness%401.0.1"]
    form = page_of(lead, offered[0])
    assert [one["value"] for one in form.tags("option") if "selected" in one] == [str(newer.pk)]


def test_a_version_that_is_not_there_is_not_chosen(people, lead, version):
    page = page_of(lead, f"{reverse('runs', args=['small'])}?rubric=groundedness@9.9.9")
    assert not [one for one in page.tags("option") if "selected" in one]
