"""Disputes decided with the keys alone, and without JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from labeling.models import Label, Statement
    from tests.access.world import World
    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def decision(statement: Statement) -> Label | None:
    from labeling import adjudications
    from labeling.adjudications import disputes

    return adjudications.standing(disputes.of_statement(statement))


def letter_of(page: Page, rationale: str) -> str:
    card = page.locator(".ballot", has_text=rationale)
    return card.locator(".letter").inner_text()


def test_a_letter_takes_that_label_and_enter_decides(
    world: World, sign_in: SignIn, complaints: list[str]
) -> None:
    page = sign_in(world.people.lead)
    page.goto(world.url("adjudicate"))
    letter = letter_of(page, "Jobs may be other jobs.")
    page.keyboard.press(letter.lower())
    page.get_by_text(f"Filled with what annotator {letter} said").wait_for()
    assert decision(world.statement) is None
    page.keyboard.press("Enter")
    page.get_by_text("Decided.").wait_for()
    made = decision(world.statement)
    assert (made.verdict, made.rationale) == ("unsupported", "Jobs may be other jobs.")
    assert page.url != world.url("adjudicate")
    assert complaints == []


def test_letters_and_enter_typed_into_the_rationale_are_text(world: World, sign_in: SignIn) -> None:
    page = sign_in(world.people.lead)
    page.goto(world.url("adjudicate"))
    field = page.get_by_label("Rationale")
    field.click()
    page.keyboard.type("abc")
    page.keyboard.press("Enter")
    page.keyboard.type("b")
    assert field.input_value() == "abc\nb"
    assert not page.get_by_role("radio", name="supported", exact=True).is_checked()
    assert decision(world.statement) is None


def test_verdicts_that_the_contract_forbids_are_not_offered(world: World, sign_in: SignIn) -> None:
    page = sign_in(world.people.lead)
    page.goto(world.url("adjudicate"))
    page.get_by_role("radio", name="Interpretation").check()
    assert page.locator("[name=verdict]:visible").count() == 1
    page.get_by_role("radio", name="External").check()
    assert page.locator("[name=verdict]:visible").count() == 3


def test_everything_is_done_without_javascript(world: World, sign_in: SignIn) -> None:
    page = sign_in(world.people.lead, java_script_enabled=False)
    page.goto(world.url("adjudication"))
    page.get_by_role("link", name=world.statement.text).click()
    letter = letter_of(page, "Jobs may be other jobs.")
    page.get_by_role("button", name=f"Take {letter}'s").click()
    page.get_by_label("Rationale").fill("They may be.")
    page.get_by_role("button", name="Decide", exact=True).click()
    page.get_by_text("Decided.").wait_for()
    made = decision(world.statement)
    assert (made.verdict, made.rationale) == ("unsupported", "They may be.")
