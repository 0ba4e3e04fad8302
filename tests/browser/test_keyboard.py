"""Twenty statements labelled with the keyboard alone, and what the export then holds."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from calibration import bundles
from labeling.models import Case, Label, Statement
from tests.browser.hands import SAVE, Hands, announced, at, until
from tests.cast import queue_over
from tests.labeling.pages import cast as casting
from tests.labeling.pages.cast import GLOSSARY, PASSAGE, Cast

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import SignIn

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]

SENTENCES = [
    "💊 The nightly report lists 3 failed jobs.",
    "👩‍🔧 Two were skipped.",
    "التقرير الليلي: ثلاث مهام فاشلة.",
    "夜間レポート：失敗したジョブは三件です。",
    "Retries ended at 04:10.",
]
PREMISE = "A job failed before."
ANSWER = "Sadly, the jobs failed again."


@dataclass(frozen=True)
class Meant:
    """What the annotator means to say of a statement. ``words`` stand in that ``sentence``."""

    claim_class: str
    verdict: str
    sentence: int | None = None
    words: str | None = None

    @property
    def quote(self) -> str | None:
        if self.claim_class == "external":
            return GLOSSARY
        return self.words or (None if self.sentence is None else SENTENCES[self.sentence])


OURS, GENERAL, VIEW = "subject_specific", "external", "interpretation"
MEANT = {
    "The report is a nightly one.": Meant(OURS, "supported", 0),
    "Three jobs failed.": Meant(OURS, "supported", 0),
    "Failed jobs are listed.": Meant(OURS, "supported", 0),
    "The report counts failures.": Meant(OURS, "supported", 0),
    "Some jobs failed.": Meant(OURS, "supported", 0),
    "Four jobs failed.": Meant(OURS, "contradictory", 0),
    "No job failed.": Meant(OURS, "contradictory", 0),
    "The report names the hosts.": Meant(OURS, "unsupported"),
    "The report is sent by mail.": Meant(OURS, "unsupported"),
    "The failures were critical.": Meant(OURS, "unsupported"),
    "The report has two pages.": Meant(OURS, "unsupported"),
    "You should read it daily.": Meant(VIEW, "not_applicable"),
    "It is a pity.": Meant(VIEW, "not_applicable"),
    "To retry is to run again.": Meant(GENERAL, "supported", 0),
    "Retries ended after four.": Meant(OURS, "supported", 4),
    "Just three failed.": Meant(OURS, "supported", 0, "3 failed jobs"),
    "Two jobs were passed over.": Meant(OURS, "supported", 1, "👩‍🔧 Two"),
    "Three tasks failed.": Meant(OURS, "supported", 2, "ثلاث مهام"),
    "There were failed jobs.": Meant(OURS, "supported", 3, "失敗した"),
    ANSWER: Meant(VIEW, "not_applicable"),
}
CLASS_KEY = {OURS: "1", GENERAL: "2", VIEW: "3"}
AT_THE_END = "location.pathname.endsWith('/queues/')"
VERDICT_KEY = {"supported": "q", "unsupported": "w", "contradictory": "e"}


def statements(cast: Cast) -> list[Case]:
    """The twenty, by fours in cases of their own."""
    texts = list(MEANT)
    cases = []
    for number in range(0, len(texts), 4):
        four = texts[number : number + 4]
        answer = " ".join(four)
        case = casting.case(
            cast.set, f"twenty-{number}", answer=answer, pair_id=None, pair_kind=None
        )
        for text in four:
            begins = answer.index(text)
            casting.statement(case, text, (begins, begins + len(text)))
        cases.append(case)
    return cases


def rationale_of(text: str) -> str:
    return f"So it is with “{text}”, n 1 q s?"


def label(hands: Hands, text: str) -> None:
    """The statement on screen, as it is meant."""
    meant = MEANT[text]
    if text == ANSWER:
        split_premise(hands)
    hands.press(CLASS_KEY[meant.claim_class])
    if meant.verdict in VERDICT_KEY:
        hands.press(VERDICT_KEY[meant.verdict])
    if meant.sentence is not None:
        hands.go_to_sentence(meant.sentence)
    if meant.words is not None:
        hands.choose_words(meant.words)
    hands.press("n" if meant.sentence is None or meant.words else "Shift+X")
    hands.write(rationale_of(text))
    hands.press(SAVE)


def split_premise(hands: Hands) -> None:
    page = hands.page
    hands.press("p")
    page.get_by_role("heading", name="Label part 1").wait_for()
    hands.press("t")
    hands.write(PREMISE)
    hands.press("Escape", "1", "w", "n")
    hands.write("Nothing is said of earlier nights.")
    hands.press(SAVE)
    page.get_by_role("heading", name="Label a statement").wait_for()
    page.locator(".split-part").get_by_text(PREMISE).wait_for()


def shown(page: Page) -> str:
    return Statement.objects.get(key=at(page)).text


def work_through(page: Page, hands: Hands, count: int) -> dict[str, list[str]]:
    """Label ``count`` statements, each as it comes; the keys that were pressed for each."""
    pressed = {}
    for done in range(count):
        text, key = shown(page), at(page)
        with hands.counting() as keys:
            label(hands, text)
        pressed[text] = keys
        last = done == count - 1
        until(page, AT_THE_END if last else f"!location.href.includes('{key}')")
    return pressed


def test_twenty_statements_by_keyboard_alone_and_the_export_holds_what_was_meant(
    cast: Cast, sign_in: SignIn, complaints: list[str], tmp_path: Path
) -> None:
    cases = statements(cast)
    pks = [case.pk for case in cases]
    Case.objects.exclude(pk__in=pks).update(superseded_in=2)
    queue = queue_over(cast.set, title="Twenty")
    page = sign_in(cast.annotator)
    page.goto("/sets/jobs/queues/")
    page.get_by_role("button", name=f"Label next in {queue}").press("Enter")
    page.locator(".at-cursor").first.wait_for()
    hands = Hands(page)

    pressed = work_through(page, hands, 20)
    counts = {text: len(keys) for text, keys in pressed.items()}
    assert set(counts) == set(MEANT)
    assert median(counts.values()) <= 4, counts
    assert Label.objects.count() == 20
    last = list(pressed)[-1]

    # Back to the last one: changed, saved, and taken back again.
    page.go_back()
    page.get_by_role("heading", name="Change your label").wait_for()
    assert shown(page) == last
    hands.press("[")
    before = list(pressed)[-2]
    until(page, f"!location.href.includes('{Statement.objects.get(text=last).key}')")
    assert shown(page) == before
    hands.press("u", "n")
    page.keyboard.press("Control+End")
    hands.write(" Edited.")
    hands.press(SAVE)
    until(page, AT_THE_END)
    assert Label.objects.live().get(statement__text=before).rationale.endswith(" Edited.")

    page.go_back()
    page.get_by_role("heading", name="Change your label").wait_for()
    hands.press("Control+z")
    announced(page, "The label is taken back.")
    assert not Label.objects.live().filter(statement__text=before).exists()
    hands.press(SAVE)
    until(page, AT_THE_END)

    assert complaints == []
    check_export(cast, tmp_path / "out.zip", edited=before)


def check_export(cast: Cast, path: Path, *, edited: str) -> None:
    bundles.export_bundle(cast.set, path)
    texts = {(one.case.case_id, one.statement_id): one.text for one in Statement.objects.all()}
    sources = {"p1": PASSAGE, "glossary": GLOSSARY}
    found = list(exported(path))
    assert len(found) == len(MEANT)
    for record in found:
        text = texts[record["case_id"], record["statement_id"]]
        wanted = MEANT[text]
        assert (record["claim_class"], record["verdict"]) == (wanted.claim_class, wanted.verdict)
        quotes = [item["quote"] for item in record["evidence"]]
        assert quotes == ([wanted.quote] if wanted.quote else []), text
        for item in record["evidence"]:
            whole = sources[item["passage_id"] or item["source_id"]]
            assert whole[item["start"] : item["end"]] == item["quote"]
        said = rationale_of(text) + (" Edited." if text == edited else "")
        assert record["rationale"] == said
        assert record["origin"] == "blind"
        assert [one["text"] for one in record["premises"]] == ([PREMISE] if text == ANSWER else [])
        assert [one["verdict"] for one in record["premises"]] == ["unsupported"] * (text == ANSWER)


def exported(path: Path) -> Iterable[dict[str, Any]]:
    with zipfile.ZipFile(path) as bundle:
        name = next(one for one in bundle.namelist() if one.endswith("labels.jsonl"))
        yield from map(json.loads, bundle.read(name).decode().splitlines())
