"""Pairs and cases written in the browser, without JavaScript: every button is a submit."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from labeling import exchange, sets
from labeling.authoring.caseforms import fields, opening
from labeling.authoring.caseforms.page import fields_of
from labeling.models import CalibrationSet, Case, Label, Role
from labeling.people import accounts
from labeling.sets import exposures
from tests.calibration.pages.reading import Page
from tests.calibration.pages.sets import imported, lamps
from tests.cast import Cast
from tests.labeling.pages.test_hostile_text import HOSTILE, harmless

pytestmark = pytest.mark.django_db

PASSAGE = "Bericht 7: 3 Läufe brachen ab 💊, 2 ruhten. 3 Läufe brachen ab."
ANSWER = "The report lists three aborted runs. It is tidy."


@pytest.fixture
def lead(people: Cast) -> Client:
    client = Client()
    client.force_login(people.lead)
    return client


@pytest.fixture
def write(people: Cast) -> str:
    return reverse("pair-write", args=[people.set.slug])


def side(letter: str, word: str, verdict: str) -> dict[str, str]:
    """One side as it is typed; the quote stands twice in the passage, so it has its place."""
    answer = ANSWER.replace("three", word)
    typed = {
        "case_id": f"runs-{letter}",
        "opened": "",
        "question": "What does report 7 list?",
        "answer": answer,
        "answerable": "yes",
        "answerable_from_retrieved": "",
        "tags": "runs\r\nwritten here",
        "source": "hand-written",
        "licence": "CC0-1.0",
        "pooled": "yes",
        "context.0.id": "p1",
        "context.0.text": PASSAGE,
        "context.0.source": "report-7",
        "statements.0.statement_id": "s1",
        "statements.0.text": answer.split(". ")[0] + ".",
        "statements.0.span": "found",
        "statements.0.claim_type": "quantity",
        "statements.0.speech_act": "assertion",
        "statements.0.expected.claim_class": "subject_specific",
        "statements.0.expected.verdict": verdict,
        "statements.0.expected.rationale": "It says\r\nthree.",
        "statements.0.expected.evidence.0.passage_id": "p1",
        "statements.0.expected.evidence.0.quote": "3 Läufe brachen ab",
        "statements.0.expected.evidence.0.start": "11",
        "statements.1.statement_id": "s2",
        "statements.1.text": "Tidiness is meant.",
        "statements.1.span": "nowhere",
        "statements.1.parent_id": "s1",
    }
    return {f"{letter}.{name}": value for name, value in typed.items()}


def pair() -> dict[str, str]:
    shared = {"pair_id": "runs", "pair_kind": "nearby_number"}
    return shared | side("a", "three", "supported") | side("b", "five", "contradictory")


def live(calibration_set: CalibrationSet, case_id: str) -> Case:
    return Case.objects.live().get(set=calibration_set, case_id=case_id)


def opened(calibration_set: CalibrationSet, *case_ids: str) -> dict[str, str]:
    typed, _ = opening.open_cases([live(calibration_set, one) for one in case_ids])
    return fields.posted_of(typed)


def token(response: Any) -> str:
    return response.context["answer"].check.token


def save(client: Client, url: str, form: dict[str, str]) -> Any:
    """Checked, then saved, as the page's two buttons do."""
    checked = client.post(url, form | {"do": "check"})
    assert checked.status_code == 200, Page(checked.content).plain
    return client.post(url, form | {"do": "save", "checked": token(checked)})


def test_a_written_pair_is_exported_as_it_was_typed(lead, write, people) -> None:
    response = save(lead, write, pair())
    assert response["Location"] == reverse("revision", args=[people.set.slug, 2])
    a, b = exchange.records_of([live(people.set, f"runs-{x}") for x in "ab"])
    assert a.model_dump(mode="json") == {
        "case_id": "runs-a",
        "pair_id": "runs",
        "pair_kind": "nearby_number",
        "question": "What does report 7 list?",
        "context": [{"id": "p1", "text": PASSAGE, "source": "report-7"}],
        "retrieved": [],
        "answer": ANSWER,
        "statements": [
            {
                "statement_id": "s1",
                "text": "The report lists three aborted runs.",
                "span": [0, 36],
                "parent_id": None,
                "claim_type": "quantity",
                "speech_act": "assertion",
                "expected": {
                    "claim_class": "subject_specific",
                    "verdict": "supported",
                    "rationale": "It says\nthree.",
                    "evidence": [
                        {
                            "passage_id": "p1",
                            "source_id": None,
                            "quote": "3 Läufe brachen ab",
                            "start": 11,
                            "end": 29,
                        }
                    ],
                },
            },
            {
                "statement_id": "s2",
                "text": "Tidiness is meant.",
                "span": None,
                "parent_id": "s1",
                "claim_type": None,
                "speech_act": None,
                "expected": None,
            },
        ],
        "answerable": True,
        "answerable_from_retrieved": None,
        "tags": ["runs", "written here"],
        "source": "hand-written",
        "licence": "CC0-1.0",
    }
    assert (b.statements[0].span, b.statements[0].expected.verdict) == ((0, 35), "contradictory")


