"""axe on every page, wide and narrow, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.access.matrix import MATRIX
from tests.labeling.pages.cast import Cast, desk_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.access.world import World
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


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    cast: Cast, sign_in: SignIn, complaints: list[str], width: int, scheme: str
) -> None:
    look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    desk = desk_of(cast.statement)
    for user, path in (
        (None, "/sign-in/"),
        (cast.annotator, "/sets/"),
        (cast.annotator, "/sets/jobs/"),
        (cast.annotator, desk),
        (cast.annotator, desk_of(cast.second)),
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


# 640 by 400 is what 1280 by 800 leaves at a zoom of 200%.
@pytest.mark.parametrize(
    ("width", "height", "scheme", "script"),
    [
        (1280, 800, "light", False),
        (360, 740, "dark", True),
        pytest.param(1280, 800, "light", True, marks=pytest.mark.slow),
        pytest.param(360, 740, "dark", False, marks=pytest.mark.slow),
        pytest.param(640, 400, "light", True, marks=pytest.mark.slow),
        pytest.param(640, 400, "light", False, marks=pytest.mark.slow),
    ],
)
def test_the_desk_in_use_is_accessible_and_fits(
    cast: Cast, sign_in: SignIn, width: int, height: int, scheme: str, script: bool
) -> None:
    page = sign_in(
        cast.annotator,
        viewport={"width": width, "height": height},
        color_scheme=scheme,
    )
    if not script:
        # axe is a script itself: it is the desk's that is kept away.
        page.route("**/js/desk.js*", lambda route: route.abort())
    page.goto(desk_of(cast.statement))
    page.get_by_role("radio", name="external").check()
    page.get_by_role("checkbox", name="p1, sentence 1").check()
    page.get_by_text("Skip this statement").click()
    page.get_by_role("button", name="Split off a part").click()
    page.get_by_role("heading", name="Label part 1").wait_for()
    found = {"part": grave(page)}
    page.goto(desk_of(cast.statement))
    page.locator(".split-part").wait_for()
    if script:
        page.locator(".at-cursor").first.wait_for()
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keys").wait_for()
        found["keys"] = grave(page)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Save and go on").click()
    page.locator("#errors").wait_for()
    found["refused"] = grave(page)
    assert {place: all_found for place, all_found in found.items() if all_found} == {}
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_every_page_of_the_access_matrix_is_accessible_and_fits(
    world: World, sign_in: SignIn, complaints: list[str], width: int, scheme: str
) -> None:
    """Each route that answers a lead (else an admin) with a page: a new one is in by itself."""
    look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    opened = {role: sign_in(world.user(role), **look) for role in ("lead", "admin")}
    seen = set()
    for route, role in _readers():
        if not _is_page(world, route, role):
            continue
        page = opened[role]
        page.goto(world.url(route))
        assert grave(page) == [], route
        assert page.evaluate("document.documentElement.scrollWidth") <= width, route
        seen.add(route)
    assert seen >= {"sets", "label", "members", "report", "report-statements", "rubric-version"}
    assert complaints == []


def _readers() -> list[tuple[str, str]]:
    """Every route with something to read, and who opens it here."""
    readers = {route: methods.get("GET", frozenset()) for route, methods in MATRIX.items()}
    return [
        (route, "lead" if "lead" in roles else "admin")
        for route, roles in readers.items()
        if roles & {"lead", "admin"}
    ]


def _is_page(world: World, route: str, role: str) -> bool:
    """Not a file, and not the moving part of another page."""
    from django.test import Client

    client = Client()
    client.force_login(world.user(role))
    answer = client.get(world.url(route), follow=True)
    assert answer.status_code == 200, route
    return (
        not answer.streaming
        and answer.content.lstrip().startswith(b"<!doctype html>")
        and ("attachment" not in answer.get("Content-Disposition", ""))
    )


def test_axe_sees_what_is_wrong(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    page.goto(desk_of(cast.statement))
    page.evaluate("document.querySelector('label[for=id_rationale]').remove()")
    assert any(finding.startswith("label:") for finding in grave(page))


def test_the_desk_is_worked_by_keyboard_alone(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    page.goto(desk_of(cast.statement))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    for name in ("claim_class", "verdict"):
        tab_to(page, f"document.activeElement.name === '{name}'")
        page.keyboard.press("Space")
    tab_to(page, "document.activeElement.name === 'rationale'")
    page.keyboard.type("It says so.")
    tab_to(page, "document.activeElement.name === 'evidence'")
    page.keyboard.press("Space")
    tab_to(page, "document.activeElement.matches('.submit-bar .primary')")
    page.keyboard.press("Enter")
    page.get_by_text("Label saved.").first.wait_for()


def tab_to(page: Page, there: str) -> None:
    for _ in range(80):
        if page.evaluate(there):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"never came to where {there}")
