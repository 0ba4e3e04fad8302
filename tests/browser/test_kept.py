"""Nothing is lost at the desk: drafts, two tabs, lost sessions and networks, late answers, time."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone

from labeling.models import Assignment, Label, Slot, Statement
from tests.browser.conftest import session_of
from tests.browser.hands import SAVE, Hands, announced, at, until
from tests.cast import handed
from tests.labeling.pages.cast import Cast, desk_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route
    from pytest_django.live_server_helper import LiveServer

    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BECAUSE = "It says so."
NEXT_AT_HAND = "performance.getEntriesByType('resource').some(one => one.name.includes('/label/'))"


def desk(page: Page, of: Statement) -> Hands:
    page.goto(desk_of(of))
    page.locator(".at-cursor").first.wait_for()
    return Hands(page)


def fill(hands: Hands) -> None:
    hands.press("1", "q", "Shift+X")
    hands.write(BECAUSE)


def rationale(page: Page) -> str:
    return page.get_by_label("Rationale").input_value()


def drafted(page: Page) -> None:
    page.locator("#draft-note").get_by_text("Draft saved").wait_for()


def stored_of(page: Page) -> str:
    return str(page.evaluate("JSON.stringify([localStorage, sessionStorage])"))


def test_the_next_statement_shows_while_the_label_is_on_its_way(
    cast: Cast, sign_in: SignIn, complaints: list[str]
) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    until(page, NEXT_AT_HAND)
    page.wait_for_timeout(300)
    held: list[Route] = []
    page.route(f"**{desk_of(cast.statement)}", lambda route: held.append(route))
    fill(hands)
    hands.press(SAVE)
    until(page, f"location.pathname === '{desk_of(cast.second)}'")
    assert Label.objects.count() == 0
    assert at(page) == str(cast.second.key)
    held[0].continue_()
    announced(page, "Label saved.")
    assert Label.objects.count() == 1
    assert "labelled 1 of 2" in page.locator(".desk-header .progress").inner_text()
    assert "failed jobs" not in stored_of(page)
    page.unroute_all()
    page.go_back()
    page.get_by_role("heading", name="Change your label").wait_for()
    assert rationale(page) == BECAUSE
    assert complaints == []


def test_a_refusal_brings_the_form_back_and_what_was_begun_meanwhile_waits(
    cast: Cast, sign_in: SignIn
) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    until(page, NEXT_AT_HAND)
    page.wait_for_timeout(300)
    held: list[Route] = []
    page.route(f"**{desk_of(cast.statement)}", lambda route: held.append(route))
    hands.press(SAVE)
    until(page, f"location.pathname === '{desk_of(cast.second)}'")
    hands.press("n")
    hands.write("Begun")
    held[0].continue_()
    page.unroute_all()
    page.locator("#errors:focus").wait_for()
    said = page.locator("#errors").inner_text()
    assert all(name in said for name in ("Class", "Verdict", "Rationale"))
    assert page.url.endswith(desk_of(cast.statement))
    assert Label.objects.count() == 0
    fill(hands)
    hands.press(SAVE)
    until(page, f"location.pathname === '{desk_of(cast.second)}'")
    assert rationale(page) == "Begun"


def test_a_double_click_saves_one_label_and_sends_nothing_else(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    until(page, NEXT_AT_HAND)
    page.wait_for_timeout(300)
    fill(hands)
    page.get_by_role("button", name="Save and go on").dblclick()
    announced(page, "Label saved.")
    page.wait_for_timeout(500)
    assert at(page) == str(cast.second.key)
    assert page.locator("#errors").count() == 0
    assert Label.objects.count() == 1


def test_two_tabs_that_wrote_on_one_statement_are_shown_both_texts(
    cast: Cast, sign_in: SignIn
) -> None:
    one, other = sign_in(cast.annotator), sign_in(cast.annotator)
    first, second = desk(one, cast.statement), desk(other, cast.statement)
    first.press("n")
    first.write("From the first tab.")
    drafted(one)
    second.press("n")
    second.write("From the second tab.")
    other.get_by_role("button", name="Show both").wait_for()
    assert rationale(other) == "From the second tab."
    assert Assignment.objects.get(statement=cast.statement, annotator__user=cast.annotator).draft[
        "rationale"
    ] == ("From the first tab.")
    other.get_by_role("button", name="Show both").click()
    other.get_by_role("heading", name="Two drafts of one label").wait_for()
    assert other.get_by_text("From the first tab.").is_visible()
    assert other.get_by_text("From the second tab.").is_visible()


def test_after_signing_in_again_the_work_is_there_and_is_saved(
    cast: Cast, sign_in: SignIn, live_server: LiveServer
) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    fill(hands)
    page.context.clear_cookies(name="sessionid")
    hands.press(SAVE)
    page.get_by_text("You are signed out, so nothing was saved.").wait_for()
    assert rationale(page) == BECAUSE
    assert page.get_by_label("Password").count() == 0
    # Signing in elsewhere gives this browser another session and another token.
    page.context.clear_cookies()
    page.context.add_cookies([session_of(cast.annotator, live_server.url)])
    hands.press(SAVE)
    announced(page, "Label saved.")
    assert Label.objects.get().rationale == BECAUSE


def test_offline_is_said_and_what_was_typed_is_saved_as_soon_as_it_can_be(
    cast: Cast, sign_in: SignIn
) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    page.context.set_offline(True)
    hands.press("n")
    hands.write("Typed offline.")
    note = page.locator("#draft-note")
    note.get_by_text("Could not save: you are offline; what you typed is still here").wait_for()
    page.context.set_offline(False)
    drafted(page)
    page.reload()
    assert rationale(page) == "Typed offline."
    assert "Typed offline" not in stored_of(page)
    assert Label.objects.count() == 0


def test_a_lost_reservation_is_said_and_the_label_is_kept(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    mine = handed(cast.statement, cast.annotator)
    Slot.objects.filter(assignment=mine).update(assignment=None, until=None)
    fill(hands)
    page.get_by_text("Your reservation ran out").wait_for()
    hands.press(SAVE)
    announced(page, "Label saved.")
    assert Label.objects.get().rationale == BECAUSE


def test_idle_time_does_not_count(cast: Cast, sign_in: SignIn) -> None:
    Assignment.objects.update(started_at=timezone.now() - timedelta(hours=2))
    page = sign_in(cast.annotator)
    page.clock.install()
    hands = desk(page, cast.statement)
    fill(hands)
    page.clock.fast_forward(20_000)
    hands.press("Escape")
    page.clock.fast_forward(600_000)
    hands.press(SAVE)
    announced(page, "Label saved.")
    # Twenty seconds up to the one key, then half a minute of the ten.
    assert 50 <= Label.objects.get().active_seconds < 65


def test_the_last_label_is_taken_back_by_its_button(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    fill(hands)
    hands.press(SAVE)
    announced(page, "Label saved.")
    page.get_by_role("button", name="Undo").click()
    announced(page, "The label is taken back.")
    assert at(page) == str(cast.statement.key)
    assert rationale(page) == BECAUSE
    assert Label.objects.live().count() == 0
