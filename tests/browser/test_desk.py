"""The keys of the desk, and spans of words that are not plain."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from labeling.models import Label, Remark, Statement
from tests.browser.hands import Hands, announced
from tests.cast import handed, queue_over
from tests.labeling.pages import cast as casting
from tests.labeling.pages.cast import PASSAGE, Cast, desk_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def desk(page: Page, of: Statement) -> Hands:
    page.goto(desk_of(of))
    page.locator(".at-cursor").first.wait_for()
    return Hands(page)


def chosen(page: Page, name: str) -> str | None:
    value = page.evaluate(f"document.querySelector('#desk [name={name}]:checked')?.value ?? null")
    return None if value is None else str(value)


# ---- Keys


def test_typing_in_a_text_box_never_triggers_a_key(
    cast: Cast, sign_in: SignIn, complaints: list[str]
) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    hands.press("n")
    typed = "1 2 3 qwer jkxv lnusfpgat []? X"
    page.keyboard.type(typed)
    assert page.get_by_label("Rationale").input_value() == typed
    assert chosen(page, "claim_class") is None
    assert chosen(page, "verdict") is None
    assert page.locator("dialog[open], #skip[open], #flag[open], .guideline[open]").count() == 0
    assert page.locator("#field-evidence li").count() == 0
    assert not page.locator("#id_unsure").is_checked()
    hands.press("Escape", "1")
    assert chosen(page, "claim_class") == "subject_specific"
    assert page.get_by_label("Rationale").input_value() == typed
    assert Label.objects.count() == 0
    assert complaints == []


def test_keys_choose_what_the_contract_allows_and_say_why_not(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    hands.press("3")
    assert chosen(page, "verdict") == "not_applicable"
    announced(page, "Interpretation takes only not applicable.")
    hands.press("q")
    assert chosen(page, "verdict") == "not_applicable"
    announced(page, "Not supported. Interpretation takes only not applicable.")
    hands.press("2", "e")
    assert chosen(page, "verdict") == "contradictory"
    assert page.locator("#sources").get_attribute("open") is not None
    # One choice after the other is taken back, and at last there is nothing more.
    hands.press("Control+z")
    assert (chosen(page, "claim_class"), chosen(page, "verdict")) == ("external", None)
    hands.press("Control+z", "Control+z")
    assert chosen(page, "claim_class") is None
    hands.press("Control+z")
    announced(page, "There is nothing to undo.")


def test_no_key_deletes_and_the_sheet_shows_them_all(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    hands.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    sheet.wait_for()
    hands.press("1")
    assert chosen(page, "claim_class") is None
    hands.press("Escape")
    assert not sheet.is_visible()
    page.get_by_role("button", name="Keys").click()
    assert sheet.is_visible()
    hands.press("Escape", "s")
    assert page.evaluate("document.activeElement.name") == "skipped_reason"
    hands.press("Escape", "f")
    assert page.evaluate("document.activeElement.name") == "flagged_reason"
    hands.press("Escape", "u")
    assert page.locator("#id_unsure").is_checked()
    # p and ? go elsewhere.
    for key in [*"abcdefghijklmnoqrstuvwxyz0456789", "Delete", "Backspace"]:
        hands.press(key, "Escape")
    assert (Label.objects.count(), Remark.objects.count()) == (0, 0)


# ---- Spans


def test_spans_by_key_overlap_stay_and_are_removed_one_by_one(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    quotes = page.locator("#quotes q")
    for words in ("nightly report", "report lists 3", "failed jobs"):
        hands.choose_words(words)
    assert quotes.all_inner_texts() == ["nightly report", "report lists 3", "failed jobs"]
    hands.choose_words("failed jobs")
    announced(page, "Back to sentences.")
    assert quotes.count() == 3
    hands.press("l", "Tab")
    if page.evaluate("document.activeElement.type") == "checkbox":
        hands.press("Tab")
    hands.press("Enter")
    assert quotes.all_inner_texts() == ["nightly report", "failed jobs"]
    announced(page, "Quote removed.")
    hands.press("Control+z")
    assert quotes.count() == 3


def test_characters_are_taken_by_whole_clusters(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.annotator)
    hands = desk(page, cast.statement)
    hands.press("j", "v")
    assert hands.selected() == "👩‍🔧"
    hands.press("Alt+Shift+ArrowRight")
    assert hands.selected() == "👩‍🔧 T"
    hands.press("Alt+Shift+ArrowLeft", "Enter")
    assert page.locator("#quotes q").all_inner_texts() == ["👩‍🔧"]
    evidence = json.loads(page.locator("#quotes input").input_value())
    assert PASSAGE[evidence["start"] : evidence["end"]] == "👩‍🔧"


def test_text_is_shown_as_it_is_stored_with_its_controls_marked(
    cast: Cast, sign_in: SignIn
) -> None:
    text = "Two  spaces.\u00a0A no\u200bbreak. \u202eabc\u202c turned.\nA line\r\rend e\u0301 here."
    case = casting.case(cast.set, "odd", context=[{"id": "p1", "text": text, "source": "x"}])
    odd = casting.statement(case, "The report contains three failed jobs.", (0, 38))
    queue_over(cast.set, title="Odd")
    handed(odd, cast.annotator)
    page = sign_in(cast.annotator)
    hands = desk(page, odd)
    assert page.evaluate("document.querySelector('.quotable').textContent") == text
    marks = page.evaluate("[...document.querySelectorAll('.unseen')].map(one => one.dataset.mark)")
    assert set(marks) == {"NBSP", "ZWSP", "RLO", "PDF", "CR"}
    hands.choose_words("Two  spaces")
    (quote,) = [json.loads(one.input_value()) for one in page.locator("#quotes input").all()]
    assert text[quote["start"] : quote["end"]] == "Two  spaces"
