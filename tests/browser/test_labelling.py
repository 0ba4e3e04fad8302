"""One statement labelled in a real browser, with the script and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labeling.models import Label
from tests.browser.hands import until
from tests.labeling.pages.cast import PASSAGE, PASSWORD, Cast, desk_of, give_password

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Where on the screen the words `text` of the first passage begin and end.
PLACE = """(text) => {
  const box = document.querySelector('.quotable');
  const at = box.textContent.indexOf(text);
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let seen = 0, node;
  while ((node = walker.nextNode())) {
    const from = at - seen, to = at + text.length - seen;
    if (from >= 0 && from < node.data.length) range.setStart(node, from);
    if (to > 0 && to <= node.data.length) { range.setEnd(node, to); break; }
    seen += node.data.length;
  }
  range.startContainer.parentElement.scrollIntoView({block: 'center'});
  const boxes = [...range.getClientRects()];
  const first = boxes[0], last = boxes[boxes.length - 1];
  const turned = getComputedStyle(range.startContainer.parentElement).direction === 'rtl';
  const begin = turned ? first.right - 1 : first.left + 1;
  const end = turned ? last.left + 1 : last.right - 1;
  return [begin, first.top + first.height / 2, end, last.top + last.height / 2];
}"""


def desk(page: Page, cast: Cast) -> None:
    page.goto(desk_of(cast.statement))
    page.locator(".at-cursor").first.wait_for()


def drag(page: Page, text: str) -> None:
    """Select ``text`` with the mouse."""
    begin_x, begin_y, end_x, end_y = page.evaluate(PLACE, text)
    page.mouse.move(begin_x, begin_y)
    page.mouse.down()
    page.mouse.move((begin_x + end_x) / 2, end_y, steps=4)
    page.mouse.move(end_x, end_y, steps=4)
    page.mouse.up()
    # Words that were taken as evidence are no longer selected.
    until(page, "document.getSelection().isCollapsed")


def quotes(page: Page) -> list[str]:
    page.wait_for_timeout(50)
    return page.locator("#quotes q").all_inner_texts()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save and go on").click()
    page.locator(".undo-said").get_by_text("aved").wait_for()


def fill(page: Page) -> None:
    page.get_by_role("checkbox", name="p1, sentence 1").check()
    page.get_by_role("radio", name="subject-specific").check()
    page.get_by_role("radio", name="supported", exact=True).check()
    page.get_by_label("Rationale").fill("It says so.")


@pytest.mark.parametrize(
    "words",
    ["3 failed jobs", "👩‍🔧 Two", "ثلاث مهام", "失敗したジョブ", "ended"],
)
def test_words_selected_with_the_mouse_are_stored_by_code_points(
    cast: Cast, sign_in: SignIn, complaints: list[str], words: str
) -> None:
    page = sign_in(cast.annotator)
    desk(page, cast)
    drag(page, words)
    assert quotes(page) == [words]
    page.get_by_role("radio", name="subject-specific").check()
    page.get_by_role("radio", name="supported", exact=True).check()
    page.get_by_label("Rationale").fill("It says so.")
    save(page)
    (found,) = Label.objects.get().evidence
    assert found["quote"] == words
    assert PASSAGE[found["start"] : found["end"]] == words
    assert complaints == []


def test_a_selection_that_cuts_a_cluster_is_widened_to_it(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    desk(page, cast)
    # From inside the joined emoji, which is five units long, up to "Two".
    page.evaluate("""() => {
      const box = document.querySelector('.quotable');
      const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      let node;
      while ((node = walker.nextNode())) {
        const at = node.data.indexOf('Two');
        if (at > 0) {
          document.getSelection().setBaseAndExtent(node, at - 2, node, at + 3);
          return;
        }
      }
    }""")
    page.get_by_role("button", name="Add the words").click()
    assert quotes(page) == ["👩‍🔧 Two"]


def test_quotes_overlap_stay_and_are_removed_by_mouse_or_key(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    desk(page, cast)
    drag(page, "nightly report")
    drag(page, "report lists 3")
    drag(page, "failed jobs")
    assert quotes(page) == ["nightly report", "report lists 3", "failed jobs"]
    page.wait_for_timeout(600)  # sooner, it would be a double click
    drag(page, "failed jobs")
    assert len(quotes(page)) == 3
    page.get_by_role("button", name="Remove the quote: report lists 3").click()
    assert quotes(page) == ["nightly report", "failed jobs"]
    # Focus stands on the next quote's button.
    page.keyboard.press("Enter")
    assert quotes(page) == ["nightly report"]
    assert page.evaluate("[...CSS.highlights.get('evidence')].map(String)") == ["nightly report"]


def test_verdicts_that_the_contract_forbids_are_off_with_the_reason(
    cast: Cast, sign_in: SignIn
) -> None:
    page = sign_in(cast.annotator)
    desk(page, cast)
    supported = page.get_by_role("radio", name="supported", exact=True)
    none = page.get_by_role("radio", name="not applicable")
    supported.check()
    page.get_by_role("radio", name="interpretation").check()
    assert supported.is_disabled()
    assert not supported.is_checked()
    assert none.is_checked()
    said = "Interpretation takes only not applicable."
    assert page.locator("#verdict-note").inner_text() == said
    assert said in page.locator("#announce").inner_text()
    page.get_by_role("radio", name="external").check()
    assert supported.is_enabled()
    assert none.is_disabled()
    assert not none.is_checked()
    page.get_by_text("More: claim type").click()
    page.get_by_label("Speech act").select_option("procedural")
    assert page.get_by_role("radio", name="external").is_disabled()
    assert none.is_checked()


def test_saving_brings_the_next_statement_and_then_the_end_each_with_its_address(
    cast: Cast, sign_in: SignIn, complaints: list[str]
) -> None:
    page = sign_in(cast.annotator)
    page.goto("/sets/jobs/queues/")
    page.get_by_role("button", name="Label next").click()
    page.locator(".at-cursor").first.wait_for()
    first = page.url
    fill(page)
    page.get_by_role("button", name="Save and go on").click()
    until(page, f"location.href !== {first!r}")
    page.get_by_text("Label saved.").first.wait_for()
    drag(page, "failed jobs")
    assert quotes(page) == ["failed jobs"]
    fill(page)
    page.get_by_role("button", name="Save and go on").click()
    page.get_by_text("Nothing is left for you here").wait_for()
    assert page.url.endswith("/sets/jobs/queues/")
    assert Label.objects.count() == 2
    assert complaints == []


def test_a_refusal_keeps_what_was_chosen_and_takes_the_focus(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    desk(page, cast)
    fill(page)
    drag(page, "failed jobs")
    page.get_by_label("Rationale").fill("")
    page.get_by_role("button", name="Save and go on").click()
    page.locator("#errors").wait_for()
    page.locator("#errors:focus").wait_for()
    assert quotes(page) == ["failed jobs"]
    page.get_by_label("Rationale").fill("It says so.")
    save(page)
    assert len(Label.objects.get().evidence) == 2


def test_a_network_that_fails_is_said_and_loses_nothing(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    desk(page, cast)
    fill(page)
    page.context.set_offline(True)
    page.get_by_role("button", name="Save and go on").click()
    page.get_by_text("The server could not be reached.").wait_for()
    assert page.get_by_label("Rationale").input_value() == "It says so."
    page.context.set_offline(False)
    save(page)
    assert Label.objects.count() == 1


def test_a_session_that_ended_is_said_and_the_form_stays(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    desk(page, cast)
    fill(page)
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save and go on").click()
    page.get_by_text("You are signed out, so nothing was saved.").wait_for()
    assert page.get_by_label("Rationale").input_value() == "It says so."
    assert Label.objects.count() == 0


def test_without_script_a_statement_is_labelled_by_ticking_a_sentence(
    cast: Cast, sign_in: SignIn
) -> None:
    page = sign_in(cast.annotator, java_script_enabled=False)
    page.goto("/sets/")
    page.get_by_role("button", name="Label next").click()
    while str(cast.statement.key) not in page.url:
        page.goto(desk_of(cast.statement))
    page.get_by_role("checkbox", name="p1, sentence 2").check()
    page.get_by_role("radio", name="interpretation").check()
    assert page.get_by_role("radio", name="supported", exact=True).count() == 0
    page.get_by_role("radio", name="subject-specific").check()
    assert page.get_by_role("radio", name="not applicable").count() == 0
    page.get_by_role("radio", name="supported", exact=True).check()
    page.get_by_role("button", name="Save and go on").click()
    assert "Not saved." in page.locator("#errors").inner_text()
    assert page.get_by_role("checkbox", name="p1, sentence 2").is_checked()
    page.get_by_label("Rationale").fill("It says so.")
    save(page)
    (found,) = Label.objects.get().evidence
    assert PASSAGE[found["start"] : found["end"]] == found["quote"]
    assert found["quote"] == "👩‍🔧 Two were skipped."


def test_signing_in_and_out_by_hand(cast: Cast, sign_in: SignIn, live_server: LiveServer) -> None:
    give_password(cast.annotator)
    page = sign_in(None)
    page.goto("/sets/jobs/")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Nightly jobs").wait_for()
    assert page.url == f"{live_server.url}/sets/jobs/"
    page.goto(desk_of(cast.statement))
    assert "The nightly report" in page.content()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Sign in").wait_for()
    assert "The nightly report" not in page.content()
    kept = page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    assert "nightly" not in kept
