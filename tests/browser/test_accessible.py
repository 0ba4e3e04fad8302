"""axe on each of the annotator's pages, wide and narrow, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.labeling.pages.cast import Cast

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def grave(page: Page) -> list[str]:
    """The serious and critical findings of axe, by rule and place."""
    from axe_playwright_python.sync_playwright import Axe

    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:200]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    cast: Cast, sign_in: SignIn, complaints: list[str], width: int, scheme: str
) -> None:
    look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    desk = f"/sets/jobs/label/{cast.statement.key}/"
    for user, path in (
        (None, "/sign-in/"),
        (cast.annotator, "/sets/"),
        (cast.annotator, "/sets/jobs/"),
        (cast.annotator, desk),
        (cast.annotator, f"/sets/jobs/label/{cast.second.key}/"),
        (cast.annotator, "/sets/jobs/labels/"),
        (cast.admin, "/sets/jobs/"),
        (cast.admin, "/sets/jobs/members/"),
        (cast.stranger, "/sets/"),
    ):
        page = sign_in(user, **look)
        page.goto(path)
        assert grave(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    assert complaints == []


def test_axe_sees_what_is_wrong(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    page.goto(f"/sets/jobs/label/{cast.statement.key}/")
    page.evaluate("document.querySelector('label[for=id_rationale]').remove()")
    assert any(finding.startswith("label:") for finding in grave(page))


def test_the_desk_is_worked_by_keyboard_alone(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    page.goto(f"/sets/jobs/label/{cast.statement.key}/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    for name, key in (("evidence", "Space"), ("claim_class", "Space"), ("verdict", "Space")):
        while page.evaluate("document.activeElement.name") != name:
            page.keyboard.press("Tab")
        page.keyboard.press(key)
    while page.evaluate("document.activeElement.name") != "rationale":
        page.keyboard.press("Tab")
    page.keyboard.type("It says so.")
    while page.evaluate("document.activeElement.type") != "submit":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("Label saved.").wait_for()
