"""Pictures in use: a part of one opens what it counts, by pointer and by keyboard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessible import grave

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.access.world import World
    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOOKS_THAT_TAKE_LONG = [
    pytest.param(1280, scheme, marks=pytest.mark.slow) for scheme in ("light", "dark")
]


@pytest.fixture
def address(world: World, tmp_path: Path) -> str:
    from labeling.models import Membership, Role
    from tests.calibration.agreement import answer_records
    from tests.kept_rows import put_back

    def made() -> str:
        report = answer_records.report(tmp_path)
        Membership.objects.create(set=report.run.set, user=world.people.lead, role=Role.LEAD)
        return f"/sets/answers/reports/{report.pk}/"

    return put_back("report with answers beside the world", made)


def a_cell(page: Page) -> tuple[Locator, int]:
    """The first cell of the confusion of verdicts that leads somewhere, and its count."""
    cell = page.get_by_label("Picture: Verdict").get_by_role("link").first
    name = cell.get_attribute("aria-label") or ""
    return cell, int(re.search(r": ([\d,]+) of ", name)[1].replace(",", ""))  # type: ignore[index]


@pytest.mark.parametrize("script", [True, False])
def test_a_cell_of_the_heat_map_opens_as_many_statements_as_it_counts(
    world: World, sign_in: SignIn, address: str, complaints: list[str], script: bool
) -> None:
    page = sign_in(world.people.lead, java_script_enabled=script)
    page.goto(address)
    cell, count = a_cell(page)
    cell.click()
    expect(page.locator("h1")).to_contain_text(f"{count} compared statement")
    assert "human_verdict=" in page.url
    assert "judge_verdict=" in page.url
    expect(page.locator("table.errors tbody tr")).to_have_count(count)
    assert complaints == []


def test_a_cell_is_reached_by_keyboard_shows_it_and_opens_the_same(
    world: World, sign_in: SignIn, address: str
) -> None:
    page = sign_in(world.people.lead)
    page.goto(address)
    page.get_by_label("Picture: Verdict").focus()
    page.keyboard.press("Tab")
    cell, count = a_cell(page)
    expect(cell).to_be_focused()
    shape = cell.locator("path, rect").first
    assert shape.evaluate("shape => getComputedStyle(shape).strokeWidth") == "3px"
    page.keyboard.press("Enter")
    expect(page.locator("table.errors tbody tr")).to_have_count(count)


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), *LOOKS_THAT_TAKE_LONG])
def test_a_report_with_pictures_is_accessible_and_fits(
    world: World, sign_in: SignIn, address: str, width: int, scheme: str
) -> None:
    look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = sign_in(world.people.lead, **look)
    page.goto(address)
    assert page.locator(".picture-frame svg").count() == 5
    for summary in page.locator(".behind-picture summary").all():
        summary.click()
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for svg in page.locator(".picture-frame svg").all():
        text = svg.locator("text").first
        drawn = text.evaluate("text => getComputedStyle(text).fontSize.replace('px', '')")
        scale = svg.evaluate("svg => svg.clientWidth / svg.viewBox.baseVal.width")
        assert float(drawn) * scale >= 8.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_of_a_picture_is_one_of_the_pages(
    world: World, sign_in: SignIn, address: str, scheme: str
) -> None:
    """A custom property that the page did not have would fall back to the colour of the text."""
    page = sign_in(world.people.lead, color_scheme=scheme)
    page.goto(address)
    used = page.locator(".picture-frame svg *").evaluate_all(
        "all => all.flatMap(e => [e.getAttribute('fill'), e.getAttribute('stroke')])"
    )
    names = {found[1] for each in used if each and (found := re.search(r"var\((--[a-z-]+)", each))}
    assert len(names) >= 3
    for name in names:
        assert page.evaluate(
            "name => getComputedStyle(document.documentElement).getPropertyValue(name)", name
        ), name


@pytest.mark.parametrize(("width", "across"), [(1280, 3), (360, 1)])
def test_lines_over_versions_stand_as_many_beside_each_other_as_are_in_sight(
    world: World, sign_in: SignIn, width: int, across: int
) -> None:
    from labeling.models import Membership, Role
    from tests.calibration.versions.records import NAME, a_ground, ran

    held = a_ground(["Ss", "Su", "Sc"])
    Membership.objects.create(set=held, user=world.people.lead, role=Role.LEAD)
    for day in (0, 1):
        ran(held, ["Ss", "Su", "Sc"], f"1.{day}.0", day=day)
    page = sign_in(world.people.lead, viewport={"width": width, "height": 800})
    page.goto(f"/sets/{held.slug}/versions/{NAME}/")
    frames = page.locator(".panels").first.locator(".picture-frame").all()
    boxes = [frame.bounding_box() or {} for frame in frames]
    assert len(boxes) == 4
    assert sum(box["y"] == boxes[0]["y"] for box in boxes) == across
    assert all(box["x"] + box["width"] <= width for box in boxes)
    for frame in frames:
        assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
