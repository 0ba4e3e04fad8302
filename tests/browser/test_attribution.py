"""An answer's claims and what they rest on: tied by pointer and keyboard, and by links alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.access.world import World
    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def address(world: World, tmp_path: Path) -> str:
    """The answer about refunds: s1 is quoted on both sides, s2 floats free by its references."""
    from labeling.models import Case, Membership, Role
    from tests.calibration.agreement import answer_records

    report = answer_records.report(tmp_path)
    Membership.objects.create(set=report.run.set, user=world.people.lead, role=Role.LEAD)
    case = Case.objects.get(set=report.run.set, case_id="refund")
    return f"/sets/answers/reports/{report.pk}/answers/{case.pk}/"


def lit(page: Page) -> set[str]:
    """The claims of everything that is lit."""
    found: list[str] = page.locator(".lit").evaluate_all(
        "marks => marks.map(mark => mark.dataset.claims)"
    )
    return set(" ".join(found).split())


def test_a_claim_under_the_pointer_lights_its_note_and_its_quote(
    world: World, sign_in: SignIn, address: str, complaints: list[str]
) -> None:
    page = sign_in(world.people.lead, viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.locator(".claimed[data-claims='h1']").hover()
    expect(page.locator("mark.quote")).to_have_class("quote of-judge of-reference lit")
    expect(page.locator("#h1")).to_have_class("lit")
    expect(page.locator("#h2")).not_to_have_class("lit")
    page.locator("h1").hover()
    assert lit(page) == set()
    assert complaints == []


def test_the_keyboard_lights_the_same(world: World, sign_in: SignIn, address: str) -> None:
    page = sign_in(world.people.lead, viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.locator(".answer .noteref[href='#j1']").focus()
    expect(page.locator("mark.quote.lit")).to_have_count(1)
    page.keyboard.press("Tab")
    # From the note of the first claim to that of the second, which quotes nothing.
    expect(page.locator("mark.quote.lit")).to_have_count(0)
    assert "j2" in lit(page)


def test_without_a_script_every_claim_is_a_link_to_its_note_and_its_quote(
    world: World, sign_in: SignIn, address: str
) -> None:
    page = sign_in(world.people.lead, java_script_enabled=False)
    page.goto(address)
    page.locator(".answer .noteref[href='#h1']").click()
    assert page.url.endswith("#h1")
    note = page.locator("#h1")
    assert note.evaluate("note => getComputedStyle(note).outlineStyle") == "solid"
    note.get_by_role("link", name="within 30 days").click()
    quote = page.locator("mark.quote")
    assert quote.evaluate("mark => getComputedStyle(mark).outlineStyle") == "solid"
    page.get_by_role("link", name="reference 1").click()
    assert page.url.endswith("#h1")


def test_what_floats_free_has_a_shape_and_a_word(
    world: World, sign_in: SignIn, address: str
) -> None:
    page = sign_in(world.people.lead)
    page.goto(address)
    note = page.locator(".answer .noteref[href='#h2']")
    assert "unsupported" in note.inner_text()
    shape = note.evaluate("note => getComputedStyle(note, '::before').content")
    assert "○" in shape
    words = page.locator(".claimed[data-claims='h2']")
    assert words.evaluate("words => getComputedStyle(words).textDecorationStyle") == "dashed"