# What is wrong with one field can be said at another.
ELSEWHERE = {
    "b.statements.0.text": "b.statements.0.span",
    "a.statements.0.expected.evidence.0.source_id": (
        "a.statements.0.expected.evidence.0.passage_id"
    ),
}


def test_an_empty_form_says_all_that_it_lacks_at_once_and_the_first_of_it_gets_the_focus(
    lead, write
) -> None:
    empty = {"pair_id": "", "a.case_id": "", "a.answer": "", "do": "check"}
    empty |= {"a.context.0.id": "p1", "a.context.0.text": "", "a.statements.0.text": ""}
    empty |= {"a.statements.0.statement_id": "s1", "a.statements.0.span": "found"}
    response = lead.post(write, empty)
    assert [(id_, called) for id_, called, _ in response.context["form"].problems] == [
        ("field-pair_id", "Pair id"),
        ("field-a-case_id", "Side A, case id"),
        ("field-a-context-0-text", "Side A, passage 1, text"),
        ("field-a-answer", "Side A, answer"),
        ("field-a-statements-0-text", "Side A, statement 1, text"),
    ]
    body = response.content.decode()
    assert "5 things are missing or wrong." in body
    assert body.count(" autofocus") == 1
    assert re.search(r'id="field-pair_id"[^>]* autofocus', body)


def test_every_wrong_row_is_named_at_once(lead, write) -> None:
    wrong = {
        f"a.statements.{at}.expected.{name}": value
        for at in (0, 1)
        for name, value in (("claim_class", "interpretation"), ("verdict", "supported"))
    }
    response = lead.post(write, pair() | wrong | {"b.case_id": "b b", "do": "check"})
    called = [called for _, called, _ in response.context["form"].problems]
    assert called == [
        "Side A, statement 1, verdict",
        "Side A, statement 2, verdict",
        "Side B, case id",
    ]
    told = [message for *_, message in response.context["form"].problems]
    assert told[0] == "supported is not a verdict for a claim classed interpretation"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("pair_id", "", "Give the pair an id"),
        ("pair_id", "jobs-001", "a pair is two"),
        ("pair_id", "a b", "may hold only"),
        ("a.case_id", "", "Give the case an id"),
        ("b.case_id", "runs-a", "a second time"),
        ("b.case_id", "RUNS-A", "letter case"),
        ("a.case_id", "manual-9", "already"),
        ("b.context.0.id", "p 1", "may hold only"),
        ("b.statements.0.text", "Not there.", None),
        ("b.statements.0.span", "0-3-00000000", "choose again"),
        ("a.statements.1.statement_id", "s1", "a second time"),
        ("b.statements.1.parent_id", "s9", "no statement"),
        ("b.statements.1.parent_id", "s2", "split from itself"),
        ("a.statements.0.claim_type", "size", "must be"),
        ("a.statements.0.expected.verdict", "not_applicable", "is not a verdict"),
        ("b.statements.0.expected.evidence.0.quote", "4 runs", "is not what stands"),
        ("b.statements.0.expected.evidence.0.start", "", "more than once"),
        ("b.statements.0.expected.evidence.0.start", "x", "whole number"),
        ("a.statements.0.expected.evidence.0.passage_id", "p9", "no passage"),
        ("a.statements.0.expected.evidence.0.source_id", "glossary", None),
        ("a.answerable", "maybe", "true or false"),
        ("b.answer", " ", "Write the answer"),
        ("a.context.0.text", "", "Write the passage"),
    ],
)
def test_a_refusal_stands_at_its_field_and_everything_typed_is_kept(
    lead, write, people, field, value, said
) -> None:
    form = pair() | {field: value}
    before = Case.objects.count()
    response = lead.post(write, form | {"do": "save", "checked": "x"})
    assert (response.status_code, Case.objects.count()) == (422, before)
    at = ELSEWHERE.get(field, field)
    drawn = {one.name: one for one in fields_of(response.context["form"])}
    assert drawn[at].error
    assert (said or "") in drawn[at].error
    body = response.content.decode()
    assert f'href="#{drawn[at].id}"' in body
    assert f'aria-describedby="{drawn[at].id}-error"' in body
    kept = {name: text.replace("\r\n", "\n") for name, text in form.items()}
    assert {name: drawn[name].value for name in kept} == kept


