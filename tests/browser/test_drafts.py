"""A draft in the browser: the bump as one types, and the same by buttons without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.test_accessible import grave
from tests.labeling.pages.cast import Cast

if TYPE_CHECKING:
    from calibration.models import RubricDraft
    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def draft(cast: Cast) -> RubricDraft:
    from calibration.drafting import drafts
    from tests.calibration.pages import sets

    return drafts.begin(sets.released(), cast.admin)


def test_the_bump_and_the_errors_follow_what_is_typed(
    cast: Cast, draft: RubricDraft, sign_in: SignIn, complaints: list[str]
) -> None:
    page = sign_in(cast.admin)
    page.goto(f"/rubric-drafts/{draft.pk}/")
    needed = page.locator("#checked [role=status]")
    assert "Nothing moved since groundedness@1.0.0." in needed.inner_text()
    page.get_by_label("Failure ceiling").fill("0.1")
    page.get_by_text("Needs a minor bump").wait_for()
    assert page.locator("#needs").inner_text() == "Minor bump: 1 field moved, number refused"
    assert "0.1" in page.locator("[id='m-gate.failure_ceiling']").inner_text()
    page.get_by_label("Language").select_option("de")
    page.get_by_text("Needs a major bump").wait_for()
    page.get_by_label("Failure ceiling").fill("lots")
    error = page.locator("[id='e-gate.failure_ceiling']")
    error.filter(has_text="Input should be a valid number").wait_for()
    assert page.evaluate("document.activeElement.name") == "gate.failure_ceiling"
    page.get_by_label("Failure ceiling").fill("0.1")
    page.get_by_text("Needs a major bump").wait_for()
    assert error.inner_text() == ""
    page.get_by_role("button", name="Number it 2.0.0").click()
    page.get_by_text("can be released").wait_for()
    assert page.get_by_label("Version").first.input_value() == "2.0.0"
    assert complaints == []


def test_without_script_a_draft_is_checked_tried_and_released(
    cast: Cast, draft: RubricDraft, sign_in: SignIn
) -> None:
    page = sign_in(cast.admin, java_script_enabled=False)
    page.goto("/rubrics/groundedness/1.0.0/")
    page.get_by_role("button", name="Draft the next version").click()
    page.get_by_label("Title").fill("Another title")
    page.get_by_role("button", name="Check").click()
    assert "Needs a patch bump" in page.locator("#checked").inner_text()
    page.get_by_role("button", name="Add one to Examples").click()
    page.get_by_role("button", name="Remove Examples 1", exact=True).click()
    page.get_by_role("button", name="Try on five cases").click()
    assert "not a measurement" in page.locator("#trial").inner_text()
    page.get_by_text("Release this version…").click()
    page.get_by_role("button", name="Release").click()
    page.get_by_role("heading", name="groundedness@1.0.1").wait_for()
    assert page.get_by_text("Another title").first.is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_serious_on_a_draft_and_nothing_scrolls_sideways(
    cast: Cast, draft: RubricDraft, sign_in: SignIn, width: int, scheme: str
) -> None:
    from calibration.drafting import drafts

    broken = drafts.definition_of(draft) | {"examples": [{"context": [{}]}], "odd": ["x" * 200]}
    drafts.save(draft, broken, cast.admin, edition=1)
    page = sign_in(cast.admin, viewport={"width": width, "height": 800}, color_scheme=scheme)
    for path in ("/rubric-drafts/", f"/rubric-drafts/{draft.pk}/"):
        page.goto(path)
        assert grave(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.get_by_text("Release this version…").click()
    page.get_by_role("button", name="Release").click()
    page.get_by_text("Not released.").wait_for()
    assert grave(page) == []
