"""On a phone: no page scrolls sideways, what scrolls inside itself shows that it does, and a row's
header stays in sight and whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.access.world import World
    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 360, "height": 740}}
ROUTES = ("report", "plan", "runs", "set", "case")
REST = (
    "report-statements",
    "report-answers",
    "report-answer",
    "report-production",
    "plan-statements",
    "suite",
    "compare-statements",
    "versions",
    "run",
    "judgments",
    "judgment",
    "rubric-version",
    "set-statements",
    "cases",
    "lint",
)


@pytest.fixture
def phone(world: World, sign_in: SignIn) -> Page:
    return sign_in(world.people.lead, **PHONE)


def scrolls(frame: Locator) -> bool:
    found: bool = frame.evaluate("frame => frame.scrollWidth > frame.clientWidth + 1")
    return found


@pytest.mark.parametrize("routes", [ROUTES, pytest.param(REST, marks=pytest.mark.slow)])
def test_only_what_shows_it_scrolls_sideways(
    world: World, phone: Page, routes: tuple[str, ...]
) -> None:
    """The shadows stay while their covers scroll away: so one shows at the edge with more."""
    seen = 0
    for route in routes:
        phone.goto(world.url(route))
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360, route
        for frame in phone.locator(".table-wrap, .picture-frame, .set-nav").all():
            if scrolls(frame):
                attached, drawn = frame.evaluate(
                    "frame => [getComputedStyle(frame).backgroundAttachment,"
                    " getComputedStyle(frame).backgroundImage]"
                )
                assert attached == "local, local, scroll, scroll", route
                assert drawn.count("linear-gradient") == 4, route
                seen += 1
    assert seen > len(routes)


def test_a_shadow_shows_at_the_edge_with_more_and_goes_at_the_end(
    world: World, phone: Page
) -> None:
    phone.goto(world.url("report"))
    frame = phone.locator(".table-wrap:has(.cells)")
    edge = _lightness_near_the_right_edge(frame)
    frame.evaluate("frame => { frame.scrollLeft = frame.scrollWidth }")
    assert edge < _lightness_near_the_right_edge(frame) - 20


def test_row_headers_stay_in_sight_and_whole(world: World, phone: Page) -> None:
    phone.goto(world.url("report"))
    frame = phone.locator(".table-wrap:has(.matrix)").last
    assert scrolls(frame)
    frame.evaluate("frame => { frame.scrollLeft = frame.scrollWidth }")
    header = frame.locator("tbody th").last
    outer, inner = frame.bounding_box(), header.bounding_box()
    assert outer is not None
    assert inner is not None
    assert abs(inner["x"] - outer["x"]) < 2
    assert inner["width"] < outer["width"] / 2
    lines: int = header.evaluate(
        "cell => { const range = document.createRange(); range.selectNodeContents(cell);"
        " return range.getClientRects().length }"
    )
    assert lines == 1, header.inner_text()


def test_rows_of_text_stand_as_blocks_with_the_names_of_their_columns(
    world: World, phone: Page
) -> None:
    for route in ("report-statements", "report-answers", "judgments", "set-statements", "case"):
        phone.goto(world.url(route))
        for table in phone.locator("table.stacks").all():
            assert not scrolls(table.locator("..")), route
            labels: list[Any] = table.locator("tbody td").evaluate_all(
                "cells => cells.map(cell => getComputedStyle(cell, '::before').content)"
            )
            assert labels, route
            assert "none" not in labels, route


def test_the_label_table_of_a_case_is_not_cut_on_a_desktop(world: World, sign_in: SignIn) -> None:
    from labeling.models import Annotator, Label

    Label.objects.create(
        statement=world.statement,
        annotator=Annotator.objects.create(set=world.people.set, code="a-rather-long-code"),
        role="label",
        claim_class="subject_specific",
        verdict="unsupported",
        origin="revealed",
        selected="judge_disagreement",
        contract_major=1,
        rationale="The passage speaks of three jobs, and the statement of four of them.",
    )
    page = sign_in(world.people.lead, viewport={"width": 1280, "height": 800})
    page.goto(world.url("case"))
    frame = page.locator(".table-wrap:has(th:text('a-rather-long-code'))")
    assert not scrolls(frame)
    assert frame.get_by_text("The passage speaks of three jobs").is_visible()


def test_the_navigation_of_a_set_is_one_row_with_the_current_page_in_sight(
    world: World, phone: Page
) -> None:
    phone.goto(world.url("exports"))
    navigation = phone.locator(".set-nav")
    box, here = navigation.bounding_box(), navigation.locator("[aria-current]").bounding_box()
    assert box is not None
    assert here is not None
    assert box["height"] < 60
    assert here["x"] >= 0
    assert here["x"] + here["width"] <= 360


def _lightness_near_the_right_edge(frame: Locator) -> int:
    """The mean lightness, 0 to 255, of a patch at the right edge of the table's last row."""
    import base64

    picture = base64.b64encode(frame.screenshot()).decode()
    # A page of its own: the policy of ours lets no script read a picture.
    blank = frame.page.context.new_page()
    lightness: float = blank.evaluate(
        """async source => {
            const image = await createImageBitmap(await (await fetch(source)).blob());
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const { data } = context.getImageData(image.width - 6, image.height - 14, 4, 8);
            let sum = 0;
            for (let at = 0; at < data.length; at += 4) sum += data[at];
            return sum / (data.length / 4);
        }""",
        f"data:image/png;base64,{picture}",
    )
    blank.close()
    return round(lightness)