def test_a_quote_that_stands_twice_is_refused_with_the_places_where_it_stands(lead, write) -> None:
    form = pair() | {"a.statements.0.expected.evidence.0.start": ""}
    assert "It begins at 11, 43." in Page(lead.post(write, form).content).plain


def test_nothing_is_saved_before_the_findings_were_shown(lead, write, people) -> None:
    form = pair() | {"b.statements.0.expected.verdict": "supported"}
    for at in ("a.statements.1.expected", "b.statements.1.expected"):
        form |= {f"{at}.claim_class": "interpretation", f"{at}.verdict": "not_applicable"}
    before = Case.objects.count()
    response = lead.post(write, form | {"do": "save"})
    assert (response.status_code, Case.objects.count()) == (200, before)
    said = Page(response.content).plain
    assert "Not saved yet." in said
    assert "both sides are expected to be labelled alike" in said
    saved = lead.post(write, form | {"do": "save", "checked": token(response)}, follow=True)
    assert Case.objects.count() == before + 2
    said = Page(saved.content).plain
    assert "Saved. It stands in revision 2" in said
    assert "both sides are expected to be labelled alike" in said


def test_the_texts_that_were_checked_are_the_texts_that_are_saved(lead, write) -> None:
    before = Case.objects.count()
    checked = token(lead.post(write, pair()))
    changed = pair() | {"a.licence": "CC-BY-4.0", "do": "save", "checked": checked}
    assert "Not saved yet." in Page(lead.post(write, changed).content).plain
    assert Case.objects.count() == before


def test_a_second_click_saves_nothing_more(lead, write, people) -> None:
    form = pair() | {"checked": token(lead.post(write, pair())), "do": "save"}
    places = [lead.post(write, form)["Location"] for _ in range(2)]
    assert places[0] == places[1] == reverse("revision", args=[people.set.slug, 2])
    assert Case.objects.filter(pair_id="runs").count() == 2


def test_a_pair_grows_by_submit_buttons_alone(lead, write, people) -> None:
    """Every step sends back the form that the page before it drew."""
    form = drawn(lead.get(write))
    form |= {"pair_id": "grown", "a.case_id": "grown-a", "a.context.0.text": "Four boats sail."}
    form["a.answer"] = "Four boats sail. They are red."
    for button in ("add.a.context", "remove.a.context.1", "split.a", "add.a.retrieved"):
        form = drawn(lead.post(write, form | {"do": button}))
    assert [form[f"a.statements.{at}.text"] for at in (0, 1)] == [
        "Four boats sail.",
        "They are red.",
    ]
    form = drawn(lead.post(write, form | {"do": "add.a.statements.0.expected.evidence"}))
    at = "a.statements.0.expected"
    form |= {f"{at}.claim_class": "subject_specific", f"{at}.verdict": "supported"}
    form |= {f"{at}.evidence.0.passage_id": "p1", f"{at}.evidence.0.quote": "Four boats"}
    form = drawn(lead.post(write, form | {"do": "remove.a.retrieved.0"}))
    half = lead.post(write, form | {"do": "save", "checked": "x"})
    assert "start the other one" in Page(half.content).plain
    form = drawn(lead.post(write, form | {"do": "copy.b"}))
    assert form["b.case_id"] == "grown-b"
    form["b.answer"] = form["b.answer"].replace("Four", "Five")
    form["b.statements.0.text"] = "Five boats sail."
    form["b.statements.0.expected.verdict"] = "contradictory"
    assert save(lead, write, form).status_code == 302
    a, b = exchange.records_of([live(people.set, f"grown-{x}") for x in "ab"])
    assert a.statements[0].expected.evidence[0].end == 10
    assert (a.answer, b.answer) == (
        "Four boats sail. They are red.",
        "Five boats sail. They are red.",
    )
    assert a.retrieved is None


