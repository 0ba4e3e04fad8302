"""Writing cases in Chromium: looked over by axe, quicker with JavaScript, whole without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.test_accessible import grave
from tests.labeling.pages.cast import Cast

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WRITE = "/sets/jobs/write/pair/"


def begin(page: Page) -> None:
    """Side A typed, with a quote that is in no passage yet."""
    page.goto(WRITE)
    page.get_by_label("Pair id").fill("boats")
    page.get_by_label("Case id").fill("boats-a")
    page.locator("[name='a.context.0.text']").fill("Four boats sail at noon.")
    page.get_by_label("Answer", exact=True).fill("Four boats sail.")
    page.get_by_role("button", name="One for each sentence of the answer").click()
    page.get_by_role("button", name="Add a quote to statement 1").click()
    page.get_by_label("Class").select_option("subject_specific")
    page.get_by_label("Verdict").select_option("supported")


def finish(page: Page) -> None:
    page.get_by_role("button", name="Start the other side").click()
    page.locator("[name='b.answer']").fill("Five boats sail.")
    page.locator("[name='b.statements.0.text']").fill("Five boats sail.")
    page.locator("[name='b.statements.0.expected.verdict']").select_option("contradictory")
    page.get_by_role("button", name="Check before saving").click()
    page.get_by_role("button", name="Save both sides").click()
    page.get_by_text("Saved. It stands in revision 2").wait_for()


def collide(cast: Cast, sign_in: SignIn, page: Page) -> None:
    """Two leads open one case; ``page`` is left where the second of them saved."""
    page.get_by_role("link", name="boats-a").click()
    page.get_by_role("link", name="Edit as a new revision").click()
    other = sign_in(cast.admin)
    other.goto(page.url)
    for one, question in ((page, "How many?"), (other, "Which?")):
        one.get_by_label("Question", exact=True).fill(question)
        one.get_by_role("button", name="Check before saving").click()
        one.get_by_role("button", name="Save the case").wait_for()
    other.get_by_role("button", name="Save the case").click()
    other.get_by_text("Saved. It stands in").wait_for()
    page.get_by_role("button", name="Save the case").click()
    page.get_by_text("Saved by another lead").wait_for()


def test_a_pair_is_written_without_javascript(cast: Cast, sign_in: SignIn) -> None:
    page = sign_in(cast.lead, java_script_enabled=False)
    begin(page)
    page.locator("[name='a.statements.0.expected.evidence.0.passage_id']").fill("p1")
    page.locator("[name='a.statements.0.expected.evidence.0.quote']").fill("Four boats")
    finish(page)
    assert page.get_by_role("link", name="boats-b").is_visible()


@pytest.mark.parametrize("scripted", [True, False])
def test_the_first_thing_that_is_missing_gets_the_focus(
    cast: Cast, sign_in: SignIn, scripted: bool
) -> None:
    page = sign_in(cast.lead, java_script_enabled=scripted)
    page.goto(WRITE)
    page.get_by_label("Pair id").fill("boats")
    page.get_by_role("button", name="Check before saving").click()
    page.get_by_text("things are missing or wrong").wait_for()
    assert page.locator(":focus").get_attribute("name") == "a.case_id"
    assert page.get_by_label("Pair id").input_value() == "boats"
    page.get_by_role("link", name="Side A, answer").click()
    assert page.url.endswith("#field-a-answer")


def test_words_selected_in_a_passage_become_the_quote(
    cast: Cast, sign_in: SignIn, complaints: list[str]
) -> None:
    page = sign_in(cast.lead)
    begin(page)
    page.locator("[name='a.context.0.text']").evaluate(
        "(area) => { area.focus(); area.setSelectionRange(5, 10); }"
    )
    page.wait_for_timeout(100)
    page.get_by_role("button", name="Quote what is selected").click()
    page.get_by_text("The selected words are the quote now.").wait_for()
    at = "a.statements.0.expected.evidence.0"
    assert page.locator(f"[name='{at}.quote']").input_value() == "boats"
    assert page.locator(f"[name='{at}.passage_id']").input_value() == "p1"
    finish(page)
    assert complaints == []


def test_a_file_is_chosen_once_checked_and_imported(
    cast: Cast, sign_in: SignIn, complaints: list[str], tmp_path: Path
) -> None:
    case = {"case_id": "new", "context": [], "answer": "Yes."}
    case["statements"] = [{"statement_id": "s1", "text": "Yes."}]
    chosen = tmp_path / "cases.jsonl"
    chosen.write_text(json.dumps(case) + "\n")
    page = sign_in(cast.lead)
    page.goto("/sets/jobs/import/")
    page.get_by_label("File", exact=True).set_input_files(chosen)
    page.get_by_role("button", name="Check the file").click()
    page.get_by_text("1 new case").wait_for()
    page.get_by_role("button", name="Import it").click()
    page.get_by_text("Imported: 1 new case.").wait_for()
    page.get_by_role("link", name="new", exact=True).wait_for()
    assert complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_serious_where_cases_are_written(
    cast: Cast, sign_in: SignIn, complaints: list[str], width: int, scheme: str
) -> None:
    page = sign_in(cast.lead, viewport={"width": width, "height": 800}, color_scheme=scheme)

    def sound(name: str) -> None:
        assert grave(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name

    case = f"/sets/jobs/cases/{cast.statement.case_id}/edit/"
    for path in (WRITE, "/sets/jobs/write/case/", case, "/sets/jobs/import/"):
        page.goto(path)
        sound(path)
    begin(page)
    page.get_by_role("button", name="Check before saving").click()
    sound("refused")
    page.get_by_role("button", name="Take away quote 1").click()
    finish(page)
    sound("revision")
    collide(cast, sign_in, page)
    sound("conflict")
    assert [one for one in complaints if "422" not in one and "409" not in one] == []