def drawn(response: Any) -> dict[str, str]:
    """The form that a page shows, as a browser would send it back."""
    assert response.status_code == 200, Page(response.content).plain
    named = {one.name: one for one in fields_of(response.context["form"])}
    body = response.content.decode()
    assert all(f'name="{name}"' in body for name in named)
    return {name: one.value for name, one in named.items() if one.kind != "tick" or one.value}


def test_an_edit_says_before_saving_what_becomes_of_labels(lead, people) -> None:
    case = live(people.set, "jobs-001-a")
    url = reverse("case-edit", args=[people.set.slug, case.pk])
    count = Label.objects.live().filter(statement__case=case).count()
    form = opened(people.set, "jobs-001-a")
    assert drawn(lead.get(url)) == form
    said = Page(lead.post(url, form).content).plain
    assert "nothing changed; no new revision of it" in said
    said = Page(lead.post(url, form | {"a.licence": "x"}).content).plain
    assert f"{count} live labels carry over" in said
    changed = form | {"a.question": "And now?"}
    assert (
        f"{count} live labels stay with the revision before"
        in Page(lead.post(url, changed).content).plain
    )
    saved = lead.get(save(lead, url, changed)["Location"])
    assert f"{count} stayed with it" in Page(saved.content).plain
    assert Label.objects.live().filter(statement__case=case).count() == count > 0


def test_both_sides_of_a_pair_are_superseded_in_one_revision(lead, people) -> None:
    url = reverse("pair-edit", args=[people.set.slug, "jobs-001"])
    form = drawn(lead.get(url))
    assert form == opened(people.set, "jobs-001-a", "jobs-001-b")
    form |= {"a.question": "Changed?", "b.question": "Changed?", "pair_kind": "other_kind"}
    assert save(lead, url, form)["Location"].endswith("/revisions/2/")
    sides = [live(people.set, f"jobs-001-{x}") for x in "ab"]
    assert [(one.added_in, one.question, one.pair_kind) for one in sides] == [
        (2, "Changed?", "other_kind")
    ] * 2


def test_the_page_of_a_superseded_revision_leads_to_the_live_one(lead, people) -> None:
    case = live(people.set, "manual-9")
    url = reverse("case-edit", args=[people.set.slug, case.pk])
    save(lead, url, opened(people.set, "manual-9") | {"a.licence": "x"})
    now = live(people.set, "manual-9")
    assert lead.get(url)["Location"] == reverse("case-edit", args=[people.set.slug, now.pk])


def test_two_leads_over_one_case_meet_on_a_page_with_both_texts(lead, people) -> None:
    case = live(people.set, "manual-9")
    url = reverse("case-edit", args=[people.set.slug, case.pk])
    mine = opened(people.set, "manual-9") | {"a.question": "Mine, about pump C?"}
    theirs = opened(people.set, "manual-9") | {"a.question": "Theirs, about pump C?"}
    checked = token(lead.post(url, mine))
    assert save(lead, url, theirs).status_code == 302
    conflict = lead.post(url, mine | {"do": "save", "checked": checked})
    assert conflict.status_code == 409
    said = Page(conflict.content).plain
    assert "Theirs" in said
    assert "Mine" in said
    assert live(people.set, "manual-9").question == "Theirs, about pump C?"
    again = {one.name: one.value for one in fields_of(conflict.context["form"])}
    assert again["a.opened"] == live(people.set, "manual-9").digest
    assert again["a.question"] == "Mine, about pump C?"
    again.pop("a.pooled")
    assert save(lead, url, again).status_code == 302
    revisions = Case.objects.filter(case_id="manual-9").order_by("added_in")
    assert [one.question for one in revisions][1:] == [
        "Theirs, about pump C?",
        "Mine, about pump C?",
    ]


def test_a_case_of_another_set_is_not_there(lead, people, tmp_path) -> None:
    other = imported("mine", lamps(2), tmp_path)
    accounts.join(other, people.lead, Role.LEAD)
    accounts.leave(people.set, people.lead)
    case = live(people.set, "manual-9")
    form = opened(people.set, "manual-9") | {"a.licence": "theirs"}
    before = Case.objects.count()
    for url in (
        reverse("case-edit", args=["mine", case.pk]),
        reverse("case-write", args=["mine"]),
        reverse("pair-write", args=["mine"]),
        reverse("pair-edit", args=["mine", "jobs-001"]),
        reverse("pair-edit", args=["mine", "pair-0"]),
        reverse("case-edit", args=["mine", live(other, "lamp-0").pk]),
    ):
        for button in ("check", "save", "add.a.context"):
            answer = lead.post(url, form | {"do": button, "pair_id": "x"})
            assert answer.status_code == 404, url
            assert b"manual-9" not in answer.content
    assert Case.objects.count() == before


def test_a_form_about_another_case_than_its_address_is_not_taken(lead, people) -> None:
    url = reverse("case-edit", args=[people.set.slug, live(people.set, "manual-9").pk])
    form = opened(people.set, "silent-3") | {"a.licence": "x"}
    assert lead.post(url, form).status_code == 404
    both = opened(people.set, "jobs-001-a", "jobs-001-b")
    assert lead.post(url, both).status_code == 404
    unopened = opened(people.set, "manual-9") | {"a.opened": ""}
    assert lead.post(url, unopened).status_code == 404


def test_whoever_opens_the_pages_has_seen_what_is_expected(people) -> None:
    for number, name in enumerate(("pair-write", "revision", "case-edit")):
        user = [people.lead, people.admin, people.second][number]
        if user == people.second:
            accounts.join(people.set, user, Role.LEAD)
        client = Client()
        client.force_login(user)
        args = {"revision": [1], "case-edit": [live(people.set, "manual-9").pk]}.get(name, [])
        assert not exposures.exposed(people.set, user)
        assert client.get(reverse(name, args=[people.set.slug, *args])).status_code == 200
        assert exposures.exposed(people.set, user), name


def test_hostile_text_stays_text_on_every_page_of_writing(lead, write, people) -> None:
    form = pair()
    for name in ("question", "context.0.source", "tags", "source", "licence"):
        form |= {f"a.{name}": HOSTILE, f"b.{name}": HOSTILE}
    form |= {"a.answer": HOSTILE + ANSWER, "pair_kind": HOSTILE[:120]}
    bad = form | {"a.statements.0.span": HOSTILE, "b.statements.0.expected.verdict": HOSTILE}
    saved = save(lead, write, form)
    revision = lead.get(saved["Location"])
    url = reverse("pair-edit", args=[people.set.slug, "runs"])
    edit = lead.get(url)
    mine = opened(people.set, "runs-a", "runs-b") | {"a.question": HOSTILE + "1"}
    save(lead, url, mine | {"a.question": HOSTILE + "2"})
    pages = [lead.post(write, bad), lead.post(write, form | {"pair_id": "o"}), revision, edit]
    pages.append(lead.post(url, mine))
    assert [one.status_code for one in pages] == [422, 422, 200, 200, 409]
    for one in pages:
        assert harmless(one.content.decode())
    assert all(HOSTILE in html.unescape(one.content.decode()) for one in pages if one != revision)


def test_pages_lead_to_writing(lead, people) -> None:
    slug = people.set.slug
    pages = {
        reverse("cases", args=[slug]): ["pair-write", "case-write", "import"],
        reverse("pair", args=[slug, "jobs-001"]): ["pair-edit"],
    }
    for url, names in pages.items():
        links = {href for href, _ in Page(lead.get(url).content).links}
        for name in names:
            args = ["jobs-001"] if name == "pair-edit" else []
            assert reverse(name, args=[slug, *args]) in links
    case = live(people.set, "manual-9")
    body = lead.get(reverse("case", args=[slug, case.pk])).content.decode()
    assert reverse("case-edit", args=[slug, case.pk]) in body
    empty = sets.get_or_create("empty")
    accounts.join(empty, people.lead, Role.LEAD)
    links = {href for href, _ in Page(lead.get(reverse("cases", args=["empty"])).content).links}
    assert {reverse("pair-write", args=["empty"]), reverse("import", args=["empty"])} <= links


def test_a_revision_that_never_was_is_not_there(lead, people) -> None:
    for number in (0, 2, 10**12):
        assert lead.get(f"/sets/{people.set.slug}/revisions/{number}/").status_code == 404
